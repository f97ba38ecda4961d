// SPDX-License-Identifier: MIT
// Arrays of all ranks. A window is collected in three passes over its spans:
//
//   1. Count how much of it each rank has.
//   2. Copy the own spans to the own part of `staged`, and exchange the parts.
//   3. Copy the others' spans from `staged` to the array.
#include "threads/ranks/collect.h"

#include <string.h>

#include "topologies/rows.h"

void rank_collector_plan(struct rank_collector *collector, const struct ek_ranks *link,
                         const struct rank_placement *placement, bool windows, struct base_arena *memory)
{
    unsigned count = link->count;
    collector->link = link;
    collector->placement = placement;
    base_arena_plan(memory, &collector->from, count + 1u, sizeof *collector->from);
    base_arena_plan(memory, &collector->next, count, sizeof *collector->next);
    base_arena_plan(memory, &collector->staged, windows || placement->spans > count ? RANK_WINDOW : 0,
                    sizeof *collector->staged);
    base_arena_plan(memory, &collector->window, windows ? RANK_WINDOW : 0, sizeof *collector->window);
}

// An array with `words` doubles for each processor, or for each port.
struct whole {
    double *array; // its first element is number `first` of all doubles
    size_t first;
    size_t words;
    const struct ek_topology *ports; // the doubles are by port of this topology; NULL: by processor
};

static size_t place_of(const struct whole *whole, uint32_t p)
{
    return whole->words * (whole->ports ? topo_first(whole->ports, p) : p);
}

static bool collect_in_order(const struct rank_collector *collector, const struct whole *whole)
{
    const struct ek_ranks *link = collector->link;
    for (unsigned r = 0; r <= link->count; r++) {
        collector->from[r] = place_of(whole, collector->placement->begin[r]);
    }
    return link->collect(link->context, whole->array, collector->from);
}

// A window of an array, from..to-1, and the first span that overlaps it.
struct window {
    size_t from, to;
    uint32_t span;
    double *copy; // what is collected goes here; NULL: the others' parts go to the array
};

// Moves on to the next window, of at most `most` doubles. Returns false after the last one.
static bool next_window(const struct rank_placement *placement, const struct whole *whole, size_t most,
                        struct window *window)
{
    size_t end = place_of(whole, placement->begin[placement->spans]);
    if (window->to == end) {
        return false;
    }
    window->from = window->to;
    window->to = end - window->from > most ? window->from + most : end;
    while (place_of(whole, placement->begin[window->span + 1]) <= window->from) {
        window->span++;
    }
    return true;
}

// Returns the part of a span that lies in the window; behind the window it is empty.
static struct base_range part_of(const struct rank_placement *placement, const struct whole *whole,
                                 const struct window *window, uint32_t span)
{
    size_t begin = place_of(whole, placement->begin[span]), end = place_of(whole, placement->begin[span + 1]);
    begin = begin > window->from ? begin : window->from;
    end = end < window->to ? end : window->to;
    return (struct base_range){begin, end};
}

enum staging { COUNTS, PUTS_OWN, GETS };

// Passes over the spans of the window. The parts of one rank are adjacent in `staged`.
static void stage(const struct rank_collector *collector, const struct whole *whole, const struct window *window,
                  enum staging staging)
{
    const struct rank_placement *placement = collector->placement;
    for (uint32_t i = window->span; i < placement->spans; i++) {
        struct base_range part = part_of(placement, whole, window, i);
        if (part.begin >= window->to) {
            break;
        }
        bool own = placement->rank[i] == collector->link->rank;
        size_t *next = &collector->next[placement->rank[i]];
        size_t bytes = (part.end - part.begin) * sizeof(double);
        if (staging == PUTS_OWN && own) {
            memcpy(collector->staged + *next, whole->array + (part.begin - whole->first), bytes);
        } else if (staging == GETS && window->copy) {
            memcpy(window->copy + (part.begin - window->from), collector->staged + *next, bytes);
        } else if (staging == GETS && !own) {
            memcpy(whole->array + (part.begin - whole->first), collector->staged + *next, bytes);
        }
        *next += part.end - part.begin;
    }
}

static bool collect_window(const struct rank_collector *collector, const struct whole *whole,
                           const struct window *window)
{
    const struct ek_ranks *link = collector->link;
    size_t *from = collector->from, *next = collector->next, bytes = link->count * sizeof *next;
    memset(next, 0, bytes);
    stage(collector, whole, window, COUNTS);
    from[0] = 0;
    for (unsigned r = 0; r < link->count; r++) {
        from[r + 1] = from[r] + next[r];
    }
    memcpy(next, from, bytes);
    stage(collector, whole, window, PUTS_OWN);
    if (!link->collect(link->context, collector->staged, from)) {
        return false;
    }
    memcpy(next, from, bytes);
    stage(collector, whole, window, GETS);
    return true;
}

static bool collect_spans(const struct rank_collector *collector, const struct whole *whole)
{
    struct window window = {.copy = NULL};
    bool good = true;
    while (good && next_window(collector->placement, whole, RANK_WINDOW, &window)) {
        good = collect_window(collector, whole, &window);
    }
    return good;
}

bool rank_collect(const struct rank_collector *collector, double *array, size_t words, const struct ek_topology *ports)
{
    struct whole whole = {.array = array, .words = words, .ports = ports};
    bool in_order = collector->placement->spans == collector->link->count;
    return (in_order ? collect_in_order : collect_spans)(collector, &whole);
}

bool rank_collect_window(const struct rank_collector *collector, const double *array, size_t from, size_t count,
                         double *window)
{
    struct whole whole = {.array = (double *)array, .words = 1}; // only read
    struct window asked = {from, from + count, rank_placement_span(collector->placement, (uint32_t)from), window};
    return collect_window(collector, &whole, &asked);
}

// Lets the own processors or ports of a window write their doubles.
static void put_own(const struct rank_collector *collector, const struct rank_pass *pass, const struct whole *whole,
                    const struct window *window)
{
    const struct rank_placement *placement = collector->placement;
    for (uint32_t i = window->span; i < placement->spans && place_of(whole, placement->begin[i]) < window->to; i++) {
        struct base_range part = part_of(placement, whole, window, i);
        for (; placement->rank[i] == collector->link->rank && part.begin < part.end; part.begin += pass->words) {
            pass->put(pass->context, (uint32_t)(part.begin / pass->words), whole->array + (part.begin - whole->first));
        }
    }
}

bool rank_collect_pass(const struct rank_collector *collector, const struct rank_pass *pass)
{
    struct whole whole = {.array = collector->window, .words = pass->words, .ports = pass->ports};
    size_t most = RANK_WINDOW / pass->words * pass->words;
    struct window window = {.copy = NULL};
    while (next_window(collector->placement, &whole, most, &window)) {
        whole.first = window.from;
        put_own(collector, pass, &whole, &window);
        if (!collect_window(collector, &whole, &window)) {
            return false;
        }
        for (size_t i = window.from; i < window.to; i += pass->words) {
            pass->take(pass->context, (uint32_t)(i / pass->words), whole.array + (i - window.from));
        }
    }
    return true;
}

void rank_pass_alone(const struct rank_pass *pass, uint32_t count)
{
    double words[RANK_PASS_WORDS];
    for (uint32_t i = 0; i < count; i++) {
        pass->put(pass->context, i, words);
        pass->take(pass->context, i, words);
    }
}
