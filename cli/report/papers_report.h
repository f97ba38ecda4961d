// SPDX-License-Identifier: MIT
// The papers' claims and what became of them, for people: a table, and comma-separated values.
#ifndef CLI_REPORT_PAPERS_REPORT_H
#define CLI_REPORT_PAPERS_REPORT_H

#include <stdio.h>

#include "lab/papers/verdict.h"

// What is claimed.
void report_papers_claim(FILE *out, const struct lab_claim *claim);

// A verdict and why; with `evidence` also what each check found.
void report_papers_table(FILE *out, const struct lab_judgement *judgement, bool evidence);

// A line for each piece of evidence; of NULL the headings.
void report_papers_csv(FILE *out, const struct lab_judgement *judgement);

#endif
