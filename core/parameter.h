// SPDX-License-Identifier: MIT
// The number or name behind a method's colon.
#ifndef CORE_METHODS_PARAMETER_H
#define CORE_METHODS_PARAMETER_H

#include "base/cursor.h"
#include "core/method.h"

// Starts a cursor at a method's parameter, which lies in the method's spec, `at` characters from its start.
struct base_cursor core_parameter_start(const char *parameter, int at, struct ek_error *error);

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
