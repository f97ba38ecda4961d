// SPDX-License-Identifier: MIT
// Means and intervals against published values, closed forms, and the definition of an interval.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "lab/statistics/effect_size.h"
#include "lab/statistics/holm.h"
#include "lab/statistics/samples.h"
#include "lab/statistics/statistics.h"

#define EXPECT_NEAR(got, wanted, tolerance)                                                                            \
    cr_expect(fabs((got) - (wanted)) <= (tolerance), "%.15g, not %.15g", (got), (wanted))

static const struct lab_confidence by_t = {LAB_INTERVAL_T, 0.95}, by_bootstrap = {LAB_INTERVAL_BOOTSTRAP, 0.95};

// The additional hours of sleep of ten patients with each of two drugs: Student 1908, R's data set `sleep`. R's
// t.test(paired = TRUE) gives the interval of the difference.
enum { PATIENTS = 10 };
static const double first_drug[PATIENTS] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double second_drug[PATIENTS] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

Test(statistics, student_1908)
{
    EXPECT_NEAR(lab_mean(first_drug, PATIENTS), 0.75, 1e-12);
    EXPECT_NEAR(lab_deviation(first_drug, PATIENTS), 1.789010, 5e-7);
    const struct lab_interval difference = lab_interval_difference(first_drug, second_drug, PATIENTS, by_t);
    EXPECT_NEAR(difference.value, -1.58, 1e-12);
    EXPECT_NEAR(difference.low, -2.4598858, 5e-8);
    EXPECT_NEAR(difference.high, -0.7001142, 5e-8);
    cr_expect_eq(difference.count, PATIENTS);
    cr_expect_eq(difference.by.way, LAB_INTERVAL_T);
}

// The interval of the mean of these values has the half width t * sd / sqrt(count), which gives t.
static double t_of(size_t count, double level)
{
    double values[2000] = {0};
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)(i % 7);
    }
    const struct lab_interval interval =
        lab_interval_mean(values, count, (struct lab_confidence){.way = LAB_INTERVAL_T, .level = level});
    return (interval.high - interval.low) / 2.0 * sqrt((double)count) / lab_deviation(values, count);
}

// Closed forms for 1, 2 and 4 degrees of freedom; then tables (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
Test(statistics, quantiles_of_t)
{
    const double levels[] = {0.5, 0.9, 0.95, 0.99, 0.999};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const double p = 0.5 + 0.5 * levels[i], a = 4.0 * p * (1.0 - p);
        const double q = cos(acos(sqrt(a)) / 3.0) / sqrt(a);
        EXPECT_NEAR(t_of(2, levels[i]) / tan(acos(-1.0) * (p - 0.5)), 1.0, 1e-7);
        EXPECT_NEAR(t_of(3, levels[i]) / (2.0 * (p - 0.5) * sqrt(2.0 / a)), 1.0, 1e-7);
        EXPECT_NEAR(t_of(5, levels[i]) / (2.0 * sqrt(q - 1.0)), 1.0, 1e-7);
    }
    EXPECT_NEAR(t_of(10, 0.95), 2.262, 5e-4);
    EXPECT_NEAR(t_of(20, 0.95), 2.093, 5e-4);
    EXPECT_NEAR(t_of(20, 0.99), 2.861, 5e-4);
    EXPECT_NEAR(t_of(31, 0.95), 2.042, 5e-4);
    EXPECT_NEAR(t_of(101, 0.95), 1.984, 5e-4);
    EXPECT_NEAR(t_of(101, 0.999), 3.390, 6e-4);
    EXPECT_NEAR(t_of(2000, 0.95), 1.961, 5e-4);
}

Test(statistics, quantiles)
{
    double values[] = {7.0, 1.0, 3.0, 2.0};
    lab_sort(values, 4);
    EXPECT_NEAR(lab_quantile(values, 4, 0.0), 1.0, 0.0);
    EXPECT_NEAR(lab_quantile(values, 4, 0.5), 2.5, 1e-15);
    EXPECT_NEAR(lab_quantile(values, 4, 0.9), 5.8, 1e-14); // 3 + 0.7 * 4, as R's quantile()
    EXPECT_NEAR(lab_quantile(values, 4, 1.0), 7.0, 0.0);
    EXPECT_NEAR(lab_quantile(values, 1, 0.25), 1.0, 0.0);
}

Test(statistics, too_few_values_for_an_interval)
{
    const double one = 5.0, zeros[] = {0.0, 0.0};
    cr_expect(isnan(lab_mean(&one, 0)) && isnan(lab_deviation(&one, 0)) && isnan(lab_quantile(&one, 0, 0.5)));
    cr_expect_eq(lab_deviation(&one, 1), 0.0);
    const struct lab_confidence ways[] = {by_t, by_bootstrap};
    for (size_t i = 0; i < 2; i++) {
        const struct lab_interval none = lab_interval_mean(&one, 0, ways[i]);
        const struct lab_interval mean = lab_interval_mean(&one, 1, ways[i]);
        const struct lab_interval ratio = lab_interval_ratio(&one, &one, 1, ways[i]);
        const struct lab_interval infinite = lab_interval_ratio(first_drug, zeros, 2, ways[i]);
        cr_expect(isnan(none.value) && none.count == 0);
        cr_expect(mean.value == 5.0 && isnan(mean.low) && isnan(mean.high));
        cr_expect(ratio.value == 1.0 && isnan(ratio.low) && isnan(ratio.high));
        cr_expect(isnan(infinite.value) && isnan(infinite.low));
    }
}

