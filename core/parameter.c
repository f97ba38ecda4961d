// SPDX-License-Identifier: MIT
// Reads a method's parameter, with errors that point into the method's whole spec.
#include "core/parameter.h"

#include <string.h>

struct base_cursor core_parameter_start(const char *parameter, int at, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("method", parameter - at, error);
    cursor.at = (size_t)at;
    return cursor;
}

bool core_parameter_read(const char *text, int at, const char *what, double minimum, double maximum,
                         const char *example, double *value, struct ek_error *error)
{
    if (!text) {
        return base_fail_at(error, "method", (size_t)at, "the method needs %s, as in %s", what, example);
    }
    struct base_cursor cursor = core_parameter_start(text, at, error);
    return base_cursor_real(&cursor, what, minimum, maximum, value) && base_cursor_end(&cursor);
}

bool core_parameter_none(const char *text, int at, struct ek_error *error)
{
    return !text ||
           base_fail_at(error, "method", (size_t)at, "this method takes no parameter: leave out all after its name");
}

bool core_parameter_name(const char *text, int at, const char *what, const char *(*known)(size_t index), size_t *index,
                         struct ek_error *error)
{
    *index = 0;
    if (!text) {
        return true;
    }
    struct base_cursor cursor = core_parameter_start(text, at, error);
    return base_cursor_known(&cursor, what, known, index) && base_cursor_end(&cursor);
}
