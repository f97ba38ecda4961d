// SPDX-License-Identifier: MIT
// The table of what a run's report says (docs/report.md describes it), and the summary over several runs.
#include "cli/results.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACE(field) offsetof(struct ek_report, field)

static const struct ek_field fields[] = {
    {.name = "seed", .kind = EK_FIELD_WHOLE, .offset = PLACE(seed)},
    {.name = "converged", .kind = EK_FIELD_SWITCH, .offset = PLACE(converged)},
    {.name = "operations", .kind = EK_FIELD_WHOLE, .offset = PLACE(operations), .summarised = true},
    {.name = "steps", .kind = EK_FIELD_WHOLE, .offset = PLACE(steps), .summarised = true},
    {.name = "variance_initial", .kind = EK_FIELD_REAL, .offset = PLACE(variance_initial)},
    {.name = "variance_final", .kind = EK_FIELD_REAL, .offset = PLACE(variance_final), .summarised = true},
    {.name = "spread_final", .kind = EK_FIELD_REAL, .offset = PLACE(spread_final), .summarised = true},
    {.name = "minimum", .kind = EK_FIELD_REAL, .offset = PLACE(minimum)},
    {.name = "maximum", .kind = EK_FIELD_REAL, .offset = PLACE(maximum)},
    {.name = "total_initial", .kind = EK_FIELD_REAL, .offset = PLACE(total_initial)},
    {.name = "total_final", .kind = EK_FIELD_REAL, .offset = PLACE(total_final)},
    {.name = "generated", .kind = EK_FIELD_REAL, .offset = PLACE(generated)},
    {.name = "consumed", .kind = EK_FIELD_REAL, .offset = PLACE(consumed)},
    {.name = "in_flight", .kind = EK_FIELD_REAL, .offset = PLACE(in_flight)},
    {.name = "minimum_ever", .kind = EK_FIELD_REAL, .offset = PLACE(minimum_ever)},
    {.name = "parcels", .kind = EK_FIELD_WHOLE, .offset = PLACE(parcels), .summarised = true},
    {.name = "moved", .kind = EK_FIELD_REAL, .offset = PLACE(moved), .summarised = true},
    {.name = "stayed", .kind = EK_FIELD_REAL, .offset = PLACE(stayed), .when = PLACE(has_stayed)},
    {.name = "local_fraction", .kind = EK_FIELD_REAL, .offset = SIZE_MAX, .when = PLACE(has_stayed)},
    {.name = "flow_l1", .kind = EK_FIELD_REAL, .offset = PLACE(flow_l1)},
    {.name = "flow_l2", .kind = EK_FIELD_REAL, .offset = PLACE(flow_l2)},
    {.name = "messages", .kind = EK_FIELD_WHOLE, .offset = PLACE(messages), .summarised = true},
    {.name = "idle", .kind = EK_FIELD_WHOLE, .offset = PLACE(idle)},
    {.name = "exchange_steps",
     .kind = EK_FIELD_WHOLE,
     .offset = PLACE(exchange_steps),
     .when = PLACE(has_exchange),
     .summarised = true},
    {.name = "scan_steps",
     .kind = EK_FIELD_WHOLE,
     .offset = PLACE(scan_steps),
     .when = PLACE(has_scan),
     .summarised = true},
    {.name = "reduction_steps",
     .kind = EK_FIELD_WHOLE,
     .offset = PLACE(reduction_steps),
     .when = PLACE(has_reduction),
     .summarised = true},
    {.name = "shifts", .kind = EK_FIELD_REAL, .offset = PLACE(shifts), .when = PLACE(has_shifts), .summarised = true},
    {.name = "elapsed_s", .kind = EK_FIELD_REAL, .offset = PLACE(elapsed_s), .summarised = true},
};

const struct ek_field *ek_field_at(size_t index)
{
    return index < sizeof fields / sizeof *fields ? &fields[index] : NULL;
}

const struct ek_field *ek_field_named(const char *name)
{
    size_t i = 0;
    while (ek_field_at(i) && strcmp(ek_field_at(i)->name, name) != 0) {
        i++;
    }
    return ek_field_at(i);
}

bool ek_field_present(const struct ek_field *field, const struct ek_report *report)
{
    return field->when == 0 || *(const bool *)((const char *)report + field->when);
}

uint64_t ek_field_whole(const struct ek_field *field, const struct ek_report *report)
{
    assert(field->kind == EK_FIELD_WHOLE);
    return *(const uint64_t *)((const char *)report + field->offset);
}

double ek_field_value(const struct ek_field *field, const struct ek_report *report)
{
    if (field->offset == SIZE_MAX) {
        return report->stayed / (report->total_initial + report->generated - report->consumed);
    }
    if (field->kind == EK_FIELD_WHOLE) {
        return (double)ek_field_whole(field, report);
    }
    const char *place = (const char *)report + field->offset;
    return field->kind == EK_FIELD_REAL ? *(const double *)place : *(const bool *)place;
}

struct ek_summary ek_summarise(const struct ek_results *results, const struct ek_field *field)
{
    assert(results->count > 0);
    double first = ek_field_value(field, &results->reports[0]);
    struct ek_summary summary = {.mean = first, .minimum = first, .maximum = first};
    double squares = 0.0;
    // Welford's recurrence: no cancellation however large the mean.
    for (size_t i = 1; i < results->count; i++) {
        double value = ek_field_value(field, &results->reports[i]);
        double away = value - summary.mean;
        summary.mean += away / (double)(i + 1);
        squares += away * (value - summary.mean);
        summary.minimum = fmin(summary.minimum, value);
        summary.maximum = fmax(summary.maximum, value);
    }
    summary.sd = results->count > 1 ? sqrt(squares / (double)(results->count - 1)) : 0.0;
    return summary;
}

const char *ek_results_units(const struct ek_results *results)
{
    bool only_tokens = ek_machine_method(results->machine)->units == EK_TOKENS;
    return only_tokens ? "tokens" : ek_options_text(results->options, "units");
}

const char *ek_results_stop(const struct ek_results *results)
{
    return ek_machine_stop(results->machine);
}

bool ek_results_differs(const struct ek_results *results, const char *axis)
{
    const char *first;
    const char *summary;
    return !ek_choice_at(axis, 0, &first, &summary) || strcmp(ek_options_text(results->options, axis), first) != 0;
}

void ek_results_theory(const struct ek_results *results, struct ek_theory *theory)
{
    if (ek_theory_soon(results->machine)) {
        ek_theory_find(results->machine, theory);
        return;
    }
    *theory = (struct ek_theory){.gamma_exact = NAN,
                                 .gamma_closed = NAN,
                                 .parameter = ek_machine_parameter(results->machine),
                                 .parameter_best = NAN,
                                 .operations = NAN,
                                 .steps = NAN};
    snprintf(theory->note, sizeof theory->note,
             "It takes long to find the factor on this topology: evenkeel theory does it.");
}

size_t ek_results_unreached(const struct ek_results *results)
{
    size_t unreached = 0;
    for (size_t i = 0; i < results->count; i++) {
        unreached += !results->reports[i].converged;
    }
    return unreached;
}
