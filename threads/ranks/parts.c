// SPDX-License-Identifier: MIT
// Parts of a general graph.
#include "threads/ranks/parts.h"
#include "threads/api/ranks.h"
#include "topologies/topology.h"

#include <stdlib.h>

enum {
    STRETCHES_MAX = 1 << 16,
    ROWS_MAX = 1 << 24 // entries of all rows: twice the number of neighbouring pairs of stretches
};

// The graph of stretches, in compressed rows.
struct rows {
    int32_t *first, *neighbour, *links, *size;
    int32_t *place; // by stretch: its position in the row that is being made, or an older position
};

// Makes the row of stretch s, from position `at` on: each neighbouring stretch once, with the number of links to it.
// Arrays that are NULL are not written. Returns the position of the next row.
static int64_t make_row(struct rows *rows, const struct ek_topology *topology, unsigned shift, uint32_t s, int64_t at)
{
    uint64_t end = ((uint64_t)s + 1) << shift;
    uint32_t last = end < topology->processors ? (uint32_t)end : topology->processors;
    int64_t begin = at;
    rows->size[s] = (int32_t)(last - (s << shift));
    for (uint32_t port = topology->first[s << shift]; port < topology->first[last]; port++) {
        uint32_t other = topology->neighbour[port] >> shift;
        if (other == s) {
            continue;
        }
        if (rows->place[other] < begin) { // not yet in this row
            rows->place[other] = (int32_t)at++;
            if (rows->neighbour) {
                rows->neighbour[at - 1] = (int32_t)other;
            }
        }
        if (rows->links) {
            rows->links[rows->place[other]]++;
        }
    }
    return at;
}

// Makes all rows: the first call counts, the second one fills them in. Returns the number of entries, or -1 if there
// are too many.
static int64_t make_rows(struct rows *rows, const struct ek_topology *topology, const struct rank_parts *parts)
{
    int64_t at = 0;
    for (uint32_t s = 0; s < parts->count; s++) {
        rows->place[s] = -1;
    }
    for (uint32_t s = 0; s < parts->count; s++) {
        rows->first[s] = (int32_t)at;
        at = make_row(rows, topology, parts->shift, s, at);
        if (at > ROWS_MAX) {
            return -1;
        }
    }
    rows->first[parts->count] = (int32_t)at;
    return at;
}

// Numbers the parts in the order in which they begin, because the partitioner may number them in any order. If each
// rank has one span, rank r then has span r, as with blocks in order. Returns false if there is no memory.
static bool number(struct rank_parts *parts, unsigned ranks)
{
    int32_t next = 0;
    int32_t *named = calloc(ranks, sizeof *named); // by old number: the new number plus 1, or 0
    for (uint32_t s = 0; named && s < parts->count; s++) {
        int32_t *name = &named[parts->rank[s]];
        *name = *name > 0 ? *name : ++next;
        parts->rank[s] = *name - 1;
    }
    bool good = named != NULL;
    free(named);
    return good;
}

// Lets the partitioner divide the graph. Returns false if there is no memory.
static bool divide(struct rows *rows, const struct ek_topology *topology, const struct ek_ranks *ranks,
                   struct rank_parts *parts)
{
    int64_t neighbours = make_rows(rows, topology, parts);
    if (neighbours < 0) {
        parts->count = 0;
        return true;
    }
    rows->neighbour = calloc((size_t)neighbours + 1, sizeof *rows->neighbour);
    rows->links = calloc((size_t)neighbours + 1, sizeof *rows->links);
    if (!rows->neighbour || !rows->links) {
        return false;
    }
    make_rows(rows, topology, parts);
    struct ek_rank_graph graph = {.vertices = (int32_t)parts->count,
                                  .first = rows->first,
                                  .neighbour = rows->neighbour,
                                  .links = rows->links,
                                  .processors = rows->size};
    if (!ranks->divide(ranks->context, &graph, parts->rank)) {
        parts->count = 0;
    }
    return number(parts, ranks->count);
}

bool rank_parts_make(struct rank_parts *parts, const struct ek_topology *topology, const struct ek_ranks *ranks)
{
    *parts = (struct rank_parts){0};
    while ((topology->processors - 1) >> parts->shift >= STRETCHES_MAX) {
        parts->shift++;
    }
    parts->count = ((topology->processors - 1) >> parts->shift) + 1;
    parts->rank = calloc(parts->count, sizeof *parts->rank);
    struct rows rows = {.first = calloc(parts->count + 1, sizeof(int32_t)),
                        .size = calloc(parts->count, sizeof(int32_t)),
                        .place = calloc(parts->count, sizeof(int32_t))};
    bool good = parts->rank && rows.first && rows.size && rows.place && divide(&rows, topology, ranks, parts);
    free(rows.first);
    free(rows.neighbour);
    free(rows.links);
    free(rows.size);
    free(rows.place);
    return good;
}

void rank_parts_destroy(struct rank_parts *parts)
{
    free(parts->rank);
}
