// SPDX-License-Identifier: MIT
// The records of a store put together again: one for each experiment, with all its runs.
#ifndef LAB_STORE_STORED_RECORDS_H
#define LAB_STORE_STORED_RECORDS_H

#include "lab/store/store.h"

// Who is handed the records, one by one, in the order of their methods, processors and topologies, in whatever order
// they were made; each with its runs in the order of their seeds. The record is theirs. False and `error` stops it.
struct lab_record_visitor {
    void *context;
    bool (*take)(void *context, struct lab_record *record, struct ek_error *error);
};

// False and `error` where the store has no runs or more than so many, is damaged, or there is no memory.
bool lab_store_visit_records(struct lab_store *store, uint64_t runs_max, const struct lab_record_visitor *visitor,
                             struct ek_error *error);

#endif
