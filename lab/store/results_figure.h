// SPDX-License-Identifier: MIT
// What a store's runs say together as a figure: the means of a column over another, or averaged traces over their axis;
// a line for each group, with its interval as a band, and beside it what theory says.
#ifndef LAB_STORE_RESULTS_FIGURE_H
#define LAB_STORE_RESULTS_FIGURE_H

#include "lab/record/figure.h"
#include "lab/store/results.h"

// Of a question with `over` and one column, or with `trace`. Without a `group` the lines are told apart by the axes
// that vary. To be destroyed, also where it fails.
bool lab_results_figure(struct lab_store *store, const struct lab_question *question, bool log_x, bool log_y,
                        struct lab_figure *figure, struct ek_error *error);

#endif
