// SPDX-License-Identifier: MIT
// The report of torture as JSON: a run that passed, one that failed and was recorded, one that was refused.
#include <math.h>

#include "lab/studies/torture.h"
#include "tests/support/golden.h"

Test(torture_json, all_of_it)
{
    struct golden golden = golden_begin();
    const struct ek_error stuck = {.status = EK_STUCK, .sentence = "it is \"stuck\""};
    const struct ek_error refused = {.status = EK_BAD_INPUT, .sentence = "no threads"};
    struct ek_report report = {.converged = true,
                               .ended = EK_ENDED_CRITERION,
                               .operations = 101,
                               .messages = 102,
                               .elapsed_s = 0.5,
                               .free = {.audits = 103,
                                        .faults = {.link_failures = 104, .processor_failures = 105},
                                        .depth_most = 106,
                                        .stale_age = {.maximum = 107.5},
                                        .longest_wait = 108.5,
                                        .overlap_most = 109}};
    struct lab_torture_run run = {.seed = 11, .command = "evenkeel run --seed 11", .report = &report};
    lab_torture_write_head(stdout, 11, "evenkeel torture \"x\"");
    lab_torture_write_run(stdout, &run, true);
    report.converged = false;
    report.ended = EK_ENDED_STUCK;
    report.free.stale_age.maximum = NAN;
    report.free.longest_wait = NAN;
    run = (struct lab_torture_run){.seed = 12,
                                   .command = "evenkeel run --seed 12",
                                   .status = EK_STUCK,
                                   .error = &stuck,
                                   .report = &report,
                                   .recording = "kept/12.ek"};
    lab_torture_write_run(stdout, &run, false);
    run = (struct lab_torture_run){.seed = 13, .command = "", .status = EK_BAD_INPUT, .error = &refused};
    lab_torture_write_run(stdout, &run, false);
    struct lab_torture_tally tally = {.done = 3, .refused = 1, .failed = 1, .elapsed_s = 2.5};
    for (size_t m = 0; m < LAB_NEAR_MISSES; m++) {
        struct lab_near_miss *miss = &tally.misses[m];
        *miss = (struct lab_near_miss){.name = "a miss", .first = 0.5, .base = 2.0 + (double)m, .seed = 20 + m};
        miss->most = m == 2 ? 0.0 : 7.5 + (double)m;
        for (size_t b = 0; b < LAB_NEAR_MISS_BINS; b++) {
            miss->runs[b] = 10 * m + b;
        }
    }
    lab_torture_write_end(stdout, &tally);
    golden_end(&golden, "tests/data/reports/torture.txt");
}
