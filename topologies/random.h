// SPDX-License-Identifier: MIT
// Random numbers: counter-based (Salmon et al. 2011, Threefry-2x64 of Random123), keyed by (seed, owner, stream) and
// counted by draw. They never depend on time, addresses or the order of threads.
#ifndef EK_RANDOM_H
#define EK_RANDOM_H

#include <stdint.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <Random123/threefry.h>
#pragma GCC diagnostic pop

// What a stream of numbers is drawn for: two purposes never share numbers.
enum ek_stream {
    EK_STREAM_LINKS,
    EK_STREAM_LOAD,
    EK_STREAM_MATCHING,
    EK_STREAM_CAPACITY,
    EK_STREAM_WORK,
    EK_STREAM_INVOKE,
    EK_STREAM_DELAY,
    EK_STREAM_TURNS,
    EK_STREAM_NEIGHBOURS,
    EK_STREAM_FAULT,
    EK_STREAM_SPHERES,
    EK_STREAM_PAUSE,
    EK_STREAM_PERTURB
};

struct ek_random {
    threefry2x64_key_t key;
    threefry2x64_ctr_t counter;
};

// The stream of `owner`: a processor, or a step for what the machine draws as a whole.
static inline struct ek_random ek_random_start(uint64_t seed, uint64_t owner, enum ek_stream stream)
{
    return (struct ek_random){.key = {{seed, (uint64_t)stream}}, .counter = {{0, owner}}};
}

// The numbers that belong to one moment of `owner` (a tick, a step, an operation), room for 256: what is drawn at a
// moment does not depend on the draws before.
static inline struct ek_random ek_random_moment(uint64_t seed, uint64_t owner, enum ek_stream stream, uint64_t moment)
{
    struct ek_random random = ek_random_start(seed, owner, stream);
    random.counter.v[0] = moment << 8;
    return random;
}

static inline uint64_t ek_random_bits(struct ek_random *random)
{
    threefry2x64_ctr_t bits = threefry2x64(random->counter, random->key);
    random->counter.v[0]++;
    return bits.v[0];
}

// Uniform in [0, 1), a multiple of 2^-53.
static inline double ek_random_unit(struct ek_random *random)
{
    return (double)(ek_random_bits(random) >> 11) * 0x1p-53;
}

// Uniform in 0 .. bound-1, without bias; bound > 0.
static inline uint64_t ek_random_below(struct ek_random *random, uint64_t bound)
{
    uint64_t reject = (UINT64_MAX - bound + 1) % bound; // 2^64 mod bound: the incomplete last cycle
    uint64_t bits;
    do {
        bits = ek_random_bits(random);
    } while (bits < reject);
    return bits % bound;
}

#endif
