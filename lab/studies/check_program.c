// SPDX-License-Identifier: MIT
#include "lab/studies/check_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "core/program.h"
#include "lab/record/clock.h"
#include "lab/studies/check_walk.h"
#include "lab/sweep/experiment_spec.h"
#include "threads/api/run.h"

const struct lab_promise_text lab_program_promises[LAB_PROGRAM_PROMISES] = {
    {"pure", "a task has the same cost, result and children when it is executed again", "task"},
    {"limits", "costs, results and numbers of children are as the problem declares, and their sums fit 63 bits",
     "task"},
    {"sizes", "nothing is written beyond the bytes of a task, and a task does not change when it is executed", "task"},
    {"bounds", "a dropped task leads to no better value than the one that was known", "dropped task"},
    {"result", "every machine computes the same result", "run"},
    {"termination", "every execution and every run ends", "run"},
    {"crash", "the program does not crash", "run"},
};

static const char *const topologies[] = {"chain:1", "ring:5", "torus:4x4", "mesh:4x3", "complete:6", "random:10:3"};
static const char *const methods[] = {"adf", "ade", "diffusion:0.1"};

// A timing, and a carrier that it has.
static const struct way {
    const char *timing, *carrier;
} ways[] = {{"rounds", "pool:1"}, {"rounds", "pool:3"}, {"turns", "pool:1"},
            {"free", "pool:2"},   {"free", "threads"},  {"virtual", "pool:2"}};

struct subject {
    const struct ek_program *program;
    struct ek_problem *problem;
};

static void note(struct lab_check_shared *shared, enum lab_program_promise promise, const char *why)
{
    lab_check_note(&shared->checked, promise, shared->seed, why, shared->command, "");
}

// Executes the problem on one processor. Returns whether that succeeded, as `found` says.
static bool walk(const struct lab_check_request *request, const struct subject *subject,
                 struct lab_check_shared *shared, struct check_walk *found)
{
    static const enum lab_program_promise promises[CHECK_WALK_KINDS] = {[CHECK_WALK_PURE] = LAB_PROGRAM_PURE,
                                                                        [CHECK_WALK_LIMITS] = LAB_PROGRAM_LIMITS,
                                                                        [CHECK_WALK_SIZES] = LAB_PROGRAM_SIZES,
                                                                        [CHECK_WALK_BOUNDS] = LAB_PROGRAM_BOUNDS};
    struct lab_checked *checked = &shared->checked;
    shared->seed = request->seed;
    snprintf(shared->command, sizeof shared->command, "evenkeel run%s%s --tasks %s --topology chain:1 --method none",
             request->plugin ? " --plugin " : "", request->plugin ? request->plugin : "", request->subject);
    shared->since_ns = lab_clock_ns();
    check_walk(subject->program, subject->problem, found);
    shared->since_ns = 0;
    for (int kind = 0; kind < CHECK_WALK_KINDS; kind++) {
        checked->found[promises[kind]].runs += found->tested[kind];
        if (found->broken[kind]) {
            note(shared, promises[kind], found->why[kind]);
        }
    }
    if (!found->done && checked->broken == 0) {
        checked->refused++;
        snprintf(checked->refusal, sizeof checked->refusal, "%s", found->refusal);
    }
    return found->done;
}

static void set(struct lab_experiment_spec *spec, const char *option, const char *text)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (strcmp(ek_axis_at(i)->option, option) == 0) {
            spec->text[i] = text;
        }
    }
}

#define PICK(random, texts) texts[base_random_below(random, sizeof texts / sizeof *texts)]

