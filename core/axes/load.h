// SPDX-License-Identifier: MIT
// The initial loads of a run: uniform, peak, constant, modulo, normal, exponential, stick, list, file.
#ifndef CORE_AXES_LOAD_H
#define CORE_AXES_LOAD_H

#include "base/random_stream.h"
#include "core/method.h"

enum core_load_kind {
    CORE_LOAD_UNIFORM,
    CORE_LOAD_PEAK,
    CORE_LOAD_CONSTANT,
    CORE_LOAD_MODULO,
    CORE_LOAD_NORMAL,
    CORE_LOAD_EXPONENTIAL,
    CORE_LOAD_STICK,
    CORE_LOAD_EVEN,
    CORE_LOAD_VALUES
};

struct core_load {
    enum core_load_kind kind;
    enum ek_units units;
    double low, high;         // uniform: the range; in tokens both bounds are included
    double amount;            // peak, constant: the load; normal, exponential: the mean; stick: the length; even: the
                              // sum of the loads
    double deviation;         // normal
    uint32_t place;           // peak: the processor
    uint64_t factor, modulus; // modulo: w_i = i * factor mod modulus
    double *values;           // list and file: [processors]
};

// Parses a load spec. Loads must be finite, not negative and whole in tokens, and their sum must be exact (below 2^53
// in tokens). Returns false with `error` filled if the spec or its file is wrong. Release with core_load_destroy.
bool core_load_parse(struct core_load *load, const char *spec, uint32_t processors, enum ek_units units,
                     struct ek_reader reader, struct ek_error *error);
void core_load_destroy(struct core_load *load);

// Copies `count` given loads. They must meet the conditions of core_load_parse.
bool core_load_take(struct core_load *load, const double *values, size_t count, uint32_t processors,
                    enum ek_units units, struct ek_error *error);

// Draws held[0 .. processors-1] for the run with this seed.
void core_load_draw(const struct core_load *load, uint64_t seed, uint32_t processors, double *held);

// The loads of a run, drawn in parts in the order of the processors, from `next` = 0 on.
struct core_load_draws {
    const struct core_load *load;
    uint64_t seed;
    uint32_t processors;
    uint32_t next; // the processor that is drawn next
    double rest;   // of a stick
};

// Draws the loads of the next `count` processors.
void core_load_draw_next(struct core_load_draws *draws, uint32_t count, double *held);

// Passes over the processors before p, of which none has been passed before. The loads drawn are as without it.
void core_load_draw_skip(struct core_load_draws *draws, uint32_t p);

// Draws the load number `index` alone, from a stream of its own. The load is no stick, and not even.
double core_load_draw_one(const struct core_load *load, uint64_t seed, enum base_stream stream, uint32_t index);

// Returns whether the load depends on the seed.
bool core_load_is_drawn(const struct core_load *load);

// Returns a load as a list shows it, or NULL past the last.
const struct ek_choice *core_load_choice(size_t index);

#endif
