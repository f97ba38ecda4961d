// SPDX-License-Identifier: MIT
// shuffle:D, the shuffle-exchange graph (Stone 1971): 2^D processors. Each is linked to the processor whose number
// differs in the lowest bit (exchange), and to those whose numbers are its own rotated by one bit (shuffle). Links of
// 00...0 and 11...1 to themselves are left out, and so is the second link between 0101...01 and 1010...10.
#include "topologies/family.h"
#include "topologies/topology.h"

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    uint32_t bits = draft->number[0];
    uint32_t last = draft->topology->processors - 1;
    row[0].processor = p ^ 1;
    row[1].processor = (p << 1 | p >> (bits - 1)) & last;
    row[2].processor = (p >> 1 | p << (bits - 1)) & last;
    return 3;
}

bool topo_read_shuffle(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t bits;
    if (!base_cursor_expect(cursor, ':', "shuffle, as in shuffle:6")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of bits", 1, 26, &bits)) {
        return false;
    }
    uint64_t n = (uint64_t)1 << bits;
    uint64_t links = n / 2 + (n - 2) - (bits % 2 == 0);
    draft->searches = TOPO_SEARCH_COLOURS;
    if (!topo_draft_size(draft, cursor, at, n, links)) {
        return false;
    }
    draft->topology->diameter = 2 * (int64_t)bits - 1;
    draft->number[0] = (uint32_t)bits;
    return topo_draft_rows(draft, cursor, at, 3, find_row);
}
