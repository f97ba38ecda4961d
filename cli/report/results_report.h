// SPDX-License-Identifier: MIT
// Answers of a store, written line by line: as a table, as CSV, or as JSON with an object per line.
#ifndef CLI_REPORT_RESULTS_REPORT_H
#define CLI_REPORT_RESULTS_REPORT_H

#include "cli/line/shared_options.h"
#include "cli/terminal/text.h"
#include "lab/record/figure.h"
#include "lab/results/results.h"

enum { REPORT_RESULTS_LINES = 500 }; // lines of a table that are kept to find the widths of its columns

// An answer that is being written.
struct report_results {
    FILE *out;
    enum cli_format format; // of a table: one for people, or one to be pasted
    const struct lab_confidence *confidence;
    struct lab_heading *headings; // [count]
    size_t count;

    // For a table:
    char **kept; // [REPORT_RESULTS_LINES][count] its first lines; the headings are line 0
    size_t kept_lines;
    bool printed;          // the kept lines are printed
    char **texts;          // [count] the cells of the current line
    int *width;            // [count]
    bool *left;            // [count] whether the column has texts, which are aligned left
    bool *shown;           // [count] whether the column fits; the others are named below the table
    char *align;           // [count + 1] of a table to be pasted
    bool *bare;            // [count] whether the column fits only without its intervals
    bool has_intervals;    // the table shows an interval of a mean, a difference or a ratio
    bool has_medians;      // the table shows a median, since runs were cut short
    bool has_bounds;       // the table shows an interval of such a median
    const char *secondary; // columns to leave out first, as `secondary` of a heading; NULL: none
};

// Return sinks that write the answer. After the last line, call report_results_print (for a table only), and then
// report_results_end.
struct lab_answer_sink report_results_table(struct report_results *answer);
struct lab_answer_sink report_results_csv(struct report_results *answer);
struct lab_answer_sink report_results_json(struct report_results *answer);
void report_results_print(struct report_results *answer);
void report_results_end(struct report_results *answer);

// Functions for the sinks. The first keeps the headings. The second returns whether any column has estimates with an
// interval.
bool report_results_begin(struct report_results *answer, const struct lab_heading *headings, size_t count,
                          struct ek_error *error);
bool report_results_estimates(const struct report_results *answer);

// Writes the notes and the verdict below a table that is to be pasted. Returns false if memory is short.
bool report_results_paste_notes(struct report_results *answer, const struct lab_question *question,
                                const struct lab_answer_notes *remarks, const char *verdict);

// Writes below a table how many lines and runs it has, and what its numbers mean.
void report_results_notes(struct report_results *answer, const struct lab_question *question,
                          const struct lab_answer_notes *remarks);

// Writes the last line: what the answer says. `verdict` is a sentence about the options, or "".
void report_results_verdict(const struct report_results *answer, const struct lab_question *question,
                            const struct lab_answer_notes *remarks, const char *verdict);

#endif
