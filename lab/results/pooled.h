// SPDX-License-Identifier: MIT
// What the lines of an answer pool: axes whose values differ among the runs of one line. And which values the axes of a
// condition have.
#ifndef LAB_STORE_POOLED_H
#define LAB_STORE_POOLED_H

#include "lab/results/results.h"

// Writes "topology (ring:4; ring:8), method (ade; ode)", or "" if the runs of each line differ in their seed alone.
bool lab_pooled_note(struct lab_store *store, const struct lab_question *question, char text[LAB_RESULTS_LIST],
                     struct ek_error *error);

// Writes the values that the store has for the axes that the question's conditions name, as "topology (ring:4;
// ring:8)". Writes "" if they name no axis.
bool lab_axes_note(struct lab_store *store, const struct lab_question *question, char text[LAB_RESULTS_LIST],
                   struct ek_error *error);

#endif