// Draws an experiment of the program.
static bool draw(const struct lab_check_request *request, uint64_t seed, const char *load, uint64_t cost,
                 struct ek_experiment *experiment, struct lab_check_shared *shared, struct ek_error *error)
{
    struct base_random random = base_random_start(seed, 0, BASE_STREAM_CHECK);
    struct lab_experiment_spec spec = {.plugin = request->plugin};
    const struct way *way = &PICK(&random, ways);
    enum { COST_MOST = 1000000000 };
    static const uint64_t times[3] = {1, 3, 100}; // the tasks of a tick
    char grain[32];
    set(&spec, "tasks", request->subject);
    set(&spec, "load", load);
    set(&spec, "topology", PICK(&random, topologies));
    set(&spec, "method", PICK(&random, methods));
    set(&spec, "timing", way->timing);
    set(&spec, "carrier", way->carrier);
    set(&spec, "give", base_random_below(&random, 2) == 0 ? "newest" : NULL);
    cost = cost < COST_MOST ? cost : COST_MOST;
    cost *= times[base_random_below(&random, 3)];
    snprintf(grain, sizeof grain, "%llu", (unsigned long long)cost);
    set(&spec, "grain", grain);
    char *line = lab_experiment_spec_command(&spec, seed);
    snprintf(shared->command, sizeof shared->command, "%s", line ? line : "");
    free(line);
    if (!lab_experiment_spec_read(&spec, request->reader, experiment, error)) {
        return false;
    }
    experiment->seed = shared->seed = seed;
    experiment->checks = true;
    return true;
}

// Judges a run that has ended with this status.
static void judge(struct lab_check_shared *shared, const struct ek_report *report, enum ek_status status,
                  int64_t result, const struct ek_error *error)
{
    char why[200];
    int64_t found = report->tasks.has_result ? (int64_t)report->tasks.result : EK_NO_VALUE;
    shared->checked.found[LAB_PROGRAM_RESULT].runs++;
    shared->checked.found[LAB_PROGRAM_TERMINATION].runs++;
    shared->checked.found[LAB_PROGRAM_CRASH].runs++;
    if (status == EK_STUCK) {
        note(shared, LAB_PROGRAM_TERMINATION, error->sentence);
    } else if (status == EK_VIOLATION || status == EK_BAD_INPUT) {
        note(shared, strstr(error->sentence, "asked again") ? LAB_PROGRAM_PURE : LAB_PROGRAM_RESULT, error->sentence);
    } else if (status == EK_OK && found != result) {
        snprintf(why, sizeof why, "this machine computes %lld, and one processor %lld", (long long)found,
                 (long long)result);
        note(shared, LAB_PROGRAM_RESULT, why);
    }
}

static void run_seed(const struct lab_check_request *request, struct lab_check_shared *shared, uint64_t seed,
                     const char *load, const struct check_walk *found)
{
    struct ek_experiment experiment;
    struct ek_error error = {.at = -1};
    struct ek_report report = {0};
    bool good = draw(request, seed, load, found->cost, &experiment, shared, &error);
    shared->since_ns = lab_clock_ns();
    struct ek_machine *machine = good ? ek_prepare(&experiment, &error) : NULL;
    if (machine) {
        enum ek_status status = ek_run(machine, 0, &report, NULL, NULL, &error);
        judge(shared, &report, status, found->result, &error);
        ek_report_destroy(&report);
        ek_machine_destroy(machine);
        shared->checked.experiments++;
    } else {
        shared->checked.refused++;
        snprintf(shared->checked.refusal, sizeof shared->checked.refusal, "%s", error.sentence);
    }
    shared->since_ns = 0;
    shared->experiments = shared->checked.experiments;
}

static void check_all(const struct lab_check_request *request, const void *context, struct lab_check_shared *shared)
{
    struct check_walk found = {0};
    const struct subject *subject = context;
    char load[32];
    snprintf(load, sizeof load, "peak:%d", CHECK_WALK_PLACED);
    shared->checked.program = true;
    if (!walk(request, context, shared, &found)) {
        return;
    }
    for (uint64_t i = 0; i < request->experiments; i++) {
        run_seed(request, shared, request->seed + i, subject->problem->first_tasks > 0 ? NULL : load, &found);
    }
}

bool lab_check_program(const struct lab_check_request *request, struct lab_checked *checked, struct ek_error *error)
{
    struct subject subject;
    subject.problem = ek_problem_read(request->subject, request->reader, &subject.program, error);
    if (!subject.problem) {
        return false;
    }
    const struct lab_check_job job = {.check = check_all,
                                      .context = &subject,
                                      .promises = lab_program_promises,
                                      .count = LAB_PROGRAM_PROMISES,
                                      .termination = LAB_PROGRAM_TERMINATION,
                                      .crash = LAB_PROGRAM_CRASH};
    bool good = lab_check_in_child(request, &job, checked, error);
    ek_problem_release(subject.program, subject.problem);
    return good;
}
