// SPDX-License-Identifier: MIT
// The names that the values of an axis begin with, as ring in ring:4, from the forms that the axis lists.
#ifndef LAB_SWEEP_VALUE_NAMES_H
#define LAB_SWEEP_VALUE_NAMES_H

#include "threads/api/run.h"

// How many characters of a text are a name; 0 where it does not begin with one.
size_t lab_name_length(const char *text);

// Whether a value that the axis knows begins here.
bool lab_name_begins(const struct ek_axis *axis, const char *text);

// Whether the value that begins here may go on behind a comma with a name of its own, as link:0.1,processor:0.01 or a
// path.
bool lab_name_goes_on(const struct ek_axis *axis, const char *text);

// False where a value begins with a name that the axis does not know. `near` is then the nearest that it knows, or
// NULL.
bool lab_name_known(const struct ek_axis *axis, const char *text, const char **near);

#endif
