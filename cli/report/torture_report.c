// SPDX-License-Identifier: MIT
#include "cli/report/torture_report.h"

#include <math.h>

// Adds the conclusion if no run failed. If the failure rate were above 1 - 0.05^(1/n), at least one of n runs would
// have failed with a probability of 95 % or more.
static void add_bound(struct cli_line *line, uint64_t runs)
{
    double rate = 1.0 - pow(0.05, 1.0 / (double)runs);
    cli_line_add(line, "; at most %.2g %% of such runs fail (95 %% confidence)", 100.0 * rate);
}

void report_torture_verdict(struct cli_line *line, const struct lab_torture_tally *tally)
{
    cli_line_add(line, "torture: %s in %.0f s, %s failed", cli_text_plural(tally->done, "run").of, tally->elapsed_s,
                 cli_text_count(tally->failed).of);
    if (tally->refused > 0) {
        cli_line_add(line, ", %s refused", cli_text_count(tally->refused).of);
    }
    cli_line_add(line, ": %s, %s, %s, %s, every ledger %s", cli_text_plural(tally->operations, "operation").of,
                 cli_text_plural(tally->messages, "message").of, cli_text_plural(tally->faults, "fault").of,
                 cli_text_plural(tally->audits, "audit").of,
                 tally->failed > 0 ? "exact except in the runs that failed" : "exact");
    if (tally->failed > 0) {
        cli_line_add(line, "; the command above repeats a run that failed, and --record-failures DIR keeps it");
    } else if (tally->done > tally->refused) {
        add_bound(line, tally->done - tally->refused);
    } else {
        cli_line_add(line, "; nothing was tried: %s",
                     tally->done > 0 ? "give other values of the axes" : "give a longer --for");
    }
}
