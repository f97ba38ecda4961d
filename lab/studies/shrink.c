// SPDX-License-Identifier: MIT
// Shrinking tries smaller experiments, and keeps one if some schedule of it fails, for whatever reason. Then shrinking
// removes steps of that schedule by delta debugging (Zeller & Hildebrandt, Simplifying and isolating failure-inducing
// input, IEEE TSE 2002). When the steps are used up, the workers run in turn.
//
// In virtual time the steps follow from the costs. There shrinking tries smaller factors, and then keeps the machine
// that fails after the fewest turns.
#include "lab/studies/shrink.h"
#include "lab/studies/schedule_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/schedule_maker.h"
#include "threads/api/run.h"

enum { EACH = 300, FOLLOWED_MOST = 20000 }; // schedules of each smaller experiment, and trials of fewer steps

static bool keep(struct lab_shrunk *shrunk, const struct ek_explore *explore, uint64_t number,
                 const struct ek_error *what)
{
    size_t count;
    const struct ek_scheduled *step = ek_explore_steps(explore, &count);
    struct ek_scheduled *copy = malloc((count + 1) * sizeof *copy);
    if (!copy) {
        return false;
    }
    memcpy(copy, step, count * sizeof *copy);
    free(shrunk->step);
    shrunk->step = copy;
    shrunk->count = count;
    shrunk->number = number;
    shrunk->turns = ek_explore_turns(explore);
    shrunk->what = *what;
    return true;
}

// Searches the first schedules for one that fails, and keeps its steps.
static bool find(struct ek_explore *explore, struct lab_shrunk *shrunk)
{
    struct ek_error what;
    for (uint64_t number = 0; number < EACH; number++) {
        shrunk->tried++;
        enum ek_explored how = ek_explore_schedule(explore, number, &what);
        if (how == EK_EXPLORED_REFUSED) {
            return false;
        }
        if (how == EK_EXPLORED_FAILS) {
            return keep(shrunk, explore, number, &what);
        }
    }
    return false;
}

// Tries an experiment, and keeps it if one of its schedules fails. Returns whether one fails.
static bool try_experiment(struct lab_shrunk *shrunk, const struct ek_experiment *experiment, const char *strategy,
                           uint64_t turns_most)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    struct ek_explore *explore = machine ? ek_explore_begin(machine, strategy, turns_most, NULL, &error) : NULL;
    bool found = explore && find(explore, shrunk);
    if (explore) {
        ek_explore_destroy(explore);
    }
    ek_machine_destroy(machine);
    if (found) {
        shrunk->experiment = *experiment;
    }
    return found;
}

static void try_loads(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most)
{
    static const char *const loads[] = {"peak:1", "peak:2", "peak:4", "peak:16", "peak:64"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct ek_experiment smaller = shrunk->experiment;
        smaller.load = loads[i];
        smaller.loads = NULL;
        if (try_experiment(shrunk, &smaller, strategy, turns_most)) {
            free(shrunk->load);
            shrunk->load = strdup(loads[i]);
            return;
        }
    }
}

// Returns the spec with the number at index `at` replaced, or NULL if memory is short.
static char *with_number(const char *spec, size_t at, unsigned long number)
{
    size_t digits = strspn(spec + at, "0123456789");
    size_t size = strlen(spec) + 24;
    char *text = malloc(size);
    if (text) {
        snprintf(text, size, "%.*s%lu%s", (int)at, spec, number, spec + at + digits);
    }
    return text;
}

// Tries smaller numbers in place of the one at index `at` of the topology, the smallest first.
static void try_number(struct lab_shrunk *shrunk, size_t at, const char *strategy, uint64_t turns_most)
{
    enum { FROM = 2, TRIES = 6 };
    unsigned long is = strtoul(shrunk->experiment.topology + at, NULL, 10);
    for (unsigned long number = FROM; number < is && number < FROM + TRIES; number++) {
        struct ek_experiment smaller = shrunk->experiment;
        char *topology = with_number(shrunk->experiment.topology, at, number);
        smaller.topology = topology;
        if (topology && try_experiment(shrunk, &smaller, strategy, turns_most)) {
            free(shrunk->topology);
            shrunk->topology = topology;
            return;
        }
        free(topology);
    }
}

static void try_topologies(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most)
{
    if (!shrunk->experiment.topology || shrunk->experiment.graph || strchr(shrunk->experiment.topology, '/')) {
        return; // numbers in a file's name are no sizes
    }
    for (size_t at = 0; shrunk->experiment.topology[at]; at++) {
        bool digit = shrunk->experiment.topology[at] >= '0' && shrunk->experiment.topology[at] <= '9';
        if (digit) {
            try_number(shrunk, at, strategy, turns_most);
            at += strspn(shrunk->experiment.topology + at, "0123456789") - 1;
        }
    }
}

// ---- steps ----

struct thinning {
    struct lab_shrunk *shrunk;
    struct ek_explore *explore;
    struct ek_scheduled *step; // [shrunk->count] the steps to try
    unsigned followed;
};

