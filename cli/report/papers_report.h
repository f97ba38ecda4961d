// SPDX-License-Identifier: MIT
// The papers' claims and the verdicts on them: a table, and comma-separated values.
#ifndef CLI_REPORT_PAPERS_REPORT_H
#define CLI_REPORT_PAPERS_REPORT_H

#include <stdio.h>

#include "cli/line/shared_options.h"
#include "lab/papers/verdict.h"

// Writes what is claimed.
void report_papers_claim(FILE *out, const struct lab_claim *claim);

// Writes a verdict and its reason; with `evidence` also the result of each check.
void report_papers_table(FILE *out, const struct lab_judgement *judgement, bool evidence);

// Write a table of verdicts or of claims to be pasted, line by line. NULL stands for the headings.
void report_papers_paste(FILE *out, enum cli_format format, const struct lab_judgement *judgement);
void report_papers_paste_claim(FILE *out, enum cli_format format, const struct lab_claim *claim);

// Writes how many claims there are, and how many have each verdict: a sentence without a stop.
void report_papers_counts(FILE *out, const size_t of[LAB_VERDICTS]);

// Writes a line for each piece of evidence. If `judgement` is NULL, it writes the names of the columns.
void report_papers_csv(FILE *out, const struct lab_judgement *judgement);

#endif
