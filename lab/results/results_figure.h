// SPDX-License-Identifier: MIT
// An answer as a figure: the means of a column over another one, or averaged traces over their axis. Each group has a
// line, its interval as a band, and a theoretical line if there is one.
#ifndef LAB_STORE_RESULTS_FIGURE_H
#define LAB_STORE_RESULTS_FIGURE_H

#include "lab/record/figure.h"
#include "lab/results/results.h"

// Draws a question with `over` and one column, or with `trace`. Without a `group` the axes that vary distinguish the
// lines. The figure is to be destroyed even on failure.
bool lab_results_figure(struct lab_store *store, const struct lab_question *question, bool log_x, bool log_y,
                        struct lab_figure *figure, struct ek_error *error);

#endif
