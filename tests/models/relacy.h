// SPDX-License-Identifier: MIT
// What the models of C11's memory shared between threads have in common. Relacy runs a model's threads under a
// scheduler of its own, draws which of the values that C11 allows a load sees, and reports data races, deadlocks and
// asserts that fail.
//
//   MODEL EXECUTIONS [WEAKENED]
//
// draws so many executions, with one of the model's orders weakened where its number is given. Status 0: all went well.
#ifndef MODELS_RELACY_H
#define MODELS_RELACY_H

#include <stdio.h>
#include <stdlib.h>

#include <relacy/relacy.hpp>

using namespace rl;

static int weakened; // 0: nothing is

// An order of the C source, or relaxed where it is the one to be weakened.
static memory_order order(int number, memory_order strong)
{
    return weakened == number ? mo_relaxed : strong;
}

template <typename model> static int explore(int argc, char **argv)
{
    test_params params;
    params.iteration_count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    params.execution_depth_limit = 4000;
    weakened = argc > 2 ? atoi(argv[2]) : 0;
    bool holds = simulate<model>(params);
    printf("%s: %s\n", holds ? "holds" : "fails", test_result_str(params.test_result));
    return !holds;
}

#endif
