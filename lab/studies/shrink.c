// SPDX-License-Identifier: MIT
// Shrinking. What is smaller is tried, and kept if some schedule of it fails too, whatever is wrong with it. The steps
// of the one that is left are thinned out by delta debugging (Zeller & Hildebrandt, Simplifying and isolating
// failure-inducing input, IEEE TSE 2002); where they end the run goes on in turn.
#include "lab/studies/shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Schedules of each smaller experiment; and in all.
enum { EACH = 300, FOLLOWED_MOST = 20000 };

static bool keep_steps(struct lab_shrunk *shrunk, const struct ek_explore *explore)
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
    shrunk->turns = ek_explore_turns(explore);
    return true;
}

// Looks for a schedule that fails among the first of them.
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
            shrunk->what = what;
            return keep_steps(shrunk, explore);
        }
    }
    return false;
}

// Whether a schedule of this experiment fails, which then is the one.
static bool fails(struct lab_shrunk *shrunk, const struct ek_experiment *experiment, const char *strategy,
                  uint64_t turns_most)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    struct ek_explore *explore = machine ? ek_explore_begin(machine, strategy, turns_most, NULL, &error) : NULL;
    bool found = explore && find(explore, shrunk);
    if (explore) {
        ek_explore_destroy(explore);
    }
    if (machine) {
        ek_machine_destroy(machine);
    }
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
        if (fails(shrunk, &smaller, strategy, turns_most)) {
            free(shrunk->load);
            shrunk->load = strdup(loads[i]);
            return;
        }
    }
}

// The spec with another number in the place of the one that begins at `at`; NULL without memory.
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

// Tries smaller numbers for the one at this place, from the smallest on. Whether one was kept.
static bool try_number(struct lab_shrunk *shrunk, size_t at, const char *strategy, uint64_t turns_most)
{
    enum { FROM = 2, TRIES = 6 };
    unsigned long is = strtoul(shrunk->experiment.topology + at, NULL, 10);
    for (unsigned long number = FROM; number < is && number < FROM + TRIES; number++) {
        struct ek_experiment smaller = shrunk->experiment;
        char *topology = with_number(shrunk->experiment.topology, at, number);
        smaller.topology = topology;
        if (topology && fails(shrunk, &smaller, strategy, turns_most)) {
            free(shrunk->topology);
            shrunk->topology = topology;
            return true;
        }
        free(topology);
    }
    return false;
}

static void try_topologies(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most)
{
    if (!shrunk->experiment.topology || shrunk->experiment.graph || strchr(shrunk->experiment.topology, '/')) {
        return; // a file's name has numbers, too
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
    struct ek_scheduled *step; // [shrunk->count]: room for what is tried
    unsigned followed;
};

// Whether so many steps of what is tried lead to a failure that comes no later: then they are the ones.
static bool better(struct thinning *thinning, size_t count)
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

// Without the steps from..from+length-1.
static bool without(struct thinning *thinning, size_t from, size_t length)
{
    const struct lab_shrunk *shrunk = thinning->shrunk;
    size_t behind = shrunk->count - from - length;
    memcpy(thinning->step, shrunk->step, from * sizeof *thinning->step);
    memcpy(thinning->step + from, shrunk->step + from + length, behind * sizeof *thinning->step);
    return better(thinning, from + behind);
}

// Pieces of half of all steps, then of a quarter, and so on, until no single step can go.
static void thin_out(struct thinning *thinning)
{
    const struct lab_shrunk *shrunk = thinning->shrunk;
    for (size_t length = shrunk->count; length > 0 && thinning->followed < FOLLOWED_MOST;) {
        bool any = false;
        for (size_t from = 0; from < shrunk->count;) {
            size_t piece = length < shrunk->count - from ? length : shrunk->count - from;
            if (without(thinning, from, piece)) {
                any = true;
            } else {
                from += piece;
            }
        }
        length = length == 1 && any ? 1 : length / 2;
    }
}

// A step that sees all that is there is simpler than one that does not.
static void see_more(struct thinning *thinning, uint32_t everything)
{
    const struct lab_shrunk *shrunk = thinning->shrunk;
    for (size_t i = 0; i < shrunk->count; i++) {
        if (shrunk->step[i].sees != everything) {
            memcpy(thinning->step, shrunk->step, shrunk->count * sizeof *thinning->step);
            thinning->step[i].sees = everything;
            better(thinning, shrunk->count);
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
        see_more(&thinning, EK_EXPLORE_SEES_ALL);
        thin_out(&thinning);
    }
    free(thinning.step);
    if (thinning.explore) {
        ek_explore_destroy(thinning.explore);
    }
    if (machine) {
        ek_machine_destroy(machine);
    }
}

void lab_shrink(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most)
{
    if (strncmp(strategy, "exhaustive", strlen("exhaustive")) == 0) {
        strategy = "random";
    }
    try_loads(shrunk, strategy, turns_most);
    try_topologies(shrunk, strategy, turns_most);
    try_loads(shrunk, strategy, turns_most);
    try_steps(shrunk, turns_most);
}
