// SPDX-License-Identifier: MIT
// Histograms of integers (times in ns, counts), log-linear as in Tene's HdrHistogram: a bucket for each value below
// 128, then 64 buckets for each octave up to 2^40 (18 minutes in ns), and one for all larger values.
//
// Error. A bucket of width w = 2^k, k >= 0, begins at 64 w or above. Its values are integers, so its middle differs
// from each of them by at most (w - 1) / 2. Relative to the value that is at most (w - 1) / (2 * 64 w) < 1/128, so
// below 0.8 %. Values below 128 are exact.
//
// Many threads may add to one histogram at the same time. The counts are atomic, and relaxed, because no other data
// depends on them. So the workers of one core share a few cache lines, instead of having about 9 KB each, which many
// threads would read from memory again at each turn. A histogram is read when all threads that add to it have ended.
//
// A histogram takes 17,936 bytes. All zeros is an empty histogram.
#ifndef THREADS_WATCH_HISTOGRAM_H
#define THREADS_WATCH_HISTOGRAM_H

#include <stdatomic.h>

#include "base/common.h"

enum {
    WATCH_HISTOGRAM_PARTS = 6,   // 2^6 buckets for each octave
    WATCH_HISTOGRAM_OCTAVES = 40 // values from 2^40 on are in the last bucket
};
enum { WATCH_HISTOGRAM_BUCKETS = ((WATCH_HISTOGRAM_OCTAVES - WATCH_HISTOGRAM_PARTS + 1) << WATCH_HISTOGRAM_PARTS) + 1 };

struct watch_histogram {
    atomic_uint_fast64_t maximum;
    atomic_uint_fast64_t counts[WATCH_HISTOGRAM_BUCKETS];
};

_Static_assert(sizeof(struct watch_histogram) == 17936, "the size that the header says");

// Returns the bucket of a value. A value of k + 7 bits belongs to the bucket that w = 2^k times a number from 64 to 127
// begins, so its last k bits are lost. All values below 128 have w = 1.
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

// Does the same for a histogram to which no other thread adds. Plain accesses take a tenth of the time.
static inline void watch_histogram_add_many_alone(struct watch_histogram *histogram, uint64_t value, uint64_t count)
{
    if (count == 0) {
        return;
    }
    atomic_uint_fast64_t *place = &histogram->counts[watch_histogram_bucket(value)];
    atomic_store_explicit(place, atomic_load_explicit(place, memory_order_relaxed) + count, memory_order_relaxed);
    if (value > atomic_load_explicit(&histogram->maximum, memory_order_relaxed)) {
        atomic_store_explicit(&histogram->maximum, value, memory_order_relaxed);
    }
}

static inline void watch_histogram_add(struct watch_histogram *histogram, uint64_t value)
{
    watch_histogram_add_many(histogram, value, 1);
}

void watch_histogram_merge(struct watch_histogram *into, const struct watch_histogram *from);

// Returns the quantile q: the smallest v such that at least q * count values are at most v, to 0.8 %. If v is 2^40 or
// more, the largest value is returned; NaN if the histogram is empty.
double watch_histogram_quantile(const struct watch_histogram *histogram, double q);

// Returns the quantiles of a report in another unit: `unit` 1e-9 converts ns to seconds. NaN if the histogram is empty.
struct ek_quantiles watch_histogram_quantiles(const struct watch_histogram *histogram, double unit);

#endif
