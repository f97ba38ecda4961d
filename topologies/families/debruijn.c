// SPDX-License-Identifier: MIT
// debruijn:K:D, the undirected de Bruijn graph (de Bruijn 1946; Pradhan & Reddy 1982): K^D processors, whose numbers
// are words of D digits in base K. Each is linked to the K words that a shift to the left and a new last digit make.
// The K links of a word of equal digits to itself are left out, and so is the second link between two words of
// alternating digits. The diameter is D. Eigenvalues are known for the graph with double links only (Delorme & Tillich
// 1998).
#include "topologies/family.h"
#include "topologies/topology.h"

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    uint32_t n = draft->topology->processors;
    uint32_t base = draft->number[0];
    uint32_t first = (uint32_t)((uint64_t)p * base % n);
    for (uint32_t digit = 0; digit < base; digit++) {
        row[digit].processor = p / base + digit * (n / base);
        row[base + digit].processor = first + digit;
    }
    return 2 * base;
}

bool topo_read_debruijn(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t base;
    uint64_t digits;
    if (!base_cursor_expect(cursor, ':', "debruijn, as in debruijn:2:6") ||
        !base_cursor_whole(cursor, "the base of the words", 2, TOPO_PROCESSORS_MAX, &base) ||
        !base_cursor_expect(cursor, ':', "the base, as in debruijn:2:6")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of digits", 1, 26, &digits)) {
        return false;
    }
    uint64_t n = topo_power(base, digits, TOPO_PROCESSORS_MAX);
    if (n > TOPO_PROCESSORS_MAX) {
        return base_cursor_fail(cursor, at, "this makes more than %d processors: use a smaller base or fewer digits",
                                TOPO_PROCESSORS_MAX);
    }
    uint64_t links = n * base - base - base * (base - 1) / 2;
    draft->searches = TOPO_SEARCH_COLOURS;
    if (!topo_draft_size(draft, cursor, at, n, links)) {
        return false;
    }
    draft->topology->diameter = (int64_t)digits;
    draft->number[0] = (uint32_t)base;
    return topo_draft_rows(draft, cursor, at, 2 * (uint32_t)base, find_row);
}
