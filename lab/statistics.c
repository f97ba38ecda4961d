// SPDX-License-Identifier: MIT
// Statistics, by the GNU Scientific Library where it has them.
#include "lab/statistics.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <Random123/threefry.h>

enum { RESAMPLES = 2000 };

void lab_confidence_say(const struct lab_confidence *confidence, char *text, size_t size)
{
    const double percent = 100.0 * confidence->level;
    if (confidence->way == LAB_BY_T) {
        snprintf(text, size, "%.6g %% by Student's t", percent);
    } else {
        snprintf(text, size, "%.6g %% by bootstrap (%d resamples)", percent, (int)RESAMPLES);
    }
}

double lab_mean(const double *values, size_t count)
{
    return count > 0 ? gsl_stats_mean(values, 1, count) : NAN;
}

double lab_deviation(const double *values, size_t count)
{
    return count > 1 ? gsl_stats_sd(values, 1, count) : count == 1 ? 0.0 : NAN;
}

void lab_sort(double *values, size_t count)
{
    gsl_sort(values, 1, count);
}

double lab_quantile(const double *sorted, size_t count, double share)
{
    return count > 0 ? gsl_stats_quantile_from_sorted_data(sorted, 1, count, share) : NAN;
}

// What lies beyond an interval of this level is shared by its two sides.
static double upper_share(double level)
{
    assert(level > 0.0 && level < 1.0);
    return 0.5 + 0.5 * level;
}

// Of count - 1 degrees of freedom. Where the library cannot find it, it would end the program, if let.
static double t_quantile(size_t count, double level)
{
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    const double t = gsl_cdf_tdist_Pinv(upper_share(level), (double)(count - 1));
    gsl_set_error_handler(before);
    return t;
}

// first[i] - second[i]; without a second it is 0. A mean and a difference are one statistic by this.
static double difference_at(const double *first, const double *second, size_t i)
{
    return second ? first[i] - second[i] : first[i];
}

static double mean_difference(const double *first, const double *second, size_t count)
{
    double mean = 0.0;
    for (size_t i = 0; i < count; i++) {
        mean += (difference_at(first, second, i) - mean) / (double)(i + 1);
    }
    return mean;
}

static double deviation_of_difference(const double *first, const double *second, size_t count)
{
    const double mean = mean_difference(first, second, count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double off = difference_at(first, second, i) - mean;
        sum += off * off;
    }
    return sqrt(sum / (double)(count - 1));
}

// Draw `draw` of resample `resample`: one of 0 .. count-1. The bias of the product is below count / 2^32.
static size_t draw_index(uint64_t resample, uint64_t draw, size_t count)
{
    const threefry2x64_key_t key = {{0, 0}};
    const threefry2x64_ctr_t counter = {{resample, draw}};
    return (size_t)(((threefry2x64(counter, key).v[0] >> 32) * (uint64_t)count) >> 32);
}

// The statistic of one resample: the mean of a difference, or a ratio of means.
static double resampled(const double *first, const double *second, size_t count, bool ratio, uint64_t resample)
{
    double above = 0.0, below = 0.0;
    for (size_t i = 0; i < count; i++) {
        const size_t drawn = draw_index(resample, i, count);
        above += ratio ? first[drawn] : difference_at(first, second, drawn);
        below += ratio ? second[drawn] : 1.0;
    }
    return above / below;
}

// Efron's percentile interval. A ratio that a resample's denominator of 0 makes infinite has none.
static void bootstrap(struct lab_interval *interval, const double *first, const double *second, bool ratio)
{
    assert(interval->count < UINT32_MAX);
    double of[RESAMPLES];
    for (uint64_t r = 0; r < RESAMPLES; r++) {
        of[r] = resampled(first, second, interval->count, ratio, r);
        if (!isfinite(of[r])) {
            return;
        }
    }
    lab_sort(of, RESAMPLES);
    interval->low = lab_quantile(of, RESAMPLES, 1.0 - upper_share(interval->by.level));
    interval->high = lab_quantile(of, RESAMPLES, upper_share(interval->by.level));
}

struct lab_interval lab_interval_mean(const double *values, size_t count, struct lab_confidence by)
{
    return lab_interval_difference(values, NULL, count, by);
}

struct lab_interval lab_interval_difference(const double *first, const double *second, size_t count,
                                            struct lab_confidence by)
{
    struct lab_interval interval = {.value = NAN, .low = NAN, .high = NAN, .count = count, .by = by};
    if (count > 0) {
        interval.value = mean_difference(first, second, count);
    }
    if (count > 1 && by.way == LAB_BY_BOOTSTRAP) {
        bootstrap(&interval, first, second, false);
    } else if (count > 1) {
        const double reach =
            t_quantile(count, by.level) * deviation_of_difference(first, second, count) / sqrt((double)count);
        interval.low = interval.value - reach;
        interval.high = interval.value + reach;
    }
    return interval;
}

// Fieller 1954: the ratios r for which the mean of first - r second may be 0, by Student's t. They are an interval only
// where the denominator cannot be 0 (g < 1).
static void fieller(struct lab_interval *interval, const double *first, const double *second)
{
    const size_t count = interval->count;
    const double below = lab_mean(second, count), ratio = interval->value;
    const double t = t_quantile(count, interval->by.level) / sqrt((double)count);
    const double of_first = gsl_stats_variance(first, 1, count), of_second = gsl_stats_variance(second, 1, count);
    const double of_both = gsl_stats_covariance(first, 1, second, 1, count);
    const double scale = t * t / (below * below); // a (co)variance by this is that of the means, over below^2, by t^2
    const double g = scale * of_second;
    if (!(g < 1.0)) {
        return;
    }
    const double middle = ratio - scale * of_both;
    const double square = of_first - 2.0 * ratio * of_both + ratio * ratio * of_second -
                          scale * (of_first * of_second - of_both * of_both);
    const double reach = t / fabs(below) * sqrt(fmax(square, 0.0)); // rounding may take it below 0
    interval->low = (middle - reach) / (1.0 - g);
    interval->high = (middle + reach) / (1.0 - g);
}

struct lab_interval lab_interval_ratio(const double *first, const double *second, size_t count,
                                       struct lab_confidence by)
{
    struct lab_interval interval = {.value = NAN, .low = NAN, .high = NAN, .count = count, .by = by};
    const double ratio = lab_mean(first, count) / lab_mean(second, count);
    if (!isfinite(ratio)) {
        return interval;
    }
    interval.value = ratio;
    if (count > 1 && by.way == LAB_BY_BOOTSTRAP) {
        bootstrap(&interval, first, second, true);
    } else if (count > 1) {
        fieller(&interval, first, second);
    }
    return interval;
}
