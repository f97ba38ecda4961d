// SPDX-License-Identifier: MIT
// margulis:N, the expander of Margulis (1973) in the form of Gabber & Galil ("Explicit constructions of linear-sized
// superconcentrators", J. Computer and System Sciences 22, 1981). Processor (x, y) is number x + N*y. It is linked, all
// numbers modulo N, to (x + 2y, y), (x + 2y + 1, y), (x, y + 2x) and (x, y + 2x + 1), and so by the inverses to four
// others. Links that lead to themselves, and links that occur again, are left out. With them the graph has 8 links at
// each processor, and the second smallest eigenvalue of its Laplacian is at least 8 - 5 sqrt(2), about 0.93, for every
// N.
#include <stdlib.h>

#include "topologies/family.h"
#include "topologies/topology.h"

struct ek_place;

enum { SIDE_MAX = 4096 };

// Adds all links, and again those that occur twice. Returns how many.
static uint32_t add_links(struct topo_pair *pairs, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < n * n; p++) {
        uint32_t x = p % n;
        uint32_t y = p / n;
        const uint32_t others[] = {(x + 2 * y) % n + n * y, (x + 2 * y + 1) % n + n * y, x + n * ((y + 2 * x) % n),
                                   x + n * ((y + 2 * x + 1) % n)};
        for (unsigned i = 0; i < 4; i++) {
            if (others[i] != p) {
                pairs[count++] = topo_pair_of(p, others[i]);
            }
        }
    }
    return count;
}

static uint32_t leave_out_repeated(struct topo_pair *pairs, uint32_t count)
{
    topo_pairs_sort(pairs, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || pairs[i].low != pairs[kept - 1].low || pairs[i].high != pairs[kept - 1].high) {
            pairs[kept++] = pairs[i];
        }
    }
    return kept;
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    for (uint32_t p = 0; p < topology->processors; p++) {
        place[p] = (struct ek_place){p % topology->number[0], p / topology->number[0]};
    }
    return true;
}

bool topo_read_margulis(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t n;
    if (!base_cursor_expect(cursor, ':', "margulis, as in margulis:8")) {
        return false;
    }
    size_t at = cursor->at;
    // The number of links is known when the repeated ones are left out; until then there is room for all.
    if (!base_cursor_whole(cursor, "the side of the square", 2, SIDE_MAX, &n) ||
        !topo_draft_pairs_begin(draft, cursor, at, n * n, 4 * n * n)) {
        return false;
    }
    draft->topology->number[0] = (uint32_t)n;
    draft->topology->places = places;
    uint32_t links = leave_out_repeated(draft->pairs, add_links(draft->pairs, (uint32_t)n));
    return topo_draft_size(draft, cursor, at, n * n, links);
}