// Fieller's interval by its definition: at each end r, the mean of first - r second is t standard errors from 0.
Test(statistics, ends_of_a_ratio)
{
    double first[PATIENTS], second[PATIENTS], rest[PATIENTS];
    for (size_t sign = 0; sign < 2; sign++) {
        for (size_t i = 0; i < PATIENTS; i++) {
            first[i] = 20.0 + first_drug[i];
            second[i] = (sign == 0 ? 1.0 : -1.0) * (10.0 + second_drug[i]);
        }
        const struct lab_interval ratio = lab_interval_ratio(first, second, PATIENTS, by_t);
        EXPECT_NEAR(ratio.value, (sign == 0 ? 1.0 : -1.0) * 20.75 / 12.33, 1e-12);
        cr_expect(ratio.low < ratio.value && ratio.value < ratio.high);
        const double ends[] = {ratio.low, ratio.high};
        for (size_t end = 0; end < 2; end++) {
            for (size_t i = 0; i < PATIENTS; i++) {
                rest[i] = first[i] - ends[end] * second[i];
            }
            const double errors = lab_mean(rest, PATIENTS) / lab_deviation(rest, PATIENTS) * sqrt(PATIENTS);
            EXPECT_NEAR(fabs(errors), 2.2621571628, 1e-9); // t for 9 degrees of freedom
        }
    }
    // The mean of these values is less than three standard errors from 0, so the ratio has no bounds.
    const struct lab_interval open = lab_interval_ratio(second_drug, first_drug, PATIENTS, by_t);
    cr_expect(isfinite(open.value) && isnan(open.low) && isnan(open.high));
}

// The mean of a resample of n values has a standard deviation of that of the values over sqrt(n). Its percentiles
// are close to those of the normal distribution (1.96) if n is large. The same values have the same interval each
// time.
Test(statistics, bootstrap)
{
    enum { COUNT = 400 };
    double values[COUNT], twice[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = 100.0 + (double)(i * 7919 % 1001);
        twice[i] = 2.0 * values[i];
    }
    const double reach = 1.96 * lab_deviation(values, COUNT) / sqrt(COUNT);
    const struct lab_interval mean = lab_interval_mean(values, COUNT, by_bootstrap);
    EXPECT_NEAR(mean.value, lab_mean(values, COUNT), 1e-9);
    EXPECT_NEAR(mean.high - mean.value, reach, 0.08 * reach);
    EXPECT_NEAR(mean.value - mean.low, reach, 0.08 * reach);
    const struct lab_interval again = lab_interval_mean(values, COUNT, by_bootstrap);
    cr_expect(mean.low == again.low && mean.high == again.high);
    // A factor that all pairs share has no uncertainty, however the values vary.
    const struct lab_interval ratio = lab_interval_ratio(twice, values, COUNT, by_bootstrap);
    EXPECT_NEAR(ratio.low, 2.0, 1e-12);
    EXPECT_NEAR(ratio.high, 2.0, 1e-12);
    const struct lab_interval difference = lab_interval_difference(twice, values, COUNT, by_bootstrap);
    EXPECT_NEAR(difference.low, mean.low, 1e-9);
    EXPECT_NEAR(difference.high, mean.high, 1e-9);
}

// Two values have three possible means, with probabilities of a quarter, a half and a quarter.
Test(statistics, bootstrap_of_two)
{
    const double values[] = {0.0, 1.0};
    const struct lab_interval wide = lab_interval_mean(values, 2, by_bootstrap);
    cr_expect(wide.low == 0.0 && wide.high == 1.0);
    const struct lab_interval narrow =
        lab_interval_mean(values, 2, (struct lab_confidence){LAB_INTERVAL_BOOTSTRAP, 0.4});
    cr_expect(narrow.low == 0.5 && narrow.high == 0.5);
    // In a quarter of the resamples the denominator is 0, so the ratio has no bounds.
    const double above[] = {1.0, 2.0};
    const struct lab_interval open = lab_interval_ratio(above, values, 2, by_bootstrap);
    cr_expect(open.value == 3.0 && isnan(open.low) && isnan(open.high));
}

Test(statistics, which_interval_is_said)
{
    char text[64];
    lab_confidence_write(&by_t, text, sizeof text);
    cr_expect_str_eq(text, "95 % by Student's t");
    lab_confidence_write(&(struct lab_confidence){LAB_INTERVAL_BOOTSTRAP, 0.999}, text, sizeof text);
    cr_expect_str_eq(text, "99.9 % by bootstrap (2000 resamples)");
}

