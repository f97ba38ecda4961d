// SPDX-License-Identifier: MIT
// A ranking of methods. Errors of writing stay with the stream.
#ifndef CLI_REPORT_RANK_REPORT_H
#define CLI_REPORT_RANK_REPORT_H

#include "cli/line/shared_options.h"
#include "lab/studies/rank.h"

// Write a table, a table to be pasted, comma-separated values, or JSON (docs/report.md). They return false if memory is
// short.
bool report_rank_write(FILE *out, const struct lab_rank *rank);
bool report_rank_paste(FILE *out, enum cli_format format, const struct lab_rank *rank);
void report_rank_write_csv(FILE *out, const struct lab_rank *rank);
bool report_rank_write_json(FILE *out, const struct lab_rank *rank, const char *typed);

#endif
