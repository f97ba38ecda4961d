// SPDX-License-Identifier: MIT
// A record as JSON: every value appears under its name, and is read as it was written.
#include <criterion/criterion.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/record/fields.h"
#include "lab/record/record.h"
#include "tests/support/filled_record.h"

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

// Gives a run a profile, with groups of which the last one has fewer processors.
static void add_profile(struct ek_profile *profile)
{
    enum { GROUP = 4, GROUPS = (PROCESSORS + GROUP - 1) / GROUP };
    *profile = (struct ek_profile){.group = GROUP, .groups = GROUPS, .intervals = ROWS};
    profile->interval = calloc(ROWS, sizeof *profile->interval);
    profile->time = calloc((size_t)ROWS * EK_PROFILE_TIMES * GROUPS, sizeof *profile->time);
    profile->processor = calloc((size_t)EK_PROFILE_KINDS * PROCESSORS, sizeof *profile->processor);
    for (unsigned i = 0; i < ROWS; i++) {
        profile->interval[i] = (struct ek_interval){.from = i, .to = i + 1.5};
    }
    for (unsigned i = 0; i < ROWS * EK_PROFILE_TIMES * GROUPS; i++) {
        profile->time[i] = 0.125 * i;
    }
    for (unsigned i = 0; i < EK_PROFILE_KINDS * PROCESSORS; i++) {
        profile->processor[i] = 0.75 + i;
    }
}

// Gives a run what few runs have: frames, quotas, flows, a profile and a dump.
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
    add_profile(&report->profile);
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
        {"profile", true, NULL, "{}"},
        {"profile", true, NULL, "{\"group\": 7, \"processors\": {}, \"intervals\": []}"},
        {"profile", true, "group", "1"},
        {"profile", true, "intervals", "[{}]"},
        {"profile", true, "processors", "{}"},
    };
    struct lab_record record, copy;
    struct ek_error error;
    begin(&record, 1);
    add_profile(&record.runs[0].profile);
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
    cr_expect(number(row, "step") == 11.0 && number(row, "time") == 18.5 && number(row, "in_flight") == 19.5);
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
