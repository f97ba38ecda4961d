// SPDX-License-Identifier: MIT
// The directory of --out: made before the runs, filled after them, and left as it was found where anything fails.
#ifndef CLI_REPORT_OUT_DIRECTORY_H
#define CLI_REPORT_OUT_DIRECTORY_H

#include "lab/record/record.h"

struct cli_out {
    const char *directory; // NULL without --out
    bool made;             // by us
};

bool cli_out_open(struct cli_out *out, const char *directory, struct ek_error *error);
bool cli_out_write(struct cli_out *out, const struct lab_record *record, struct ek_error *error);

// Takes the directory away again if it was made here.
void cli_out_abandon(struct cli_out *out);

#endif