// R's t.test(sleep) gives p = 0.002833 for pairs and 0.07939 without.
Test(statistics, p_of_a_difference)
{
    const struct lab_sample first = {first_drug, PATIENTS}, second = {second_drug, PATIENTS};
    EXPECT_NEAR(lab_difference_p(first_drug, second_drug, PATIENTS), 0.002833, 5e-7);
    EXPECT_NEAR(lab_difference_p(second_drug, first_drug, PATIENTS), 0.002833, 5e-7);
    EXPECT_NEAR(lab_difference_p_unpaired(first, second), 0.07939, 5e-6);
    EXPECT_NEAR(lab_difference_p(first_drug, first_drug, PATIENTS), 1.0, 0.0);
    cr_expect(isnan(lab_difference_p(first_drug, second_drug, 1)));
    cr_expect(isnan(lab_difference_p_unpaired((struct lab_sample){first_drug, 1}, second)));
}

// Constants have no t. Of the 2^5 exchanges of partners 2 give the difference, of the 20 divisions of 3 and 3 two, of
// the 10 divisions of 3 and 2 one.
Test(statistics, p_of_constants)
{
    const double three[] = {3, 3, 3, 3, 3}, four[] = {4, 4, 4, 4, 4};
    EXPECT_NEAR(lab_difference_p(three, four, 5), 2.0 / 32.0, 1e-15);
    EXPECT_NEAR(lab_difference_p_unpaired((struct lab_sample){three, 3}, (struct lab_sample){four, 3}), 0.1, 1e-12);
    EXPECT_NEAR(lab_difference_p_unpaired((struct lab_sample){three, 3}, (struct lab_sample){four, 2}), 0.1, 1e-12);
    EXPECT_NEAR(lab_difference_p_unpaired((struct lab_sample){three, 3}, (struct lab_sample){three, 5}), 1.0, 0.0);
}

// R's p.adjust(c(0.04, 0.01, 0.05, 0.02, 0.03), "holm"), and a comparison without a test.
Test(statistics, holm_1979)
{
    double p[] = {0.04, 0.01, NAN, 0.05, 0.02, 0.03, 0.6};
    const double wanted[] = {0.12, 0.06, NAN, 0.12, 0.1, 0.12, 0.6};
    cr_assert(lab_holm(p, 7));
    for (int i = 0; i < 7; i++) {
        cr_expect(isnan(wanted[i]) ? isnan(p[i]) : fabs(p[i] - wanted[i]) < 1e-15, "%d: %g", i, p[i]);
    }
    double large[] = {0.7, 0.6};
    cr_assert(lab_holm(large, 2));
    cr_expect(large[0] == 1.0 && large[1] == 1.0, "%g %g", large[0], large[1]);
    cr_expect(lab_holm(NULL, 0));
}

// Of the ten pairs the first drug gave less sleep in nine, and the same in one. Without pairs every two values count.
Test(statistics, superiority)
{
    EXPECT_NEAR(lab_superiority(first_drug, second_drug, PATIENTS), 0.95, 1e-15);
    EXPECT_NEAR(lab_superiority(second_drug, first_drug, PATIENTS), 0.05, 1e-15);
    cr_expect(isnan(lab_superiority(first_drug, second_drug, 0)));
    double first[PATIENTS], second[PATIENTS], smaller = 0.0;
    memcpy(first, first_drug, sizeof first);
    memcpy(second, second_drug, sizeof second);
    lab_sort(first, PATIENTS);
    lab_sort(second, PATIENTS);
    for (int i = 0; i < PATIENTS; i++) {
        for (int k = 0; k < PATIENTS - 2; k++) {
            smaller += first[i] < second[k] ? 1.0 : first[i] == second[k] ? 0.5 : 0.0;
        }
    }
    const struct lab_sample a = {first, PATIENTS}, b = {second, PATIENTS - 2};
    EXPECT_NEAR(lab_superiority_unpaired(a, b), smaller / 80.0, 1e-15);
    EXPECT_NEAR(lab_superiority_unpaired(b, a), 1.0 - smaller / 80.0, 1e-15);
    cr_expect(isnan(lab_superiority_unpaired(a, (struct lab_sample){second, 0})));
}

// Runs of two experiments with ten seeds each: `first` and `second` say how many draws there are of each.
static size_t samples_of(uint64_t first, uint64_t second)
{
    struct lab_drawn runs[20];
    for (uint64_t i = 0; i < 20; i++) {
        const double numbers[] = {3.0, (double)(i % 10 % (i < 10 ? first : second))};
        runs[i] = (struct lab_drawn){.experiment = i / 10, .seed = 1 + i % 10, .outcome = lab_outcome(numbers, 2)};
    }
    return lab_samples(runs, 20);
}

Test(statistics, independent_samples)
{
    cr_expect_eq(samples_of(10, 10), 10, "two experiments with the same ten draws");
    cr_expect_eq(samples_of(1, 1), 1, "repetitions without draws");
    cr_expect_eq(samples_of(1, 10), 10, "one experiment of the two draws");
    cr_expect_eq(samples_of(3, 1), 3, "draws that end alike by chance");
    cr_expect_eq(lab_samples(NULL, 0), 0);
    const double forth[] = {1.0, 2.0}, back[] = {2.0, 1.0};
    cr_expect_neq(lab_outcome(forth, 2), lab_outcome(back, 2));
}
