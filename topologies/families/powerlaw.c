// SPDX-License-Identifier: MIT
// powerlaw:N:M, the model of Barabási & Albert ("Emergence of scaling in random networks", Science 286, 1999). It
// begins with a star: processor 0 linked to 1 .. M. Each further processor is linked to M different ones before it,
// each drawn with a probability in proportion to its links so far. Such a graph is connected.
#include "base/random.h"
#include "topologies/family.h"
#include "topologies/topology.h"

// Returns an end of a random link of `count`: a processor, drawn in proportion to its links.
static uint32_t draw_end(const struct topo_draft *draft, struct base_random *random, uint32_t count)
{
    uint64_t end = base_random_below(random, 2 * (uint64_t)count);
    const struct topo_pair *pair = &draft->pairs[end / 2];
    return end % 2 == 0 ? pair->low : pair->high;
}

// Links processor p to `links` processors before it.
static void add_processor(struct topo_draft *draft, struct base_random *random, uint32_t p, uint32_t links)
{
    uint32_t count = draft->pairs_count;
    while (draft->pairs_count < count + links) {
        uint32_t other = draw_end(draft, random, count);
        uint32_t i = count;
        while (i < draft->pairs_count && draft->pairs[i].low != other) {
            i++;
        }
        if (i == draft->pairs_count) {
            topo_draft_pairs_add(draft, other, p);
        }
    }
}

bool topo_read_powerlaw(struct topo_draft *draft, struct base_cursor *cursor)
{
    enum { LINKS_MAX = 10000 };
    uint64_t n;
    uint64_t links;
    if (!base_cursor_expect(cursor, ':', "powerlaw, as in powerlaw:100:2")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 2, TOPO_PROCESSORS_MAX, &n) ||
        !base_cursor_expect(cursor, ':', "the number of processors, as in powerlaw:100:2") ||
        !base_cursor_whole(cursor, "the number of links of a new processor", 1, n - 1 < LINKS_MAX ? n - 1 : LINKS_MAX,
                           &links) ||
        !topo_draft_pairs_begin(draft, cursor, at, n, links * (n - links))) {
        return false;
    }
    struct base_random random = base_random_start(draft->request->seed, 0, BASE_STREAM_LINKS);
    for (uint32_t leaf = 1; leaf <= links; leaf++) {
        topo_draft_pairs_add(draft, 0, leaf);
    }
    for (uint32_t p = (uint32_t)links + 1; p < n; p++) {
        add_processor(draft, &random, p, (uint32_t)links);
    }
    topo_draft_pairs_end(draft);
    draft->topology->drawn = true;
    return true;
}
