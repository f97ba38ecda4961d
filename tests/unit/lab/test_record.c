// SPDX-License-Identifier: MIT
// A record as JSON and CSV: every field of a report has a number of its own, which must appear under the field's
// name. The names are repeated here, to check the tables of lab/record/fields.c.
#include <criterion/criterion.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/record/fields.h"
#include "lab/record/record.h"
#include "cli/tables/run_csv.h"
#include "cli/report/theory_report.h"

enum kind { WHOLE, UNSIGNED, REAL };

struct named {
    const char *name; // in JSON and CSV
    enum kind kind;
    size_t offset;
};

#define RUN(type, field)                                                                                               \
    {                                                                                                                  \
#field, type, offsetof(struct ek_report, field)                                                                \
    }
#define FAULTS(type, field)                                                                                            \
    {                                                                                                                  \
#field, type, offsetof(struct ek_report, faults.field)                                                         \
    }
#define FREE(type, field)                                                                                              \
    {                                                                                                                  \
        "free." #field, type, offsetof(struct ek_report, free.field)                                                   \
    }
#define QUANTILES(field)                                                                                               \
    FREE(WHOLE, field.count), FREE(REAL, field.mean), FREE(REAL, field.median), FREE(REAL, field.p90),                 \
        FREE(REAL, field.p99), FREE(REAL, field.maximum)
#define EFFECT(field)                                                                                                  \
    RUN(WHOLE, effects.field.count), RUN(REAL, effects.field.before), RUN(REAL, effects.field.after),                  \
        RUN(REAL, effects.field.left), RUN(REAL, effects.field.left_error)
#define INDEXED(type, name, field)                                                                                     \
    {                                                                                                                  \
        "free." name, type, offsetof(struct ek_report, free.field)                                                     \
    }

static const struct named values[] = {
    RUN(WHOLE, seed),
    RUN(WHOLE, operations),
    RUN(REAL, variance_initial),
    RUN(REAL, variance_final),
    RUN(REAL, error_initial),
    RUN(REAL, error_final),
    RUN(REAL, held_final),
    RUN(REAL, mean_final),
    RUN(REAL, factor),
    RUN(REAL, unmet),
    RUN(WHOLE, invocations),
    RUN(REAL, spread_final),
    RUN(REAL, minimum),
    RUN(REAL, maximum),
    RUN(REAL, total_initial),
    RUN(REAL, total_final),
    RUN(REAL, generated),
    RUN(REAL, consumed),
    RUN(REAL, in_flight),
    RUN(REAL, minimum_ever),
    RUN(WHOLE, parcels),
    RUN(REAL, moved),
    RUN(REAL, stayed),
    RUN(REAL, flow_l1),
    RUN(REAL, flow_l2),
    RUN(WHOLE, messages),
    RUN(WHOLE, idle),
    RUN(WHOLE, exchange_steps),
    RUN(WHOLE, scan_steps),
    RUN(WHOLE, reduction_steps),
    RUN(REAL, shifts),
    RUN(WHOLE, cycle),
    EFFECT(alone),
    EFFECT(overlapped),
    EFFECT(adjacent),
    EFFECT(one_shared),
    EFFECT(two_shared),
    EFFECT(many),
    RUN(WHOLE, effects.unknown),
    RUN(WHOLE, window_moments),
    RUN(REAL, bound),
    RUN(REAL, variance_mean),
    RUN(REAL, variance_most),
    FAULTS(WHOLE, link_failures),
    FAULTS(WHOLE, processor_failures),
    FAULTS(WHOLE, repairs),
    FAULTS(WHOLE, returned),
    FAULTS(REAL, load_returned),
    RUN(REAL, elapsed_s),
    RUN(UNSIGNED, workers),
    FREE(WHOLE, audits),
    FREE(REAL, audit_interval),
    FREE(REAL, reached_s),
    FREE(REAL, reached_window_s),
    FREE(REAL, reached_operations),
    QUANTILES(latency),
    QUANTILES(operation_time),
    FREE(REAL, longest_wait),
    FREE(WHOLE, refusals),
    FREE(WHOLE, abandoned),
    FREE(WHOLE, engagements),
    FREE(WHOLE, overlaps),
    FREE(WHOLE, overlap_most),
    FREE(REAL, asked),
    FREE(REAL, got),
    FREE(WHOLE, stale),
    QUANTILES(stale_age),
    QUANTILES(announced_age),
    FREE(WHOLE, logged),
    FREE(WHOLE, log_lost),
    FREE(WHOLE, spheres_sampled),
    FREE(REAL, spheres),
    QUANTILES(sphere_operations),
    QUANTILES(sphere_processors),
    QUANTILES(sphere_time),
    QUANTILES(delay_asked),
    QUANTILES(delay_realised),
    FREE(UNSIGNED, mailbox_capacity),
    FREE(WHOLE, depth_most),
    FREE(WHOLE, stalls),
    FREE(WHOLE, turns),
    FREE(WHOLE, empty_turns),
    FREE(WHOLE, sleeps),
    FREE(WHOLE, wakes),
    FREE(WHOLE, switches_voluntary),
    FREE(WHOLE, switches_forced),
    FREE(WHOLE, migrations),
    INDEXED(REAL, "waited.answer", waited[EK_WAIT_ANSWER]),
    INDEXED(REAL, "waited.peer", waited[EK_WAIT_PEER]),
    INDEXED(REAL, "waited.room", waited[EK_WAIT_ROOM]),
    INDEXED(REAL, "waited.turned", waited[EK_WAIT_TURNED]),
    INDEXED(REAL, "waited.idle", waited[EK_WAIT_IDLE]),
    INDEXED(WHOLE, "link_failures", faults.link_failures),
    INDEXED(WHOLE, "processor_failures", faults.processor_failures),
    INDEXED(WHOLE, "repairs", faults.repairs),
    FREE(REAL, fault_lag),
    INDEXED(WHOLE, "returned", faults.returned),
    INDEXED(REAL, "load_returned", faults.load_returned),
    FREE(WHOLE, cycles),
    FREE(WHOLE, instructions),
    FREE(WHOLE, cache_misses),
    FREE(WHOLE, recorder_waits),
    FREE(REAL, recorder_waited),
};
enum { VALUES = sizeof values / sizeof *values };

