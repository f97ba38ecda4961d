// SPDX-License-Identifier: MIT
// The report of a check of methods and programs.
#ifndef CLI_REPORT_CHECK_REPORT_H
#define CLI_REPORT_CHECK_REPORT_H

#include "cli/line/shared_options.h"
#include "lab/studies/check_child.h"

struct report_check {
    enum cli_format format;
    bool quiet;
    const char *command;
    uint64_t seed;
};

// Writes the head, one method after another, and the end.
void report_check_begin(const struct report_check *shown);
void report_check_method(const struct report_check *shown, const char *method, const struct lab_checked *checked,
                         bool first);
void report_check_end(const struct report_check *shown);

#endif
