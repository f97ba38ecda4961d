// SPDX-License-Identifier: MIT
// Statistics of censored values. A run that a limit ended before its criterion gives a lower bound: its number of steps
// is at least this large. The run is "cut", and a mean over cut runs would be too small.
#ifndef LAB_STATISTICS_SURVIVAL_H
#define LAB_STATISTICS_SURVIVAL_H

#include "lab/statistics/statistics.h"

// Values of one set: those of the runs that finished, and the lower bounds of the runs that were cut. Both are sorted.
struct lab_censored {
    struct lab_sample finished, cut;
};

// Returns Kaplan and Meier's estimate (1958) of the median: the smallest value that at most half of all runs exceed.
// NaN if more than half may exceed every finished value. Its interval is Brookmeyer and Crowley's (1982): it begins and
// ends where the bounds of the survival curve fall to a half. These bounds are symmetric in log(-log(S)), as those of
// `conf.type = "log-log"` in R's package survival. A bound that never falls to a half leaves that end of the interval
// NaN.
struct lab_interval lab_survival_median(struct lab_censored values, struct lab_confidence by);

// Returns the p-value of the log-rank test (Mantel 1966), for the hypothesis that both sets have the same distribution.
// NaN if a set is empty or if no run finished before the last one of the other set was cut.
double lab_log_rank_p(struct lab_censored first, struct lab_censored second);

#endif
