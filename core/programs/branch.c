// SPDX-License-Identifier: MIT
// What programs of branch and bound share: seeds, dropped tasks, and the order of children.
#include "core/programs/branch.h"

#include <string.h>

static const int64_t MODULUS = 2147483647; // 2^31 - 1

struct core_branch core_branch_problem(uint32_t items, int64_t upper)
{
    return (struct core_branch){
        .problem = {.task_bytes = sizeof(struct core_branch_task),
                    .first_tasks = 1,
                    .children_most = items,
                    .best = upper},
        .items = items,
    };
}

bool core_branch_read(struct base_cursor *cursor, int64_t *state, int64_t *upper)
{
    size_t at = cursor->at;
    uint64_t seed;
    uint64_t given = 0;
    if (!base_cursor_whole(cursor, "the seed", 0, UINT32_MAX, &seed)) {
        return false;
    }
    *state = (int64_t)seed % MODULUS;
    if (*state == 0) {
        return base_cursor_fail(cursor, at,
                                "a seed that is a multiple of 2^31 - 1 draws only zeros: write another seed");
    }
    bool has_upper = base_cursor_accept(cursor, ':');
    if (has_upper && !base_cursor_whole(cursor, "the known value", 1, INT32_MAX, &given)) {
        return false;
    }
    *upper = has_upper ? (int64_t)given : EK_NO_VALUE;
    return base_cursor_end(cursor);
}

int32_t core_branch_draw(int64_t *state, int32_t range)
{
    *state = 16807 * *state % MODULUS;
    return (int32_t)(range * *state / MODULUS);
}

bool core_branch_ends(const struct core_branch *problem, const struct core_branch_task *task,
                      struct ek_execution *execution)
{
    if (task->bound >= execution->best) {
        execution->dropped = true;
        return true;
    }
    if (task->front + task->back < (int)problem->items) {
        return false;
    }
    execution->best = task->bound; // of a whole permutation, the bound is the value
    return true;
}

uint32_t core_branch_unplaced(const struct core_branch *problem, const struct core_branch_task *task, uint8_t *items)
{
    bool placed[CORE_BRANCH_ITEMS] = {false};
    uint32_t count = 0;
    for (unsigned i = 0; i < task->front; i++) {
        placed[task->item[i]] = true;
    }
    for (unsigned i = 1; i <= task->back; i++) {
        placed[task->item[CORE_BRANCH_ITEMS - i]] = true;
    }
    for (uint32_t item = 0; item < problem->items; item++) {
        if (!placed[item]) {
            items[count++] = (uint8_t)item;
        }
    }
    return count;
}

// Sorts children, which are in ascending order of their items.
static void sort_children(struct core_branch_child *children, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct core_branch_child child = children[i];
        uint32_t place = i;
        for (; place > 0 && children[place - 1].bound <= child.bound; place--) {
            children[place] = children[place - 1];
        }
        children[place] = child;
    }
}

void core_branch_create(const struct core_branch_task *task, bool at_back, struct core_branch_child *children,
                        uint32_t count, struct ek_execution *execution)
{
    struct core_branch_task child = *task;
    unsigned place = at_back ? CORE_BRANCH_ITEMS - 1u - task->back : task->front;
    if (at_back) {
        child.back++;
    } else {
        child.front++;
    }
    sort_children(children, count);
    for (uint32_t i = 0; i < count; i++) {
        void *room = execution->child(execution);
        if (!room) {
            return;
        }
        child.item[place] = children[i].item;
        child.bound = children[i].bound;
        memcpy(room, &child, sizeof child);
    }
}
