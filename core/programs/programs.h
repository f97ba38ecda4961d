// SPDX-License-Identifier: MIT
// The rows of the built-in programs (registry.c), and what their parsers share.
#ifndef CORE_PROGRAMS_PROGRAMS_H
#define CORE_PROGRAMS_PROGRAMS_H

#include "base/cursor.h"
#include "core/programs/program.h"

extern const struct ek_program core_program_uts;
extern const struct ek_program core_program_queens;

// Begins to read a program's own part of the spec.
static inline struct base_cursor core_program_cursor(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("tasks", setting->spec, error);
    cursor.at = setting->at;
    return cursor;
}

#endif