static const char *const depth_names[EK_DEPTHS] = {"1", "2", "4", "8", "16", "32", "64", "more"};

// The number of field `i` in run `run`. No two fields have the same, and only real fields have a fraction.
static double number_of(size_t i, unsigned run)
{
    return 1000.0 * (run + 1) + (double)i + (values[i].kind == REAL ? 0.1 : 0.0);
}

static void fill(struct ek_report *report, unsigned run)
{
    *report = (struct ek_report){.converged = true,
                                 .ended = EK_ENDED_CRITERION,
                                 .why = "a \"why\", said",
                                 .has_stayed = true,
                                 .has_scan = true,
                                 .has_exchange = true,
                                 .has_reduction = true,
                                 .has_shifts = true,
                                 .has_cycle = true,
                                 .has_effects = true,
                                 .has_window = true,
                                 .has_faults = true,
                                 .timed = true,
                                 .free = {.has_counters = true, .has_recorder = true}};
    for (size_t i = 0; i < VALUES; i++) {
        char *place = (char *)report + values[i].offset;
        double number = number_of(i, run);
        if (values[i].kind == WHOLE) {
            *(uint64_t *)place = (uint64_t)number;
        } else if (values[i].kind == UNSIGNED) {
            *(unsigned *)place = (unsigned)number;
        } else {
            *(double *)place = number;
        }
    }
    for (unsigned k = 0; k < EK_DEPTHS; k++) {
        report->free.depth[k] = 500 + k;
    }
}

enum { PROCESSORS = 6, ROWS = 2, LINKS = 2 };

static void add_arrays(struct ek_report *report, unsigned run)
{
    report->initial = calloc(PROCESSORS, sizeof *report->initial);
    report->final = calloc(PROCESSORS, sizeof *report->final);
    report->trace = calloc(ROWS, sizeof *report->trace);
    report->free.link = calloc(LINKS, sizeof *report->free.link);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        report->initial[p] = 10.0 * run + p + 0.25;
        report->final[p] = 10.0 * run + p + 0.5;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        double k = 100.0 * run + 10.0 * i;
        report->trace[i] = (struct ek_trace_row){.step = (uint64_t)k + 1,
                                                 .variance = k + 2.5,
                                                 .spread = k + 3.5,
                                                 .minimum = k + 4.5,
                                                 .maximum = k + 5.5,
                                                 .moved = k + 6.5,
                                                 .invokers = (uint64_t)k + 7,
                                                 .time = k + 8.5,
                                                 .in_flight = k + 9.5,
                                                 .error = k + 0.75,
                                                 .mean = k + 1.75,
                                                 .deviation = k + 2.75,
                                                 .normalised_cost = k + 3.75,
                                                 .local_fraction = k + 4.75,
                                                 .invocations = (uint64_t)k + 6};
        report->free.link[i] = (struct ek_link_report){.from = i + 1,
                                                       .to = i + 2,
                                                       .messages = i + 3,
                                                       .stalls = i + 4,
                                                       .depth_most = i + 5,
                                                       .load = i + 6.5,
                                                       .latency = {.count = 7, .p90 = 8.5, .p99 = 9.5}};
    }
    report->trace_count = ROWS;
    report->free.link_count = LINKS;
}

