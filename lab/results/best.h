// SPDX-License-Identifier: MIT
// Which option is best: in how many cases, and how certain this is. The smallest value is the best one.
#ifndef LAB_STORE_BEST_H
#define LAB_STORE_BEST_H

#include "lab/results/lines.h"

enum { LAB_VERDICT_SIZE = 600 };

// Keeps the best line of each case. The options are the values of the group's last column, the cases those of its other
// columns. Without a group all lines are one case. If the data do not tell which line of a case is best, none is kept.
// Sets the number of such cases.
bool lab_lines_best(struct lab_lines *lines, const char *column, uint64_t *undecided, struct ek_error *error);

// Writes a sentence about the first column of the means of groups, or of a comparison. "" if there is nothing to say.
// Returns false if memory is short.
bool lab_lines_verdict(const struct lab_lines *lines, const struct lab_question *question,
                       const struct lab_answer_notes *notes, char text[LAB_VERDICT_SIZE], struct ek_error *error);

#endif
