// SPDX-License-Identifier: MIT
// Spheres in time: union-find over operations. Spheres whose intervals meet at a processor are joined, until no
// intervals meet.
#include "core/domains/overlaps.h"
#include "base/debug.h"

#include <math.h>
#include <stdlib.h>

void core_overlaps_plan(struct core_overlaps *work, uint64_t parts, uint64_t operations, struct base_arena *memory)
{
    *work = (struct core_overlaps){0};
    base_arena_plan(memory, &work->part, parts, sizeof *work->part);
    base_arena_plan(memory, &work->operation, operations, sizeof *work->operation);
}

uint32_t core_overlaps_operation(struct core_overlaps *work, uint32_t invoker)
{
    uint32_t number = work->operations++;
    work->operation[number] = (struct core_overlap_operation){.invoker = invoker, .parent = number, .operations = 1};
    return number;
}

void core_overlaps_part(struct core_overlaps *work, struct core_part part)
{
    BASE_DEBUG_ASSERT(part.begin < part.end && part.operation < work->operations);
    work->part[work->parts++] = part;
}

void core_overlaps_missing(struct core_overlaps *work, uint32_t operation)
{
    work->operation[operation].missing = work->operation[operation].unknown = true;
}

void core_overlaps_unknown(struct core_overlaps *work, uint32_t operation)
{
    work->operation[operation].unknown = true;
}

static int by_processor(const void *a, const void *b)
{
    const struct core_part *first = a;
    const struct core_part *second = b;
    int processors = (first->processor > second->processor) - (first->processor < second->processor);
    return processors ? processors : (first->begin > second->begin) - (first->begin < second->begin);
}

uint32_t core_overlaps_sphere(struct core_overlaps *work, uint32_t operation)
{
    uint32_t number = operation;
    while (work->operation[number].parent != number) {
        work->operation[number].parent = work->operation[work->operation[number].parent].parent;
        number = work->operation[number].parent;
    }
    return number;
}

static struct core_overlap_operation *sphere_of(struct core_overlaps *work, const struct core_part *part)
{
    return &work->operation[core_overlaps_sphere(work, part->operation)];
}

// Joins two spheres. Returns the root of both.
static struct core_overlap_operation *join(struct core_overlap_operation *a, struct core_overlap_operation *b)
{
    struct core_overlap_operation *larger = a->operations < b->operations ? b : a;
    struct core_overlap_operation *smaller = larger == a ? b : a;
    smaller->parent = larger->parent;
    larger->operations += smaller->operations;
    larger->unknown = larger->unknown || smaller->unknown;
    larger->last = larger->last > smaller->last ? larger->last : smaller->last;
    return larger;
}

// Returns the end of the parts that belong to the same processor as part `from`.
static uint32_t end_of(const struct core_overlaps *work, uint32_t from)
{
    uint32_t end = from;
    while (end < work->parts && work->part[end].processor == work->part[from].processor) {
        end++;
    }
    return end;
}

// Joins the spheres that meet at one processor, whose parts are from..end-1. Returns whether any were joined.
static bool join_at(struct core_overlaps *work, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        sphere_of(work, &work->part[i])->last = i;
    }
    bool any = false;
    uint64_t until = 0; // the latest end of the parts so far
    struct core_overlap_operation *open = sphere_of(work, &work->part[from]);
    for (uint32_t i = from; i < end; i++) {
        struct core_overlap_operation *sphere = sphere_of(work, &work->part[i]);
        if (sphere != open && (work->part[i].begin < until || i <= open->last)) {
            open = join(open, sphere);
            any = true;
        } else {
            open = sphere;
        }
        until = work->part[i].end > until ? work->part[i].end : until;
    }
    return any;
}

static void join_all(struct core_overlaps *work)
{
    bool any = true;
    while (any) {
        any = false;
        for (uint32_t from = 0, end; from < work->parts; from = end) {
            end = end_of(work, from);
            any = join_at(work, from, end) || any;
        }
    }
    for (uint32_t i = 0; i < work->parts; i++) { // an operation may have become unknown before its sphere was joined
        struct core_overlap_operation *sphere = sphere_of(work, &work->part[i]);
        sphere->unknown = sphere->unknown || work->operation[work->part[i].operation].unknown;
    }
}

static double square_of(double load, double mean)
{
    return (load - mean) * (load - mean);
}

