// SPDX-License-Identifier: MIT
#include "lab/statistics/survival.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// A walk over the distinct values at which runs of one set finished.
struct walk {
    struct lab_censored of;
    size_t finished, cut; // values passed so far
};

// Returns the next value at which a run finished, or infinity.
static double next_value(const struct walk *walk)
{
    return walk->finished < walk->of.finished.count ? walk->of.finished.values[walk->finished] : INFINITY;
}

// Returns the number of runs with at least this value. A run cut at the very value counts.
static double at_risk(struct walk *walk, double value)
{
    while (walk->cut < walk->of.cut.count && walk->of.cut.values[walk->cut] < value) {
        walk->cut++;
    }
    return (double)(walk->of.finished.count - walk->finished + walk->of.cut.count - walk->cut);
}

// Passes all runs that finished at this value, and returns their number.
static double pass(struct walk *walk, double value)
{
    const size_t before = walk->finished;
    while (next_value(walk) == value) {
        walk->finished++;
    }
    return (double)(walk->finished - before);
}

// Sets a bound to the first value at which its curve falls to a half. The product of shares may round up.
static void cross(double *bound, double curve, double value)
{
    if (isnan(*bound) && curve <= 0.5 + 1e-12) {
        *bound = value;
    }
}

struct lab_interval lab_survival_median(struct lab_censored values, struct lab_confidence by)
{
    struct lab_interval median = {
        .value = NAN, .low = NAN, .high = NAN, .count = values.finished.count + values.cut.count, .by = by};
    const double z = gsl_cdf_ugaussian_Pinv(0.5 + 0.5 * by.level);
    struct walk walk = {.of = values};
    double share = 1.0, sum = 0.0; // Greenwood's sum: the variance of log(share)
    while (isnan(median.high) && isfinite(next_value(&walk))) {
        const double value = next_value(&walk), risk = at_risk(&walk, value), ended = pass(&walk, value);
        share *= 1.0 - ended / risk;
        cross(&median.value, share, value);
        if (ended < risk) { // no bounds are known of a curve at 0
            sum += ended / (risk * (risk - ended));
            const double power = exp(z * sqrt(sum) / -log(share));
            cross(&median.low, pow(share, power), value);
            cross(&median.high, pow(share, 1.0 / power), value);
        }
    }
    return median;
}

double lab_log_rank_p(struct lab_censored first, struct lab_censored second)
{
    struct walk walks[2] = {{.of = first}, {.of = second}};
    double excess = 0.0, variance = 0.0;
    for (double value; isfinite(value = fmin(next_value(&walks[0]), next_value(&walks[1])));) {
        const double risk = at_risk(&walks[0], value), all = risk + at_risk(&walks[1], value);
        const double ended = pass(&walks[0], value), ended_all = ended + pass(&walks[1], value);
        excess += ended - ended_all * risk / all;
        if (all > 1.0) {
            variance += ended_all * (risk / all) * (1.0 - risk / all) * (all - ended_all) / (all - 1.0);
        }
    }
    return variance > 0.0 ? gsl_cdf_chisq_Q(excess * excess / variance, 1.0) : NAN;
}
