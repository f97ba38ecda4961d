// SPDX-License-Identifier: MIT
// More than a thousand experiments of five papers, and some in virtual time, with rounded tokens, tasks and
// objects, against loads, counts and times that an independent program computed (tests/data/). One worker carries them
// all. Experiments over 200 seeds (20 on the largest topologies) are compared in the mean; the everyday run makes a
// part of these. A thread for each processor carries every eighth of the others on up to 100 processors. test_laws.c
// tests that all carriers agree.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/runs.h"
#include "threads/api/axis.h"
#include "topologies/topology.h"

static const char *const papers[] = {
    "tests/data/xu_monien_luling_lau_1995.json",
    "tests/data/wu_shu.json",
    "tests/data/henrich.json",
    "tests/data/zhao_xiao_parhami_2009.json",
    "tests/data/delays.json",
    "tests/data/virtual.json",
    "tests/data/rounding.json",
    "tests/data/tasks.json",
    "tests/data/objects.json",
};
static const char *const carriers[] = {"threads", "pool:1"}; // in virtual time pool:3 instead of threads

// A process takes every stride-th case of a paper.
static const unsigned strides[] = {8, 1}; // by carrier

enum { PAPERS = sizeof papers / sizeof *papers, CARRIERS = sizeof carriers / sizeof *carriers, PARTS = 2 };
enum { THREADS_MAX = 100 };

struct place {
    unsigned paper;
    unsigned carrier;
    unsigned part;
};

static char title[160]; // of the experiment that runs

static json_t *load_paper(unsigned paper)
{
    json_error_t error;
    json_t *cases = json_load_file(papers[paper], 0, &error);
    cr_assert(json_is_array(cases), "%s: %s (tests run from the repository's root)", papers[paper], error.text);
    return cases;
}

// Returns the value after `--name` in a case's arguments, or NULL.
static const char *argument(const json_t *answer, const char *name)
{
    const json_t *words = json_object_get(answer, "args");
    for (size_t i = 0; i + 1 < json_array_size(words); i++) {
        if (strcmp(json_string_value(json_array_get(words, i)), name) == 0) {
            return json_string_value(json_array_get(words, i + 1));
        }
    }
    return NULL;
}

static uint64_t number(const json_t *answer, const char *name, uint64_t otherwise)
{
    const char *value = argument(answer, name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

// Reads one of the files that a case contains.
static char *read_file(void *context, const char *path, size_t *length, struct ek_error *error)
{
    const json_t *text = json_object_get(json_object_get(context, "files"), path);
    char *copy = text ? malloc(json_string_length(text) + 1) : NULL;
    if (!copy) {
        *error = (struct ek_error){.status = EK_BAD_INPUT, .at = -1, .sentence = "the case has no such file"};
        return NULL;
    }
    *length = json_string_length(text);
    memcpy(copy, json_string_value(text), *length + 1);
    return copy;
}

static struct ek_experiment experiment_of(json_t *answer, const char *carrier)
{
    struct ek_experiment experiment = {.unpinned = true, // other tests run on the same cores
                                       .seed = 1,
                                       .keep_loads = true,
                                       .reader = {.read = read_file, .context = answer}};
    const json_t *words = json_object_get(answer, "args");
    for (size_t i = 1; i + 1 < json_array_size(words); i += 2) {
        struct ek_error error;
        const char *option = json_string_value(json_array_get(words, i)) + strlen("--");
        const char *value = json_string_value(json_array_get(words, i + 1));
        const struct ek_axis *axis = ek_axis_named(option);
        cr_assert(axis || strcmp(option, "runs") == 0, "%s: there is no axis %s", title, option);
        cr_assert(!axis || ek_axis_set(axis, &experiment, value, &error), "%s: %s", title, error.sentence);
    }
    bool virtual = experiment.timing && strcmp(experiment.timing, "virtual") == 0;
    experiment.carrier = virtual && strcmp(carrier, "threads") == 0 ? "pool:3" : carrier;
    return experiment;
}

// FNV-1a over the loads as whole numbers, separated by commas.
static void hash_loads(const double *load, size_t count, char hash[17])
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%.0f", i > 0 ? "," : "", load[i]);
        for (const char *byte = text; *byte; byte++) {
            sum = (sum ^ (unsigned char)*byte) * 0x100000001b3;
        }
    }
    snprintf(hash, 17, "%016" PRIx64, sum);
}

static void check_final(const json_t *answer, const double *final, size_t count)
{
    const json_t *want = json_object_get(answer, "final");
    double largest = 1.0;
    for (size_t i = 0; i < json_array_size(want); i++) {
        largest = fmax(largest, fabs(json_number_value(json_array_get(want, i))));
    }
    cr_assert(!want || json_array_size(want) == count, "%s: %zu loads", title, count);
    double limit = json_number_value(json_object_get(answer, "tolerance")) * largest;
    for (size_t i = 0; i < json_array_size(want); i++) {
        double expected = json_number_value(json_array_get(want, i));
        cr_expect(fabs(final[i] - expected) <= limit, "%s: final[%zu] is %.17g, not %.17g", title, i, final[i],
                  expected);
    }
    const char *hash = json_string_value(json_object_get(answer, "final_fnv1a64"));
    char own[17];
    hash_loads(final, count, own);
    cr_expect(!hash || strcmp(hash, own) == 0, "%s: the final loads' hash is %s, not %s", title, own, hash);
}

