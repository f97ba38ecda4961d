// SPDX-License-Identifier: MIT
#include "lab/record/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "core/method.h"
#include "lab/record/fields.h"
#include "lab/text/clean_text.h"
#include "threads/api/report.h"
#include "topologies/topology.h"

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the reports of so many runs: choose fewer runs");
}

const struct lab_host *lab_host_this(void)
{
    static struct lab_host host;
    if (host.cores == 0) {
        struct ek_limits limits;
        ek_limits_read(&limits);
        snprintf(host.processor, sizeof host.processor, "%s", limits.processor);
        lab_text_clean(host.processor);
        host.cores = limits.cores;
        host.memory_bytes = limits.memory_total;
    }
    return &host;
}

bool lab_topology_begin(struct lab_topology *to, const struct ek_topology *from)
{
    *to = (struct lab_topology){.spec = lab_text_clean_copy(from->spec),
                                .processors = from->processors,
                                .links = from->links,
                                .colours = from->colours,
                                .degree_min = from->degree_min,
                                .degree_max = from->degree_max,
                                .diameter = from->diameter,
                                .dimensions = from->dimensions,
                                .drawn = from->drawn};
    for (const struct ek_topology *part = from; part; part = part->group) {
        if (part->note) {
            snprintf(to->note, sizeof to->note, "%s", part->note);
        }
    }
    assert(from->dimensions <= LAB_SIDES_MAX);
    for (uint32_t d = 0; d < from->dimensions; d++) {
        to->side[d] = from->side[d];
    }
    return to->spec;
}

static bool begin_axes(struct lab_record *record, const struct ek_machine *machine)
{
    bool good = true;
    for (size_t i = 0; ek_axis_at(i); i++) {
        record->axis[i].value = lab_text_clean_copy(ek_machine_axis(machine, i));
        record->axis[i].given = ek_machine_given(machine, i);
        good = good && record->axis[i].value;
    }
    return good;
}

// Returns the method's parameter. If each run has a graph of its own and the parameter follows from the graph, the
// machine knows that of the first run only.
static double parameter_of(const struct lab_record *record, const struct ek_machine *machine)
{
    const bool given = strchr(lab_record_axis(record, "method"), ':');
    return ek_machine_drawn(machine) && record->runs_asked > 1 && !given ? NAN : ek_machine_parameter(machine);
}

static bool begin_method(struct lab_record *record, const struct ek_machine *machine)
{
    const struct ek_method *method = ek_machine_method(machine);
    record->method = (struct lab_method){.name = lab_text_clean_copy(method->name),
                                         .spec = lab_text_clean_copy(lab_record_axis(record, "method")),
                                         .title = lab_text_clean_copy(method->texts->title),
                                         .parameter = parameter_of(record, machine),
                                         .direct = ek_machine_direct(machine),
                                         .exchange = method->matrix == EK_MATRIX_EXCHANGE};
    return record->method.name && record->method.spec && record->method.title;
}

// Computes the theory, or writes a note in its place if it would take long. Returns false if memory is short.
static bool begin_theory(struct lab_record *record, const struct ek_machine *machine, bool wanted)
{
    record->theory = (struct ek_theory){.gamma_exact = NAN,
                                        .gamma_closed = NAN,
                                        .parameter = ek_machine_parameter(machine),
                                        .parameter_best = NAN,
                                        .operations = NAN,
                                        .steps = NAN};
    if (!wanted) {
        return true;
    }
    if (ek_theory_soon(machine)) {
        ek_theory_find(machine, &record->theory);
    } else {
        snprintf(record->theory.note, sizeof record->theory.note,
                 "Computing the factor takes long on this topology: use evenkeel theory.");
    }
    record->facts_count = ek_facts_find(machine, record->facts, EK_FACTS_MAX);
    return lab_theory_is_whole(&record->theory, record->facts, record->facts_count);
}

