// SPDX-License-Identifier: MIT
#include "lab/studies/check_method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "core/method.h"
#include "lab/record/clock.h"
#include "lab/studies/method_of_spec.h"
#include "lab/sweep/experiment_spec.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

const struct lab_promise_text lab_promises[LAB_PROMISES] = {
    {"mutual", "both ends of a link compute the same amount, if the rule says that it is mutual", "run"},
    {"conservation", "no load is lost or created", "run"},
    {"bounds", "amounts are finite, and a processor sends at most what it holds unless the method overdraws", "run"},
    {"tokens", "tokens move whole", "run"},
    {"ports", "load goes over links that take part only, and over one at a time with one port", "run"},
    {"determinism", "the same seed gives the same loads", "comparison"},
    {"carriers", "all carriers and mailboxes give the same loads, bit by bit", "comparison"},
    {"termination", "every run ends", "run"},
    {"crash", "the method does not crash", "run"},
};

enum { TRIES = 24 }; // draws that are tried until the method accepts one

static const char *const topologies[] = {"ring:7",    "ring:12",     "chain:6",     "mesh:4x3",        "mesh:3x3x2",
                                         "torus:4x4", "torus:5x3",   "hypercube:3", "hypercube:4",     "kary:4^2",
                                         "star:7",    "complete:6",  "random:10:3", "otis(ring:3)",    "otis(mesh:2x2)",
                                         "mesh:8x2",  "torus:6x4x2", "random:14:5", "otis(complete:4)"};
static const char *const loads[] = {"peak:1000", "uniform:0:200", "uniform:0:5", "peak:7"};

// The way in which a run of an experiment is carried.
struct way {
    const char *timing, *carrier, *mailbox;
    bool checks;     // the library checks every amount
    bool comparable; // its final loads depend on the experiment alone
};

static const struct way ways[] = {
    {"rounds", "pool:1", NULL, .checks = true},       {"rounds", "pool:1", NULL, .comparable = true},
    {"rounds", "pool:1", NULL, .comparable = true},   {"rounds", "threads", NULL, .comparable = true},
    {"rounds", "pool:3", "spsc", .comparable = true}, {"turns", "pool:1", NULL, .checks = true, .comparable = true},
    {"turns", "pool:1", NULL, .comparable = true},    {"turns", "pool:3", NULL, .comparable = true},
    {"free", "pool:2", NULL, .checks = true},         {"free", "threads", NULL, .checks = true},
};
enum { WAYS = sizeof ways / sizeof *ways };

// The child's state.
struct checker {
    const struct lab_check_request *request;
    const struct ek_method *method;
    struct lab_check_shared *shared;
    uint64_t seed;
};

// A run and its result.
struct made {
    bool done;
    const struct way *way;
    struct ek_report report;
    enum ek_status status;
    uint32_t processors;
    char command[LAB_CHECK_LINE];
};

static void set(struct lab_experiment_spec *spec, const char *option, const char *text)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (strcmp(ek_axis_at(i)->option, option) == 0) {
            spec->text[i] = text;
        }
    }
}

// Draws what all runs of the experiment share.
static struct lab_experiment_spec draw(const struct lab_check_request *request, const struct ek_method *method,
                                       uint64_t seed, uint64_t try)
{
    struct base_random random = base_random_start(seed, try, BASE_STREAM_CHECK);
    struct lab_experiment_spec spec = {.plugin = request->plugin};
    bool tokens =
        base_random_below(&random, 2) == 0 ? method->supports.units & EK_TOKENS : !(method->supports.units & EK_REAL);
    bool one = base_random_below(&random, 2) == 0 ? method->supports.ports & EK_ONE_PORT
                                                  : !(method->supports.ports & EK_ALL_PORTS);
    set(&spec, "method", request->subject);
    set(&spec, "topology", topologies[base_random_below(&random, sizeof topologies / sizeof *topologies)]);
    set(&spec, "load", loads[base_random_below(&random, sizeof loads / sizeof *loads)]);
    set(&spec, "units", tokens ? "tokens" : "real");
    set(&spec, "ports", one ? "one" : "all");
    set(&spec, "invoke", base_random_below(&random, 4) == 0 ? "probability:0.5" : NULL);
    if (method->letters) {
        set(&spec, "tasks", "queens:6");
        set(&spec, "load", NULL);
        set(&spec, "units", NULL);
        set(&spec, "invoke", NULL);
    }
    if (method->supports.objects) {
        set(&spec, "objects", "mesh:12x12:uniform:1:9");
        set(&spec, "load", NULL);
        set(&spec, "units", NULL);
        set(&spec, "migrate", method->placement ? "end" : NULL);
    }
    set(&spec, "delay", base_random_below(&random, 4) == 0 && method->supports.delays ? "fixed:2" : NULL);
    set(&spec, "steps", "64");
    return spec;
}

