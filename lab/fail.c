// SPDX-License-Identifier: MIT
// Errors of experiments.
#include "lab/fail.h"

#include <stdarg.h>
#include <stdio.h>

bool lab_fail(struct ek_error *error, const char *format, ...)
{
    *error = (struct ek_error){.status = EK_BAD_INPUT, .at = -1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return false;
}