bool lab_theory_is_whole(const struct ek_theory *theory, const struct ek_fact *facts, size_t count)
{
    bool whole = !theory->incomplete;
    for (size_t i = 0; i < count; i++) {
        whole = whole && strcmp(facts[i].name, "facts_missing") != 0;
    }
    return whole;
}

bool lab_record_begin(struct lab_record *record, const struct ek_machine *machine, const char *command,
                      uint64_t runs_asked, bool theory, struct ek_error *error)
{
    *record = (struct lab_record){.runs_asked = runs_asked, .command = lab_text_clean_copy(command)};
    snprintf(record->version, sizeof record->version, "%s", ek_version());
    record->host = *lab_host_this();
    if (!record->command || !lab_topology_begin(&record->topology, ek_machine_outline(machine)) ||
        !begin_axes(record, machine) || !begin_method(record, machine) || !begin_theory(record, machine, theory)) {
        lab_record_destroy(record);
        return no_memory(error);
    }
    return true;
}

void lab_record_destroy(struct lab_record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        ek_report_destroy(&record->runs[i]);
    }
    free(record->runs);
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        free(record->axis[i].value);
    }
    free(record->command);
    free(record->topology.spec);
    free(record->method.name);
    free(record->method.spec);
    free(record->method.title);
    *record = (struct lab_record){0};
}

bool lab_record_add(struct lab_record *record, struct ek_report *report, struct ek_error *error)
{
    struct ek_report *runs = base_grow(record->runs, record->count, sizeof *runs);
    if (!runs) {
        return no_memory(error);
    }
    record->runs = runs;
    record->runs[record->count++] = *report;
    *report = (struct ek_report){0};
    return true;
}

size_t lab_axis_index(const char *option)
{
    size_t i = 0;
    while (ek_axis_at(i) && strcmp(ek_axis_at(i)->option, option) != 0) {
        i++;
    }
    assert(ek_axis_at(i));
    return i;
}

const char *lab_record_axis(const struct lab_record *record, const char *option)
{
    return record->axis[lab_axis_index(option)].value;
}

bool lab_record_given(const struct lab_record *record, const char *option)
{
    return record->axis[lab_axis_index(option)].given;
}

bool lab_record_shows_virtual(const struct lab_record *record)
{
    bool given = false;
    for (size_t i = 0; ek_axis_at(i); i++) {
        given = given || (ek_axis_at(i)->role == EK_ROLE_COST && record->axis[i].given);
    }
    return record->runs[0].has_virtual && (record->runs[0].has_windows || given);
}

size_t lab_record_unreached(const struct lab_record *record)
{
    size_t unreached = 0;
    for (size_t i = 0; i < record->count; i++) {
        unreached += !record->runs[i].converged;
    }
    return unreached;
}

// Returns the value of a field, NAN if the run does not have it.
static double measured_value(const struct lab_field *field, const struct ek_report *run)
{
    return lab_field_present(field, run) ? lab_field_value(field, run) : NAN;
}

struct lab_summary lab_record_summarise(const struct lab_record *record, const struct lab_field *field)
{
    assert(record->count > 0);
    double first = measured_value(field, &record->runs[0]);
    struct lab_summary summary = {.mean = first, .minimum = first, .maximum = first};
    double squares = 0.0;
    // Welford's recurrence avoids cancellation, however large the mean is.
    for (size_t i = 1; i < record->count; i++) {
        double value = measured_value(field, &record->runs[i]);
        double away = value - summary.mean;
        summary.mean += away / (double)(i + 1);
        squares += away * (value - summary.mean);
        summary.minimum = fmin(summary.minimum, value);
        summary.maximum = fmax(summary.maximum, value);
    }
    if (isnan(summary.mean)) { // a run did not measure the field
        return (struct lab_summary){NAN, NAN, NAN, NAN};
    }
    summary.sd = record->count > 1 ? sqrt(squares / (double)(record->count - 1)) : 0.0;
    return summary;
}
