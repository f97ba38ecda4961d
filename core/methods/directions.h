// SPDX-License-Identifier: MIT
// The directions of a product, each with the polynomial of its own spectrum: what the methods share that go through a
// product direction by direction.
#ifndef CORE_METHODS_DIRECTIONS_H
#define CORE_METHODS_DIRECTIONS_H

#include "core/theory/facts.h"
#include "core/theory/schemes.h"

struct method_direction {
    struct core_polynomial polynomial;
    uint32_t colour_from, colour_end; // its links
};

// Directions without links are left out.
struct method_directions {
    size_t count;
    struct method_direction *at; // [count], one after the other: the last dimension first, or as setting->order has it
};

// How the eigenvalues of a side are found.
typedef bool method_find_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                              struct ek_error *error);

// Settles the directions' polynomials; `method` is the method's name, for errors.
bool method_directions_create(struct method_directions *all, const char *method, const struct ek_setting *setting,
                              const struct core_scheme *scheme, method_find_side *find, struct ek_error *error);
void method_directions_destroy(struct method_directions *all);

// The iterations after which a finite scheme ends: the most steps that a direction has, and one where none has any; 0
// where the scheme has no end.
uint64_t method_directions_operations(const struct method_directions *all, const struct core_scheme *scheme);

// The operations and steps of a finite scheme; `by_colour`: a direction's step is one for each of its colours.
void method_directions_facts(const struct method_directions *all, bool by_colour, struct ek_facts *facts);

#endif
