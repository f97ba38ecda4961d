// SPDX-License-Identifier: MIT
// Log-linear histograms.
#include "threads/watch/histogram.h"
#include "threads/api/measures.h"

#include <math.h>

// No thread adds any more, so plain accesses of the atomic counts would suffice.
void watch_histogram_merge(struct watch_histogram *into, const struct watch_histogram *from)
{
    for (uint32_t bucket = 0; bucket < WATCH_HISTOGRAM_BUCKETS; bucket++) {
        into->counts[bucket] += from->counts[bucket];
    }
    into->maximum = from->maximum > into->maximum ? from->maximum : into->maximum;
}

static uint64_t count_of(const struct watch_histogram *histogram)
{
    uint64_t count = 0;
    for (uint32_t bucket = 0; bucket < WATCH_HISTOGRAM_BUCKETS; bucket++) {
        count += histogram->counts[bucket];
    }
    return count;
}

// Returns the middle of a bucket's smallest and largest value.
static double middle(uint32_t bucket)
{
    const uint32_t parts = 1u << WATCH_HISTOGRAM_PARTS;
    uint32_t k = bucket < parts ? 0 : bucket / parts - 1;
    uint64_t lowest = (uint64_t)(bucket - k * parts) << k;
    return (double)lowest + 0.5 * (double)((UINT64_C(1) << k) - 1);
}

// The mean is computed from the middles of the buckets, so it is exact to 0.8 % too. An exact sum would need one more
// atomic addition for each value.
static double mean_of(const struct watch_histogram *histogram)
{
    double sum = 0.0;
    for (uint32_t bucket = 0; bucket < WATCH_HISTOGRAM_BUCKETS; bucket++) {
        sum += (double)histogram->counts[bucket] * fmin(middle(bucket), (double)histogram->maximum);
    }
    return sum / (double)count_of(histogram);
}

double watch_histogram_quantile(const struct watch_histogram *histogram, double q)
{
    uint64_t total = count_of(histogram);
    if (total == 0) {
        return NAN;
    }
    double rank = fmin(fmax(ceil(q * (double)total), 1.0), (double)total);
    uint64_t below = histogram->counts[0];
    uint32_t bucket = 0;
    while ((double)below < rank && bucket < WATCH_HISTOGRAM_BUCKETS - 1) {
        below += histogram->counts[++bucket];
    }
    double maximum = (double)histogram->maximum;
    return bucket < WATCH_HISTOGRAM_BUCKETS - 1 ? fmin(middle(bucket), maximum) : maximum;
}

struct ek_quantiles watch_histogram_quantiles(const struct watch_histogram *histogram, double unit)
{
    uint64_t count = count_of(histogram);
    return (struct ek_quantiles){
        .count = count,
        .mean = mean_of(histogram) * unit,
        .median = watch_histogram_quantile(histogram, 0.5) * unit,
        .p90 = watch_histogram_quantile(histogram, 0.9) * unit,
        .p99 = watch_histogram_quantile(histogram, 0.99) * unit,
        .maximum = count == 0 ? NAN : (double)histogram->maximum * unit,
    };
}
