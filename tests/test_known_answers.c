// SPDX-License-Identifier: MIT
// Known answers: experiments of Xu, Monien, Lüling & Lau 1995 and of Wu & Shu's direct dimension exchange (there as
// the method to beat), with the loads and counts that an independent computation gives. The deterministic ones run on
// both carriers; those over 200 seeds (20 for the largest topologies), compared in the mean, on the pool.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/memory.h"
#include "threads/run.h"

static const char *const papers[] = {"tests/data/xu_monien_luling_lau_1995.json", "tests/data/wu_shu_gde.json"};
static const char *const carriers[] = {"threads", "pool"};

// Under a sanitizer every fifth case is enough: the code is the same, and slow.
#if defined(__SANITIZE_ADDRESS__)
enum { STRIDE = 5 };
#else
enum { STRIDE = 1 };
#endif

enum { PAPERS = sizeof papers / sizeof *papers, CARRIERS = sizeof carriers / sizeof *carriers };

static char title[160]; // of the case that this process runs

struct place {
    unsigned paper;
    unsigned carrier;
    size_t index;
};

static json_t *load_paper(unsigned paper)
{
    json_error_t error;
    json_t *cases = json_load_file(papers[paper], 0, &error);
    cr_assert(json_is_array(cases), "%s: %s (tests run from the repository's root)", papers[paper], error.text);
    return cases;
}

// The value behind `--name` in a case's arguments, or NULL.
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

static struct ek_experiment experiment_of(const json_t *answer, const char *carrier, struct ek_memory *memory)
{
    const json_t *text = json_object_get(json_object_get(answer, "files"), "load.txt");
    *memory = (struct ek_memory){.text = json_string_value(text), .length = json_string_length(text)};
    return (struct ek_experiment){
        .topology = argument(answer, "--topology"),
        .method = argument(answer, "--method"),
        .units = argument(answer, "--units"),
        .ports = argument(answer, "--ports"),
        .load = argument(answer, "--load"),
        .stop = argument(answer, "--stop"),
        .carrier = carrier,
        .operations = number(answer, "--operations", 0),
        .seed = number(answer, "--seed", 1),
        .keep_loads = true,
        .no_flows = true,
        .reader = ek_memory_reader(memory),
    };
}

// FNV-1a over the loads as whole numbers with commas between.
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
        cr_assert(fabs(final[i] - expected) <= limit, "%s: final[%zu] is %.17g, not %.17g", title, i, final[i], expected);
    }
    const char *hash = json_string_value(json_object_get(answer, "final_fnv1a64"));
    char own[17];
    hash_loads(final, count, own);
    cr_assert(!hash || strcmp(hash, own) == 0, "%s: the final loads' hash is %s, not %s", title, own, hash);
}

// The report's value of this name in the mean over the runs.
static double reported(const char *name, const struct ek_report *report, double steps_mean)
{
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"converged", report->converged},
        {"operations", (double)report->operations},
        {"steps", (double)report->steps},
        {"variance_initial", report->variance_initial},
        {"variance_final", report->variance_final},
        {"spread_final", report->spread_final},
        {"total_final", report->total_final},
        {"moved", report->moved},
        {"stayed", report->stayed},
        {"summary.steps.mean", steps_mean},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(values[i].name, name) == 0) {
            return values[i].value;
        }
    }
    cr_assert_fail("%s: the test does not know the value %s", title, name);
    return NAN;
}

// Whole numbers and truths are exact, reals good to 1e-6; a pair is a value and its tolerance.
static void check_value(const char *name, const json_t *want, double got)
{
    double expected = json_is_array(want)     ? json_number_value(json_array_get(want, 0))
                      : json_is_boolean(want) ? json_is_true(want)
                                              : json_number_value(want);
    double tolerance = json_is_array(want)  ? json_number_value(json_array_get(want, 1))
                       : json_is_real(want) ? 1e-6 * fmax(1.0, fabs(expected))
                                            : 0.0;
    cr_assert(fabs(got - expected) <= tolerance, "%s: %s is %.17g, expected %.17g (tolerance %g)", title, name, got,
              expected, tolerance);
}

static void check_case(const json_t *answer, const char *carrier)
{
    struct ek_error error;
    struct ek_memory memory;
    struct ek_experiment experiment = experiment_of(answer, carrier, &memory);
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s: %s", title, error.sentence);
    struct ek_report report = {0};
    uint64_t runs = number(answer, "--runs", 1);
    double steps = 0.0;
    for (uint64_t run = 0; run < runs; run++) {
        ek_report_free(&report);
        enum ek_status status = ek_run(machine, run, &report, NULL, NULL, &error);
        cr_assert_eq(status, json_integer_value(json_object_get(answer, "status")), "%s: status %d: %s", title, status,
                     error.sentence);
        steps += (double)report.steps;
    }
    const char *name;
    json_t *want;
    json_object_foreach (json_object_get(answer, "expect"), name, want) {
        check_value(name, want, reported(name, &report, steps / (double)runs));
    }
    check_final(answer, report.final, ek_machine_topology(machine)->processors);
    ek_report_free(&report);
    ek_machine_free(machine);
}

static void free_places(struct criterion_test_params *parameters)
{
    cr_free(parameters->params);
}

ParameterizedTestParameters(known, answer)
{
    size_t room = 0;
    size_t count = 0;
    json_t *cases[PAPERS];
    for (unsigned paper = 0; paper < PAPERS; paper++) {
        cases[paper] = load_paper(paper);
        room += CARRIERS * json_array_size(cases[paper]);
    }
    struct place *places = cr_malloc(room * sizeof *places);
    for (unsigned paper = 0; paper < PAPERS; paper++) {
        for (size_t i = 0; i < json_array_size(cases[paper]); i += STRIDE) {
            bool statistical = argument(json_array_get(cases[paper], i), "--runs");
            for (unsigned carrier = statistical ? CARRIERS - 1 : 0; carrier < CARRIERS; carrier++) {
                places[count++] = (struct place){.paper = paper, .carrier = carrier, .index = i};
            }
        }
        json_decref(cases[paper]);
    }
    return cr_make_param_array(struct place, places, count, free_places);
}

ParameterizedTest(struct place *place, known, answer)
{
    json_t *cases = load_paper(place->paper);
    const json_t *answer = json_array_get(cases, place->index);
    snprintf(title, sizeof title, "%s on %s", json_string_value(json_object_get(answer, "id")), carriers[place->carrier]);
    check_case(answer, carriers[place->carrier]);
    json_decref(cases);
}
