// SPDX-License-Identifier: MIT
// A record in the formats that the options ask for.
#ifndef CLI_TERMINAL_PRESENT_H
#define CLI_TERMINAL_PRESENT_H

#include "cli/line/options.h"
#include "lab/record/record.h"

// Whether these options go together, and whether what they need is there.
bool cli_present_possible(const struct cli_options *options, struct ek_error *error);

// On standard output and as a picture. `parts` are what a JSON report has beside the rest.
bool cli_present(const struct lab_record *record, const struct cli_options *options, unsigned parts,
                 struct ek_error *error);

// The same in two: each run as soon as it is the record's last, and the rest once all are made. So what is asked for in
// JSON or CSV is there, whole lines of it, whatever comes afterwards; a table has all runs in it and waits for them.
bool cli_present_run(const struct lab_record *record, size_t run, const struct cli_options *options, unsigned parts,
                     struct ek_error *error);
bool cli_present_rest(const struct lab_record *record, const struct cli_options *options, struct ek_error *error);

// Says on standard error that a criterion was not reached, or that not all runs were made.
void cli_present_unreached(const struct lab_record *record);

#endif
