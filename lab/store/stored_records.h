// SPDX-License-Identifier: MIT
// Rebuilds the records of a store: one for each experiment, with all its runs.
#ifndef LAB_STORE_STORED_RECORDS_H
#define LAB_STORE_STORED_RECORDS_H

#include "lab/store/store.h"

// Receives the records one by one, ordered by method, processors and topology. Each record has its runs in the order of
// their seeds. The visitor then owns the record. Returning false with an error stops the visit.
struct lab_record_visitor {
    void *context;
    bool (*take)(void *context, struct lab_record *record, struct ek_error *error);
};

// Rebuilds the records and passes them to the visitor. Returns false if the store has no runs, has more than
// `runs_max`, or is damaged, if memory is short, or if the visitor stops.
bool lab_store_visit_records(struct lab_store *store, uint64_t runs_max, const struct lab_record_visitor *visitor,
                             struct ek_error *error);

#endif
