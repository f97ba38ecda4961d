// SPDX-License-Identifier: MIT
// Sets of objects.
#include "core/objects/object_set.h"

#include <stdlib.h>

#include "base/grow.h"

// Beyond these sums of weights, in units, and of sizes, counts would be inexact.
static const uint64_t UNITS_MOST = (uint64_t)1 << 53, BYTES_MOST = (uint64_t)1 << 48;

bool core_object_add(struct core_object_set *set, struct core_object object)
{
    struct core_object *grown =
        set->count < CORE_NO_OBJECT - 1 ? base_grow(set->object, set->count, sizeof *set->object) : NULL;
    if (!grown) {
        return false;
    }
    set->object = grown;
    object.line = set->count;
    set->object[set->count++] = object;
    return true;
}

bool core_object_pair_add(struct core_object_set *set, struct core_object_pair pair)
{
    struct core_object_pair *grown = base_grow(set->pair, set->pairs, sizeof *set->pair);
    if (!grown) {
        return false;
    }
    set->pair = grown;
    set->pair[set->pairs++] = pair;
    return true;
}

void core_object_set_destroy(struct core_object_set *set)
{
    free(set->object);
    free(set->pair);
    free(set->of_line);
    free(set->first);
    free(set->partner);
    *set = (struct core_object_set){0};
}

static int by_weight(const void *a, const void *b)
{
    const struct core_object *left = a, *right = b;
    return left->weight != right->weight ? (left->weight < right->weight) - (left->weight > right->weight)
                                         : (left->line > right->line) - (left->line < right->line);
}

static bool divides_all(const struct core_object_set *set, uint64_t factor)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->object[i].weight % factor != 0) {
            return false;
        }
    }
    return true;
}

// Finds the unit, and lets the weights count in it.
static void find_unit(struct core_object_set *set)
{
    uint64_t factor = 1;
    set->decimals = CORE_OBJECT_DECIMALS;
    set->scale = 1e9;
    while (set->decimals > 0 && divides_all(set, 10 * factor)) {
        factor *= 10;
        set->decimals--;
        set->scale /= 10.0;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        set->object[i].weight /= factor;
    }
}

static bool find_sums(struct core_object_set *set, struct base_cursor *spec, size_t at)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct core_object *object = &set->object[i];
        if (object->weight > UNITS_MOST - set->total) {
            return base_cursor_fail(spec, at,
                                    "the weights add up to more than %.9g, beyond which their sums are not exact: give "
                                    "smaller weights, or fewer digits after the point",
                                    (double)UNITS_MOST / set->scale);
        }
        if (object->bytes > BYTES_MOST - bytes) {
            return base_cursor_fail(spec, at, "the objects have more than 2^48 bytes together: give smaller sizes");
        }
        set->total += object->weight;
        bytes += object->bytes;
    }
    return set->total > 0 || base_cursor_fail(spec, at, "there are no objects with a weight: give at least one");
}

// Lists the partners of every object.
static bool list_partners(struct core_object_set *set)
{
    set->first = calloc((size_t)set->count + 2, sizeof *set->first);
    set->partner = calloc(2 * set->pairs, sizeof *set->partner);
    if (!set->first || !set->partner) {
        return false;
    }
    for (size_t k = 0; k < set->pairs; k++) { // first[i + 2] counts, and first[i + 1] then becomes the next place
        struct core_object_pair *pair = &set->pair[k];
        pair->a = set->of_line[pair->a];
        pair->b = set->of_line[pair->b];
        set->first[pair->a + 2]++;
        set->first[pair->b + 2]++;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        set->first[i + 2] += set->first[i + 1];
    }
    for (size_t k = 0; k < set->pairs; k++) {
        const struct core_object_pair *pair = &set->pair[k];
        size_t of_a = set->first[pair->a + 1]++, of_b = set->first[pair->b + 1]++;
        set->partner[of_a] = (struct core_object_partner){pair->b, pair->bytes, of_b};
        set->partner[of_b] = (struct core_object_partner){pair->a, pair->bytes, of_a};
    }
    return true;
}

bool core_object_set_finish(struct core_object_set *set, struct base_cursor *spec, size_t at)
{
    if (set->count == 0) {
        return base_cursor_fail(spec, at, "there are no objects: give at least one");
    }
    find_unit(set);
    if (!find_sums(set, spec, at)) {
        return false;
    }
    qsort(set->object, set->count, sizeof *set->object, by_weight);
    set->of_line = calloc(set->count, sizeof *set->of_line);
    for (uint32_t i = 0; set->of_line && i < set->count; i++) {
        set->of_line[set->object[i].line] = i;
    }
    return (set->of_line && (set->pairs == 0 || list_partners(set))) ||
           base_cursor_fail(spec, at, "there is no memory for %u objects", (unsigned)set->count);
}

double core_object_edge_cut(const struct core_object_set *set, const uint32_t *place)
{
    double cut = 0.0;
    for (size_t k = 0; k < set->pairs; k++) {
        cut += place[set->pair[k].a] != place[set->pair[k].b] ? set->pair[k].bytes : 0.0;
    }
    return cut;
}

uint64_t core_object_print(const struct core_object *object)
{
    const uint64_t word[] = {object->weight, object->bytes, object->home, object->line};
    uint64_t print = 0;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        print = (print ^ word[i]) * 0x9E3779B97F4A7C15u;
        print ^= print >> 32;
    }
    return print;
}
