// SPDX-License-Identifier: MIT
// Verdicts on claims. A sweep makes the runs of all checks and puts them into a store. For each check, SQL on the store
// yields *evidence*. A claim's verdict follows from its evidence. This code is independent of the single claims.
#ifndef LAB_PAPERS_VERDICT_H
#define LAB_PAPERS_VERDICT_H

#include <jansson.h>

#include "lab/papers/papers.h"
#include "lab/statistics/statistics.h"
#include "lab/sweep/sweep.h"

// Whether a measurement is as expected.
enum lab_holds {
    LAB_HOLDS_YES,
    LAB_HOLDS_NO,
    LAB_HOLDS_OPEN, // the interval is too wide to decide, or nothing was measured
    LAB_HOLDS_SHOWN // nothing was expected
};
const char *lab_holds_name(enum lab_holds holds);

// The result of a check, or of one group of it.
struct lab_evidence {
    const struct lab_check *check;
    char *group;                  // NULL if the check has no groups
    char *command;                // a command that shows the result: the run that decides a condition, or the sweep
    double paper;                 // the paper's number, or NaN
    double slack;                 // the error that the paper's number may have
    struct lab_interval measured; // the quantity, or the number of runs that satisfy the condition
    size_t runs;
    size_t lacking; // runs that do not exist, or whose numbers do not count (judge.c)
    enum lab_holds holds;
    char expected[200];
};

// A claim is mended if it fails as the paper has it, and its mended version holds.
enum lab_verdict { LAB_VERDICT_HOLDS, LAB_VERDICT_MENDED, LAB_VERDICT_FAILS, LAB_VERDICT_UNDECIDED, LAB_VERDICTS };
const char *lab_verdict_name(enum lab_verdict verdict); // "mended", as in JSON and CSV

// Returns the verdict on the claim as the paper has it, by name: a mended claim fails.
const char *lab_verdict_as_written(enum lab_verdict verdict);

// Returns the verdict in words for people.
const char *lab_verdict_words(enum lab_verdict verdict);

struct lab_judgement {
    const struct lab_claim *claim;
    enum lab_verdict verdict;
    char *why;
    struct lab_evidence *evidence; // [count]
    size_t count;
};

struct lab_claims_request {
    const struct lab_claim *const *claim; // [count]
    size_t count;
    struct lab_sweep sweep; // where and how to make the runs; its grids are not used
    bool quick;             // use fewer seeds
    uint64_t seed;          // 1 for the seeds of the claims; any other number for other seeds
};

// `seed` s shifts all seeds by (s - 1) strides.
enum { LAB_CLAIMS_SEED_STRIDE = 1000000, LAB_CLAIMS_SEED_MAX = 1000000000 };

// Every run ends: an experiment in rounds or turns that has no limit of its own gets this limit of steps.
enum { LAB_CLAIMS_STEPS_MAX = 100000 };

// Receives the results in the order of the claims. Each function returns false and `error` to stop.
struct lab_claims_sink {
    void *context;
    // Called for each check with its evidence. During the call the table `runs` of the store has the check's runs. May
    // be NULL.
    bool (*on_check)(void *context, const struct lab_evidence *evidence, size_t count, struct lab_store *store,
                     struct ek_error *error);
    // Called for each claim, after its checks.
    bool (*on_claim)(void *context, const struct lab_judgement *judgement, struct ek_error *error);
};

// Makes the runs that the store lacks or has from another version. Judges the claims only if no run is left to make. A
// check lacks the runs that failed, were refused or took too long; it is undecided unless the other runs decide it.
// Returns false and `error` on failure; the store keeps the runs. The caller destroys `result` in either case. If the
// judging was stopped, `result->interrupted` is true and `result->left` is 0.
bool lab_claims_run(const struct lab_claims_request *request, const struct lab_claims_sink *sink,
                    struct lab_sweep_result *result, struct ek_error *error);

// Judges a check by the table `runs` of the store, and adds its evidence.
bool lab_check_judge(const struct lab_check *check, const char *command, struct lab_store *store,
                     struct lab_judgement *judgement, struct ek_error *error);

// Derives the verdict, and the reason for it, from the evidence.
bool lab_judgement_conclude(struct lab_judgement *judgement, struct ek_error *error);
void lab_judgement_destroy(struct lab_judgement *judgement);

// The confidence of all intervals.
extern const struct lab_confidence lab_papers_confidence;

// Adds functions to the store's SQL: record(run) returns the JSON of a run, and fact(run, name) returns the value of a
// theoretical fact.
bool lab_papers_functions(struct lab_store *store, struct ek_error *error);

// Return a claim, and a claim with its verdict, as JSON of schema evenkeel.papers/1.
json_t *lab_claim_object(const struct lab_claim *claim);
json_t *lab_judgement_object(const struct lab_judgement *judgement);

#endif
