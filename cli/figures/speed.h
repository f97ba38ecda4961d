// SPDX-License-Identifier: MIT
// The speed at which a run is shown.
#ifndef CLI_FIGURES_SPEED_H
#define CLI_FIGURES_SPEED_H

#include "base/error.h"
#include "cli/terminal/text.h"

struct report_speed {
    enum { REPORT_SPEED_GROWS, REPORT_SPEED_FIXED, REPORT_SPEED_MAX } kind;
    bool by_time; // it is virtual time per second, not steps per second
    bool free;    // free timing: it cannot be chosen
    double per_s; // if it is fixed
};

// Reads the text of --speed, NULL if it was not given, for a timing.
bool report_speed_read(const char *text, const char *timing, struct report_speed *speed, struct ek_error *error);

// Returns "20 steps/s" or "10 us/s"; "max" or "-" if `per_s` is infinite.
struct cli_text report_speed_text(const struct report_speed *speed, double per_s);

#endif
