// SPDX-License-Identifier: MIT
// What a store's runs say together: lists of them, means of groups, comparisons, averaged traces (docs/results.md).
// Lines are handed on one by one as they are found, so a store of any size fits; what one line needs at once is
// bounded.
#ifndef LAB_STORE_RESULTS_H
#define LAB_STORE_RESULTS_H

#include "lab/statistics/statistics.h"
#include "lab/store/query.h"

enum { LAB_RESULTS_LIST = 2400 }; // longer than the names of all axes

// What is asked, as it was typed; NULL: it was not.
struct lab_question {
    const char *where;   // a condition
    const char *among;   // another, in SQL, not typed by anybody
    const char *columns; // a list of terms
    const char *group;   // the same: a line for each combination of their values
    const char *over;    // with a group: one term more to group by, which is a place on an axis
    const char *compare; // "CONDITION vs CONDITION": of each group, the first set's runs against the second's
    const char *trace;   // a field of the trace: a line for each step of the average of each group
    struct lab_confidence confidence;
};

struct lab_spread {
    struct lab_interval mean;
    double deviation, median, minimum, maximum;
};

enum lab_entry_kind {
    LAB_ENTRY_NONE, // not measured
    LAB_ENTRY_TEXT,
    LAB_ENTRY_WHOLE,
    LAB_ENTRY_REAL,
    LAB_ENTRY_INTERVAL,
    LAB_ENTRY_SPREAD
};

struct lab_entry {
    enum lab_entry_kind kind;
    union {
        const char *text;
        int64_t whole;
        double real;
        struct lab_interval interval;
        struct lab_spread spread;
    };
};

enum lab_heading_role {
    LAB_HEADING_GROUP, // the lines that share it belong together
    LAB_HEADING_PLACE, // where the line is on an axis: `over`, or of an averaged trace
    LAB_HEADING_VALUE  // anything else
};

struct lab_heading {
    char name[LAB_QUERY_NAME];
    enum lab_heading_role role;
    enum lab_entry_kind kind; // of its entries: LAB_ENTRY_INTERVAL, LAB_ENTRY_SPREAD, or another: they tell themselves
    bool is_switch;           // 1 and 0 stand for true and false
};

// Who is told. A entry's text is theirs during the call only. False stops it.
struct lab_answer_sink {
    void *context;
    bool (*begin)(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error);
    bool (*line)(void *context, const struct lab_entry *entries, struct ek_error *error);
};

// What else there is to say of an answer.
struct lab_answer_notes {
    uint64_t runs;                // that were looked at
    uint64_t lines;               // that were found
    uint64_t unpaired[2];         // runs of either set that have no partner
    uint64_t apart;               // lines of a comparison without any
    uint64_t traceless;           // runs without a trace
    char group[LAB_RESULTS_LIST]; // what lines were grouped by where no group was asked for
};

// The axes that tell runs apart which are not repetitions of each other, as a list: those whose values differ among the
// runs, or within either set of a comparison.
bool lab_results_varying(struct lab_store *store, const struct lab_question *question, char *list, size_t size,
                         struct ek_error *error);

// Whether a list names this column.
bool lab_results_list_has(const char *list, const char *column);

// The columns that `run --format csv` has, as a list to be freed: the axes and the report's fields; of groups of fields
// those that any of these runs has. NULL where it fails.
char *lab_results_columns(struct lab_store *store, const struct lab_question *question, struct ek_error *error);

// Where there is a comparison, a trace or a place and no group, it is grouped by the axes that vary.
bool lab_results_ask(struct lab_store *store, const struct lab_question *question, const struct lab_answer_sink *sink,
                     struct lab_answer_notes *notes, struct ek_error *error);

#endif
