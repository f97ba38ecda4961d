// SPDX-License-Identifier: MIT
// Reads the problem of a program that was registered from outside, checks what it has read, and releases problems.
#include "core/programs/programs.h"

#include <stdlib.h>

void ek_problem_release(const struct ek_program *program, struct ek_problem *problem)
{
    if (program->release) {
        program->release(problem);
    } else {
        free(problem);
    }
}

// Reports why a registered program has read no problem: with its own sentence if it gave one.
static bool blame(struct base_cursor *cursor, const struct ek_program *program)
{
    struct ek_error *error = cursor->error;
    size_t length = strlen(cursor->text);
    size_t at = error->at >= 0 && (size_t)error->at <= length ? (size_t)error->at : cursor->at;
    char said[sizeof error->sentence];
    memcpy(said, error->sentence, sizeof said);
    said[sizeof said - 1] = '\0';
    return *said ? base_cursor_fail(cursor, at, "%s", said)
                 : base_cursor_fail(cursor, at, "%s makes no problem of this", program->name);
}

// Checks the part of the problem that the machine reads.
static bool is_whole(struct base_cursor *cursor, const struct ek_program *program, const struct ek_problem *problem)
{
    if (problem->task_bytes < 1 || problem->task_bytes > EK_TASK_BYTES) {
        return base_cursor_fail(cursor, 0, "%s has tasks of %zu bytes: set task_bytes, from 1 to %d", program->name,
                                problem->task_bytes, EK_TASK_BYTES);
    }
    if (problem->first_tasks > EK_FIRST_TASKS_MOST) {
        return base_cursor_fail(cursor, cursor->at,
                                "%s begins with %llu tasks, and no more than 2^32 - 1 can begin: choose a smaller "
                                "problem",
                                program->name, (unsigned long long)problem->first_tasks);
    }
    return (problem->picture_width > 0) == (problem->picture_height > 0) ||
           base_cursor_fail(cursor, 0, "%s has a picture without points: set both picture_width and picture_height",
                            program->name);
}

struct ek_problem *core_program_read_registered(struct base_cursor *cursor, const struct ek_program *program,
                                                struct ek_reader reader)
{
    if (base_cursor_peek(cursor) != '\0' && !base_cursor_expect(cursor, ':', program->name)) {
        return NULL;
    }
    struct ek_program_setting setting = {.spec = cursor->text, .at = cursor->at, .reader = reader};
    *cursor->error = (struct ek_error){.at = -1};
    struct ek_problem *problem = program->prepare(&setting, cursor->error);
    if (!problem) {
        blame(cursor, program);
    } else if (!is_whole(cursor, program, problem)) {
        ek_problem_release(program, problem);
        problem = NULL;
    }
    return problem;
}
