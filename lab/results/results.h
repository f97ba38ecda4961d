// SPDX-License-Identifier: MIT
// Answers to questions about the runs of a store: lists of runs, means of groups, comparisons and averaged traces
// (docs/results.md). Each line is passed on as soon as it is found, so a store may have any size. Memory holds only the
// values for one line, and their number is bounded.
#ifndef LAB_STORE_RESULTS_H
#define LAB_STORE_RESULTS_H

#include "lab/statistics/statistics.h"
#include "lab/results/column_list.h"
#include "lab/results/query.h"

enum { LAB_RESULTS_LIST = 2400 }; // longer than a list of all axes

// A question as it was typed. A part that was not typed is NULL.
struct lab_question {
    const char *where;   // a condition
    const char *among;   // another condition, in SQL, from the program itself
    const char *columns; // a list of terms
    const char *group;   // a list of terms: each combination of their values has a line
    const char *over;    // with a group: one more term to group by, whose value is the line's place on an axis
    const char *compare; // "CONDITION vs CONDITION": compares the runs of two sets in each group
    const char *trace;   // a field of the trace: each step of each group's average has a line
    bool brief;          // a group that is chosen has no axes whose values follow from others (brief_group.h)
    struct lab_confidence confidence;
};

// A run that a limit cut short gives a lower bound of a column that grows. If any such run counts, the mean, its
// interval, the deviation and the maximum are NaN, and the median is Kaplan and Meier's estimate.
struct lab_spread {
    struct lab_interval mean; // without bounds if there are fewer than LAB_SAMPLES_MIN samples, or if seeds are shared
    struct lab_interval median; // without bounds in the same cases; the bounds are Brookmeyer and Crowley's
    double deviation, minimum, maximum;
    double at_least; // a lower bound of the mean
    size_t cut;      // values that are lower bounds
    size_t failed;   // runs that could not reach their criterion, and have no value in this column
    size_t samples;  // independent samples among the values
    bool shared;     // several values have the same seed, and so the same draws
};

enum lab_entry_kind {
    LAB_ENTRY_NONE, // not measured
    LAB_ENTRY_TEXT,
    LAB_ENTRY_WHOLE,
    LAB_ENTRY_REAL,
    LAB_ENTRY_INTERVAL,
    LAB_ENTRY_MEAN,  // the mean of a spread; a table shows the rest of the spread if the mean is unknown
    LAB_ENTRY_SPREAD // all numbers of a spread
};

struct lab_entry {
    enum lab_entry_kind kind;
    bool bound; // the true value is at least this
    union {
        const char *text;
        int64_t whole;
        double real;
        struct lab_interval interval;
        struct lab_spread spread;
    };
};

enum lab_heading_role {
    LAB_HEADING_GROUP, // lines with the same values belong together
    LAB_HEADING_PLACE, // the line's place on an axis: `over`, or the axis of averaged traces
    LAB_HEADING_VALUE  // any other value
};

struct lab_heading {
    char name[LAB_QUERY_NAME];
    enum lab_heading_role role;
    enum lab_entry_kind kind; // LAB_ENTRY_INTERVAL or LAB_ENTRY_SPREAD if all its entries are; else see the entries
    bool is_switch;           // 1 and 0 stand for true and false
    bool grows;               // a run that was cut short gives a lower bound
    bool secondary;           // the first to be left out if a table is too wide
};

// Receives an answer. The text of an entry is valid during the call only. Returning false stops the answer.
struct lab_answer_sink {
    void *context;
    bool (*begin)(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error);
    bool (*line)(void *context, const struct lab_entry *entries, struct ek_error *error);
};

// The entries of a comparison's line, after the group's.
enum lab_compare_entry {
    LAB_COMPARE_COLUMN,
    LAB_COMPARE_PAIRS,
    LAB_COMPARE_FIRST,
    LAB_COMPARE_SECOND,
    LAB_COMPARE_DIFFERENCE,
    LAB_COMPARE_RATIO,
    LAB_COMPARE_P_HOLM,
    LAB_COMPARE_SAMPLES,
    LAB_COMPARE_SUPERIORITY,
    LAB_COMPARE_P,
    LAB_COMPARE_TEST,
    LAB_COMPARE_MEDIANS,                        // of both sets, like the entries below
    LAB_COMPARE_LOWS = LAB_COMPARE_MEDIANS + 2, // the bounds of the medians
    LAB_COMPARE_HIGHS = LAB_COMPARE_LOWS + 2,
    LAB_COMPARE_CUT = LAB_COMPARE_HIGHS + 2,
    LAB_COMPARE_FAILED = LAB_COMPARE_CUT + 2,
    LAB_COMPARE_ENTRIES = LAB_COMPARE_FAILED + 2
};

// Counts and remarks about an answer.
struct lab_answer_notes {
    uint64_t runs;                        // runs that were read
    uint64_t lines;                       // lines of the answer
    uint64_t unpaired[2];                 // runs without a partner, of each set
    uint64_t apart;                       // lines of a comparison without partners
    uint64_t traceless;                   // runs without a trace
    uint64_t cut;                         // runs that a limit ended before their criterion
    uint64_t failed;                      // runs that diverged or got stuck: they could not reach their criterion
    uint64_t few;                         // lines with fewer than LAB_SAMPLES_MIN independent samples
    uint64_t shared;                      // lines in which several values have the same seed
    uint64_t ended_early;                 // groups whose averaged traces end before the longest trace
    uint64_t samples_least, samples_most; // independent samples of a line
    uint64_t undecided;                   // cases without a best line
    uint64_t tests;                       // p-values of a comparison, over which Holm's correction goes
    size_t second_at;                     // where the second condition of a comparison begins
    char pooled[LAB_RESULTS_LIST];        // the axes that vary within a line, with their values
    char axes[LAB_RESULTS_LIST];          // if there are no runs: the axes of the conditions, with the store's values
    char group[LAB_RESULTS_LIST];         // the groups that were chosen if the question has none
};

// Lists the axes that vary: they have several values among the runs or, in a comparison, within one of its sets. Runs
// that differ only in their seed count as one run.
bool lab_results_varying(struct lab_store *store, const struct lab_question *question, char *list, size_t size,
                         struct ek_error *error);

// Returns the columns of `run --format csv` as a list, which is to be freed: the axes and the report's fields. A group
// of fields is included if any of these runs has it. NULL on failure.
char *lab_results_columns(struct lab_store *store, const struct lab_question *question, struct ek_error *error);

// Answers a question. A comparison, a trace or a place without a group is grouped by the axes that vary.
bool lab_results_ask(struct lab_store *store, const struct lab_question *question, const struct lab_answer_sink *sink,
                     struct lab_answer_notes *notes, struct ek_error *error);

#endif
