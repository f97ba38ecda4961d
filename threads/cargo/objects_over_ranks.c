// SPDX-License-Identifier: MIT
// Objects between processes.
//
// With `choose communicating` every process learns in each step, in turns after each stint, where all objects go. When
// a run has ended each process writes a record of each object that it has, and all read the records of all.
#include "threads/cargo/objects_over_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/ranks/agree.h"
#include "topologies/topology.h"

enum { RECORD = 3 }; // doubles: the number of an object, its place and its moves

void cargo_objects_pack(struct cargo_objects *objects, uint32_t port, double *to)
{
    struct core_object_list *parcel = &objects->parcel[port];
    for (uint32_t i = parcel->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        *to++ = i;
        *to++ = objects->moves[i];
    }
    *parcel = (struct core_object_list){.head = CORE_NO_OBJECT};
}

void cargo_objects_unpack(struct cargo_objects *objects, uint32_t port, const double *from, uint32_t count)
{
    for (; count > 0; count--, from += CARGO_OBJECT_CROSSES) {
        uint32_t i = (uint32_t)from[0];
        objects->moves[i] = (uint32_t)from[1];
        core_objects_prepend(&objects->parcel[port], objects->next, i, objects->set->object[i].weight);
    }
}

size_t cargo_objects_write_moves(struct cargo_objects *objects, double *to)
{
    const struct ek_topology *topology = objects->topology;
    const double *begin = to, *end = to + (size_t)objects->set->count * CARGO_OBJECT_CROSSES;
    for (; objects->recents > 0; objects->recents--) {
        uint32_t i = objects->recent[objects->recents - 1];
        *to++ = i;
        *to++ = objects->place[i];
    }
    for (uint32_t port = 0; !objects->recent && port < topology->ports; port++) {
        bool own = objects->here[topology->neighbour[topology->twin[port]]];
        uint32_t i = own ? objects->parcel[port].head : CORE_NO_OBJECT;
        for (; i != CORE_NO_OBJECT && to < end; i = objects->next[i]) { // beyond it, an object is there twice
            *to++ = i;
            *to++ = topology->neighbour[port];
        }
    }
    return (size_t)(to - begin) / CARGO_OBJECT_CROSSES;
}

void cargo_objects_note_moves(struct cargo_objects *objects, const double *from, size_t count)
{
    for (; count > 0; count--, from += CARGO_OBJECT_CROSSES) {
        objects->place[(uint32_t)from[0]] = (uint32_t)from[1];
    }
}

// In a record, the place of an object that has landed is this much higher.
#define LANDED 0x1p32

// Writes the objects of a list, up to `end`: beyond it, an object is there twice.
static double *write_list(const struct cargo_objects *objects, const struct core_object_list *list, double landed,
                          double *to, const double *end)
{
    for (uint32_t i = list->head; i != CORE_NO_OBJECT && to < end; i = objects->next[i]) {
        *to++ = i;
        *to++ = objects->place[i] + landed;
        *to++ = objects->moves[i];
    }
    return to;
}

// Returns the number of records of this process, at most one for each object of the set.
static size_t write_records(const struct cargo_objects *objects, double *to)
{
    const double *begin = to, *end = to + (size_t)objects->set->count * RECORD;
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        to = objects->here[p] ? write_list(objects, &objects->held[p], 0.0, to, end) : to;
    }
    to = write_list(objects, &objects->landed_list, LANDED, to, end);
    return (size_t)(to - begin) / RECORD;
}

// Records of one processor follow one another, and become one list.
static void read_records(struct cargo_objects *objects, const double *from, size_t records)
{
    const struct core_object_set *set = objects->set;
    struct core_object_list list = {.head = CORE_NO_OBJECT};
    objects->landed = (struct cargo_objects_sum){0};
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        objects->held[p] = list;
    }
    for (const double *end = from + records * RECORD; from < end; from += RECORD) {
        uint32_t i = (uint32_t)from[0];
        objects->moves[i] = (uint32_t)from[2];
        core_objects_prepend(&list, objects->next, i, set->object[i].weight);
        if (from + RECORD < end && from[RECORD + 1] == from[1]) {
            continue;
        }
        if (from[1] < LANDED) {
            cargo_objects_hold(objects, (uint32_t)from[1], &list);
            continue;
        }
        cargo_objects_add(objects, &list, &objects->landed);
        for (uint32_t k = list.head; k != CORE_NO_OBJECT; k = objects->next[k]) {
            objects->place[k] = (uint32_t)(from[1] - LANDED);
        }
        list = (struct core_object_list){.head = CORE_NO_OBJECT};
    }
}

// The arrays of a gathering.
struct gathering {
    uint64_t *count; // by process: its records
    size_t *from;    // by process: where they begin
    double *own, *all;
};

static bool exchange(struct cargo_objects *objects, struct gathering *gathering, struct ek_error *error, bool *lost)
{
    const struct ek_ranks *ranks = objects->machine->ranks;
    uint64_t count = write_records(objects, gathering->own);
    if (!ranks->gather(ranks->context, &count, gathering->count, sizeof count)) {
        *lost = true;
        return false;
    }
    for (unsigned r = 0; r < ranks->count; r++) {
        gathering->from[r + 1] = gathering->from[r] + RECORD * (size_t)gathering->count[r];
    }
    if (gathering->from[ranks->count] > RECORD * (size_t)objects->set->count) {
        return cargo_objects_refuse(error);
    }
    memcpy(gathering->all + gathering->from[ranks->rank], gathering->own, RECORD * count * sizeof *gathering->all);
    *lost = !ranks->collect(ranks->context, gathering->all, gathering->from);
    if (!*lost) {
        read_records(objects, gathering->all, gathering->from[ranks->count] / RECORD);
    }
    return !*lost;
}

bool cargo_objects_gather(struct cargo_objects *objects, bool *lost, struct ek_error *error)
{
    const struct ek_ranks *ranks = objects->machine->ranks;
    size_t words = (size_t)objects->set->count * RECORD + 1;
    struct gathering gathering = {.count = calloc(ranks->count, sizeof *gathering.count),
                                  .from = calloc(ranks->count + 1u, sizeof *gathering.from),
                                  .own = calloc(words, sizeof *gathering.own),
                                  .all = calloc(words, sizeof *gathering.all)};
    bool good = (gathering.count && gathering.from && gathering.own && gathering.all) ||
                base_fail(error, EK_BAD_INPUT, "objects", "no memory for the objects of all ranks: use fewer objects");
    *lost = !rank_vote(ranks, &good, 0, error);
    good = good && !*lost && exchange(objects, &gathering, error, lost);
    free(gathering.count);
    free(gathering.from);
    free(gathering.own);
    free(gathering.all);
    return good;
}
