// SPDX-License-Identifier: MIT
// Functions that all families share: the size of a draft, links as pairs and as rows, specs within specs, and a draft's
// release.
#include <assert.h>
#include <stdlib.h>

#include "topologies/family.h"
#include "topologies/topology.h"
#include "topologies/window.h"

// Lets the permit choose the rows to store. Returns false if there is no memory.
static bool choose_rows(struct topo_draft *draft)
{
    const struct topo_permit *permit = &draft->request->permit;
    struct ek_topology *topology = draft->topology;
    struct topo_window window = {.begin = 0};
    free(topology->window); // of a size that was set before
    topology->window = NULL;
    if (draft->request->nesting > 0 || !permit->stores_part ||
        !permit->stores_part(permit->context, topology, &window.begin, &window.end)) {
        return true;
    }
    topology->window = malloc(sizeof window);
    if (topology->window) {
        *topology->window = window;
    }
    return topology->window;
}

uint64_t topo_draft_extra_bytes(const struct topo_draft *draft)
{
    const struct ek_topology *topology = draft->topology;
    bool colours = draft->searches & TOPO_SEARCH_COLOURS && !topology->window;
    return draft->extra_bytes + (colours ? topo_colouring_bytes(topology->processors, topology->links) : 0);
}

bool topo_draft_size(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                     uint64_t links)
{
    assert(processors > 0);
    const int most = draft->topology->rows ? TOPO_COMPUTED_MAX : TOPO_PROCESSORS_MAX;
    if (processors > (unsigned)most) {
        return base_cursor_fail(cursor, at, "this makes %llu processors: at most %d are possible",
                                (unsigned long long)processors, most);
    }
    if (links > UINT32_MAX / 2) {
        return base_cursor_fail(cursor, at, "this makes %llu links: at most %u are possible", (unsigned long long)links,
                                UINT32_MAX / 2);
    }
    struct ek_topology *topology = draft->topology;
    topology->processors = (uint32_t)processors;
    topology->hosts = topology->processors; // a family with switches says so later
    topology->links = (uint32_t)links;
    topology->ports = (uint32_t)(2 * links);
    if (!choose_rows(draft)) {
        return base_cursor_fail(cursor, at, "there is no memory left for a topology");
    }
    const struct topo_permit *permit = &draft->request->permit;
    uint64_t bytes_most = ek_topology_bytes(topology) + topo_draft_extra_bytes(draft);
    return permit->allows(permit->context, topology, bytes_most, at, cursor->error);
}

static void list_pairs(const struct topo_draft *draft, struct topo_builder *builder)
{
    for (uint32_t i = 0; i < draft->topology->links; i++) {
        topo_builder_link(builder, draft->pairs[i].low, draft->pairs[i].high, 0, 1, 0);
    }
}

void topo_draft_pairs(struct topo_draft *draft, struct topo_pair *pairs)
{
    draft->pairs = pairs;
    draft->list_links = list_pairs;
    draft->searches = TOPO_SEARCH_COLOURS | TOPO_SEARCH_DIAMETER;
}

bool topo_draft_pairs_begin(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                            uint64_t links)
{
    draft->extra_bytes += links * sizeof *draft->pairs;
    draft->searches = TOPO_SEARCH_COLOURS | TOPO_SEARCH_DIAMETER;
    if (!topo_draft_size(draft, cursor, at, processors, links)) {
        return false;
    }
    topo_draft_pairs(draft, malloc(((size_t)links + 1) * sizeof *draft->pairs));
    draft->pairs_count = 0;
    return draft->pairs || base_cursor_fail(cursor, at, "there is no memory left for a topology");
}

void topo_draft_pairs_add(struct topo_draft *draft, uint32_t a, uint32_t b)
{
    assert(a != b && draft->pairs_count < draft->topology->links);
    draft->pairs[draft->pairs_count++] = topo_pair_of(a, b);
}

void topo_draft_pairs_end(struct topo_draft *draft)
{
    assert(draft->pairs_count == draft->topology->links);
    topo_pairs_sort(draft->pairs, draft->pairs_count);
}

static int compare_neighbours(const void *left, const void *right)
{
    const struct topo_neighbour *a = left;
    const struct topo_neighbour *b = right;
    int order = (a->processor > b->processor) - (a->processor < b->processor);
    return order ? order : (a->colour > b->colour) - (a->colour < b->colour);
}

// Sorts a row. Most rows are short, and qsort would take longer for them.
static void sort_row(struct topo_neighbour *row, uint32_t count)
{
    enum { SHORT = 24 };
    if (count > SHORT) {
        qsort(row, count, sizeof *row, compare_neighbours);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct topo_neighbour next = row[i];
        uint32_t j = i;
        for (; j > 0 && compare_neighbours(&row[j - 1], &next) > 0; j--) {
            row[j] = row[j - 1];
        }
        row[j] = next;
    }
}

static void list_rows(const struct topo_draft *draft, struct topo_builder *builder)
{
    for (uint32_t p = 0; p < draft->topology->processors; p++) {
        uint32_t found = draft->find_row(draft, p, draft->row);
        uint32_t count = 0;
        for (uint32_t i = 0; i < found; i++) {
            if (draft->row[i].processor > p) {
                draft->row[count++] = draft->row[i];
            }
        }
        sort_row(draft->row, count);
        for (uint32_t i = 0; i < count; i++) {
            if (i == 0 || draft->row[i].processor != draft->row[i - 1].processor) {
                topo_builder_link(builder, p, draft->row[i].processor, 0, 1, draft->row[i].colour);
            }
        }
    }
}

bool topo_draft_rows(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint32_t most,
                     topo_find_row *find_row)
{
    draft->row = malloc(((size_t)most + 1) * sizeof *draft->row);
    draft->find_row = find_row;
    draft->list_links = list_rows;
    return draft->row || base_cursor_fail(cursor, at, "there is no memory left for a topology");
}

bool topo_request_inside(const struct topo_draft *draft, struct base_cursor *cursor, const char *name, const char *as,
                         struct topo_request *inside)
{
    if (draft->request->nesting == TOPO_NESTING_MAX) {
        return base_cursor_fail(cursor, cursor->at, "%s can be nested %d deep: leave some out", name, TOPO_NESTING_MAX);
    }
    *inside = *draft->request;
    inside->nesting++;
    return base_cursor_expect(cursor, '(', as);
}

uint64_t topo_power(uint64_t base, uint64_t exponent, uint64_t most)
{
    uint64_t power = 1;
    for (uint64_t i = 0; i < exponent; i++) {
        if (base > 1 && power > most / base) {
            return most + 1;
        }
        power *= base;
    }
    return power;
}

void topo_draft_destroy(struct topo_draft *draft)
{
    ek_topology_destroy(draft->topology);
    ek_topology_destroy(draft->nucleus);
    free(draft->pairs);
    free(draft->row);
    free(draft->jump);
}
