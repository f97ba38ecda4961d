// SPDX-License-Identifier: MIT
// The claims of the papers, as data. Each claim has checks. A check has experiments and the result that is expected of
// them. docs/papers.md describes the format. The command contains the .ini files of this folder.
#ifndef LAB_PAPERS_PAPERS_H
#define LAB_PAPERS_PAPERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/store/store.h"

// The value that a check expects.
enum lab_expectation {
    LAB_EXPECT_NOTHING, // the quantity is only shown
    LAB_EXPECT_ALWAYS,  // every run satisfies the condition
    LAB_EXPECT_SOME,    // at least one run satisfies the condition
    LAB_EXPECT_AGREES,  // the paper's number is within the quantity's interval
    LAB_EXPECT_EQUALS,  // the quantity equals the paper's number
    LAB_EXPECT_MOST,    // the quantity is at most the number
    LAB_EXPECT_LEAST,   // the quantity is at least the number
    LAB_EXPECT_RISES,   // the quantity rises from each group to the next
    LAB_EXPECT_FALLS
};

// The purpose of a check.
enum lab_role {
    LAB_ROLE_WRITTEN, // the check tests the claim as it is in the paper
    LAB_ROLE_MENDED,  // the check tests the corrected claim
    LAB_ROLE_READING, // the check tests one of several readings of the claim
    LAB_ROLE_SHOWN    // the check is only information
};

// A text is NULL if the file does not have it.
struct lab_check {
    char *name; // "" for the check in the claim's own section
    char *as;   // the text of `role`
    enum lab_role role;
    const char *reading;       // the name of the reading, at the end of `as`, or NULL
    char *what;                // the quantity or the condition in words
    char *run;                 // experiments, one per line, as options of `evenkeel sweep`
    char *quantity, *per, *by; // SQL: the quantity, its denominator, its groups
    char *cases;               // the number of cases of which the paper's number is the mean
    char *tolerance;
    char *unreached; // "counted" if runs that did not reach their criterion count, too
    char *length;    // "long" if the runs take minutes
    char *chart; // "bars" if the groups are drawn as bars: "SERIES, NAME" is the bar of a series that stands on a name
    enum lab_expectation expectation;
    char *expected;                       // the condition or the numbers
    char *x, *y, *trace_of, *group, *log; // the chart, as in `evenkeel results`
};

struct lab_claim {
    char *id; // "xu-52"
    char *place, *kind, *claim, *paper;
    char *mended; // the corrected claim
    char *open;   // why the claim cannot be decided
    char *remark;
    struct lab_check *check; // [checks]
    size_t checks, left_out; // left_out: checks that lab_papers_remove_long has removed
};

struct lab_paper {
    char *name;  // "xu", the beginning of its claims' ids
    char *title; // authors and title
    char *model; // a summary
};

struct lab_papers {
    struct lab_paper *paper; // [papers]
    size_t papers;
    struct lab_claim *claim; // [count]
    size_t count;
};

// Reads claims from text. Returns false and `error` if the text is wrong; then there is nothing to destroy.
bool lab_papers_read(struct lab_papers *papers, const char *text, struct ek_error *error);

// Reads the claims that the command contains.
bool lab_papers_own(struct lab_papers *papers, struct ek_error *error);
void lab_papers_destroy(struct lab_papers *papers);

// Removes the checks whose runs take minutes, and counts them in their claims. Every claim keeps a check.
void lab_papers_remove_long(struct lab_papers *papers);

// Returns whether the check tests a condition; otherwise it measures a quantity or draws a chart.
bool lab_check_is_condition(const struct lab_check *check);

// Returns what the check reads of a run besides its numbers (LAB_KEEP_RECORD, ...), or its charts too if they are
// drawn.
unsigned lab_check_parts(const struct lab_check *check, bool drawn);

// Returns what the check measures or tests, in words, or in SQL if the file has no words.
const char *lab_check_subject(const struct lab_check *check);

// Returns whether the word is the claim's id, paper or kind.
bool lab_claim_named(const struct lab_claim *claim, const char *word);

#endif
