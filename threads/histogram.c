// SPDX-License-Identifier: MIT
// Log-linear histograms.
#include "threads/histogram.h"

#include <math.h>

void ek_histogram_merge(struct ek_histogram *into, const struct ek_histogram *from)
{
    if (from->count == 0) {
        return;
    }
    for (uint32_t bucket = 0; bucket < EK_HISTOGRAM_BUCKETS; bucket++) {
        uint32_t room = UINT32_MAX - into->counts[bucket];
        into->counts[bucket] += from->counts[bucket] < room ? from->counts[bucket] : room;
    }
    into->count += from->count;
    into->sum += from->sum;
    into->maximum = from->maximum > into->maximum ? from->maximum : into->maximum;
}

// Halfway between a bucket's smallest and largest value.
static double middle(uint32_t bucket)
{
    const uint32_t parts = 1u << EK_HISTOGRAM_PARTS;
    uint32_t k = bucket < parts ? 0 : bucket / parts - 1;
    uint64_t lowest = (uint64_t)(bucket - k * parts) << k;
    return (double)lowest + 0.5 * (double)((UINT64_C(1) << k) - 1);
}

double ek_histogram_quantile(const struct ek_histogram *histogram, double q)
{
    // Not `count`: buckets may be full.
    uint64_t total = 0;
    for (uint32_t bucket = 0; bucket < EK_HISTOGRAM_BUCKETS; bucket++) {
        total += histogram->counts[bucket];
    }
    if (total == 0) {
        return NAN;
    }
    double rank = fmin(fmax(ceil(q * (double)total), 1.0), (double)total);
    uint64_t below = histogram->counts[0];
    uint32_t bucket = 0;
    while ((double)below < rank && bucket < EK_HISTOGRAM_BUCKETS - 1) {
        below += histogram->counts[++bucket];
    }
    double maximum = (double)histogram->maximum;
    return bucket < EK_HISTOGRAM_BUCKETS - 1 ? fmin(middle(bucket), maximum) : maximum;
}

struct ek_quantiles ek_histogram_quantiles(const struct ek_histogram *histogram, double unit)
{
    bool empty = histogram->count == 0;
    return (struct ek_quantiles){
        .count = histogram->count,
        .mean = empty ? NAN : (double)histogram->sum / (double)histogram->count * unit,
        .median = ek_histogram_quantile(histogram, 0.5) * unit,
        .p90 = ek_histogram_quantile(histogram, 0.9) * unit,
        .p99 = ek_histogram_quantile(histogram, 0.99) * unit,
        .maximum = empty ? NAN : (double)histogram->maximum * unit,
    };
}
