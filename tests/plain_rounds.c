// SPDX-License-Identifier: MIT
// The machine with a thread for each of 64 processors, over methods, mailboxes and barriers, against one worker
// alone, to the last bit. A plain program, for ThreadSanitizer.
#include <stdio.h>

#include "tests/runs.h"

static unsigned passed, failed;

static void note(bool good, const struct ek_experiment *experiment, const char *what)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("%s, %s ports, %s, mailbox %s, barrier %s on %s: %s\n", experiment->method, experiment->ports,
               experiment->units, experiment->mailbox, experiment->barrier, experiment->carrier, what);
    }
}

static void compare(struct ek_experiment experiment)
{
    struct ek_outcome many, one;
    ek_try(&experiment, 0, &many);
    struct ek_experiment alone = experiment;
    alone.carrier = "pool:1";
    alone.mailbox = "slot";
    ek_try(&alone, 0, &one);
    const char *name = many.status == one.status ? ek_report_differs(&many.report, &one.report, 64) : "status";
    note(name == NULL && many.status == EK_OK, &experiment, name ? name : many.error.sentence);
    ek_outcome_free(&many);
    ek_outcome_free(&one);
}

static void compare_all(void)
{
    static const char *const methods[] = {"ade", "gde:0.7", "adf", "diffusion:0.15", "matching"};
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    static const char *const barriers[] = {"auto", "sleep", "pthread", "spin", "yield"};
    for (unsigned i = 0; i < 5 * 4 * 2; i++) {
        struct ek_experiment experiment = {
            .topology = "torus:8x8",
            .method = methods[i % 5],
            .mailbox = mailboxes[i % 4],
            .ports = i / 20 ? "one" : "all",
            .units = i % 3 ? "real" : "tokens",
            .barrier = barriers[i / 4 % 5],
            .carrier = i % 7 == 0 ? "pool:3" : "threads",
            .stop = "never",
            .steps = 11,
            .keep_loads = true,
            .keep_trace = true,
        };
        compare(experiment);
    }
}

// Programs, delays, invocations and turns: what else crosses the links.
static void compare_programs(void)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:8x8", .method = "dde", .units = "tokens", .ports = "all"},
        {.topology = "torus:8x8", .method = "dde:send-first", .units = "tokens", .ports = "one"},
        {.topology = "chain:64", .method = "twa:binomial", .units = "tokens", .ports = "all"},
        {.topology = "torus:8x8", .method = "liquid:c4r", .units = "tokens", .ports = "all", .operations = 6},
        {.topology = "ring:64", .method = "nna", .units = "tokens", .ports = "all", .operations = 6},
        {.topology = "mesh:8x8", .method = "de(opt)", .units = "real", .ports = "all"},
        {.topology = "otis(mesh:4x2)", .method = "ded(fos)", .units = "real", .ports = "all", .operations = 6},
        {.topology = "torus:8x8", .method = "local-average", .units = "real", .ports = "all", .operations = 4},
        {.topology = "torus:8x8", .method = "sos", .units = "real", .ports = "one", .capacity = "semi", .steps = 9},
        {.topology = "torus:8x8", .method = "adf", .units = "real", .ports = "all", .delay = "uniform:0:3", .steps = 9},
        {.topology = "torus:8x8", .method = "ade", .units = "real", .ports = "all", .invoke = "below:400", .steps = 9},
        {.topology = "torus:8x8",
         .method = "sender:0.2",
         .units = "real",
         .ports = "all",
         .timing = "turns:random",
         .steps = 9},
    };
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i];
        experiment.mailbox = mailboxes[i % 4];
        experiment.barrier = "auto";
        experiment.carrier = "threads";
        experiment.stop = "never";
        experiment.keep_loads = true;
        compare(experiment);
    }
}

static void watch(void *context, const struct ek_progress *so_far)
{
    unsigned *calls = context;
    *calls += so_far->elapsed_s >= 0.0;
}

// The caller watches while the threads run, and time ends the run.
static void watch_a_run(void)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .method = "adf",
                                       .ports = "all",
                                       .units = "real",
                                       .mailbox = "slot",
                                       .barrier = "auto",
                                       .carrier = "threads",
                                       .stop = "never",
                                       .seconds = 0.4};
    struct ek_error error;
    struct ek_report report = {0};
    unsigned calls = 0;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    bool good = machine && ek_run(machine, 0, &report, watch, &calls, &error) == EK_UNREACHED &&
                report.reason == EK_TIME && calls > 0;
    note(good, &experiment, "a run of 0.4 s could not be watched");
    if (machine) {
        ek_report_free(&report);
        ek_machine_free(machine);
    }
}

int main(void)
{
    compare_all();
    compare_programs();
    watch_a_run();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
