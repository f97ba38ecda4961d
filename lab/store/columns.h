// SPDX-License-Identifier: MIT
// The columns of a store's table of runs. One walk over a run's results defines the table and fills its rows.
#ifndef LAB_STORE_COLUMNS_H
#define LAB_STORE_COLUMNS_H

#include "lab/store/store.h"

enum lab_column_type {
    LAB_COLUMN_TEXT,
    LAB_COLUMN_INTEGER,
    LAB_COLUMN_REAL,
    LAB_COLUMN_CHECKSUM // of the columns before it: the last one
};

struct lab_column {
    const char *group, *name; // as "free.latency." and "median"; the group is "" for a field outside of groups
    enum lab_column_type type;
    bool null; // this run has no value
    union {
        const char *text;
        int64_t whole;
        double real;
    };
};

// Visits all columns, always in the same order. They carry the values of the record's only run, or no values if the
// record is NULL.
void lab_columns_visit(const struct lab_stored_run *stored, const struct lab_record *record,
                       void (*visit)(void *context, const struct lab_column *column), void *context);

#endif
