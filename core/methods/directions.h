// SPDX-License-Identifier: MIT
// The directions of a product, each with the polynomial of its own spectrum, for the methods that balance a product
// direction by direction.
#ifndef CORE_METHODS_DIRECTIONS_H
#define CORE_METHODS_DIRECTIONS_H

#include "core/theory/facts.h"
#include "core/theory/schemes.h"

struct method_direction {
    struct core_polynomial polynomial;
    uint32_t colour_from, colour_end; // the colours of its links
};

// Directions without links are left out.
struct method_directions {
    size_t count;
    struct method_direction
        *at; // [count], in the order in which they act: the last dimension first, or in setting->order
};

// Finds the eigenvalues of one dimension.
typedef bool method_find_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                              struct ek_error *error);

// Finds the directions' polynomials. `method` is the method's name, for errors.
bool method_directions_create(struct method_directions *all, const char *method, const struct ek_setting *setting,
                              const struct core_scheme *scheme, method_find_side *find, struct ek_error *error);
void method_directions_destroy(struct method_directions *all);

// Returns the number of iterations after which a finite scheme ends: the largest number of steps that a direction has,
// at least 1. Returns 0 if the scheme is not finite.
uint64_t method_directions_operations(const struct method_directions *all, const struct core_scheme *scheme);

// Adds the operations and steps of a finite scheme. `by_colour`: a direction takes one step for each of its colours.
void method_directions_facts(const struct method_directions *all, bool by_colour, struct ek_facts *facts);

#endif
