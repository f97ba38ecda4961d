// SPDX-License-Identifier: MIT
// Errors as a person sees them: one sentence on standard error and, where a spec is wrong, the spec with a caret.
#ifndef CLI_LINE_COMPLAIN_H
#define CLI_LINE_COMPLAIN_H

#include "topologies/topology.h"

// Fills `error` as a refusal of what was typed and returns false. `at` is the offset of the wrong character or -1.
bool cli_refuse(struct ek_error *error, const char *axis, int at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Whether JSON has been written: `good`, or standard output cannot be, which is said at the end of the command. Else
// there was no memory for it; `instead` is what to do then, or NULL.
bool cli_wrote_json(bool good, const char *instead, struct ek_error *error);

// Prints the error. `spec` is the text of the option that error->axis names, or NULL. Returns error->status.
enum ek_status cli_complain(const struct ek_error *error, const char *spec);

// The same of what a line of a file says.
enum ek_status cli_complain_of_line(const struct ek_error *error, const char *spec);

#endif
