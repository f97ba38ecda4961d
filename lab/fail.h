// SPDX-License-Identifier: MIT
// Errors of experiments, as those of the library are.
#ifndef LAB_FAIL_H
#define LAB_FAIL_H

#include "threads/api/run.h"

// Fills `error` as bad input and returns false. `format` makes the sentence.
bool lab_fail(struct ek_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same of what an option says, with the character where it is wrong.
bool lab_fail_at(struct ek_error *error, const char *option, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
