// SPDX-License-Identifier: MIT
// Errors as values. The functions that fill an error return false, so that a parser can `return base_fail(...)`.
// `format` makes the sentence. `axis` names the axis whose value is wrong; "" stands for none.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>

#include "base/common.h"

// Fills `error`; no single character is at fault.
bool base_fail(struct ek_error *error, enum ek_status status, const char *axis, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Fills `error` with status EK_BAD_INPUT and without an axis.
bool base_refuse(struct ek_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Fills `error` with status EK_BAD_INPUT. The character `at` of `text`, the value of `axis`, is wrong; the excerpt
// shows it.
bool base_refuse_text(struct ek_error *error, const char *axis, const char *text, size_t at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Fills `error` with status EK_BAD_INPUT. The character `at` of the axis' value is wrong; BASE_NOWHERE blames no
// character.
#define BASE_NOWHERE SIZE_MAX
bool base_fail_at(struct ek_error *error, const char *axis, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool base_fail_at_list(struct ek_error *error, const char *axis, size_t at, const char *format, va_list arguments);

// Writes the error's excerpt. `text` is the whole value that the error points into, NULL if there is none.
void base_error_show(struct ek_error *error, const char *text);

#endif
