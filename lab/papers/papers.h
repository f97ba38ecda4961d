// SPDX-License-Identifier: MIT
// What the papers claim, as data: each claim with the experiments that decide it and what is to come out of them
// (docs/papers.md says how a claim is written). The claims are in the command as they are in the .ini files here.
#ifndef LAB_PAPERS_PAPERS_H
#define LAB_PAPERS_PAPERS_H

#include <stdbool.h>
#include <stddef.h>

#include "threads/api/run.h"

// What a check expects.
enum lab_expectation {
    LAB_EXPECT_NOTHING, // its quantity is shown
    LAB_EXPECT_ALWAYS,  // a condition, of every run
    LAB_EXPECT_SOME,    // of one run at least
    LAB_EXPECT_AGREES,  // the quantity with the paper's numbers, by intervals
    LAB_EXPECT_EQUALS,  // the same, exactly
    LAB_EXPECT_MOST,    // the quantity is at most so large
    LAB_EXPECT_LEAST,   // at least
    LAB_EXPECT_RISES,   // from each group to the next
    LAB_EXPECT_FALLS
};

// What a check is for.
enum lab_role {
    LAB_ROLE_WRITTEN, // the claim as the paper has it
    LAB_ROLE_MENDED,  // what becomes of it when it is mended
    LAB_ROLE_READING, // one of several ways to read it
    LAB_ROLE_SHOWN    // beside it
};

// Texts are NULL where the file does not have them.
struct lab_check {
    char *name; // "" of the one that stands with its claim
    char *as;   // as it was written; see `role`
    enum lab_role role;
    const char *reading; // the end of `as` that says which, or NULL
    char *what;          // the quantity, or the condition, in words
    char *run;           // experiments, a line each, as options of `evenkeel sweep`
    char *quantity, *per, *by;
    char *cases; // of how many the paper's own number is the mean
    char *tolerance;
    enum lab_expectation expectation;
    char *expected;                       // a condition, or numbers
    char *x, *y, *trace_of, *group, *log; // of its picture, as in `evenkeel results`
};

struct lab_claim {
    char *id; // "xu-52"
    char *place, *kind, *claim, *paper;
    char *mended; // what the paper should say
    char *open;   // why it cannot be decided
    char *remark;
    struct lab_check *check; // [checks]
    size_t checks;
};

struct lab_paper {
    char *name;  // "xu", with which its claims' ids begin
    char *title; // authors and title
    char *model; // what it is about, in our words
};

struct lab_papers {
    struct lab_paper *paper; // [papers]
    size_t papers;
    struct lab_claim *claim; // [count]
    size_t count;
};

// Reads claims from text. False and `error` where something is wrong; then there is nothing to be destroyed.
bool lab_papers_read(struct lab_papers *papers, const char *text, struct ek_error *error);

// Those in the command.
bool lab_papers_own(struct lab_papers *papers, struct ek_error *error);
void lab_papers_destroy(struct lab_papers *papers);

// Whether a word names the claim: its id, its paper or its kind.
bool lab_claim_named(const struct lab_claim *claim, const char *word);

#endif
