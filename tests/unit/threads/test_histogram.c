// SPDX-License-Identifier: MIT
// Histograms against exact quantiles.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "threads/api/report.h"
#include "threads/watch/histogram.h"

enum { VALUES = 20000 };

static int ascending(const void *a, const void *b)
{
    const uint64_t *first = a;
    const uint64_t *second = b;
    return (*first > *second) - (*first < *second);
}

// Log-uniform below 2^bits: every octave is equally likely.
static uint64_t draw_value(struct base_random *random, double bits)
{
    return (uint64_t)exp2(bits * base_random_unit(random));
}

Test(histogram, buckets_are_in_order_and_narrow)
{
    uint32_t last = 0;
    uint64_t lowest = 0;
    double widest = 0.0;
    for (uint64_t value = 1; value < UINT64_C(1) << 20; value++) {
        uint32_t bucket = watch_histogram_bucket(value);
        cr_assert(bucket == last || bucket == last + 1, "%llu is in bucket %u after %u", (unsigned long long)value,
                  bucket, last);
        cr_assert(value >= 128 || bucket == value, "%llu has no bucket of its own", (unsigned long long)value);
        lowest = bucket == last ? lowest : value;
        widest = value < 64 ? 0.0 : fmax(widest, (double)(value + 1 - lowest) / (double)lowest);
        last = bucket;
    }
    cr_expect_eq(widest, 1.0 / 64.0, "the widest is %g of its lowest value", widest);
    cr_expect_eq(watch_histogram_bucket((UINT64_C(1) << 40) - 1), WATCH_HISTOGRAM_BUCKETS - 2);
    cr_expect_eq(watch_histogram_bucket(UINT64_C(1) << 40), WATCH_HISTOGRAM_BUCKETS - 1);
    cr_expect_eq(watch_histogram_bucket(UINT64_MAX), WATCH_HISTOGRAM_BUCKETS - 1);
}

Test(histogram, quantiles_are_within_the_bound)
{
    static uint64_t value[VALUES];
    double worst = 0.0;
    for (unsigned trial = 0; trial < 40; trial++) {
        struct base_random random = base_random_start(trial, 0, BASE_STREAM_LOAD);
        size_t count = trial < 8 ? trial + 1 : 1 + base_random_below(&random, VALUES);
        struct watch_histogram histogram = {0};
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            value[i] = draw_value(&random, 1.0 + trial);
            sum += value[i];
            watch_histogram_add(&histogram, value[i]);
        }
        qsort(value, count, sizeof *value, ascending);
        for (unsigned permille = 0; permille <= 1000; permille++) {
            double q = permille / 1000.0;
            double rank = fmax(ceil(q * (double)count), 1.0);
            double exact = (double)value[(size_t)rank - 1];
            double found = watch_histogram_quantile(&histogram, q);
            worst = fmax(worst, exact > 0.0 ? fabs(found / exact - 1.0) : found);
            cr_assert(exact >= 128.0 || found == exact, "%g for %g", found, exact);
            cr_assert_leq(found, (double)value[count - 1]);
        }
        struct ek_quantiles seen = watch_histogram_quantiles(&histogram, 0.5);
        cr_expect_eq(seen.count, count);
        cr_expect_float_eq(seen.mean, 0.5 * ((double)sum / (double)count), 0.5 * (double)sum / (double)count / 128.0);
        cr_expect_eq(seen.maximum, 0.5 * (double)value[count - 1]);
        cr_expect_eq(seen.median, 0.5 * watch_histogram_quantile(&histogram, 0.5));
        cr_expect_eq(seen.p90, 0.5 * watch_histogram_quantile(&histogram, 0.9));
        cr_expect_eq(seen.p99, 0.5 * watch_histogram_quantile(&histogram, 0.99));
    }
    cr_expect_lt(worst, 1.0 / 128.0, "%g", worst);
    cr_expect_gt(worst, 0.9 / 128.0, "the error should come close to its bound, but is %g", worst);
}

Test(histogram, merged_are_as_one)
{
    enum { WORKERS = 7 };
    static struct watch_histogram worker[WORKERS], whole, merged;
    struct base_random random = base_random_start(1, 0, BASE_STREAM_LOAD);
    for (unsigned i = 0; i < VALUES; i++) {
        uint64_t value = draw_value(&random, 44.0);
        watch_histogram_add(&whole, value);
        watch_histogram_add(&worker[1 + i % (WORKERS - 1)], value); // the first has no values
    }
    for (unsigned w = 0; w < WORKERS; w++) {
        watch_histogram_merge(&merged, &worker[w]);
    }
    cr_expect_arr_eq(&merged, &whole, sizeof whole);
}

Test(histogram, says_when_it_is_empty_or_beyond)
{
    static struct watch_histogram empty, beyond;
    struct ek_quantiles none = watch_histogram_quantiles(&empty, 1.0);
    cr_expect(none.count == 0 && isnan(none.mean) && isnan(none.median) && isnan(none.p90) && isnan(none.p99) &&
              isnan(none.maximum));
    watch_histogram_add(&beyond, UINT64_C(1) << 50);
    watch_histogram_add(&beyond, UINT64_C(1) << 45);
    cr_expect_eq(watch_histogram_quantile(&beyond, 0.5), 0x1p50);
}