// Makes a record with this many runs, each filled with the numbers.
static void begin(struct lab_record *record, unsigned runs)
{
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "torus:3x2",
                                       .method = "adf",
                                       .timing = "free",
                                       .carrier = "pool:1",
                                       .stop = "never",
                                       .seconds_max = 1.0};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert(lab_record_begin(record, machine, "evenkeel run", runs, false, &error));
    ek_machine_destroy(machine);
    for (unsigned run = 0; run < runs; run++) {
        struct ek_report report;
        fill(&report, run);
        add_arrays(&report, run);
        cr_assert(lab_record_add(record, &report, &error));
    }
}

static json_t *write_json(const struct lab_record *record, unsigned parts)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    cr_assert(out);
    lab_record_write(out, record, parts);
    fclose(out);
    json_error_t fault;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
    cr_assert(root, "line %d: %s", fault.line, fault.text);
    free(text);
    return root;
}

// Returns the value under this name. A dot in the name leads into an object.
static const json_t *find(const json_t *object, const char *name)
{
    char part[80];
    for (const char *dot; object && (dot = strchr(name, '.')) != NULL; name = dot + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        object = json_object_get(object, part);
    }
    return json_object_get(object, name);
}

static double number(const json_t *object, const char *name)
{
    const json_t *value = find(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(find(object, name));
    return value ? value : "";
}

Test(record, every_value_has_its_name_in_json)
{
    struct lab_record record;
    begin(&record, 2);
    json_t *root = write_json(&record, LAB_WITH_ALL);
    for (unsigned r = 0; r < 2; r++) {
        const json_t *run = json_array_get(json_object_get(root, "runs"), r);
        for (size_t i = 0; i < VALUES; i++) {
            cr_expect_eq(number(run, values[i].name), number_of(i, r), "%s: %g, not %g", values[i].name,
                         number(run, values[i].name), number_of(i, r));
        }
        cr_expect(json_is_true(find(run, "converged")) && json_is_null(find(run, "steps")));
        cr_expect_str_eq(text(run, "ended"), "criterion");
        cr_expect_str_eq(text(run, "why"), "a \"why\", said");
        for (unsigned k = 0; k < EK_DEPTHS; k++) {
            cr_expect_eq(json_integer_value(json_array_get(find(run, "free.depth"), k)), 500 + k);
        }
        for (unsigned p = 0; p < PROCESSORS; p++) {
            cr_expect_eq(json_real_value(json_array_get(find(run, "initial"), p)), 10.0 * r + p + 0.25);
            cr_expect_eq(json_real_value(json_array_get(find(run, "final"), p)), 10.0 * r + p + 0.5);
        }
        const json_t *row = json_array_get(find(run, "trace"), 1);
        double k = 100.0 * r + 10.0;
        cr_expect(number(row, "variance") == k + 2.5 && number(row, "spread") == k + 3.5 &&
                  number(row, "minimum") == k + 4.5 && number(row, "maximum") == k + 5.5 &&
                  number(row, "moved") == k + 6.5 && number(row, "invokers") == k + 7.0 &&
                  number(row, "time") == k + 8.5 && number(row, "in_flight") == k + 9.5 && !find(row, "step"));
        cr_expect(number(row, "error") == k + 0.75 && number(row, "mean") == k + 1.75 &&
                  number(row, "deviation") == k + 2.75 && number(row, "normalised_cost") == k + 3.75 &&
                  number(row, "local_fraction") == k + 4.75 && number(row, "invocations") == k + 6.0);
        const json_t *link = json_array_get(find(run, "free.links"), 1);
        cr_expect(number(link, "from") == 2.0 && number(link, "to") == 3.0 && number(link, "messages") == 4.0 &&
                  number(link, "stalls") == 5.0 && number(link, "depth_most") == 6.0 && number(link, "load") == 7.5 &&
                  number(link, "latency.count") == 7.0 && number(link, "latency.p90") == 8.5 &&
                  number(link, "latency.p99") == 9.5);
    }
    json_decref(root);
    lab_record_destroy(&record);
}

Test(record, its_head)
{
    struct lab_record record;
    begin(&record, 1);
    record.topology.diameter = -1;
    record.method.parameter = NAN;
    json_t *root = write_json(&record, 0);
    cr_expect_str_eq(text(root, "topology.spec"), "torus:3x2");
    cr_expect(number(root, "topology.processors") == 6.0 && number(root, "topology.links") == 9.0 &&
              number(root, "topology.degree_min") == 3.0 && number(root, "topology.degree_max") == 3.0 &&
              number(root, "topology.colours") == 4.0);
    cr_expect(json_is_null(find(root, "topology.diameter")), "a diameter that is too expensive to compute is null");
    cr_expect(json_is_null(find(root, "method.parameter")), "no parameter is null");
    cr_expect_str_eq(text(root, "method.name"), "adf");
    cr_expect_str_eq(text(root, "command"), "evenkeel run");
    cr_expect_str_eq(text(root, "stop"), "never");
    cr_expect_eq(number(root, "runs_asked"), 1.0);
    cr_expect_eq(number(root, "seconds_max"), 1.0);
    cr_expect(json_is_null(find(root, "perturb")), "a number that was not given is null");
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    cr_expect(!find(run, "final") && !find(run, "initial") && !find(run, "trace"), "they were not requested");
    json_decref(root);
    record.topology.diameter = 0;
    root = write_json(&record, LAB_WITH_FINAL);
    cr_expect_eq(number(root, "topology.diameter"), 0.0, "that of a single processor");
    run = json_array_get(json_object_get(root, "runs"), 0);
    cr_expect(find(run, "final") && !find(run, "initial") && !find(run, "trace"));
    json_decref(root);
    root = write_json(&record, LAB_WITH_TRACE);
    run = json_array_get(json_object_get(root, "runs"), 0);
    cr_expect(!find(run, "final") && !find(run, "initial") && find(run, "trace"));
    json_decref(root);
    lab_record_destroy(&record);
}

// Gives a run what few runs have: frames, quotas, flows and a dump.
static void add_rare_arrays(struct ek_report *report)
{
    report->frame = calloc(ROWS, sizeof *report->frame);
    report->frame_load = calloc(ROWS * PROCESSORS, sizeof *report->frame_load);
    report->quota = calloc(ROWS * PROCESSORS, sizeof *report->quota);
    report->flow = calloc(LINKS, sizeof *report->flow);
    report->free.dump = strdup("stuck");
    for (unsigned i = 0; i < ROWS * PROCESSORS; i++) {
        report->frame_load[i] = 0.5 + i;
        report->quota[i] = 0.25 + i;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        report->frame[i].time = 1.5 + i;
        report->flow[i] =
            (struct ek_flow_report){.from = i, .to = i + 1, .forth = 2.5 + i, .back = 3.5, .net = i - 1.0};
    }
    report->frame_count = report->quota_dimensions = report->flow_count = ROWS;
}

// Reads a record from JSON, as from a file.
static bool read_json(const json_t *root, struct lab_record *record, struct ek_error *error)
{
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    cr_assert(text);
    *error = (struct ek_error){.at = -1};
    bool good = lab_record_read(text, strlen(text), record, error);
    free(text);
    return good;
}

Test(record, is_read_as_it_was_written)
{
    for (int rare = 0; rare < 2; rare++) {
        struct lab_record record, copy;
        struct ek_error error;
        begin(&record, 2);
        if (rare) {
            record.topology.diameter = -1;
            record.replayed = true;
            record.theory.has_closed = true;
            record.theory.gamma_closed = 0.25;
            add_rare_arrays(&record.runs[1]);
        }
        json_t *wanted = write_json(&record, LAB_WITH_ALL);
        cr_assert(read_json(wanted, &copy, &error), "%s", error.sentence);
        json_t *found = write_json(&copy, LAB_WITH_ALL);
        cr_expect(json_equal(wanted, found), "rare %d", rare);
        json_decref(wanted);
        json_decref(found);
        lab_record_destroy(&record);
        lab_record_destroy(&copy);
    }
}

Test(record, what_is_incomplete_is_not_read)
{
    static const struct {
        const char *of; // of the record, or of its first run
        bool run;
        const char *name, *value;
    } broken[] = {
        {"runs", false, NULL, "[]"},
        {"topology", false, "sides", "[3, 1]"},
        {"topology", false, "processors", "0"},
        {"theory", false, "facts", "null"},
        {"operations", true, NULL, "null"},
        {"ended", true, NULL, "\"ending\""},
        {"final", true, NULL, "[1, 2, 3, 4, 5]"},
        {"final", true, NULL, "[1, 2, 3, 4, 5, 6, 7]"},
        {"free", true, "depth", "[1, 2, 3, 4, 5, 6, 7]"},
        {"free", true, "depth", "[1, 2, 3, 4, 5, 6, 7, 8, 9]"},
        {"free", true, "dump", "7"},
    };
    struct lab_record record, copy;
    struct ek_error error;
    begin(&record, 1);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        json_t *root = write_json(&record, LAB_WITH_ALL);
        json_t *object = broken[i].run ? json_array_get(json_object_get(root, "runs"), 0) : root;
        object = broken[i].name ? json_object_get(object, broken[i].of) : object;
        const char *name = broken[i].name ? broken[i].name : broken[i].of;
        json_object_set_new(object, name, json_loads(broken[i].value, JSON_DECODE_ANY, NULL));
        cr_expect_not(read_json(root, &copy, &error), "%s: %s", name, broken[i].value);
        cr_expect(strstr(error.sentence, "this record is incomplete"), "%s: %s", name, error.sentence);
        json_decref(root);
    }
    lab_record_destroy(&record);
}

