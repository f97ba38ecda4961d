// SPDX-License-Identifier: MIT
// Sums of doubles without rounding. The values of a piece are divided into parts. A part has the bits of each value
// above a unit, which is so large that plain additions of the parts are exact in any order (Rump, Ogita & Oishi, SIAM
// J. Sci. Comput. 31, 2008). If two parts have not all bits of a piece, its values are added one after another.
#include "core/exact_sum.h"

#include <math.h>
#include <string.h>

#include "core/lanes.h"

enum { PIECE = 1024, PIECE_BITS = 10, DIGIT_BITS = 32, LEAST = -1074, CARRY_AT = 1 << 30 };

// A piece whose sum is at least as large is added one value after another.
static const double VERY_LARGE = 0x1p1000;

// Carries: all digits but the last become 0 .. 2^32 - 1, and the last one has the sign of the sum.
static void carry(struct core_exact *sum)
{
    for (size_t i = 0; i + 1 < CORE_EXACT_DIGITS; i++) {
        int64_t low = sum->digit[i] & 0xffffffff;
        sum->digit[i + 1] += (sum->digit[i] - low) / ((int64_t)1 << DIGIT_BITS);
        sum->digit[i] = low;
    }
    sum->added = 0;
}

static void add_one(struct core_exact *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned exponent = (unsigned)(bits >> 52) & 0x7ff;
    uint64_t whole = bits & 0xfffffffffffffu;
    if (exponent == 0x7ff) {
        sum->infinite += value;
        return;
    }
    whole |= (uint64_t)(exponent > 0) << 52;
    unsigned place = exponent > 0 ? exponent - 1 : 0; // the value is whole * 2^place units
    unsigned shift = place % DIGIT_BITS;
    int64_t *digit = &sum->digit[place / DIGIT_BITS];
    int64_t sign = bits >> 63 ? -1 : 1;
    uint64_t low = whole << shift;                         // bits 0 .. 63
    uint64_t high = shift > 0 ? whole >> (64 - shift) : 0; // bits 64 .. 84
    digit[0] += sign * (int64_t)(low & 0xffffffffu);
    digit[1] += sign * (int64_t)(low >> DIGIT_BITS);
    digit[2] += sign * (int64_t)high;
    if (++sum->added == CARRY_AT) {
        carry(sum);
    }
}

#define INLINE static inline __attribute__((always_inline))

// The terms of a sum: values, or the squares of their distances from a mean.
struct term {
    bool squares;
    double mean;
};

static double term_of(struct term term, double value)
{
    return term.squares ? (value - term.mean) * (value - term.mean) : value;
}

// The functions take lanes by address: how a function returns them depends on the CPU that it is compiled for.
INLINE void get_terms(ek_lanes *terms, struct term term, const double *value)
{
    ek_lanes at = *(const ek_lanes_anywhere *)value;
    *terms = term.squares ? (at - term.mean) * (at - term.mean) : at;
}

INLINE void add_sizes(ek_lanes *sizes, const ek_lanes *value)
{
    *sizes += (ek_lanes)((ek_lanes_mask)*value & INT64_MAX);
}

INLINE double sum_of(const ek_lanes *lane)
{
    return ((*lane)[0] + (*lane)[1]) + ((*lane)[2] + (*lane)[3]);
}