// Adds the contributions of one processor, whose parts are from..end-1, to its operations and spheres.
static void add_processor(struct core_overlaps *work, uint32_t from, uint32_t end, double mean)
{
    for (uint32_t i = from; i < end; i++) {
        const struct core_part *part = &work->part[i];
        struct core_overlap_operation *operation = &work->operation[part->operation];
        struct core_overlap_operation *sphere = sphere_of(work, part);
        operation->before += square_of(part->before, mean);
        operation->after += square_of(part->after, mean);
        if (sphere->first == 0) {
            sphere->first = part->operation + 1;
            sphere->sphere_before += square_of(part->before, mean);
            sphere->end = 0;
        } else {
            const struct core_overlap_operation *other = &work->operation[sphere->first - 1];
            sphere->shared++;
            sphere->adjacent =
                sphere->adjacent || part->processor == other->invoker || part->processor == operation->invoker;
        }
        if (part->end > sphere->end) {
            sphere->end = part->end;
            sphere->load = part->after;
        }
    }
    for (uint32_t i = from; i < end; i++) {
        struct core_overlap_operation *sphere = sphere_of(work, &work->part[i]);
        sphere->sphere_after += sphere->first > 0 ? square_of(sphere->load, mean) : 0.0;
        sphere->first = 0;
    }
}

enum core_effect_kind core_overlaps_kind_of_two(bool adjacent, uint32_t shared)
{
    return adjacent      ? CORE_EFFECT_ADJACENT
           : shared == 1 ? CORE_EFFECT_ONE_SHARED
           : shared == 2 ? CORE_EFFECT_TWO_SHARED
                         : CORE_EFFECT_MANY;
}

enum core_effect_kind core_overlaps_kind(const struct core_overlap_operation *sphere)
{
    return sphere->operations == 1   ? CORE_EFFECT_ALONE
           : sphere->operations == 2 ? core_overlaps_kind_of_two(sphere->adjacent, sphere->shared)
                                     : CORE_EFFECT_MANY;
}

void core_effect_add(struct core_effect *effect, double before, double after)
{
    effect->count++;
    effect->before += before;
    effect->after += after;
    effect->before_squares += before * before;
    effect->after_squares += after * after;
    effect->products += before * after;
}

void core_overlaps_join(struct core_overlaps *work, double mean)
{
    qsort(work->part, work->parts, sizeof *work->part, by_processor);
    join_all(work);
    for (uint32_t from = 0, end; from < work->parts; from = end) {
        end = end_of(work, from);
        add_processor(work, from, end, mean);
    }
}

void core_overlaps_count(struct core_overlaps *work, struct core_effects *effects)
{
    for (uint32_t i = 0; i < work->operations; i++) {
        const struct core_overlap_operation *operation = &work->operation[i];
        const struct core_overlap_operation *sphere = &work->operation[core_overlaps_sphere(work, i)];
        bool overlapped = sphere->operations > 1 && !operation->missing;
        if (overlapped) {
            core_effect_add(&effects->of[CORE_EFFECT_OVERLAPPED], operation->before, operation->after);
        }
        effects->unknown += sphere->unknown && !overlapped && operation->invoker != UINT32_MAX;
        if (sphere == operation && !sphere->unknown) {
            core_effect_add(&effects->of[core_overlaps_kind(sphere)], sphere->sphere_before, sphere->sphere_after);
        }
    }
    work->parts = work->operations = 0;
}

void core_overlaps_measure(struct core_overlaps *work, double mean, struct core_effects *effects)
{
    core_overlaps_join(work, mean);
    core_overlaps_count(work, effects);
}

double core_effect_left(const struct core_effect *effect)
{
    return effect->count > 0 && effect->before > 0.0 ? effect->after / effect->before : NAN;
}

// Returns the standard error by linearisation: from the variance of (after - left * before) divided by the square of
// the mean of `before` (Cochran, Sampling Techniques, 3rd ed., Eq. (2.46)).
double core_effect_left_error(const struct core_effect *effect)
{
    double left = core_effect_left(effect);
    double count = (double)effect->count;
    if (isnan(left) || effect->count < 2) {
        return NAN;
    }
    double squares = effect->after_squares - 2.0 * left * effect->products + left * left * effect->before_squares;
    return sqrt(fmax(squares, 0.0) / (count - 1.0) / count) / (effect->before / count);
}
