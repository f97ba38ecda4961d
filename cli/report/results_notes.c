// SPDX-License-Identifier: MIT
// The notes below a table of results: which runs count, and what the numbers mean.
#include <stdlib.h>
#include <string.h>

#include "cli/report/results_report.h"
#include "cli/tables/paste.h"
#include "cli/tables/table_lines.h"
#include "lab/statistics/samples.h"
#include "lab/text/memory_stream.h"

// Writes how many runs were cut short, and how many failed. A list of runs leaves out nothing.
static void say_ends(const struct report_results *answer, const struct cli_terminal *terminal,
                     const struct lab_answer_notes *remarks)
{
    if (remarks->cut > 0) {
        report_say(answer->out, terminal, "cut",
                   "a limit cut %s short: counts such as steps are lower bounds there, marked >%s",
                   cli_text_plural(remarks->cut, "run").of,
                   answer->has_medians ? "; medians are Kaplan and Meier's" : "");
    }
    if (remarks->failed > 0) {
        report_say(answer->out, terminal, "failed",
                   "%s diverged, froze or ended otherwise without balance (column 'ended')%s",
                   cli_text_plural(remarks->failed, "run").of,
                   report_results_estimates(answer) ? ": their counts are left out; all numbers of runs that diverged, "
                                                      "got stuck or violated an invariant are left out"
                                                    : "");
    }
}

// Writes how the intervals in brackets were computed.
static void say_intervals(const struct report_results *answer, const struct cli_terminal *terminal)
{
    struct cli_line line = {0};
    if (answer->has_intervals) {
        char interval[64];
        lab_confidence_write(answer->confidence, interval, sizeof interval);
        cli_line_add(&line, "%s", interval);
    }
    if (answer->has_bounds) {
        cli_line_add(&line, "%s%.6g %% by Brookmeyer and Crowley for medians; - is a bound that the data do not set",
                     line.length > 0 ? ", " : "", 100.0 * answer->confidence->level);
    }
    if (line.length > 0) {
        report_say(answer->out, terminal, "intervals", "in brackets: %s", line.of);
    }
}

static void say_samples(FILE *out, const struct cli_terminal *terminal, const struct lab_answer_notes *remarks)
{
    const bool one = remarks->samples_least == remarks->samples_most;
    report_say(out, terminal, "samples", "a line has %s%s%s; runs with the same draws are one sample",
               one ? "" : cli_text_count(remarks->samples_least).of, one ? "" : " to ",
               cli_text_plural(remarks->samples_most, "independent sample").of);
    if (remarks->few > 0) {
        report_say(out, terminal, "too few", "no interval and no p in %s: fewer than %d independent samples",
                   cli_text_plural(remarks->few, "line").of, (int)LAB_SAMPLES_MIN);
    }
    if (remarks->shared > 0) {
        report_say(out, terminal, "shared",
                   "no interval in %s: several values have the same seed; add columns to --group",
                   cli_text_plural(remarks->shared, "line").of);
    }
}

static void say_comparison(FILE *out, const struct cli_terminal *terminal, const struct lab_confidence *confidence,
                           const struct lab_answer_notes *remarks)
{
    report_say(out, terminal, "partners", "%s of the first set and %s of the second have no partner",
               cli_text_plural(remarks->unpaired[0], "run").of, cli_text_count(remarks->unpaired[1]).of);
    if (remarks->apart > 0) {
        struct lab_confidence apart = *confidence;
        apart.way = apart.way == LAB_INTERVAL_T ? LAB_INTERVAL_WELCH : apart.way;
        char interval[64];
        lab_confidence_write(&apart, interval, sizeof interval);
        report_say(out, terminal, "whole sets", "in %s no seed is in both sets, and 'pairs' is 0: all runs count, %s",
                   cli_text_plural(remarks->apart, "line").of, interval);
    }
    report_say(out, terminal, "effects",
               "the difference is first - second, the ratio is mean(first) / mean(second); a ratio without an "
               "interval is unknown, since its denominator can be 0; superiority is the probability that a first value "
               "is the smaller one");
    if (remarks->tests > 0) {
        report_say(out, terminal, "tests", "p_holm is p after Holm's correction for %s",
                   cli_text_plural(remarks->tests, "test").of);
    }
}

void report_results_notes(struct report_results *answer, const struct lab_question *question,
                          const struct lab_answer_notes *remarks)
{
    FILE *out = answer->out;
    const struct cli_terminal terminal = cli_terminal_of(out);
    fputc('\n', out);
    report_say(out, &terminal, "lines", "%s of %s", cli_text_count(remarks->lines).of,
               cli_text_plural(remarks->runs, "run").of);
    if (remarks->undecided > 0) {
        report_say(out, &terminal, "no best", "%s without a line: several share the smallest value, or it is unknown",
                   cli_text_plural(remarks->undecided, "case").of);
    }
    say_ends(answer, &terminal, remarks);
    say_intervals(answer, &terminal);
    if (report_results_estimates(answer) && remarks->samples_most > 0) {
        say_samples(out, &terminal, remarks);
    }
    if (*remarks->pooled) {
        report_say(out, &terminal, "pooled", "a line may hold several values of %s", remarks->pooled);
    }
    if (question->compare) {
        say_comparison(out, &terminal, answer->confidence, remarks);
    }
    if (question->trace) {
        report_say(out, &terminal, "traces", "%s without a trace; a run that has converged counts with its last value",
                   cli_text_plural(remarks->traceless, "run").of);
    }
    if (remarks->ended_early > 0) {
        report_say(out, &terminal, "ends",
                   "the mean of %s ends before the longest trace: a run ended there whose loads "
                   "were still to change",
                   cli_text_plural(remarks->ended_early, "group").of);
    }
    if ((question->compare || question->trace) && !question->group) {
        report_say(out, &terminal, "grouped by", "%s", *remarks->group ? remarks->group : "nothing: no axis varies");
    }
}

void report_results_verdict(const struct report_results *answer, const struct lab_question *question,
                            const struct lab_answer_notes *remarks, const char *verdict)
{
    const struct cli_terminal terminal = cli_terminal_of(answer->out);
    if (*verdict) {
        report_say(answer->out, &terminal, "result", "%s", verdict);
    } else if (remarks->runs == 0 && (question->where || question->compare)) {
        report_say(answer->out, &terminal, "result", "no run satisfies the condition%s%s",
                   *remarks->axes ? "; the store has " : "", remarks->axes);
    } else {
        report_say(answer->out, &terminal, "result", "%s: %s finished, %s cut short, %s failed",
                   cli_text_plural(remarks->runs, "run").of,
                   cli_text_count(remarks->runs - remarks->cut - remarks->failed).of, cli_text_count(remarks->cut).of,
                   cli_text_count(remarks->failed).of);
    }
}

bool report_results_paste_notes(struct report_results *answer, const struct lab_question *question,
                                const struct lab_answer_notes *remarks, const char *verdict)
{
    FILE *out = answer->out;
    struct lab_stream notes;
    if (lab_stream_begin(&notes)) {
        answer->out = notes.out;
        report_results_notes(answer, question, remarks);
        report_results_verdict(answer, question, remarks, verdict);
        answer->out = out;
    }
    char *text = lab_stream_end(&notes);
    if (text) {
        report_paste_notes(out, answer->format, text);
    }
    free(text);
    return text;
}
