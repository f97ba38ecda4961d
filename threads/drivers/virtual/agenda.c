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
    base_arena_plan_isolated(memory, &agenda->leaf, count, sizeof *agenda->leaf);
    agenda->count[0] = count;
    agenda->top = 0;
    do {
        count = above(count);
        agenda->count[++agenda->top] = count;
        base_arena_plan_isolated(memory, &agenda->time[agenda->top], count, sizeof **agenda->time);
    } while (count > 1);
}

void virtual_agenda_begin(struct virtual_agenda *agenda)
{
    for (uint32_t place = 0; place < agenda->count[0]; place++) {
        agenda->leaf[place] = (struct virtual_leaf){0};
    }
    for (unsigned level = 1; level <= agenda->top; level++) {
        for (uint32_t node = 0; node < agenda->count[level]; node++) {
            agenda->time[level][node] = 0;
        }
    }
}

// Returns the end of the children of a node.
static uint32_t end_of(const struct virtual_agenda *agenda, unsigned level, uint32_t node)
{
    uint32_t begin = node * FAN;
    uint32_t count = agenda->count[level - 1];
    return count - begin < FAN ? count : begin + FAN;
}

// Visits the leaves below a node. Returns the earliest time of them.
static uint64_t walk_leaves(struct virtual_agenda *agenda, uint32_t node, uint64_t until, virtual_agenda_visit *visit,
                            void *context)
{
    struct virtual_leaf *leaf = agenda->leaf;
    uint32_t end = end_of(agenda, 1, node);
    for (uint32_t place = node * FAN; place < end; place++) {
        while (leaf[place].next < until) {
            visit(context, place);
        }
    }
    uint64_t first = VIRTUAL_NEVER;
    for (uint32_t place = node * FAN; place < end; place++) {
        first = leaf[place].next < first ? leaf[place].next : first;
    }
    return first;
}

// Walks over the nodes below a node. Returns the earliest time of them.
static uint64_t walk_node(struct virtual_agenda *agenda, unsigned level, uint32_t node, uint64_t until,
                          virtual_agenda_visit *visit, void *context)
{
    if (level == 1) {
        return walk_leaves(agenda, node, until, visit, context);
    }
    uint64_t *below = agenda->time[level - 1];
    uint32_t end = end_of(agenda, level, node);
    for (uint32_t child = node * FAN; child < end; child++) {
        if (below[child] < until) {
            below[child] = walk_node(agenda, level - 1, child, until, visit, context);
        }
    }
    uint64_t first = VIRTUAL_NEVER;
    for (uint32_t child = node * FAN; child < end; child++) {
        first = below[child] < first ? below[child] : first;
    }
    return first;
}

void virtual_agenda_walk(struct virtual_agenda *agenda, uint64_t until, virtual_agenda_visit *visit, void *context)
{
    if (virtual_agenda_first(agenda) < until) {
        agenda->time[agenda->top][0] = walk_node(agenda, agenda->top, 0, until, visit, context);
    }
}

static uint64_t time_of(const struct virtual_agenda *agenda, unsigned level, uint32_t node)
{
    return level == 0 ? agenda->leaf[node].next : agenda->time[level][node];
}

// Returns the child of a node that is the earliest, of several the first one.
static uint32_t earliest_child(const struct virtual_agenda *agenda, unsigned level, uint32_t node)
{
    uint32_t earliest = node * FAN;
    uint32_t end = end_of(agenda, level, node);
    for (uint32_t child = earliest + 1; child < end; child++) {
        if (time_of(agenda, level - 1, child) < time_of(agenda, level - 1, earliest)) {
            earliest = child;
        }
    }
    return earliest;
}

void virtual_agenda_step(struct virtual_agenda *agenda, virtual_agenda_visit *visit, void *context)
{
    uint32_t place = 0;
    for (unsigned level = agenda->top; level > 0; level--) {
        place = earliest_child(agenda, level, place);
    }
    visit(context, place);
    for (unsigned level = 1; level <= agenda->top; level++) {
        place /= FAN;
        agenda->time[level][place] = time_of(agenda, level - 1, earliest_child(agenda, level, place));
    }
}
