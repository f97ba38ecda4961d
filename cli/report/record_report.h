// SPDX-License-Identifier: MIT
// A record in the formats that the options name.
#ifndef CLI_REPORT_RECORD_REPORT_H
#define CLI_REPORT_RECORD_REPORT_H

#include "cli/line/shared_options.h"
#include "lab/record/record.h"

// The options of run, show and replay that say how a record is shown.
struct report_view {
    enum cli_format format;
    bool quiet, heat;
    struct cli_picture picture;
};

// Returns whether the options go together, and whether everything that they need is available.
bool report_record_possible(const struct report_view *view, struct ek_error *error);

// Writes the record to standard output and draws its picture. `parts` are optional parts of a JSON report.
bool report_record_write(const struct lab_record *record, const struct report_view *view, unsigned parts,
                         struct ek_error *error);

// Do the same in two steps. Call report_record_run after each run, while this run is the record's last. Call
// report_record_rest after all runs. JSON and CSV are then on standard output as soon as a run ends. A table needs all
// runs.
bool report_record_run(const struct lab_record *record, size_t run, const struct report_view *view, unsigned parts,
                       struct ek_error *error);
bool report_record_rest(const struct lab_record *record, const struct report_view *view, struct ek_error *error);

// Reports on standard error that a criterion was not reached, or that not all runs were carried out.
void report_record_unreached(const struct lab_record *record);

#endif