// Tries the first `count` steps, and keeps them if they lead to a failure that is no later. Returns whether they do.
static bool try_count(struct thinning *thinning, size_t count)
{
    struct lab_shrunk *shrunk = thinning->shrunk;
    struct ek_error what;
    if (thinning->followed++ == FOLLOWED_MOST) {
        return false;
    }
    shrunk->tried++;
    bool good = ek_explore_follow(thinning->explore, thinning->step, count, &what) == EK_EXPLORED_FAILS &&
                ek_explore_turns(thinning->explore) <= shrunk->turns;
    if (good) {
        memcpy(shrunk->step, thinning->step, count * sizeof *shrunk->step);
        shrunk->count = count;
        shrunk->turns = ek_explore_turns(thinning->explore);
        shrunk->what = what;
    }
    return good;
}

// Tries the schedule without the steps from..from+length-1.
static bool try_without(struct thinning *thinning, size_t from, size_t length)
{
    const struct lab_shrunk *shrunk = thinning->shrunk;
    size_t behind = shrunk->count - from - length;
    memcpy(thinning->step, shrunk->step, from * sizeof *thinning->step);
    memcpy(thinning->step + from, shrunk->step + from + length, behind * sizeof *thinning->step);
    return try_count(thinning, from + behind);
}

// Removes pieces of all steps, then of half as many, and so on, until no single step can be removed.
static void thin_out(struct thinning *thinning)
{
    const struct lab_shrunk *shrunk = thinning->shrunk;
    for (size_t length = shrunk->count; length > 0 && thinning->followed < FOLLOWED_MOST;) {
        bool any = false;
        for (size_t from = 0; from < shrunk->count;) {
            size_t piece = length < shrunk->count - from ? length : shrunk->count - from;
            if (try_without(thinning, from, piece)) {
                any = true;
            } else {
                from += piece;
            }
        }
        length = length == 1 && any ? 1 : length / 2;
    }
}

// Lets each step see all messages, if possible: such steps are easier to understand.
static void see_more(struct thinning *thinning)
{
    const struct lab_shrunk *shrunk = thinning->shrunk;
    for (size_t i = 0; i < shrunk->count; i++) {
        if (shrunk->step[i].sees != EK_EXPLORE_SEES_ALL) {
            memcpy(thinning->step, shrunk->step, shrunk->count * sizeof *thinning->step);
            thinning->step[i].sees = EK_EXPLORE_SEES_ALL;
            try_count(thinning, shrunk->count);
        }
    }
}

static void try_steps(struct lab_shrunk *shrunk, uint64_t turns_most)
{
    struct ek_error error;
    struct thinning thinning = {.shrunk = shrunk};
    struct ek_machine *machine = ek_prepare(&shrunk->experiment, &error);
    thinning.explore = machine ? ek_explore_begin(machine, "round-robin", turns_most, NULL, &error) : NULL;
    thinning.step = malloc((shrunk->count + 1) * sizeof *thinning.step);
    if (thinning.explore && thinning.step) {
        thin_out(&thinning);
        see_more(&thinning);
        thin_out(&thinning);
    }
    free(thinning.step);
    if (thinning.explore) {
        ek_explore_destroy(thinning.explore);
    }
    ek_machine_destroy(machine);
}

// ---- virtual time ----

// Tries smaller factors, the smallest first. With 1 no cost varies.
static void try_factors(struct lab_shrunk *shrunk, uint64_t turns_most)
{
    static const char *const factors[] = {"1", "1.1", "1.2", "1.5", "2", "3", "5", "10", "20", "50"};
    const char *given = shrunk->experiment.within ? shrunk->experiment.within : "1";
    for (size_t i = 0; i < sizeof factors / sizeof *factors && strtod(factors[i], NULL) < strtod(given, NULL); i++) {
        struct ek_experiment smaller = shrunk->experiment;
        smaller.within = factors[i];
        if (try_experiment(shrunk, &smaller, NULL, turns_most)) {
            return;
        }
    }
}

// Keeps the machine that fails after the fewest turns, of the first EACH.
static void try_machines(struct lab_shrunk *shrunk, uint64_t turns_most)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&shrunk->experiment, &error);
    struct ek_explore *explore = machine ? ek_explore_begin(machine, NULL, turns_most, NULL, &error) : NULL;
    for (uint64_t number = 0; explore && number < EACH; number++) {
        shrunk->tried++;
        if (ek_explore_schedule(explore, number, &error) == EK_EXPLORED_FAILS &&
            ek_explore_turns(explore) < shrunk->turns && !keep(shrunk, explore, number, &error)) {
            break;
        }
    }
    if (explore) {
        ek_explore_destroy(explore);
    }
    ek_machine_destroy(machine);
}

void lab_shrink(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most)
{
    bool machines = lab_explores_machines(&shrunk->experiment);
    if (!machines && strncmp(strategy, "exhaustive", strlen("exhaustive")) == 0) {
        strategy = "random";
    }
    try_loads(shrunk, strategy, turns_most);
    try_topologies(shrunk, strategy, turns_most);
    try_loads(shrunk, strategy, turns_most);
    if (machines) {
        try_factors(shrunk, turns_most);
        try_machines(shrunk, turns_most);
    } else {
        try_steps(shrunk, turns_most);
    }
}
