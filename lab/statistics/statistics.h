// SPDX-License-Identifier: MIT
// Means, medians and quantiles of measured values, and confidence intervals of a mean, a difference and a ratio. All
// values must be finite: callers leave out the NaN that stands for "not measured".
#ifndef LAB_STATISTICS_STATISTICS_H
#define LAB_STATISTICS_STATISTICS_H

#include <stddef.h>

// How an interval is computed.
enum lab_interval_method {
    LAB_INTERVAL_T,         // Student's t: exact for normal values, good for the mean of ten or more others
    LAB_INTERVAL_BOOTSTRAP, // percentiles of resampled means: assumes no distribution; too narrow for fewer than ten
                            // values
    LAB_INTERVAL_WELCH      // Student's t for two sets without pairs, each with its own variance
};

struct lab_confidence {
    enum lab_interval_method way;
    double level; // above 0, below 1: the share of such intervals that contain the true value
};

// Writes "95 % by Student's t" or "99 % by bootstrap (2000 resamples)". 64 bytes are enough.
void lab_confidence_write(const struct lab_confidence *confidence, char *text, size_t size);

// An estimate and its interval. The bounds are NaN if the values do not determine them, as for a single value or for a
// ratio whose denominator may be 0.
struct lab_interval {
    double value, low, high;
    size_t count; // number of values, or of pairs
    struct lab_confidence by;
};

// Returns the interval without its bounds, which too few values or lower bounds do not justify.
struct lab_interval lab_interval_without_bounds(struct lab_interval interval);

// Return the mean and the sample's standard deviation. Without values both are NaN; the deviation of one value is 0.
double lab_mean(const double *values, size_t count);
double lab_deviation(const double *values, size_t count);

// lab_sort sorts the values in ascending order. lab_quantile returns the value below which `share` of the sorted values
// lies, interpolated linearly (type 7 of Hyndman & Fan 1996), or NaN without values. The quantile of 0.5 is the median.
void lab_sort(double *values, size_t count);
double lab_quantile(const double *sorted, size_t count, double share);

// Return the interval of the mean, of the mean of first[i] - second[i], and of mean(first) / mean(second) over the same
// pairs. The bootstrap draws with a counter-based generator and a fixed key, so the same values always give the same
// interval.
struct lab_interval lab_interval_mean(const double *values, size_t count, struct lab_confidence by);
struct lab_interval lab_interval_difference(const double *first, const double *second, size_t count,
                                            struct lab_confidence by);
struct lab_interval lab_interval_ratio(const double *first, const double *second, size_t count,
                                       struct lab_confidence by);

// Return the interval of mean(first) - mean(second) and of mean(first) / mean(second) for two sets without pairs. With
// Student's t, the difference has Welch's interval (1947). The ratio has Fieller's interval, with Welch's degrees of
// freedom at that ratio.
struct lab_sample {
    const double *values;
    size_t count;
};
struct lab_interval lab_interval_difference_unpaired(struct lab_sample first, struct lab_sample second,
                                                     struct lab_confidence by);
struct lab_interval lab_interval_ratio_unpaired(struct lab_sample first, struct lab_sample second,
                                                struct lab_confidence by);

// Return the two-sided p-value of a difference of means, for the hypothesis that there is none: by Student's t for
// pairs, by Welch's without. If neither set varies, t does not exist; the p-value is then that of a test that permutes
// the values. NaN if a set has fewer than two values.
double lab_difference_p(const double *first, const double *second, size_t count);
double lab_difference_p_unpaired(struct lab_sample first, struct lab_sample second);

#endif
