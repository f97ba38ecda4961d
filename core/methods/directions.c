// SPDX-License-Identifier: MIT
// Finds the directions of a product with their links and their polynomials.
#include <stdlib.h>

#include "core/methods/directions.h"
#include "base/cursor.h"
#include "topologies/topology.h"

static uint32_t dimension_of(const struct ek_topology *topology, uint32_t colour)
{
    return topology->dimension[topology->ends[topology->colour_first[colour]].port];
}

static bool add_direction(struct method_directions *all, const struct ek_topology *topology, uint32_t dimension,
                          const struct core_scheme *scheme, method_find_side *find, struct ek_error *error)
{
    struct ek_spectrum spectrum = {0};
    struct method_direction *direction = &all->at[all->count];
    bool done = find(topology, dimension, &spectrum, error) &&
                core_polynomial_create(&direction->polynomial, scheme, &spectrum, error);
    ek_spectrum_destroy(&spectrum);
    if (!done) {
        return false;
    }
    while (dimension_of(topology, direction->colour_from) != dimension) { // a direction's colours are consecutive
        direction->colour_from++;
    }
    direction->colour_end = direction->colour_from;
    while (direction->colour_end < topology->colours && dimension_of(topology, direction->colour_end) == dimension) {
        direction->colour_end++;
    }
    all->count++;
    return true;
}

void method_directions_destroy(struct method_directions *all)
{
    for (size_t i = 0; i < all->count; i++) {
        core_polynomial_destroy(&all->at[i].polynomial);
    }
    free(all->at);
    *all = (struct method_directions){0};
}

bool method_directions_create(struct method_directions *all, const char *method, const struct ek_setting *setting,
                              const struct core_scheme *scheme, method_find_side *find, struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    *all = (struct method_directions){0};
    if (topology->dimensions == 0) {
        return base_fail_at(error, "method", 0,
                            "%s balances a product direction by direction, as torus:8x8, and this topology has no "
                            "directions: use the method fos or opt",
                            method);
    }
    all->at = calloc(topology->dimensions, sizeof *all->at);
    if (!all->at) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    for (uint32_t i = 0; i < topology->dimensions; i++) {
        uint32_t d = setting->order ? setting->order[i] : topology->dimensions - 1 - i;
        if (topology->side[d] > 1 && !add_direction(all, topology, d, scheme, find, error)) {
            method_directions_destroy(all);
            return false;
        }
    }
    return true;
}

uint64_t method_directions_operations(const struct method_directions *all, const struct core_scheme *scheme)
{
    if (!core_scheme_finite(scheme)) {
        return 0;
    }
    uint64_t most = 1;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t count = all->at[i].polynomial.count;
        most = count > most ? count : most;
    }
    return most;
}

void method_directions_facts(const struct method_directions *all, bool by_colour, struct ek_facts *facts)
{
    uint64_t operations = 0;
    uint64_t steps = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct method_direction *direction = &all->at[i];
        uint64_t count = direction->polynomial.count;
        operations = count > operations ? count : operations;
        steps += count * (by_colour ? direction->colour_end - direction->colour_from : 1);
    }
    core_facts_add(facts, CORE_AT_END, "operations_all", (double)(operations > 0 ? operations : 1), "operations",
                   "The largest number of distinct nonzero eigenvalues that a direction has: for diffusion k-1 on a "
                   "path of k, floor(k/2) on a ring (Elsässer et al. 1999).");
    core_facts_add(
        facts, CORE_AT_END, "steps_all", (double)(steps > 0 ? steps : 1), "steps",

        "The same in steps, summed over the directions. A direction whose eigenvalues are used up has no step.");
}
