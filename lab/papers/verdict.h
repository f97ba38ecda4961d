// SPDX-License-Identifier: MIT
// What becomes of the papers' claims: the runs that decide them are made by a sweep into a store, which is asked what
// each check wants to know, and from the answers follows the verdict. Nothing here knows any claim.
#ifndef LAB_PAPERS_VERDICT_H
#define LAB_PAPERS_VERDICT_H

#include <jansson.h>

#include "lab/papers/papers.h"
#include "lab/statistics/statistics.h"
#include "lab/sweep/sweep.h"

// Whether what was measured is as expected.
enum lab_holds {
    LAB_HOLDS_YES,
    LAB_HOLDS_NO,
    LAB_HOLDS_OPEN, // the interval is too wide to tell, or nothing was measured
    LAB_HOLDS_SHOWN // nothing was expected
};

// What the runs of a check say; of one with groups, of each of them.
struct lab_evidence {
    const struct lab_check *check;
    char *group;                  // which one, or NULL
    char *command;                // that shows it: of a condition the run that breaks it, else what was result
    double paper;                 // what the paper says, NaN where that is no number
    double slack;                 // how far that may be off
    struct lab_interval measured; // of a condition: the runs of which it holds
    size_t runs;
    enum lab_holds holds;
    char expected[200];
};

enum lab_verdict { LAB_VERDICT_HOLDS, LAB_VERDICT_MENDED, LAB_VERDICT_FAILS, LAB_VERDICT_UNDECIDED, LAB_VERDICTS };
const char *lab_verdict_name(enum lab_verdict verdict);

struct lab_judgement {
    const struct lab_claim *claim;
    enum lab_verdict verdict;
    char *why;
    struct lab_evidence *evidence; // [count]
    size_t count;
};

// Which claims, and how.
struct lab_claims_request {
    const struct lab_claim *const *claim; // [count]
    size_t count;
    struct lab_sweep sweep; // where and how the runs are made; its experiments are the claims'
    bool quick;             // with few seeds
    uint64_t seed;          // others than those that are written
};

// Room for the seeds of one --seed before those of the next, of which there are so many.
enum { LAB_CLAIMS_SEED_STRIDE = 1000000, LAB_CLAIMS_SEED_MAX = 1000000000 };

// Who is told, as soon as it is known. False stops it.
struct lab_claims_sink {
    void *context;
    // Of each check what its runs say, `count` pieces of evidence; its runs are the table `runs` of the store. May be
    // NULL.
    bool (*on_check)(void *context, const struct lab_evidence *evidence, size_t count, struct lab_store *store,
                     struct ek_error *error);
    // Of each claim.
    bool (*on_claim)(void *context, const struct lab_judgement *judgement, struct ek_error *error);
};

// Makes the runs that the store lacks, or has of another version, and hands on the judgements, one by one. False and
// `error` where that could not be done: what was made is in the store, and in `result`, which is to be destroyed. Who
// is stopped while they are judged has nothing left to make, and is `interrupted`.
bool lab_claims_run(const struct lab_claims_request *request, const struct lab_claims_sink *sink,
                    struct lab_sweep_result *result, struct ek_error *error);

// What the runs in the store say of a check: adds its evidence. Its runs are the table `runs` there.
bool lab_check_judge(const struct lab_check *check, const char *command, struct lab_store *store,
                     struct lab_judgement *judgement, struct ek_error *error);

// The verdict that follows from all evidence, and why.
bool lab_judgement_conclude(struct lab_judgement *judgement, struct ek_error *error);
void lab_judgement_destroy(struct lab_judgement *judgement);

// Of the intervals of all quantities.
extern const struct lab_confidence lab_papers_confidence;

// Lets SQL on this store ask for records: record(run) is the JSON of a run, fact(run, name) the value of a fact.
bool lab_papers_functions(struct lab_store *store, struct ek_error *error);

// A claim of evenkeel.papers/1: what the paper says, and what became of it.
json_t *lab_claim_object(const struct lab_claim *claim);
json_t *lab_judgement_object(const struct lab_judgement *judgement);

#endif
