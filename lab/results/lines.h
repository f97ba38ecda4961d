// SPDX-License-Identifier: MIT
// The lines of an answer in memory. Holm's correction, --sort and the best line need all lines at once.
#ifndef LAB_STORE_LINES_H
#define LAB_STORE_LINES_H

#include "lab/results/results.h"

enum { LAB_LINES_MAX = 1 << 20 };

struct lab_lines {
    struct lab_heading *headings; // [columns]
    size_t columns;
    struct lab_entry **line; // [count][columns], with their own copies of texts
    size_t count;
};

// Returns a sink that keeps the lines. The caller destroys `lines` even if the answer fails.
struct lab_answer_sink lab_lines_keep(struct lab_lines *lines);
void lab_lines_destroy(struct lab_lines *lines);

// Drops all lines but the first `count`.
void lab_lines_keep_first(struct lab_lines *lines, size_t count);

// Passes the headings and the first `limit` lines to `sink`.
bool lab_lines_pass(const struct lab_lines *lines, uint64_t limit, const struct lab_answer_sink *sink,
                    struct ek_error *error);

// Returns the number by which an entry is compared. For a spread it is the mean, or the median if runs were cut. NaN if
// there is none.
double lab_entry_number(const struct lab_entry *entry);

// Orders entries: numbers within texts by their value, entries without a value last.
int lab_entry_compare(const struct lab_entry *a, const struct lab_entry *b);

// Finds a heading by its name. An error names `option` and the nearest heading.
bool lab_lines_heading(const struct lab_lines *lines, const char *option, const char *name, size_t *index,
                       struct ek_error *error);

// Sorts the lines by a column, "steps" or "steps:desc". Numbers within texts are compared by value. Lines without a
// value come last.
bool lab_lines_sort(struct lab_lines *lines, const char *by, struct ek_error *error);

#endif
