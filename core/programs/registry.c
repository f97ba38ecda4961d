// SPDX-License-Identifier: MIT
// The registry of programs.
#include "core/programs/programs.h"

#include "core/axes/spec.h"

static const struct ek_program *const programs[] = {
    &core_program_uts, &core_program_queens,     &core_program_flowshop, &core_program_flowshop_forward,
    &core_program_tsp, &core_program_mandelbrot, &core_program_bag,      &core_program_task_file,
};

const struct ek_program *core_program_at(size_t index)
{
    return index < sizeof programs / sizeof *programs ? programs[index] : NULL;
}

static const char *known_program(size_t index)
{
    const struct ek_program *program = core_program_at(index);
    return program ? program->name : NULL;
}

static const struct ek_choice *program_choice(size_t index)
{
    return &core_program_at(index)->choice;
}

const struct ek_choice *core_program_choice(size_t index)
{
    static const struct ek_choice none = {"none", "the load consists of numbers"};
    return index == 0 ? &none : core_program_at(index - 1) ? program_choice(index - 1) : NULL;
}

struct ek_problem *core_program_read(const char *spec, struct ek_reader reader, const struct ek_program **program,
                                     struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("tasks", spec, error);
    size_t index;
    if (!*spec) {
        base_cursor_fail(&cursor, 0, "tasks begin with the name of their program, as in queens:8");
        return NULL;
    }
    if (!core_spec_kind(&cursor, "program", known_program, program_choice, 0, &index)) {
        return NULL;
    }
    *program = core_program_at(index);
    struct ek_program_setting setting = {.spec = spec, .at = cursor.at, .reader = reader};
    return (*program)->prepare(&setting, error);
}
