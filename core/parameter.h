// SPDX-License-Identifier: MIT
// Reads the parameter of a method. Errors point into the method's whole spec.
#ifndef CORE_METHODS_PARAMETER_H
#define CORE_METHODS_PARAMETER_H

#include "base/cursor.h"

// Starts a cursor at a parameter, which begins `at` characters after the start of the method's spec.
struct base_cursor core_parameter_start(const char *parameter, int at, struct ek_error *error);

// Reads `text`, at offset `at` of the method's spec, as the number `what` in minimum..maximum. If `text` is NULL, fails
// with a sentence that shows `example`.
bool core_parameter_read(const char *text, int at, const char *what, double minimum, double maximum,
                         const char *example, double *value, struct ek_error *error);

// For a method without parameter: fails unless `text` is NULL.
bool core_parameter_none(const char *text, int at, struct ek_error *error);

// For a method whose parameter is a name: finds its index among the known names, 0 if `text` is NULL. `what` says what
// is named.
bool core_parameter_name(const char *text, int at, const char *what, const char *(*known)(size_t index), size_t *index,
                         struct ek_error *error);

#endif
