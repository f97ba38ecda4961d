// SPDX-License-Identifier: MIT
// The comparisons of a ranking: each method with the first one, seed by seed.
#ifndef LAB_STUDIES_RANK_COMPARE_H
#define LAB_STUDIES_RANK_COMPARE_H

#include "lab/statistics/samples.h"
#include "lab/studies/rank.h"

// Returns the value of the field in a run, or NaN if the run has none.
double lab_rank_value(const struct lab_field *by, const struct ek_report *run);

// Returns a run, or a pair of runs with one seed, as a sample. `partner` is NULL for a single run.
struct lab_drawn lab_rank_drawn(const struct lab_field *by, const struct ek_report *run,
                                const struct ek_report *partner);

// Fills `behind` of the methods of part 1, whose rows are sorted. Returns false if memory is short.
bool lab_rank_compare(struct lab_rank *rank);

#endif
