// SPDX-License-Identifier: MIT
// The directory of --out: made before the runs, filled after them, and left as it was found where anything fails.
#ifndef EK_OUT_H
#define EK_OUT_H

#include "cli/results.h"

struct ek_out {
    const char *directory; // NULL without --out
    bool made;             // by us
};

bool ek_out_open(struct ek_out *out, const char *directory, struct ek_error *error);
bool ek_out_write(struct ek_out *out, const struct ek_results *results, struct ek_error *error);

// Takes the directory away again if it was made here.
void ek_out_abandon(struct ek_out *out);

#endif
