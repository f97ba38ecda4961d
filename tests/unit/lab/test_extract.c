// SPDX-License-Identifier: MIT
// Extracts have the fields of their record, with the same values.
#include "lab/record/extract.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lab/record/json.h"
#include "lab/record/run_experiment.h"
#include "lab/text/memory_stream.h"
#include "threads/api/report.h"

enum { ALL = LAB_WITH_ALL | -LAB_EXTRACT_TOPOLOGY };

static struct lab_record record_of(struct ek_experiment experiment)
{
    struct ek_error error;
    struct lab_record record;
    experiment.carrier = "pool:1";
    experiment.seed = 3;
    experiment.every = 1;
    experiment.keep_trace = experiment.keep_loads = true;
    struct lab_run_request order = {.experiment = experiment,
                                    .runs = 1,
                                    .command = "evenkeel run",
                                    .theory = true,
                                    .loads_kept = 1,
                                    .traces_kept = 1};
    cr_assert(lab_run(&order, &record, &error) != EK_BAD_INPUT, "%s", error.sentence);
    return record;
}

static char *extract_of(const struct lab_record *record, unsigned parts)
{
    struct lab_stream text;
    cr_assert(lab_stream_begin(&text));
    lab_extract_write(text.out, record, parts);
    return lab_stream_end(&text);
}

static json_t *whole_of(const struct lab_record *record)
{
    struct lab_stream text;
    cr_assert(lab_stream_begin(&text));
    lab_record_write(text.out, record, LAB_WITH_ALL);
    char *json = lab_stream_end(&text);
    json_t *whole = json_loads(json, 0, NULL);
    cr_assert(whole);
    free(json);
    return whole;
}

// Tests that the extract has the field as the record has it, or its name only if the record lacks it.
static void expect_field(const char *extract, const char *name, const json_t *want)
{
    size_t length = 99;
    const char *value = lab_extract_find(extract, name, &length);
    char *text = want ? json_dumps(want, JSON_ENCODE_ANY | JSON_COMPACT) : strdup("");
    cr_assert(value, "%s", name);
    cr_expect(length == strlen(text) && strncmp(value, text, length) == 0, "%s: %.*s, not %s", name, (int)length, value,
              text);
    free(text);
}

static json_t *values_of(const json_t *facts)
{
    json_t *values = json_object();
    for (size_t i = 0; i < json_array_size(facts); i++) {
        const json_t *fact = json_array_get(facts, i);
        if (json_is_real(json_object_get(fact, "value"))) {
            json_object_set(values, json_string_value(json_object_get(fact, "name")), json_object_get(fact, "value"));
        }
    }
    return values;
}

static const struct ek_experiment experiments[] = {
    {.topology = "torus:3x4", .method = "dde", .units = "tokens", .load = "uniform:0:50"},
    {.topology = "ring:6",
     .method = "adf",
     .work = "normal:10:3:10",
     .demand = "owed",
     .stop = "never",
     .steps_max = 7},
    {.topology = "ring:6", .method = "ade", .load = "peak:60", .frames = 10, .steps_max = 4},
    {.topology = "mesh:3x3", .timing = "virtual", .load = "peak:90"}};

Test(extract, its_fields_are_those_of_the_record)
{
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct lab_record record = record_of(experiments[i]);
        char *extract = extract_of(&record, (unsigned)ALL);
        json_t *whole = whole_of(&record);
        const json_t *run = json_array_get(json_object_get(whole, "runs"), 0);
        static const char *const of_run[] = {"links", "quotas", "initial", "final", "frames", "trace"};
        for (size_t f = 0; f < sizeof of_run / sizeof *of_run; f++) {
            expect_field(extract, of_run[f], json_object_get(run, of_run[f]));
        }
        json_t *facts = values_of(json_object_get(json_object_get(whole, "theory"), "facts"));
        expect_field(extract, "topology", json_object_get(whole, "topology"));
        expect_field(extract, "facts", facts);
        json_decref(facts);
        json_decref(whole);
        free(extract);
        lab_record_destroy(&record);
    }
}

// An extract has what it was asked for: a missing field cannot be taken for one that the run does not have.
Test(extract, it_has_no_other_fields)
{
    struct lab_record record = record_of(experiments[0]);
    char *extract = extract_of(&record, LAB_WITH_TRACE | lab_extract_columns("'$[0].moved'") |
                                            lab_extract_part("frames", strlen("frames")));
    size_t length;
    cr_expect(lab_extract_find(extract, "frames", &length) && length == 0);
    cr_expect_null(lab_extract_find(extract, "final", &length));
    cr_expect_null(lab_extract_find(extract, "fram", &length));
    cr_expect_null(lab_extract_find(extract, "", &length));
    const char *trace = lab_extract_find(extract, "trace", &length);
    json_t *rows = json_loadb(trace, length, 0, NULL);
    cr_assert_eq(json_array_size(rows), record.runs[0].trace_count);
    for (size_t i = 0; i < record.runs[0].trace_count; i++) {
        const json_t *row = json_array_get(rows, i);
        cr_expect_eq(json_object_size(row), 2U);
        cr_expect_eq(json_integer_value(json_object_get(row, "step")), (json_int_t)record.runs[0].trace[i].step);
        cr_expect_eq(json_real_value(json_object_get(row, "moved")), record.runs[0].trace[i].moved);
    }
    json_decref(rows);
    free(extract);
    lab_record_destroy(&record);
}

Test(extract, sql_names_columns_as_members_of_json)
{
    const unsigned variance = lab_extract_columns("r.value ->> 'variance' > 1");
    const unsigned mean = lab_extract_columns("'$[0].mean'");
    cr_expect(variance != 0 && mean != 0 && (variance & mean) == 0);
    cr_expect_eq(variance | mean, lab_extract_columns("'$[0].mean', '$[' || steps || '].variance'"));
    cr_expect_eq(lab_extract_columns("variance > 'variance_final' + r.mean_final"), 0U);
    cr_expect_eq(lab_extract_part("trace", 5), (unsigned)LAB_WITH_TRACE);
    cr_expect_eq(lab_extract_part("trace", 4), 0U);
    cr_expect_eq(lab_extract_part("free", 4), 0U);
}
