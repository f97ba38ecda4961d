// SPDX-License-Identifier: MIT
// What programs of branch and bound share. A task is a part of a permutation, with a lower bound of the values of all
// permutations that complete it. If the processor knows a value that is as good as the bound, it drops the task.
// Otherwise the task's children place one more item each, or its value is the best so far, if all are placed.
#ifndef CORE_PROGRAMS_BRANCH_H
#define CORE_PROGRAMS_BRANCH_H

#include "core/programs/programs.h"

enum { CORE_BRANCH_ITEMS = 58 }; // the most items of a permutation: a task has 64 bytes

struct core_branch_task {
    uint8_t front, back;             // the numbers of items placed at the front and at the back
    uint8_t item[CORE_BRANCH_ITEMS]; // those at the front in order, and those at the back in order at its end
    int32_t bound;
};

// A child before it is created: the item that it places, and its bound.
struct core_branch_child {
    int32_t bound;
    uint8_t item;
};

struct core_branch {
    struct ek_problem problem;
    uint32_t items;
};

// Fills the part of a problem that all programs share.
struct core_branch core_branch_problem(uint32_t items, int64_t upper);

// Reads a seed, and perhaps :UPPER, to the end of the spec. The seed becomes the state of core_branch_draw.
bool core_branch_read(struct base_cursor *cursor, int64_t *state, int64_t *upper);

// Draws a whole number from 0 .. range-1 (Taillard 1993, Benchmarks for basic scheduling problems).
int32_t core_branch_draw(int64_t *state, int32_t range);

// Returns whether the task needs no children, since it is dropped, or all its items are placed.
bool core_branch_ends(const struct core_branch *problem, const struct core_branch_task *task,
                      struct ek_execution *execution);

// Writes the items that the task has not placed, in ascending order, and returns their number.
uint32_t core_branch_unplaced(const struct core_branch *problem, const struct core_branch_task *task, uint8_t *items);

// Creates the children, the one with the worst bound first, so that the newest task is the best. Of equal bounds, the
// highest item comes first.
void core_branch_create(const struct core_branch_task *task, bool at_back, struct core_branch_child *children,
                        uint32_t count, struct ek_execution *execution);

#endif
