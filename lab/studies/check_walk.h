// SPDX-License-Identifier: MIT
// One processor executes a program's problem, newest task first, and checks each execution.
#ifndef LAB_STUDIES_CHECK_WALK_H
#define LAB_STUDIES_CHECK_WALK_H

#include "base/common.h"

struct ek_problem;
struct ek_program;

enum { CHECK_WALK_PLACED = 64 }; // first tasks of a problem whose load places them

enum check_walk_kind { CHECK_WALK_PURE, CHECK_WALK_LIMITS, CHECK_WALK_SIZES, CHECK_WALK_BOUNDS, CHECK_WALK_KINDS };

struct check_walk {
    uint64_t tested[CHECK_WALK_KINDS]; // executions that were checked
    bool broken[CHECK_WALK_KINDS];
    char why[CHECK_WALK_KINDS][200];
    bool done;      // all tasks were executed
    int64_t result; // EK_NO_VALUE: none
    uint64_t cost;  // of a task, on average
    char refusal[200];
};

void check_walk(const struct ek_program *program, const struct ek_problem *problem, struct check_walk *found);

#endif
