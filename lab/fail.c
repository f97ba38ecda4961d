// SPDX-License-Identifier: MIT
// Errors of experiments.
#include "lab/fail.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct ek_error *error, int at, const char *format, va_list arguments)
{
    *error = (struct ek_error){.status = EK_BAD_INPUT, .at = at};
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
}

bool lab_fail(struct ek_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, -1, format, arguments);
    va_end(arguments);
    return false;
}

bool lab_fail_at(struct ek_error *error, const char *option, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, (int)at, format, arguments);
    va_end(arguments);
    snprintf(error->axis, sizeof error->axis, "%s", option);
    return false;
}
