// SPDX-License-Identifier: MIT
// The names with which the values of an axis begin, as ring in ring:4. They come from the forms that the axis lists.
#ifndef LAB_RECORD_VALUE_NAMES_H
#define LAB_RECORD_VALUE_NAMES_H

#include "base/common.h"

struct ek_axis;

// Returns the length of the name that a text begins with, or 0 if it begins with none.
size_t lab_name_length(const char *text);

// Returns whether the text begins with a value that the axis knows.
bool lab_name_begins(const struct ek_axis *axis, const char *text);

// Returns whether the value at the beginning of the text may continue after a comma with a name, as in
// link:0.1,processor:0.01 or in a path.
bool lab_name_may_continue(const struct ek_axis *axis, const char *text);

// Returns false if the text begins with a name that the axis does not know. `near` is then the nearest known name, or
// NULL.
bool lab_name_known(const struct ek_axis *axis, const char *text, const char **near);

#endif
