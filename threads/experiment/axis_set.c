// SPDX-License-Identifier: MIT
// Sets an axis from the text of an option. Specs stay text; numbers are read here.
#include <stdio.h>

#include "threads/api/axis.h"
#include "base/cursor.h"

struct ek_axis;

static bool set_text(const struct ek_axis *axis, const char *text, const char **value, struct ek_error *error)
{
    *value = text;
    return *text || base_fail_at(error, axis->option, 0, "--%s needs a value: write --%s %s", axis->option,
                                 axis->option, axis->form);
}

bool ek_axis_set(const struct ek_axis *axis, void *values, const char *text, struct ek_error *error)
{
    void *value = (char *)values + axis->place;
    char option[sizeof error->axis + 2];
    snprintf(option, sizeof option, "--%s", axis->option);
    struct base_cursor cursor = base_cursor_start(axis->option, text, error);
    switch (axis->kind) {
    case EK_AXIS_TEXT:
        return set_text(axis, text, value, error);
    case EK_AXIS_WHOLE:
        return base_cursor_whole(&cursor, option, axis->minimum, axis->maximum, value) && base_cursor_end(&cursor);
    case EK_AXIS_SECONDS:
        return base_cursor_duration(&cursor, option, value) && base_cursor_end(&cursor) &&
               (*(double *)value > 0.0 || base_cursor_fail(&cursor, 0, "%s needs a time above 0", option));
    case EK_AXIS_SHARE:
        return base_cursor_real(&cursor, option, 0.0, 1.0, value) && base_cursor_end(&cursor);
    case EK_AXIS_SWITCH:
        *(bool *)value = true;
        return true;
    }
    return false;
}
