// SPDX-License-Identifier: MIT
// Histograms of whole values (times in ns, counts), log-linear as in Tene's HdrHistogram: a bucket for each value below
// 128, then 64 buckets an octave up to 2^40 (18 minutes in ns), and one for all above.
//
// A bucket of width w = 2^k, k >= 0, begins at 64 w or above. Its values are whole, so its middle is at most (w - 1) /
// 2 from each of them, and relative to the value at most (w - 1) / (2 * 64 w) < 1/128: below 0.8 %. Below 128 it is
// exact.
//
// Many threads may add to one: the counts are atomic, and relaxed, for nothing else goes with them. So the workers of
// one core share a few lines of its cache instead of having some 9 KB each, which 1,024 threads would read from memory
// again at each turn. Whoever reads it does so when all have ended.
//
// One takes 17,936 bytes. All zeros is an empty one.
#ifndef THREADS_WATCH_HISTOGRAM_H
#define THREADS_WATCH_HISTOGRAM_H

#include <stdatomic.h>

#include "threads/api/run.h"

enum {
    WATCH_HISTOGRAM_PARTS = 6,   // 2^6 buckets an octave
    WATCH_HISTOGRAM_OCTAVES = 40 // values from 2^40 on are in the last bucket
};
enum { WATCH_HISTOGRAM_BUCKETS = ((WATCH_HISTOGRAM_OCTAVES - WATCH_HISTOGRAM_PARTS + 1) << WATCH_HISTOGRAM_PARTS) + 1 };

struct watch_histogram {
    atomic_uint_fast64_t maximum;
    atomic_uint_fast64_t counts[WATCH_HISTOGRAM_BUCKETS];
};

_Static_assert(sizeof(struct watch_histogram) == 17936, "the size that the header says");

// The bucket of a value. A value of k + 7 bits is w = 2^k times a number from 64 to 127, and what its last k bits say
// is lost; w = 1 for all values below 128.
static inline uint32_t watch_histogram_bucket(uint64_t value)
{
    const unsigned parts = 1u << WATCH_HISTOGRAM_PARTS;
    unsigned k = 63u - WATCH_HISTOGRAM_PARTS - (unsigned)__builtin_clzll(value | parts);
    uint32_t bucket = (k << WATCH_HISTOGRAM_PARTS) + (uint32_t)(value >> k);
    return bucket < WATCH_HISTOGRAM_BUCKETS ? bucket : WATCH_HISTOGRAM_BUCKETS - 1;
}

static inline void watch_histogram_add_many(struct watch_histogram *histogram, uint64_t value, uint64_t count)
{
    if (count == 0) {
        return;
    }
    atomic_fetch_add_explicit(&histogram->counts[watch_histogram_bucket(value)], count, memory_order_relaxed);
    uint_fast64_t maximum = atomic_load_explicit(&histogram->maximum, memory_order_relaxed);
    while (value > maximum && !atomic_compare_exchange_weak_explicit(&histogram->maximum, &maximum, value,
                                                                     memory_order_relaxed, memory_order_relaxed)) {
    }
}

static inline void watch_histogram_add(struct watch_histogram *histogram, uint64_t value)
{
    watch_histogram_add_many(histogram, value, 1);
}

void watch_histogram_merge(struct watch_histogram *into, const struct watch_histogram *from);

// The value that a share q of all values does not exceed: the smallest v of them such that q * count values are not
// above v, to 0.8 %; the largest value where that is from 2^40 on. NaN where there is no value.
double watch_histogram_quantile(const struct watch_histogram *histogram, double q);

// What a report shows, in another unit: 1e-9 makes seconds of ns. NaN where there is no value.
struct ek_quantiles watch_histogram_quantiles(const struct watch_histogram *histogram, double unit);

#endif
