// SPDX-License-Identifier: MIT
// A short list of the axes that tell the lines of a figure apart.
#ifndef LAB_RESULTS_BRIEF_GROUP_H
#define LAB_RESULTS_BRIEF_GROUP_H

#include "lab/results/results.h"

// Removes axes from a list of those that vary: axes that no command names, since they differ only because their
// defaults follow from other axes, as the mailbox from the timing. An axis stays if runs would otherwise belong to one
// line that do not with the whole list. `over`, which is not in the list, tells no lines apart.
bool lab_results_brief(struct lab_store *store, const struct lab_question *question, char group[LAB_RESULTS_LIST],
                       struct ek_error *error);

#endif
