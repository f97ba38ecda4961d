// SPDX-License-Identifier: MIT
// Several methods on one experiment, with the same seeds, in the order of what they took to reach the same criterion.
#ifndef LAB_STUDIES_RANK_H
#define LAB_STUDIES_RANK_H

#include "lab/record/fields.h"
#include "lab/record/run_experiment.h"
#include "lab/statistics/statistics.h"

// One method: its runs, or why there are none.
struct lab_ranked {
    char *method;             // as it was named, but for what could act on a terminal
    struct lab_record record; // without runs where it was refused
    struct ek_error refusal;
    size_t reached;           // of its runs; under --stop never all count
    struct lab_interval mean; // of what they are ranked by, over its runs; NaN where not all have it
    double theory;            // the same, predicted: of steps and operations; else NaN
};

struct lab_rank {
    const struct lab_field *by;
    uint64_t runs_asked;     // runs of each
    struct lab_ranked *rows; // [count]: first those that reached the criterion in every run, the least first; then the
    size_t count;            // others that ran, those that reached it oftenest first; then those that were refused
    size_t ranked, ran;      // how many are in the first part, and in the first two
    enum ek_status status;   // the worst of a run that ended as it should not, else EK_OK; EK_UNREACHED: interrupted
    struct ek_error error;   // of such a run
};

// By what methods can be ranked, less being better: field `index`; NULL past the last. "time" is elapsed_s.
const struct lab_field *lab_rank_field(size_t index);
const struct lab_field *lab_rank_field_named(const char *name, struct ek_error *error);

// Runs `order` with each method in turn. Its progress is told of each run; before a method's first, `begins` is told
// which one comes. False and `error` where the system does not give what a run needs, or where all methods were
// refused; then there is nothing to be destroyed.
bool lab_rank_run(struct lab_rank *rank, const struct lab_run_request *request, const struct lab_field *by,
                  char *const *methods, size_t count, void (*begins)(void *context, size_t index, const char *method),
                  struct ek_error *error);

// The place of row `index`, from 1: that of the first row that took as much. 0 where it is not ranked.
size_t lab_rank_place(const struct lab_rank *rank, size_t index);
void lab_rank_destroy(struct lab_rank *rank);

// Why the first is first, in sentences that are true of these numbers; "" where none is ranked. False without memory.
bool lab_rank_why(const struct lab_rank *rank, char *text, size_t size);

#endif
