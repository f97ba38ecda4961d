// SPDX-License-Identifier: MIT
// Agreement between ranks.
#include "threads/ranks/agree.h"

#include <stdlib.h>

#include "base/error.h"
#include "threads/api/ranks.h"

// The report of a rank.
struct report {
    bool good;
    uint64_t print;
    struct ek_error error;
};

static bool judge(const struct report *report, unsigned count, struct ek_error *error)
{
    for (unsigned r = 0; r < count; r++) {
        if (!report[r].good) {
            *error = report[r].error;
            return error->status != EK_OK // otherwise the caller would take it for success
                       ? false
                       : base_fail(error, EK_BAD_INPUT, "carrier", "rank %u has stopped and reports no reason", r);
        }
    }
    for (unsigned r = 1; r < count; r++) {
        if (report[r].print != report[0].print) {
            return base_fail(
                error, EK_BAD_INPUT, "carrier",
                "rank %u has another experiment than rank 0: start all ranks with the same options and files", r);
        }
    }
    return true;
}

bool rank_vote(const struct ek_ranks *ranks, bool *good, uint64_t print, struct ek_error *error)
{
    struct report *report = calloc(ranks->count, sizeof *report);
    bool answered = false;
    if (report) {
        report[ranks->rank].good = *good;
        report[ranks->rank].print = print;
        report[ranks->rank].error = *good ? (struct ek_error){0} : *error;
        answered = ranks->gather(ranks->context, &report[ranks->rank], report, sizeof *report);
    }
    if (answered) {
        *good = judge(report, ranks->count, error);
    } else {
        *good = base_fail(error, EK_BAD_INPUT, "carrier",
                          report ? "another rank does not answer: it has ended or died"
                                 : "no memory for the reports of the ranks: start fewer ranks");
    }
    free(report);
    return answered;
}

bool rank_agree(const struct ek_ranks *ranks, bool good, uint64_t print, struct ek_error *error)
{
    if (ranks) {
        rank_vote(ranks, &good, print, error);
    }
    return good;
}

bool ek_ranks_agree(const struct ek_ranks *ranks, bool good, struct ek_error *error)
{
    return rank_agree(ranks, good, 0, error);
}
