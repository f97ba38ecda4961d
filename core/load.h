// SPDX-License-Identifier: MIT
// The loads that a run begins with: uniform, peak, constant, modulo, list, file.
#ifndef EK_LOAD_H
#define EK_LOAD_H

#include "core/method.h"

enum ek_load_kind { EK_LOAD_UNIFORM, EK_LOAD_PEAK, EK_LOAD_CONSTANT, EK_LOAD_MODULO, EK_LOAD_VALUES };

struct ek_load {
    enum ek_load_kind kind;
    enum ek_units units;
    double low, high;         // uniform: the range; in tokens both ends included
    double amount;            // peak, constant
    uint32_t place;           // peak: the processor
    uint64_t factor, modulus; // modulo: w_i = i * factor mod modulus
    double *values;           // list and file: [processors]
};

// Parses a load spec for `processors` processors; loads must be finite, not negative, whole in tokens, and their sum
// exact (below 2^53 in tokens). Release with ek_load_release.
bool ek_load_parse(struct ek_load *load, const char *spec, uint32_t processors, enum ek_units units,
                   struct ek_reader reader, struct ek_error *error);
void ek_load_release(struct ek_load *load);

// Fills held[0 .. processors-1] for the run with this seed.
void ek_load_draw(const struct ek_load *load, uint64_t seed, uint32_t processors, double *held);

// A load as `list` shows it, or NULL past the last.
struct ek_choice {
    const char *form;
    const char *summary;
};
const struct ek_choice *ek_load_choice(size_t index);

#endif
