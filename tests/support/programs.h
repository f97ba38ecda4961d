// SPDX-License-Identifier: MIT
// Programs of tasks for tests: a spec that is read, and executed on one processor.
#ifndef TESTS_PROGRAMS_H
#define TESTS_PROGRAMS_H

#include "core/program.h"
#include "core/programs/program.h"
#include "tests/support/specs.h"

static inline struct ek_problem *must_read(const char *spec, struct ek_reader reader, const struct ek_program **program)
{
    struct ek_error error = {0};
    struct ek_problem *problem = ek_problem_read(spec, reader, program, &error);
    cr_assert(problem, "%s: %s", spec, error.sentence);
    return problem;
}

// Executes `first` first tasks, or as many as the problem has if `first` is 0.
static inline struct ek_serial must_execute_file(const char *spec, const char *text, uint64_t first)
{
    struct tests_memory memory = {.text = text, .length = text ? strlen(text) : 0};
    const struct ek_program *program;
    struct ek_problem *problem = must_read(spec, tests_memory_reader(&memory), &program);
    struct ek_serial serial;
    struct ek_error error = {0};
    cr_assert(core_program_serial(program, problem, first > 0 ? first : problem->first_tasks, (uint64_t)1 << 30,
                                  (uint64_t)1 << 40, &serial, &error),
              "%s: %s", spec, error.sentence);
    ek_problem_release(program, problem);
    return serial;
}

static inline struct ek_serial must_execute(const char *spec)
{
    return must_execute_file(spec, NULL, 0);
}

static inline void expect_executed(const char *spec, uint64_t executed, int64_t result)
{
    struct ek_serial serial = must_execute(spec);
    cr_expect(serial.executed == executed && serial.result == result, "%s: %llu executed, result %lld", spec,
              (unsigned long long)serial.executed, (long long)serial.result);
}

#endif
