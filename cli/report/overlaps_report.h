// SPDX-License-Identifier: MIT
// Overlaps of operations, and their spheres, as tables.
#ifndef CLI_REPORT_OVERLAPS_REPORT_H
#define CLI_REPORT_OVERLAPS_REPORT_H

#include <stdio.h>

#include "lab/record/record.h"
#include "threads/api/replay.h"

// Returns the name of a kind, as in JSON and CSV.
const char *report_overlaps_name(enum ek_overlap_kind kind);

// Writes three parts: the overlaps by kind; the variance of domains, taken from the record's run, beside theory; and
// the variance of spheres by their number of operations.
void report_overlaps_write(FILE *out, const struct lab_record *record, const struct ek_overlaps_report *report,
                           const struct ek_sphere *spheres, size_t count);

#endif
