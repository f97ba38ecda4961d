// SPDX-License-Identifier: MIT
// A program of tasks that breaks a promise in one of its tasks.
#ifndef TESTS_BREACH_H
#define TESTS_BREACH_H

#include "tests/support/rank_threads.h"

// Checks that all ranks end, and say what the one says that executed this task. `experiment` says how to run.
void tests_breach_on_ranks(const struct ek_experiment *experiment);

#endif
