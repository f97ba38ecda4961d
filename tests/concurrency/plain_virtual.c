// SPDX-License-Identifier: MIT
// Random experiments in virtual time have equal reports and equal recordings with one, two and seven workers. They are
// those whose hashes tests/data/virtual.txt lists, whatever the compiler, its options and the computer; with UPDATE=1
// the program writes this list anew. An experiment with a logarithm or a sine has no hash, since libraries round these
// differently. tests/house/test_compilers.sh builds this program with other compilers, too. Runs on several ranks
// belong here, too.
#include <math.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/virtual_experiments.h"

enum { EXPERIMENTS = 400, DIGITS = 16 };

static const char *const path = "tests/data/virtual.txt";
static const char *const carriers[] = {"pool:1", "pool:2", "pool:7"};

// A run, with the hash of its recording.
struct run {
    struct tests_outcome outcome;
    uint8_t tape[SHA256_DIGEST_SIZE];
};

static bool record(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)worker;
    sha256_update(context, count, bytes);
    return true;
}

static void run(struct tests_virtual *drawn, const char *carrier, struct run *run)
{
    struct sha256_ctx tape;
    struct ek_recorder recorder = {.write = record, .context = &tape};
    sha256_init(&tape);
    drawn->experiment.carrier = carrier;
    drawn->experiment.recorder = &recorder;
    tests_try(&drawn->experiment, 0, &run->outcome);
    drawn->experiment.recorder = NULL;
    sha256_digest(&tape, sizeof run->tape, run->tape);
}

// ---- hashes ----

// Adds a number. The sign of a NaN depends on the compiler.
static void add(struct sha256_ctx *hash, double value)
{
    value = isnan(value) ? 0x1p1000 : value;
    sha256_update(hash, sizeof value, (const uint8_t *)&value);
}

static void add_report(struct sha256_ctx *hash, const struct ek_report *report, uint32_t processors)
{
    struct tests_value values[TESTS_VALUES_MAX];
    unsigned count = tests_report_values(report, values);
    for (unsigned i = 0; i < count; i++) {
        add(hash, values[i].value);
    }
    count = tests_virtual_values(report, values);
    for (unsigned i = 0; i < count; i++) {
        add(hash, values[i].value);
    }
    for (uint32_t p = 0; p < processors; p++) {
        add(hash, report->final[p]);
    }
    for (size_t i = 0; i < report->trace_count; i++) {
        const struct ek_trace_row *row = &report->trace[i];
        const double numbers[] = {row->time,
                                  row->variance,
                                  row->spread,
                                  row->moved,
                                  row->in_flight,
                                  row->error,
                                  row->mean,
                                  row->minimum,
                                  row->maximum,
                                  row->deviation,
                                  (double)row->invokers,
                                  (double)row->invocations,
                                  (double)row->messages};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            add(hash, numbers[k]);
        }
    }
}

static bool is_exact(const struct tests_virtual *drawn)
{
    const struct ek_experiment *experiment = &drawn->experiment;
    const char *const specs[] = {experiment->delay, experiment->delay_load, experiment->work, experiment->faults};
    bool exact = strcmp(drawn->method, "ode") != 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        exact = exact && !(specs[i] && (strstr(specs[i], "exponential") || strstr(specs[i], "normal") ||
                                        specs[i] == experiment->faults));
    }
    return exact;
}

// Writes the hash of a run, in hexadecimal digits.
static void hash(const struct tests_virtual *drawn, const struct run *run, char digits[DIGITS + 1])
{
    struct sha256_ctx all;
    uint8_t digest[SHA256_DIGEST_SIZE];
    if (!run->outcome.machine) {
        snprintf(digits, DIGITS + 1, "refused");
    } else if (!is_exact(drawn)) {
        snprintf(digits, DIGITS + 1, "-");
    } else {
        sha256_init(&all);
        add(&all, run->outcome.status);
        add_report(&all, &run->outcome.report, ek_machine_topology(run->outcome.machine)->processors);
        sha256_digest(&all, sizeof digest, digest);
        for (size_t i = 0; i < DIGITS / 2; i++) {
            snprintf(digits + 2 * i, 3, "%02x", digest[i]);
        }
    }
}

// ---- an experiment ----

// Returns what differs between two runs, or NULL.
static const char *differs(const struct run *run, const struct run *other)
{
    if (run->outcome.status != other->outcome.status) {
        return "the status";
    }
    if (!run->outcome.machine) {
        return NULL;
    }
    uint32_t processors = ek_machine_topology(run->outcome.machine)->processors;
    const char *name = tests_virtual_differs(&run->outcome.report, &other->outcome.report, processors);
    return name ? name : memcmp(run->tape, other->tape, sizeof run->tape) != 0 ? "the recording" : NULL;
}

// Runs an experiment on all carriers, and compares it with its line of the list. `digits` becomes its hash.
static bool is_right(uint64_t number, const char *wanted, char digits[DIGITS + 1])
{
    struct tests_virtual drawn;
    struct run first;
    bool good = true;
    tests_draw_virtual(&drawn, number);
    drawn.experiment.overlaps = number % 2;
    run(&drawn, carriers[0], &first);
    for (size_t i = 1; i < sizeof carriers / sizeof *carriers; i++) {
        struct run other;
        run(&drawn, carriers[i], &other);
        const char *name = differs(&first, &other);
        if (name) {
            printf("FAILED %lu: %s differs on %s: %s\n", (unsigned long)number, name, carriers[i],
                   tests_virtual_said(&drawn));
            good = false;
        }
        tests_outcome_destroy(&other.outcome);
    }
    hash(&drawn, &first, digits);
    if (wanted && strcmp(digits, wanted) != 0) {
        printf("FAILED %lu: %s, not %s: %s\n", (unsigned long)number, digits, wanted, tests_virtual_said(&drawn));
        good = false;
    }
    if (first.outcome.status == EK_VIOLATION) {
        printf("FAILED %lu: %s\n", (unsigned long)number, first.outcome.error.sentence);
        good = false;
    }
    tests_outcome_destroy(&first.outcome);
    return good;
}

// Returns how many lines the list has, at most EXPERIMENTS.
static unsigned read_list(char list[EXPERIMENTS][DIGITS + 1])
{
    FILE *file = fopen(path, "r");
    unsigned lines = 0;
    while (file && lines < EXPERIMENTS && fscanf(file, "%16s", list[lines]) == 1) {
        lines++;
    }
    if (file) {
        fclose(file);
    }
    return lines;
}

int main(void)
{
    static char list[EXPERIMENTS][DIGITS + 1];
    bool update = getenv("UPDATE");
    unsigned lines = update ? EXPERIMENTS : read_list(list);
    unsigned passed = 0;
    unsigned failed = lines < EXPERIMENTS;
    FILE *file = update ? fopen(path, "w") : NULL;
    for (unsigned number = 0; number < lines; number += update ? 1 : tests_one_in()) {
        char digits[DIGITS + 1];
        *(is_right(number, update ? NULL : list[number], digits) ? &passed : &failed) += 1;
        if (file) {
            fprintf(file, "%s\n", digits);
        }
    }
    if (file) {
        fclose(file);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