// In rounds a run has steps, and no field of free timing.
Test(record, a_run_in_rounds)
{
    struct lab_record record;
    begin(&record, 1);
    record.runs[0].timed = false;
    record.runs[0].steps = 77;
    record.runs[0].has_stayed = record.runs[0].has_cycle = false;
    record.runs[0].variance_final = NAN;
    json_t *root = write_json(&record, LAB_WITH_TRACE);
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    cr_expect(number(run, "steps") == 77.0 && !find(run, "free"));
    cr_expect(!find(run, "stayed") && !find(run, "local_fraction") && !find(run, "cycle"));
    cr_expect(json_is_null(find(run, "variance_final")), "NaN is null");
    const json_t *row = json_array_get(find(run, "trace"), 1);
    cr_expect(number(row, "step") == 11.0 && !find(row, "time") && number(row, "in_flight") == 19.5);
    json_decref(root);
    lab_record_destroy(&record);
}

// Three runs with a known mean and standard deviation: 1, 2 and 6; and 3 alone.
Test(record, the_summary_of_runs)
{
    static const double counts[] = {1.0, 2.0, 6.0};
    static const char *const names[] = {"operations", "variance_final", "error_final", "spread_final", "mean_final",
                                        "in_flight",  "parcels",        "moved",       "stayed",       "invocations",
                                        "messages",   "bound",          "elapsed_s"};
    struct lab_record record;
    begin(&record, 3);
    for (unsigned r = 0; r < 3; r++) {
        struct ek_report *run = &record.runs[r];
        run->operations = run->parcels = run->messages = run->invocations = (uint64_t)counts[r];
        run->variance_final = run->spread_final = run->moved = run->elapsed_s = counts[r];
        run->error_final = run->mean_final = run->in_flight = run->stayed = run->bound = counts[r];
        run->converged = r > 0;
    }
    cr_expect_eq(lab_record_unreached(&record), 1);
    json_t *root = write_json(&record, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *of = find(find(root, "summary"), names[i]);
        cr_expect(number(of, "mean") == 3.0 && number(of, "min") == 1.0 && number(of, "max") == 6.0, "%s", names[i]);
        cr_expect_float_eq(number(of, "sd"), sqrt(7.0), 1e-15, "%s: %g", names[i], number(of, "sd"));
    }
    cr_expect(json_is_null(find(root, "summary.steps.mean")) && json_is_null(find(root, "summary.steps.sd")));
    json_decref(root);
    lab_record_destroy(&record);
    begin(&record, 1);
    struct lab_summary one = lab_record_summarise(&record, lab_field_named("moved"));
    cr_expect(one.sd == 0.0 && one.mean == one.minimum && one.mean == one.maximum && one.mean == record.runs[0].moved);
    lab_record_destroy(&record);
    begin(&record, 2);
    record.runs[1].moved = NAN; // a later run alone did not measure it
    one = lab_record_summarise(&record, lab_field_named("moved"));
    cr_expect(isnan(one.mean) && isnan(one.sd) && isnan(one.minimum) && isnan(one.maximum));
    lab_record_destroy(&record);
}

