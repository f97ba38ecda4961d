// SPDX-License-Identifier: MIT
// Random numbers: counter-based (Salmon et al. 2011, Threefry-2x64 of Random123), keyed by (seed, owner, stream) and
// counted by draw. They never depend on time, addresses or the order of threads.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <math.h>

#include "base/random_stream.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <Random123/threefry.h>
#pragma GCC diagnostic pop

// Begins the stream of `owner`: a processor, or a step if the machine draws for all processors.
static inline struct base_random base_random_start(uint64_t seed, uint64_t owner, enum base_stream stream)
{
    return (struct base_random){.key = {seed, (uint64_t)stream}, .counter = {0, owner}};
}

// Begins the random numbers of one moment of `owner`: a tick, a step or an operation. A moment has at most 256 numbers.
// They do not depend on the draws at other moments.
static inline struct base_random base_random_moment(uint64_t seed, uint64_t owner, enum base_stream stream,
                                                    uint64_t moment)
{
    struct base_random random = base_random_start(seed, owner, stream);
    random.counter[0] = moment << 8;
    return random;
}

static inline uint64_t base_random_bits(struct base_random *random)
{
    const threefry2x64_key_t key = {{random->key[0], random->key[1]}};
    const threefry2x64_ctr_t counter = {{random->counter[0], random->counter[1]}};
    random->counter[0]++;
    return threefry2x64(counter, key).v[0];
}

// Draws a number uniformly from [0, 1). It is a multiple of 2^-53.
static inline double base_random_unit(struct base_random *random)
{
    return (double)(base_random_bits(random) >> 11) * 0x1p-53;
}

// Draws an exponential number with mean 1. It is at most 53 log 2, since 1 - u is at least 2^-53.
#define BASE_RANDOM_EXPONENTIAL_MAX 36.8
static inline double base_random_exponential(struct base_random *random)
{
    return -log(1.0 - base_random_unit(random));
}

// Draws a normal number with mean 0 and variance 1, from two uniform ones (Box & Muller 1958). Its modulus is at most
// the square root of 2 * BASE_RANDOM_EXPONENTIAL_MAX.
#define BASE_RANDOM_NORMAL_MAX 8.6
static inline double base_random_normal(struct base_random *random)
{
    static const double TURN = 6.283185307179586;
    double radius = sqrt(2.0 * base_random_exponential(random));
    return radius * cos(TURN * base_random_unit(random));
}

// Draws a whole number uniformly from 0 .. bound-1, without bias; bound > 0.
static inline uint64_t base_random_below(struct base_random *random, uint64_t bound)
{
    uint64_t reject = (UINT64_MAX - bound + 1) % bound; // 2^64 mod bound: the incomplete last cycle
    uint64_t bits;
    do {
        bits = base_random_bits(random);
    } while (bits < reject);
    return bits % bound;
}

#endif
