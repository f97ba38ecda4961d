// SPDX-License-Identifier: MIT
// Statistics. The GNU Scientific Library does what it can.
#include "lab/statistics/statistics.h"

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

void lab_confidence_write(const struct lab_confidence *confidence, char *text, size_t size)
{
    const double percent = 100.0 * confidence->level;
    if (confidence->way != LAB_INTERVAL_BOOTSTRAP) {
        snprintf(text, size, "%.6g %% by %s t", percent, confidence->way == LAB_INTERVAL_T ? "Student's" : "Welch's");
    } else {
        snprintf(text, size, "%.6g %% by bootstrap (%d resamples)", percent, (int)RESAMPLES);
    }
}

struct lab_interval lab_interval_without_bounds(struct lab_interval interval)
{
    interval.low = interval.high = NAN;
    return interval;
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

// Returns the share of values below an interval's upper bound. Both tails have the same share.
static double upper_quantile(double level)
{
    assert(level > 0.0 && level < 1.0);
    return 0.5 + 0.5 * level;
}

// Returns the two-sided quantile of Student's t. The library's own error handler would end the program.
static double t_quantile(double freedom, double level)
{
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    const double t = gsl_cdf_tdist_Pinv(upper_quantile(level), freedom);
    gsl_set_error_handler(before);
    return t;
}

// Returns first[i] - second[i], or first[i] if `second` is NULL: the mean of one set is the mean of its differences
// from 0.
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

// Returns draw number `draw` of a resample: an index below `count`. The bias of the product is below count / 2^32.
static size_t draw_index(uint64_t resample, uint64_t draw, size_t count)
{
    const threefry2x64_key_t key = {{0, 0}};
    const threefry2x64_ctr_t counter = {{resample, draw}};
    return (size_t)(((threefry2x64(counter, key).v[0] >> 32) * (uint64_t)count) >> 32);
}

// Returns the statistic of one resample: the mean difference, or the ratio of the means.
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

// Returns the statistic of one resample of two sets without pairs. The second set continues the first set's draws.
static double resampled_unpaired(struct lab_sample first, struct lab_sample second, bool ratio, uint64_t resample)
{
    double sum[2] = {0.0, 0.0};
    for (size_t i = 0; i < first.count; i++) {
        sum[0] += first.values[draw_index(resample, i, first.count)];
    }
    for (size_t i = 0; i < second.count; i++) {
        sum[1] += second.values[draw_index(resample, first.count + i, second.count)];
    }
    const double above = sum[0] / (double)first.count, below = sum[1] / (double)second.count;
    return ratio ? above / below : above - below;
}

// Sorts the resampled statistics and takes Efron's percentile interval. If one of them is infinite, as a ratio with
// denominator 0 is, the interval stays unknown.
static void set_percentiles(struct lab_interval *interval, double of[RESAMPLES])
{
    for (size_t r = 0; r < RESAMPLES; r++) {
        if (!isfinite(of[r])) {
            return;
        }
    }
    lab_sort(of, RESAMPLES);
    interval->low = lab_quantile(of, RESAMPLES, 1.0 - upper_quantile(interval->by.level));
    interval->high = lab_quantile(of, RESAMPLES, upper_quantile(interval->by.level));
}

static void bootstrap(struct lab_interval *interval, struct lab_sample first, struct lab_sample second, bool paired,
                      bool ratio)
{
    assert(interval->count < UINT32_MAX);
    double of[RESAMPLES];
    for (uint64_t r = 0; r < RESAMPLES; r++) {
        of[r] = paired ? resampled(first.values, second.values, first.count, ratio, r)
                       : resampled_unpaired(first, second, ratio, r);
    }
    set_percentiles(interval, of);
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
    if (count > 1 && by.way == LAB_INTERVAL_BOOTSTRAP) {
        bootstrap(&interval, (struct lab_sample){first, count}, (struct lab_sample){second, count}, true, false);
    } else if (count > 1) {
        const double reach = t_quantile((double)(count - 1), by.level) * deviation_of_difference(first, second, count) /
                             sqrt((double)count);
        interval.low = interval.value - reach;
        interval.high = interval.value + reach;
    }
    return interval;
}

// The (co)variances of two means, and the quantile of t.
struct means {
    double of_first, of_second, of_both;
    double t;
};

// Sets Fieller's interval (1954): the ratios r for which the mean of first - r second may be 0 by Student's t. These
// ratios form an interval only if the denominator `below` differs significantly from 0 (g < 1).
static void fieller(struct lab_interval *interval, double below, struct means means)
{
    const double ratio = interval->value;
    const double scale = means.t * means.t / (below * below);
    const double g = scale * means.of_second;
    if (!(g < 1.0)) {
        return;
    }
    const double middle = ratio - scale * means.of_both;
    const double square = means.of_first - 2.0 * ratio * means.of_both + ratio * ratio * means.of_second -
                          scale * (means.of_first * means.of_second - means.of_both * means.of_both);
    const double reach = means.t / fabs(below) * sqrt(fmax(square, 0.0)); // rounding may make it negative
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
    if (count > 1 && by.way == LAB_INTERVAL_BOOTSTRAP) {
        bootstrap(&interval, (struct lab_sample){first, count}, (struct lab_sample){second, count}, true, true);
    } else if (count > 1) {
        const double n = (double)count;
        fieller(&interval, lab_mean(second, count),
                (struct means){.of_first = gsl_stats_variance(first, 1, count) / n,
                               .of_second = gsl_stats_variance(second, 1, count) / n,
                               .of_both = gsl_stats_covariance(first, 1, second, 1, count) / n,
                               .t = t_quantile(n - 1.0, by.level)});
    }
    return interval;
}

// Returns Welch and Satterthwaite's degrees of freedom of a sum of two means with variances a and b.
static double welch_freedom(double a, double b, size_t first, size_t second)
{
    return (a + b) * (a + b) / (a * a / (double)(first - 1) + b * b / (double)(second - 1));
}

// Returns the variances of two means without pairs, and t for the mean of first - r second by Welch and Satterthwaite.
static struct means means_unpaired(struct lab_sample first, struct lab_sample second, double r, double level)
{
    struct means means = {.of_first = gsl_stats_variance(first.values, 1, first.count) / (double)first.count,
                          .of_second = gsl_stats_variance(second.values, 1, second.count) / (double)second.count};
    const double a = means.of_first, b = r * r * means.of_second;
    // Constant values leave no uncertainty.
    means.t = a + b > 0.0 ? t_quantile(welch_freedom(a, b, first.count, second.count), level) : 0.0;
    return means;
}

static struct lab_interval interval_unpaired(struct lab_sample first, struct lab_sample second,
                                             struct lab_confidence by)
{
    by.way = by.way == LAB_INTERVAL_T ? LAB_INTERVAL_WELCH : by.way;
    return (struct lab_interval){.value = NAN, .low = NAN, .high = NAN, .count = first.count + second.count, .by = by};
}

struct lab_interval lab_interval_difference_unpaired(struct lab_sample first, struct lab_sample second,
                                                     struct lab_confidence by)
{
    struct lab_interval interval = interval_unpaired(first, second, by);
    interval.value = lab_mean(first.values, first.count) - lab_mean(second.values, second.count);
    if (first.count < 2 || second.count < 2) {
        return interval;
    }
    if (by.way == LAB_INTERVAL_BOOTSTRAP) {
        bootstrap(&interval, first, second, false, false);
    } else {
        const struct means means = means_unpaired(first, second, 1.0, by.level);
        const double reach = means.t * sqrt(means.of_first + means.of_second);
        interval.low = interval.value - reach;
        interval.high = interval.value + reach;
    }
    return interval;
}

struct lab_interval lab_interval_ratio_unpaired(struct lab_sample first, struct lab_sample second,
                                                struct lab_confidence by)
{
    struct lab_interval interval = interval_unpaired(first, second, by);
    const double below = lab_mean(second.values, second.count);
    const double ratio = lab_mean(first.values, first.count) / below;
    if (!isfinite(ratio)) {
        return interval;
    }
    interval.value = ratio;
    if (first.count > 1 && second.count > 1 && by.way == LAB_INTERVAL_BOOTSTRAP) {
        bootstrap(&interval, first, second, false, true);
    } else if (first.count > 1 && second.count > 1) {
        fieller(&interval, below, means_unpaired(first, second, ratio, by.level));
    }
    return interval;
}

// Returns the two-sided tail of Student's t.
static double t_tail(double t, double freedom)
{
    return 2.0 * gsl_cdf_tdist_Q(fabs(t), freedom);
}

double lab_difference_p(const double *first, const double *second, size_t count)
{
    if (count < 2) {
        return NAN;
    }
    const double n = (double)count, mean = mean_difference(first, second, count);
    const double deviation = deviation_of_difference(first, second, count);
    if (mean == 0.0) {
        return 1.0;
    }
    // A test that exchanges partners finds a constant difference in 2 of 2^n cases.
    return deviation > 0.0 ? t_tail(mean * sqrt(n) / deviation, n - 1.0) : exp2(1.0 - n);
}

double lab_difference_p_unpaired(struct lab_sample first, struct lab_sample second)
{
    if (first.count < 2 || second.count < 2) {
        return NAN;
    }
    const double difference = lab_mean(first.values, first.count) - lab_mean(second.values, second.count);
    const double n = (double)first.count, m = (double)second.count;
    const double a = gsl_stats_variance(first.values, 1, first.count) / n;
    const double b = gsl_stats_variance(second.values, 1, second.count) / m;
    if (difference == 0.0) {
        return 1.0;
    }
    // A test that permutes the values finds two different constants in one of (n + m)! / (n! m!) cases, or in two.
    return a + b > 0.0 ? t_tail(difference / sqrt(a + b), welch_freedom(a, b, first.count, second.count))
                       : fmin(1.0, (n == m ? 2.0 : 1.0) * exp(lgamma(n + 1.0) + lgamma(m + 1.0) - lgamma(n + m + 1.0)));
}