// Returns the report's value of this name, or the mean over the runs.
static double reported(const char *name, const struct ek_report *report, double steps_mean)
{
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"converged", report->converged},
        {"operations", (double)report->operations},
        {"steps", (double)report->steps},
        {"scan_steps", (double)report->scan_steps},
        {"exchange_steps", (double)report->exchange_steps},
        {"shifts", report->shifts},
        {"variance_initial", report->variance_initial},
        {"variance_final", report->variance_final},
        {"spread_final", report->spread_final},
        {"total_final", report->total_final},
        {"in_flight", report->in_flight},
        {"minimum_ever", report->minimum_ever},
        {"moved", report->moved},
        {"parcels", (double)report->parcels},
        {"stayed", report->stayed},
        {"flow_l1", report->flow_l1},
        {"flow_l2", report->flow_l2},
        {"idle", (double)report->idle},
        {"summary.steps.mean", steps_mean},
        {"messages", (double)report->messages},
        {"virtual_s", report->virtual_s},
        {"executed", (double)report->tasks.executed},
        {"nodes", (double)report->tasks.nodes},
        {"result", (double)report->tasks.result},
        {"ticks", (double)report->tasks.ticks},
        {"tasks_moved", report->moved},
        {"imbalance", report->objects.imbalance},
        {"bytes_moved", (double)report->objects.bytes_moved},
        {"most_bytes", (double)report->objects.most_bytes},
        {"objects_moved", (double)report->objects.objects_moved},
        {"moved_once", report->objects.moved_once},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(values[i].name, name) == 0) {
            return values[i].value;
        }
    }
    cr_assert_fail("%s: the test does not know the value %s", title, name);
    return NAN;
}

// Whole numbers and truth values must be equal, reals within 1e-6. A pair is a value and its tolerance.
static void check_value(const char *name, const json_t *want, double got)
{
    double expected = json_is_array(want)     ? json_number_value(json_array_get(want, 0))
                      : json_is_boolean(want) ? json_is_true(want)
                                              : json_number_value(want);
    double tolerance = json_is_array(want)  ? json_number_value(json_array_get(want, 1))
                       : json_is_real(want) ? 1e-6 * fmax(1.0, fabs(expected))
                                            : 0.0;
    cr_expect(fabs(got - expected) <= tolerance, "%s: %s is %.17g, expected %.17g (tolerance %g)", title, name, got,
              expected, tolerance);
}

// Returns whether the case belongs to the stride. Slow cases run in part.
static bool is_made(const json_t *answer, size_t index, unsigned carrier)
{
    bool many = number(answer, "--runs", 1) > 1;
    bool pooled = strcmp(carriers[carrier], "pool:1") == 0;
    return (pooled && !many) || (pooled == many && index / strides[carrier] % tests_one_in() == 0);
}

static void check_case(json_t *answer, const char *carrier)
{
    struct ek_error error;
    struct ek_experiment experiment = experiment_of(answer, carrier);
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s: %s", title, error.sentence);
    uint32_t processors = ek_machine_topology(machine)->processors;
    uint64_t runs = number(answer, "--runs", 1);
    if (strcmp(carrier, "threads") == 0 && processors > THREADS_MAX) {
        ek_machine_destroy(machine);
        return;
    }
    struct ek_report report = {0};
    double steps = 0.0;
    for (uint64_t run = 0; run < runs; run++) {
        ek_report_destroy(&report);
        enum ek_status status = ek_run(machine, run, &report, NULL, NULL, &error);
        cr_assert_eq(status, json_integer_value(json_object_get(answer, "status")), "%s: status %d: %s", title, status,
                     error.sentence);
        steps += (double)report.steps;
    }
    const char *name;
    json_t *want;
    json_object_foreach(json_object_get(answer, "expect"), name, want)
    {
        check_value(name, want, reported(name, &report, steps / (double)runs));
    }
    check_final(answer, report.final, processors);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
}

static void free_places(struct criterion_test_params *parameters)
{
    cr_free(parameters->params);
}

ParameterizedTestParameters(known, answers)
{
    size_t count = 0;
    struct place *places = cr_malloc(PAPERS * CARRIERS * PARTS * sizeof *places);
    for (unsigned paper = 0; paper < PAPERS; paper++) {
        for (unsigned carrier = 0; carrier < CARRIERS; carrier++) {
            for (unsigned part = 0; part < PARTS; part++) {
                places[count++] = (struct place){.paper = paper, .carrier = carrier, .part = part};
            }
        }
    }
    return cr_make_param_array(struct place, places, count, free_places);
}

ParameterizedTest(struct place *place, known, answers)
{
    json_t *cases = load_paper(place->paper);
    const char *carrier = carriers[place->carrier];
    size_t stride = strides[place->carrier];
    for (size_t i = place->part * stride; i < json_array_size(cases); i += PARTS * stride) {
        json_t *answer = json_array_get(cases, i);
        if (is_made(answer, i, place->carrier)) {
            snprintf(title, sizeof title, "%s on %s", json_string_value(json_object_get(answer, "id")), carrier);
            check_case(answer, carrier);
        }
    }
    json_decref(cases);
}
