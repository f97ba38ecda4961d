// SPDX-License-Identifier: MIT
// The last sentence of `torture`, for runs that all passed, failed, were refused, or never began.
#include <criterion/criterion.h>

#include "cli/report/torture_report.h"

static void expect(struct lab_torture_tally tally, const char *sentence)
{
    struct cli_line line = {0};
    report_torture_verdict(&line, &tally);
    cr_expect_str_eq(line.of, sentence);
}

static struct lab_torture_tally tally_of(uint64_t done, uint64_t refused, uint64_t failed)
{
    return (struct lab_torture_tally){.done = done,
                                      .refused = refused,
                                      .failed = failed,
                                      .operations = 1234,
                                      .messages = 5678,
                                      .audits = 1,
                                      .faults = 2,
                                      .elapsed_s = 3.4};
}

#define SUMS "1,234 operations, 5,678 messages, 2 faults, 1 audit, every ledger exact"

// Without a failure, 20 runs exclude failure rates above 1 - 0.05^(1/20) = 13.9 %, and 18 runs those above 15.3 %.
Test(torture_verdict, branches)
{
    expect(tally_of(20, 0, 0),
           "torture: 20 runs in 3 s, 0 failed: " SUMS "; at most 14 % of such runs fail (95 % confidence)");
    expect(tally_of(20, 2, 0),
           "torture: 20 runs in 3 s, 0 failed, 2 refused: " SUMS "; at most 15 % of such runs fail (95 % confidence)");
    expect(tally_of(20, 2, 1), "torture: 20 runs in 3 s, 1 failed, 2 refused: " SUMS
                               " except in the runs that failed; the command above repeats a run that failed, and "
                               "--record-failures DIR keeps it");
    expect(tally_of(1, 1, 0),
           "torture: 1 run in 3 s, 0 failed, 1 refused: " SUMS "; nothing was tried: give other values of the axes");
    expect(tally_of(0, 0, 0), "torture: 0 runs in 3 s, 0 failed: " SUMS "; nothing was tried: give a longer --for");
}