// Makes the experiment of a run. In free timing there are no steps, and delays are times.
static bool read_way(const struct checker *checker, struct lab_experiment_spec spec, const struct way *way,
                     struct ek_experiment *experiment, char *command, struct ek_error *error)
{
    set(&spec, "timing", way->timing);
    set(&spec, "carrier", way->carrier);
    set(&spec, "mailbox", way->mailbox);
    if (strcmp(way->timing, "free") == 0) {
        set(&spec, "steps", NULL);
        set(&spec, "delay", NULL);
        set(&spec, "operations", checker->method->letters ? NULL : "400");
        set(&spec, "for", "1s");
    }
    char *line = lab_experiment_spec_command(&spec, checker->seed);
    snprintf(command, LAB_CHECK_LINE, "%s", line ? line : "");
    free(line);
    if (!lab_experiment_spec_read(&spec, checker->request->reader, experiment, error)) {
        return false;
    }
    experiment->seed = checker->seed;
    experiment->keep_loads = true;
    experiment->checks = way->checks;
    return true;
}

static struct lab_promise_found *found_of(const struct checker *checker, enum lab_promise promise)
{
    return &checker->shared->checked.found[promise];
}

// Returns the promise that the violation names, or conservation if it names none.
static enum lab_promise promise_of(const struct ek_error *violation)
{
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        if (strcmp(violation->axis, lab_promises[promise].name) == 0) {
            return (enum lab_promise)promise;
        }
    }
    return LAB_PROMISE_CONSERVATION;
}

// Counts a run for the promises that it tests, and notes the promise that it broke.
static void judge(const struct checker *checker, const struct ek_machine *machine, const struct made *made,
                  const struct ek_error *error)
{
    const struct ek_rule *rule = ek_machine_method(machine)->rule;
    const bool tested[LAB_PROMISES] = {
        [LAB_PROMISE_MUTUAL] = rule && rule->mutual && strcmp(made->way->timing, "rounds") == 0,
        [LAB_PROMISE_CONSERVATION] = true,
        [LAB_PROMISE_BOUNDS] = true,
        [LAB_PROMISE_TOKENS] = made->report.has_stayed, // only tokens are counted as staying
        [LAB_PROMISE_PORTS] = true,
        [LAB_PROMISE_TERMINATION] = true,
        [LAB_PROMISE_CRASH] = true,
    };
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        found_of(checker, (enum lab_promise)promise)->runs += tested[promise];
    }
    if (made->status == EK_VIOLATION || made->status == EK_STUCK) {
        enum lab_promise promise = made->status == EK_STUCK ? LAB_PROMISE_TERMINATION : promise_of(error);
        lab_check_note(&checker->shared->checked, promise, checker->seed, error->sentence, made->command, "");
    }
}

// Makes a run. Returns false if the machine refuses it.
static bool run_way(struct checker *checker, const struct lab_experiment_spec *spec, const struct way *way,
                    struct made *made, struct ek_error *error)
{
    struct ek_experiment experiment;
    *made = (struct made){.way = way};
    if (!read_way(checker, *spec, way, &experiment, made->command, error)) {
        return false;
    }
    memcpy(checker->shared->command, made->command, sizeof made->command);
    checker->shared->seed = checker->seed;
    checker->shared->since_ns = lab_clock_ns();
    struct ek_machine *machine = ek_prepare(&experiment, error);
    if (machine) {
        made->processors = ek_machine_outline(machine)->processors;
        made->status = ek_run(machine, 0, &made->report, NULL, NULL, error);
        made->done = made->status != EK_BAD_INPUT;
    }
    checker->shared->since_ns = 0;
    if (made->done) {
        judge(checker, machine, made, error);
    }
    ek_machine_destroy(machine);
    return made->done;
}

