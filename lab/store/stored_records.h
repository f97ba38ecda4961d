// SPDX-License-Identifier: MIT
// Rebuilds the records of a store: one for each experiment, with all its runs.
#ifndef LAB_STORE_STORED_RECORDS_H
#define LAB_STORE_STORED_RECORDS_H

#include "lab/store/store.h"

// Receives the records one by one, ordered by method, processors and topology. Each has its runs in the order of their
// seeds and becomes the visitor's. Returning false with an error stops the visit.
struct lab_record_visitor {
    void *context;
    bool (*take)(void *context, struct lab_record *record, struct ek_error *error);
};

// Returns false if the store has no runs or more than `runs_max`, is damaged, or memory is short.
bool lab_store_visit_records(struct lab_store *store, uint64_t runs_max, const struct lab_record_visitor *visitor,
                             struct ek_error *error);

#endif
