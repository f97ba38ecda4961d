// SPDX-License-Identifier: MIT
// The columns of a store's table of runs: one walk over what a run leaves behind makes the table and fills its rows.
#ifndef LAB_STORE_COLUMNS_H
#define LAB_STORE_COLUMNS_H

#include "lab/store/store.h"

enum lab_column_type { LAB_COLUMN_TEXT, LAB_COLUMN_INTEGER, LAB_COLUMN_REAL };

struct lab_column {
    const char *group, *name; // "free.latency." and "median"; "" where there is no group
    enum lab_column_type type;
    bool null; // it has no value here
    union {
        const char *text;
        int64_t whole;
        double real;
    };
};

// Goes through all columns, always in the same order: with the values of the record's one run, or with none where the
// record is NULL.
void lab_columns_visit(const struct lab_stored_run *stored, const struct lab_record *record,
                       void (*visit)(void *context, const struct lab_column *column), void *context);

#endif