// Two runs in which 1 and 3 operations were alone, from 6 to 3 and from 10 to 1 in the mean, and a third without
// any: 6 of 36 are left. One of the two left 2 more than that share, the other 2 less.
Test(record, the_summary_of_what_operations_did)
{
    struct lab_record record;
    begin(&record, 3);
    for (unsigned r = 0; r < 3; r++) {
        record.runs[r].effects = (struct ek_effects){.unknown = r + 1};
    }
    record.runs[0].effects.alone = (struct ek_effect){.count = 1, .before = 6.0, .after = 3.0};
    record.runs[1].effects.alone = (struct ek_effect){.count = 3, .before = 10.0, .after = 1.0};
    json_t *root = write_json(&record, 0);
    const json_t *all = find(root, "summary.effects");
    cr_expect(number(all, "alone.count") == 4.0 && number(all, "alone.before") == 9.0 && number(all, "unknown") == 6.0);
    cr_expect(number(all, "alone.after") == 1.5 && fabs(number(all, "alone.left") - 1.0 / 6.0) < 1e-15);
    // sqrt((2^2 + 2^2) / (2 - 1) / 2) over 18, the mean of the two before.
    cr_expect_float_eq(number(all, "alone.left_error"), 2.0 / 18.0, 1e-15, "%g", number(all, "alone.left_error"));
    cr_expect(number(all, "many.count") == 0.0 && json_is_null(find(all, "many.left")));
    json_decref(root);
    lab_record_destroy(&record);
}

