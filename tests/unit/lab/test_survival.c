// SPDX-License-Identifier: MIT
// Estimates from censored values against published values and closed forms.
#include <criterion/criterion.h>

#include <math.h>

#include "lab/statistics/survival.h"

#define EXPECT_NEAR(got, wanted, tolerance)                                                                            \
    cr_expect(fabs((got) - (wanted)) <= (tolerance), "%.15g, not %.15g", (got), (wanted))
#define SAMPLE(array)                                                                                                  \
    {                                                                                                                  \
        (array), sizeof(array) / sizeof *(array)                                                                       \
    }

// Weeks of remission of children with leukaemia, with 6-mercaptopurine and with a placebo: Freireich and others 1963,
// R's data set `gehan`. R's survfit gives the medians 23 and 8. Its survdiff gives a chi-square of 16.79, and lifelines
// the p-value.
static const double drug[] = {6, 6, 6, 7, 10, 13, 16, 22, 23},
                    drug_cut[] = {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35};
static const double placebo[] = {1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23};
static const struct lab_censored with_drug = {SAMPLE(drug), SAMPLE(drug_cut)}, without = {.finished = SAMPLE(placebo)};

static const struct lab_confidence usual = {.level = 0.95};

static double median_of(struct lab_censored values)
{
    return lab_survival_median(values, usual).value;
}

Test(survival, freireich_1963)
{
    EXPECT_NEAR(median_of(with_drug), 23.0, 0.0);
    EXPECT_NEAR(median_of(without), 8.0, 0.0);
    EXPECT_NEAR(lab_log_rank_p(with_drug, without), 4.16880910933455e-05, 1e-15);
    EXPECT_NEAR(lab_log_rank_p(without, with_drug), 4.16880910933455e-05, 1e-15);
    EXPECT_NEAR(lab_log_rank_p(without, without), 1.0, 0.0);
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// The intervals of medians are those of quantile(survfit(Surv(time, status) ~ 1, conf.type = "log-log")) in R's package
// survival 3.5-3.
Test(survival, intervals_of_medians)
{
    static const double five[] = {1, 2, 3, 4, 5}, cut_at_five[] = {5, 5, 5, 5, 5}, ties[] = {2, 2, 2, 3, 3, 5},
                        ties_cut[] = {2, 3, 5, 9}, mixed[] = {3, 4, 6, 8, 8, 12, 15, 20}, mixed_cut[] = {4, 7, 9, 12},
                        equal[] = {7, 7, 7, 7, 7, 7}, equal_cut[] = {7, 7};
    static const struct {
        struct lab_censored of;
        double level, low, high;
    } known[] = {
        {{SAMPLE(drug), SAMPLE(drug_cut)}, 0.95, 13, NAN},  {{SAMPLE(drug), SAMPLE(drug_cut)}, 0.99, 7, NAN},
        {{SAMPLE(drug), SAMPLE(drug_cut)}, 0.5, 22, NAN},   {{.finished = SAMPLE(placebo)}, 0.95, 4, 11},
        {{.finished = SAMPLE(placebo)}, 0.99, 2, 12},       {{.finished = SAMPLE(placebo)}, 0.5, 5, 8},
        {{.finished = SAMPLE(five)}, 0.95, 1, NAN},         {{.finished = SAMPLE(five)}, 0.5, 2, 4},
        {{SAMPLE(ties), SAMPLE(ties_cut)}, 0.95, 2, NAN},   {{SAMPLE(ties), SAMPLE(ties_cut)}, 0.5, 3, 5},
        {{SAMPLE(mixed), SAMPLE(mixed_cut)}, 0.95, 4, NAN}, {{SAMPLE(mixed), SAMPLE(mixed_cut)}, 0.5, 8, 15},
        {{.finished = SAMPLE(equal)}, 0.95, NAN, NAN}, // the curve falls from 1 to 0 at once
        {{SAMPLE(equal), SAMPLE(equal_cut)}, 0.95, 7, NAN}, {{SAMPLE(equal), SAMPLE(equal_cut)}, 0.5, 7, 7},
        {{{five, 1}, SAMPLE(cut_at_five)}, 0.95, 1, NAN}, // the median itself is unknown
        {{.cut = SAMPLE(cut_at_five)}, 0.95, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct lab_interval found =
            lab_survival_median(known[i].of, (struct lab_confidence){.level = known[i].level});
        cr_expect(same(found.low, known[i].low) && same(found.high, known[i].high), "%zu: [%g; %g], not [%g; %g]", i,
                  found.low, found.high, known[i].low, known[i].high);
        cr_expect(found.count == known[i].of.finished.count + known[i].of.cut.count);
    }
}

// A run that is cut at the very value at which another run finishes was at risk there.
Test(survival, ties)
{
    static const double two[] = {2.0}, three[] = {3.0};
    EXPECT_NEAR(median_of((struct lab_censored){SAMPLE(two), SAMPLE(two)}), 2.0, 0.0);
    EXPECT_NEAR(median_of((struct lab_censored){SAMPLE(three), SAMPLE(two)}), 3.0, 0.0);
    static const double many_cut[] = {2.0, 2.0};
    cr_expect(isnan(median_of((struct lab_censored){SAMPLE(two), SAMPLE(many_cut)})));
}

// Half of 24 runs exceed the twelfth value, although the product of the shares is rounded to a little more than a half.
Test(survival, half_of_the_runs)
{
    double values[24];
    for (size_t i = 0; i < 24; i++) {
        values[i] = (double)(i + 1);
    }
    EXPECT_NEAR(median_of((struct lab_censored){.finished = SAMPLE(values)}), 12.0, 0.0);
}

// A log-rank test by hand: at 1, one of the four runs at risk finishes, in the first set, which has two. So 1/2 is
// expected, with variance 1/4. At 2, one of three finishes, again in the first set: 1/3, with variance 2/9.
Test(survival, by_hand)
{
    static const double first[] = {1.0, 2.0}, bound[] = {5.0, 5.0};
    const double wanted = erfc(sqrt((2.0 - 5.0 / 6.0) * (2.0 - 5.0 / 6.0) / (17.0 / 36.0) / 2.0));
    EXPECT_NEAR(
        lab_log_rank_p((struct lab_censored){.finished = SAMPLE(first)}, (struct lab_censored){.cut = SAMPLE(bound)}),
        wanted, 1e-12);
    // With one run in each set, 1/2 is expected at 1, with variance 1/4. At 2 nothing is left to chance.
    static const double one[] = {1.0}, two[] = {2.0};
    EXPECT_NEAR(
        lab_log_rank_p((struct lab_censored){.finished = SAMPLE(one)}, (struct lab_censored){.finished = SAMPLE(two)}),
        erfc(sqrt(0.5)), 1e-12);
}

Test(survival, nothing_known)
{
    static const double bound[] = {5.0, 5.0};
    const struct lab_censored all_cut = {.cut = SAMPLE(bound)}, none = {.cut = {NULL, 0}};
    cr_expect(isnan(median_of(all_cut)) && isnan(median_of(none)));
    cr_expect(isnan(lab_log_rank_p(all_cut, all_cut)) && isnan(lab_log_rank_p(all_cut, none)));
}
