// SPDX-License-Identifier: MIT
// What many measured values say: means and medians, and how far a mean, a difference or a ratio may be off. All values
// are finite: who has a NaN for "not measured" leaves it out.
#ifndef LAB_STATISTICS_STATISTICS_H
#define LAB_STATISTICS_STATISTICS_H

#include <stddef.h>

// How an interval is found.
enum lab_interval_method {
    LAB_INTERVAL_T,         // Student's t: exact for normal values, good for the mean of some ten others
    LAB_INTERVAL_BOOTSTRAP, // percentiles of resampled means: suppose no distribution; too narrow of fewer than ten
                            // values
    LAB_INTERVAL_WELCH      // what becomes of Student's t where two sets have no pairs, and each a variance of its own
};

struct lab_confidence {
    enum lab_interval_method way;
    double level; // above 0, below 1: the share of such intervals that hold the truth
};

// "95 % by Student's t", "99 % by bootstrap (2000 resamples)". Enough room is 64 bytes.
void lab_confidence_write(const struct lab_confidence *confidence, char *text, size_t size);

// What was estimated, and from where to where it may be; NaN where the values do not tell: of one value, or of a ratio
// whose denominator may be 0.
struct lab_interval {
    double value, low, high;
    size_t count; // of values, or of pairs
    struct lab_confidence by;
};

// Of none NaN; the deviation is the sample's, of one value 0.
double lab_mean(const double *values, size_t count);
double lab_deviation(const double *values, size_t count);

// Sorts them; then the value below which this share of them lies, between two values on a straight line (type 7 of
// Hyndman & Fan 1996). The median is the quantile of a half. Of none NaN.
void lab_sort(double *values, size_t count);
double lab_quantile(const double *sorted, size_t count, double share);

// Of the mean; of the mean of first[i] - second[i]; of mean(first) / mean(second), whose values are pairs too. A
// bootstrap draws its samples from counters with a fixed key: the same values have the same interval each time.
struct lab_interval lab_interval_mean(const double *values, size_t count, struct lab_confidence by);
struct lab_interval lab_interval_difference(const double *first, const double *second, size_t count,
                                            struct lab_confidence by);
struct lab_interval lab_interval_ratio(const double *first, const double *second, size_t count,
                                       struct lab_confidence by);

// The same of two sets without pairs: of mean(first) - mean(second), and of mean(first) / mean(second). By t that is
// Welch's (1947), of the ratio Fieller's with the degrees of freedom that Welch's has at the ratio.
struct lab_sample {
    const double *values;
    size_t count;
};
struct lab_interval lab_interval_difference_unpaired(struct lab_sample first, struct lab_sample second,
                                                     struct lab_confidence by);
struct lab_interval lab_interval_ratio_unpaired(struct lab_sample first, struct lab_sample second,
                                                struct lab_confidence by);

#endif
