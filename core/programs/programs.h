// SPDX-License-Identifier: MIT
// The rows of the built-in programs (registry.c), and what their parsers share.
#ifndef CORE_PROGRAMS_PROGRAMS_H
#define CORE_PROGRAMS_PROGRAMS_H

#include <string.h>

#include "base/cursor.h"
#include "core/program.h"
#include "core/programs/program.h"

extern const struct ek_program core_program_uts;
extern const struct ek_program core_program_queens;
extern const struct ek_program core_program_flowshop;
extern const struct ek_program core_program_flowshop_forward;
extern const struct ek_program core_program_tsp;
extern const struct ek_program core_program_mandelbrot;
extern const struct ek_program core_program_bag;
extern const struct ek_program core_program_task_file;

// Begins to read a program's own part of the spec.
static inline struct base_cursor core_program_cursor(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("tasks", setting->spec, error);
    cursor.at = setting->at;
    return cursor;
}

// Takes "file:", if it is next. The rest of the spec is a path.
static inline bool core_program_is_file(struct base_cursor *cursor)
{
    static const char word[] = "file:";
    bool is_file = strncmp(cursor->text + cursor->at, word, sizeof word - 1) == 0;
    cursor->at += is_file ? sizeof word - 1 : 0;
    return is_file;
}

// Reads the problem of a registered program, whose name has been taken. Its own part, after a colon, may be missing.
struct ek_problem *core_program_read_registered(struct base_cursor *cursor, const struct ek_program *program,
                                                struct ek_reader reader);

#endif