// A page of CSV, read by the rules of RFC 4180.
struct page {
    char *text;
    char *cell[3][400];
    size_t columns, lines;
};

static void read_page(struct page *page, void (*write)(FILE *, const struct lab_record *),
                      const struct lab_record *record)
{
    size_t length;
    *page = (struct page){0};
    FILE *out = open_memstream(&page->text, &length);
    cr_assert(out);
    write(out, record);
    fclose(out);
    size_t column = 0;
    for (char *at = page->text, *to = at; *at; column++) {
        cr_assert(page->lines < 3 && column < 400);
        page->cell[page->lines][column] = to;
        bool quoted = *at == '"';
        for (at += quoted; quoted ? *at != '"' || *++at == '"' : *at != ',' && *at != '\n'; at++) {
            cr_assert(*at);
            *to++ = *at;
        }
        bool last = *at == '\n';
        cr_assert(last || *at == ',', "'%c' after a cell", *at);
        *to++ = '\0';
        to = ++at;
        if (last) {
            cr_assert(page->lines == 0 || column + 1 == page->columns, "line %zu has %zu cells", page->lines, column);
            page->columns = column + 1;
            page->lines++;
            column = SIZE_MAX;
        }
    }
}

static const char *cell(const struct page *page, size_t line, const char *name)
{
    const char *found = NULL;
    for (size_t c = 0; c < page->columns; c++) {
        if (strcmp(page->cell[0][c], name) == 0) {
            cr_expect_null(found, "two columns %s", name);
            found = page->cell[line][c];
        }
    }
    cr_assert_not_null(found, "no column %s", name);
    return found;
}

static void write_runs(FILE *out, const struct lab_record *record)
{
    for (size_t r = 0; r < record->count; r++) {
        report_csv_write_run(out, record, r);
    }
}

Test(record, every_value_has_its_column_in_csv)
{
    struct lab_record record;
    struct page page;
    begin(&record, 2);
    free(record.topology.spec);
    record.topology.spec = strdup("file:a,\"b\".txt");
    read_page(&page, write_runs, &record);
    cr_assert_eq(page.lines, 3);
    for (unsigned r = 0; r < 2; r++) {
        for (size_t i = 0; i < VALUES; i++) {
            cr_expect_eq(strtod(cell(&page, r + 1, values[i].name), NULL), number_of(i, r), "%s: %s", values[i].name,
                         cell(&page, r + 1, values[i].name));
        }
        for (unsigned k = 0; k < EK_DEPTHS; k++) {
            char name[32];
            snprintf(name, sizeof name, "free.depth.%s", depth_names[k]);
            cr_expect_eq(strtod(cell(&page, r + 1, name), NULL), 500 + k);
        }
        cr_expect_str_eq(cell(&page, r + 1, "topology"), "file:a,\"b\".txt");
        cr_expect_str_eq(cell(&page, r + 1, "why"), "a \"why\", said");
        cr_expect_str_eq(cell(&page, r + 1, "converged"), "true");
        cr_expect_str_eq(cell(&page, r + 1, "ended"), "criterion");
        cr_expect_str_eq(cell(&page, r + 1, "steps"), "");
        cr_expect_str_eq(cell(&page, r + 1, "stop"), "never");
        cr_expect_str_eq(cell(&page, r + 1, "timing"), "free");
    }
    free(page.text);
    lab_record_destroy(&record);
}