// Adds whole lanes of a piece. Returns false, without a change, if two parts do not have all bits. If the sizes of the
// terms add up to less than 2^e, the unit of the first part is 2^(e-51): its sums are below 2^53 units. The
// remainders of all terms together are below 2^(e-52+10).
INLINE bool add_parts(struct core_exact *sum, struct term term, const double *value, size_t count)
{
    ek_lanes sizes = {0.0}, rest;
    for (size_t i = 0; i < count; i += EK_LANES) {
        get_terms(&rest, term, value + i);
        add_sizes(&sizes, &rest);
    }
    double size = sum_of(&sizes);
    if (!(size < VERY_LARGE)) { // or not a number
        return false;
    }
    int exponent = 0;
    frexp(size, &exponent);
    double large[2] = {ldexp(1.5, exponent + 1), ldexp(1.5, exponent + 1 - 52 + PIECE_BITS)};
    ek_lanes part[2] = {{0.0}, {0.0}}, left = {0.0};
    for (size_t i = 0; size > 0.0 && i < count; i += EK_LANES) {
        get_terms(&rest, term, value + i);
        for (int k = 0; k < 2; k++) {
            ek_lanes taken = (rest + large[k]) - large[k];
            part[k] += taken;
            rest -= taken;
        }
        add_sizes(&left, &rest);
    }
    bool all = sum_of(&left) <= 0.0;
    for (int k = 0; all && k < 2; k++) {
        add_one(sum, sum_of(&part[k]));
    }
    return all;
}

static EK_WIDE bool add_wide(struct core_exact *sum, struct term term, const double *value, size_t count)
{
    return term.squares ? add_parts(sum, (struct term){true, term.mean}, value, count)
                        : add_parts(sum, (struct term){.squares = false}, value, count);
}

static bool add_narrow(struct core_exact *sum, struct term term, const double *value, size_t count)
{
    return add_parts(sum, term, value, count);
}

static void add(struct core_exact *sum, struct term term, const double *value, size_t count)
{
    bool (*add_lanes)(struct core_exact *, struct term, const double *, size_t) =
        ek_cpu_is_wide() ? add_wide : add_narrow;
    for (size_t from = 0; from < count; from += PIECE) {
        size_t end = count - from < PIECE ? count : from + PIECE, next = from + (end - from) / EK_LANES * EK_LANES;
        next = add_lanes(sum, term, value + from, next - from) ? next : from;
        for (; next < end; next++) {
            add_one(sum, term_of(term, value[next]));
        }
    }
}

void core_exact_add(struct core_exact *sum, const double *value, size_t count)
{
    add(sum, (struct term){.squares = false}, value, count);
}

void core_exact_add_squares(struct core_exact *sum, const double *value, size_t count, double mean)
{
    add(sum, (struct term){true, mean}, value, count);
}

void core_exact_merge(struct core_exact *to, const struct core_exact *from)
{
    struct core_exact other = *from;
    carry(&other);
    carry(to);
    for (size_t i = 0; i < CORE_EXACT_DIGITS; i++) {
        to->digit[i] += other.digit[i];
    }
    to->added = 1;
    to->infinite += other.infinite;
}

// Makes the sum positive if it is negative. Returns its sign.
static double split_sign(struct core_exact *sum)
{
    carry(sum);
    if (sum->digit[CORE_EXACT_DIGITS - 1] >= 0) {
        return 1.0;
    }
    for (size_t i = 0; i < CORE_EXACT_DIGITS; i++) {
        sum->digit[i] = -sum->digit[i];
    }
    carry(sum);
    return -1.0;
}

double core_exact_total(const struct core_exact *sum)
{
    struct core_exact all = *sum;
    if (all.infinite != 0.0) {
        return all.infinite;
    }
    double sign = split_sign(&all);
    size_t top = CORE_EXACT_DIGITS - 1;
    while (top > 1 && all.digit[top] == 0) {
        top--;
    }
    // The first 64 bits. The last of them is also set for any bit below it, so the conversion rounds the whole sum.
    uint64_t high = (uint64_t)all.digit[top] << DIGIT_BITS | (uint64_t)all.digit[top - 1];
    uint64_t low = top > 1 ? (uint64_t)all.digit[top - 2] : 0;
    int zeros = 0;
    while (zeros + 1 < DIGIT_BITS && high >> 63 == 0) {
        high = high << 1 | (low >> 31 & 1);
        low <<= 1;
        zeros++;
    }
    bool below = (low & 0xffffffffu) != 0;
    for (size_t i = 0; i + 2 < top; i++) {
        below = below || all.digit[i] != 0;
    }
    return sign * ldexp((double)(high | below), DIGIT_BITS * ((int)top - 1) - zeros + LEAST);
}
