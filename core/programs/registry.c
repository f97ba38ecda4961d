// SPDX-License-Identifier: MIT
// The registry of programs: the built-in programs, then those registered from outside.
#include "core/programs/programs.h"
#include "core/register.h"

#include <stdio.h>

static const struct ek_program *const built_in[] = {
    &core_program_uts, &core_program_queens,     &core_program_flowshop, &core_program_flowshop_forward,
    &core_program_tsp, &core_program_mandelbrot, &core_program_bag,      &core_program_task_file,
};

enum { BUILT_IN = sizeof built_in / sizeof *built_in, REGISTERED_MAX = 64 };

static const struct ek_program *registered[REGISTERED_MAX];
static size_t registered_count;

const struct ek_program *core_program_at(size_t index)
{
    if (index < BUILT_IN) {
        return built_in[index];
    }
    return index - BUILT_IN < registered_count ? registered[index - BUILT_IN] : NULL;
}

bool core_program_is_registered(const struct ek_program *program)
{
    size_t i = 0;
    while (i < registered_count && registered[i] != program) {
        i++;
    }
    return i < registered_count;
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

const struct ek_program *ek_program_find(const char *name)
{
    size_t i = 0;
    while (known_program(i) && strcmp(known_program(i), name) != 0) {
        i++;
    }
    return core_program_at(i);
}

// The value `none` of the axis stands for no program.
static bool is_taken(const char *name)
{
    return ek_program_find(name) || strcmp(name, "none") == 0;
}

bool ek_program_register_for(unsigned api, const struct ek_program *program, struct ek_error *error)
{
    if (api != EK_API_VERSION) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "this program was compiled with version %u of the header, and the library has version %u: "
                         "compile it again with the library's header",
                         api, EK_API_VERSION);
    }
    if (!base_cursor_can_name(program->name) || is_taken(program->name)) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "a program needs a name that no other program has, of at most 31 letters, digits and '-'");
    }
    if (!program->choice.form || !program->choice.summary) {
        return base_fail(error, EK_BAD_INPUT, "tasks", "the program %s lacks its choice, which a list shows",
                         program->name);
    }
    if (!program->prepare || !program->begin || !program->execute) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the program %s lacks a function: set prepare, begin and execute", program->name);
    }
    if (program->result != EK_RESULT_SUM && program->result != EK_RESULT_LEAST) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the program %s has no known result: set result to EK_RESULT_SUM or EK_RESULT_LEAST",
                         program->name);
    }
    if (registered_count == REGISTERED_MAX) {
        return base_fail(error, EK_BAD_INPUT, "tasks", "no more than %d programs can be registered", REGISTERED_MAX);
    }
    registered[registered_count++] = program;
    return true;
}

// Reads the problem of a built-in program.
static struct ek_problem *read_built_in(struct base_cursor *cursor, const struct ek_program *program,
                                        struct ek_reader reader)
{
    char example[96];
    snprintf(example, sizeof example, "%s, as in %s", program->name, program->choice.form);
    if (!base_cursor_expect(cursor, ':', example)) {
        return NULL;
    }
    struct ek_program_setting setting = {.spec = cursor->text, .at = cursor->at, .reader = reader};
    return program->prepare(&setting, cursor->error);
}

struct ek_problem *ek_problem_read(const char *spec, struct ek_reader reader, const struct ek_program **program,
                                   struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("tasks", spec, error);
    size_t index;
    if (!*spec) {
        base_cursor_fail(&cursor, 0, "tasks begin with the name of their program, as in queens:8");
        return NULL;
    }
    if (!base_cursor_known(&cursor, "program", known_program, &index)) {
        return NULL;
    }
    *program = core_program_at(index);
    return core_program_is_registered(*program) ? core_program_read_registered(&cursor, *program, reader)
                                                : read_built_in(&cursor, *program, reader);
}
