// SPDX-License-Identifier: MIT
// The agenda.
#include "threads/drivers/virtual/agenda.h"

enum { FAN = 1 << VIRTUAL_AGENDA_BITS };

// Returns the number of nodes above `count` nodes.
static uint32_t above(uint32_t count)
{
    return count / FAN + (count % FAN > 0);
}

void virtual_agenda_plan(struct virtual_agenda *agenda, uint32_t count, struct base_arena *memory)
{
    for (agenda->top = 0;; agenda->top++, count = above(count)) {
        agenda->count[agenda->top] = count;
        base_arena_plan_isolated(memory, &agenda->time[agenda->top], count, sizeof **agenda->time);
        if (count <= 1) {
            return;
        }
    }
}

void virtual_agenda_begin(struct virtual_agenda *agenda, uint64_t time)
{
    for (unsigned level = 0; level <= agenda->top; level++) {
        for (uint32_t i = 0; i < agenda->count[level]; i++) {
            agenda->time[level][i] = time;
        }
    }
}

// Makes all turns of the processor at a leaf that begin before `until`. Returns when the next one begins.
static uint64_t visit_leaf(struct virtual_agenda *agenda, uint32_t place, uint64_t until, virtual_agenda_visit *visit,
                           void *context)
{
    uint64_t *time = &agenda->time[0][place];
    while (*time < until) {
        *time = visit(context, place, *time);
    }
    return *time;
}

// Walks over the children of a node. Returns the earliest time of them.
static uint64_t walk_node(struct virtual_agenda *agenda, unsigned level, uint32_t node, uint64_t until,
                          virtual_agenda_visit *visit, void *context)
{
    const uint64_t *below = agenda->time[level - 1];
    uint32_t begin = node * FAN;
    uint32_t end = agenda->count[level - 1] - begin < FAN ? agenda->count[level - 1] : begin + FAN;
    for (uint32_t child = begin; child < end; child++) {
        if (below[child] < until) {
            uint64_t first = level == 1 ? visit_leaf(agenda, child, until, visit, context)
                                        : walk_node(agenda, level - 1, child, until, visit, context);
            agenda->time[level - 1][child] = first;
        }
    }
    uint64_t first = VIRTUAL_NEVER;
    for (uint32_t child = begin; child < end; child++) {
        first = below[child] < first ? below[child] : first;
    }
    return first;
}

void virtual_agenda_walk(struct virtual_agenda *agenda, uint64_t until, virtual_agenda_visit *visit, void *context)
{
    if (agenda->top == 0) {
        visit_leaf(agenda, 0, until, visit, context);
    } else if (virtual_agenda_first(agenda) < until) {
        agenda->time[agenda->top][0] = walk_node(agenda, agenda->top, 0, until, visit, context);
    }
}