// Compares two runs if their final loads must be the same and neither violated a promise.
static void compare(const struct checker *checker, const struct made *a, const struct made *b)
{
    bool comparable = a->done && b->done && a->way->comparable && b->way->comparable && a->status != EK_VIOLATION &&
                      b->status != EK_VIOLATION && strcmp(a->way->timing, b->way->timing) == 0;
    if (!comparable) {
        return;
    }
    bool again = strcmp(a->way->carrier, b->way->carrier) == 0;
    enum lab_promise promise = again ? LAB_PROMISE_DETERMINISM : LAB_PROMISE_CARRIERS;
    found_of(checker, promise)->runs++;
    const double *left = a->report.final, *right = b->report.final;
    uint32_t p = 0;
    while (p < a->processors && memcmp(&left[p], &right[p], sizeof *left) == 0) {
        p++;
    }
    if (p < a->processors || a->report.steps != b->report.steps) {
        char why[600];
        snprintf(why, sizeof why,
                 "processor %u ends with %.17g after %llu steps on %s, and with %.17g after %llu on %s",
                 p < a->processors ? p : 0, left[p < a->processors ? p : 0], (unsigned long long)a->report.steps,
                 a->way->carrier, right[p < a->processors ? p : 0], (unsigned long long)b->report.steps,
                 again ? "the same carrier" : b->way->carrier);
        lab_check_note(&checker->shared->checked, promise, checker->seed, why, a->command, again ? "" : b->command);
    }
}

// Runs the experiment of a seed in all ways. If the method refuses the experiment, another one is drawn.
static void check_seed(struct checker *checker)
{
    struct made made[WAYS] = {0};
    struct ek_error error = {.at = -1};
    struct lab_experiment_spec spec;
    bool good = false;
    for (uint64_t try = 0; !good && try < TRIES; try++) {
        spec = draw(checker->request, checker->method, checker->seed, try);
        good = run_way(checker, &spec, &ways[0], &made[0], &error);
    }
    struct lab_checked *checked = &checker->shared->checked;
    if (!good) {
        checked->refused++;
        snprintf(checked->refusal, sizeof checked->refusal, "%s", error.sentence);
        return;
    }
    for (size_t i = 1; i < WAYS; i++) {
        run_way(checker, &spec, &ways[i], &made[i], &error);
        compare(checker, &made[i - 1], &made[i]);
    }
    for (size_t i = 0; i < WAYS; i++) {
        ek_report_destroy(&made[i].report);
    }
    checked->experiments++;
    checker->shared->experiments = checked->experiments;
}

static const char *known_method(size_t index)
{
    const struct ek_method *method = ek_method_at(index);
    return method ? method->name : NULL;
}

// Returns the method that the request names, or NULL with `error` filled.
static const struct ek_method *method_of(const char *spec, struct ek_error *error)
{
    const struct ek_method *method = lab_method_of(spec);
    if (!method) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":("), spec);
        const char *near = ek_nearest(name, known_method);
        base_refuse(error, "there is no method called '%.60s'%s%s%s", name, near ? ": did you mean " : "",
                    near ? near : "", near ? "?" : "; evenkeel list methods lists them");
    }
    return method;
}

static void check_all(const struct lab_check_request *request, const void *context, struct lab_check_shared *shared)
{
    struct checker checker = {.request = request, .method = context, .shared = shared};
    for (uint64_t i = 0; i < request->experiments; i++) {
        checker.seed = request->seed + i;
        check_seed(&checker);
    }
}

bool lab_check_method(const struct lab_check_request *request, struct lab_checked *checked, struct ek_error *error)
{
    const struct ek_method *method = method_of(request->subject, error);
    const struct lab_check_job job = {.check = check_all,
                                      .context = method,
                                      .promises = lab_promises,
                                      .count = LAB_PROMISES,
                                      .termination = LAB_PROMISE_TERMINATION,
                                      .crash = LAB_PROMISE_CRASH};
    return method && lab_check_in_child(request, &job, checked, error);
}