Test(record, traces_and_loads_in_csv)
{
    struct lab_record record;
    struct page page;
    begin(&record, 1);
    read_page(&page, report_csv_write_trace, &record);
    cr_assert_eq(page.lines, 3);
    static const struct {
        const char *name;
        double value;
    } row[] = {{"seed", 1000.0},
               {"time", 18.5},
               {"variance", 12.5},
               {"spread", 13.5},
               {"minimum", 14.5},
               {"maximum", 15.5},
               {"moved", 16.5},
               {"invokers", 17.0},
               {"in_flight", 19.5},
               {"error", 10.75},
               {"mean", 11.75},
               {"deviation", 12.75},
               {"normalised_cost", 13.75},
               {"local_fraction", 14.75},
               {"invocations", 16.0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cr_expect_eq(strtod(cell(&page, 2, row[i].name), NULL), row[i].value, "%s", row[i].name);
    }
    free(page.text);
    record.runs[0].timed = false;
    read_page(&page, report_csv_write_trace, &record);
    cr_expect_eq(strtod(cell(&page, 2, "step"), NULL), 11.0);
    free(page.text);
    record.topology.processors = 2;
    record.runs[0].final[1] = NAN;
    read_page(&page, report_csv_write_final, &record);
    cr_expect(page.lines == 3 && page.columns == 3);
    cr_expect_str_eq(cell(&page, 1, "processor"), "0");
    cr_expect_str_eq(cell(&page, 1, "load"), "0.5");
    cr_expect_str_eq(cell(&page, 2, "processor"), "1");
    cr_expect_str_eq(cell(&page, 2, "load"), "");
    free(page.text);
    lab_record_destroy(&record);
}

static void write_theory(FILE *out, const struct lab_record *record)
{
    const struct report_theory_row rows[] = {{.method = "one",
                                              .theory = {.has_exact = true,
                                                         .has_closed = true,
                                                         .gamma_exact = 3.5,
                                                         .gamma_closed = 4.5,
                                                         .parameter = 1.5,
                                                         .parameter_best = 2.5,
                                                         .operations = 5.5,
                                                         .steps = 6.5,
                                                         .note = "a, b"}},
                                             {.method = "two", .theory = {.gamma_exact = 3.5, .gamma_closed = 4.5}}};
    const struct report_eigenvalues eigenvalues = {.second = 7.5, .largest = 8.5, .rho = 9.5, .beta = 10.5};
    report_theory_csv(out, &record->topology, &eigenvalues, rows, 2);
}

Test(record, theory_in_csv)
{
    static const char *const names[] = {"parameter", "parameter_best", "gamma_exact", "gamma_closed", "operations",
                                        "steps",     "lambda_2",       "lambda_m",    "rho",          "beta"};
    struct lab_record record;
    struct page page;
    begin(&record, 1);
    read_page(&page, write_theory, &record);
    cr_assert(page.lines == 3 && page.columns == 13);
    for (int i = 0; i < 10; i++) {
        cr_expect_eq(strtod(cell(&page, 1, names[i]), NULL), i + 1.5, "%s", names[i]);
    }
    cr_expect_str_eq(cell(&page, 1, "method"), "one");
    cr_expect_str_eq(cell(&page, 1, "topology"), "torus:3x2");
    cr_expect_str_eq(cell(&page, 1, "note"), "a, b");
    cr_expect_str_eq(cell(&page, 2, "gamma_exact"), "");
    cr_expect_str_eq(cell(&page, 2, "beta"), "10.5");
    cr_expect_str_eq(cell(&page, 2, "gamma_closed"), "");
    free(page.text);
    lab_record_destroy(&record);
}
