// SPDX-License-Identifier: MIT
// Answers of a store as they come, line by line: as a table, as CSV, as JSON, an object a line; and as a figure.
#ifndef CLI_REPORT_RESULTS_REPORT_H
#define CLI_REPORT_RESULTS_REPORT_H

#include "cli/terminal/text.h"
#include "lab/record/figure.h"
#include "lab/store/results.h"

enum { REPORT_ANSWER_LINES = 500 }; // so many lines of a table are kept, to see how wide its columns must be

// An answer that is being written.
struct report_answer {
    FILE *out;
    const struct lab_confidence *confidence;
    struct lab_heading *headings; // [count]
    size_t count;

    // Of a table:
    char **kept; // [REPORT_ANSWER_LINES][count]: its first lines, the headings first
    size_t kept_lines;
    bool printed; // they are
    char **texts; // [count]: the line in the making
    int *width;   // [count]
    bool *left;   // [count]: a column of texts
    size_t shown; // so many columns, for which a terminal has room; others are named below
};

// Who writes it. Of a table report_answer_print prints what is left. At last comes report_answer_end.
struct lab_answer_sink report_answer_table(struct report_answer *answer);
struct lab_answer_sink report_answer_csv(struct report_answer *answer);
struct lab_answer_sink report_answer_json(struct report_answer *answer);
void report_answer_print(struct report_answer *answer);
void report_answer_end(struct report_answer *answer);

// Keeps the headings; and whether any is of what is estimated, with an interval. For those who write.
bool report_answer_begin(struct report_answer *answer, const struct lab_heading *headings, size_t count,
                         struct ek_error *error);
bool report_answer_estimates(const struct report_answer *answer);

// Below a table: how many lines and runs it has, and what its numbers are.
void report_answer_remarks(struct report_answer *answer, const struct lab_question *question,
                           const struct lab_answer_notes *remarks);

#endif
