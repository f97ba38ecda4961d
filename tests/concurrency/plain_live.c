// SPDX-License-Identifier: MIT
// The thread of `evenkeel run --live` draws what an observer copies from runs in rounds and in free timing, under
// ThreadSanitizer. tests/command/test_live.sh checks what the pictures show.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/figures/live.h"
#include "threads/api/run.h"

enum { RUNS = 2, PICTURES = 3, TRIES = 100 };

// Counts the pictures in the file that has taken the place of standard output.
static unsigned count_pictures(FILE *file)
{
    char line[1000];
    unsigned pictures = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        pictures += strstr(line, "variance   ") != NULL;
    }
    return pictures;
}

// Makes runs until some pictures were drawn in each of them. Returns false if a run fails.
static bool make_runs(struct report_live *live, struct ek_machine *machine, FILE *file, struct ek_error *error)
{
    if (!report_live_begin(live, machine, error)) {
        return false;
    }
    for (uint64_t run = 0; run < RUNS; run++) {
        unsigned before = count_pictures(file);
        for (unsigned tries = 0; tries < TRIES && count_pictures(file) < before + PICTURES; tries++) {
            struct ek_report report;
            enum ek_status status = ek_run(machine, run, &report, NULL, NULL, error);
            if (status != EK_OK && status != EK_UNREACHED) {
                return false;
            }
            ek_report_destroy(&report);
            raise(SIGCONT); // as fg does after Ctrl-Z
        }
        if (count_pictures(file) < before + PICTURES) {
            return base_refuse(error, "no pictures in %d runs", TRIES);
        }
        report_live_clear(live);
    }
    return true;
}

static bool show(struct ek_experiment experiment, FILE *file, struct ek_error *error)
{
    struct lab_record record = {0};
    struct report_live *live = report_live_create(&record, RUNS, error);
    if (!live) {
        return false;
    }
    experiment.observer = report_live_observer(live);
    struct ek_machine *machine = ek_prepare(&experiment, error);
    bool good =
        machine && lab_record_begin(&record, machine, "", RUNS, false, error) && make_runs(live, machine, file, error);
    report_live_destroy(live);
    lab_record_destroy(&record);
    ek_machine_destroy(machine);
    return good;
}

int main(void)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "ring:32", .method = "ade", .stop = "never", .seconds_max = 0.3, .carrier = "pool:2"},
        {.topology = "torus:4x4", .method = "adf", .stop = "never", .seconds_max = 0.3, .timing = "free"},
        {.topology = "torus:4x4", .method = "adf", .stop = "never", .seconds_max = 0.3, .timing = "turns"}};
    unsigned passed = 0, failed = 0;
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);
    if (!file || out < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct ek_error error = {0};
        bool good = show(experiments[i], file, &error);
        *(good ? &passed : &failed) += 1;
        if (!good) {
            fprintf(stderr, "experiment %zu: %s\n", i, error.sentence);
        }
    }
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
