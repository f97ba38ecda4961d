// SPDX-License-Identifier: MIT
// The number or name behind a method's colon.
#ifndef CORE_PARAMETER_H
#define CORE_PARAMETER_H

#include "core/method.h"

// Reads `text` (at offset `at` of the method's spec) as `what` in minimum..maximum. NULL is an error that shows
// `example`.
bool core_parameter_read(const char *text, int at, const char *what, double minimum, double maximum,
                         const char *example, double *value, struct ek_error *error);

// For a method that has none: true if `text` is NULL, else an error at it.
bool core_parameter_none(const char *text, int at, struct ek_error *error);

// For a method that takes a name: its index among the known ones, the first where `text` is NULL; `what` is what it
// names.
bool core_parameter_name(const char *text, int at, const char *what, const char *(*known)(size_t index), size_t *index,
                         struct ek_error *error);

#endif
