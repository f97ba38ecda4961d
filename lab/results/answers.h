// SPDX-License-Identifier: MIT
// The kinds of answers that have their own files. lab_results_ask chooses between them.
#ifndef LAB_STORE_ANSWERS_H
#define LAB_STORE_ANSWERS_H

#include "lab/results/results.h"

typedef bool lab_answer(struct lab_store *store, const struct lab_question *question,
                        const struct lab_answer_sink *sink, struct lab_answer_notes *notes, struct ek_error *error);

lab_answer lab_answer_compare, lab_answer_average;

#endif
