// SPDX-License-Identifier: MIT
// smallworld:N:K:P, the model of Watts & Strogatz ("Collective dynamics of 'small-world' networks", Nature 393, 1998).
// At first each processor is linked to the K nearest on a ring. Then, lap by lap, the link (i, i+d) is moved with
// probability P to (i, j), where j is drawn uniformly among all processors that make it a new link. The graph is drawn
// again until it is connected.
#include <stdlib.h>

#include "base/random.h"
#include "topologies/families/link_set.h"
#include "topologies/family.h"
#include "topologies/places/places.h"
#include "topologies/topology.h"

enum { ATTEMPTS = 1000 };

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    topo_places_circle(place, topology->processors);
    return true;
}

struct drawing {
    struct base_random random;
    struct topo_link_set known;
    struct topo_pair *pairs; // link (i, i+d) is at (d-1)*processors + i
    uint32_t *parent;        // [processors] for the search for components
    uint32_t *degree;        // [processors]
    uint32_t processors, laps;
    double probability;
};

static void begin(struct drawing *drawing)
{
    uint32_t n = drawing->processors;
    topo_link_set_clear(&drawing->known);
    for (uint32_t p = 0; p < n; p++) {
        drawing->degree[p] = 2 * drawing->laps;
    }
    for (uint32_t lap = 0; lap < drawing->laps; lap++) {
        for (uint32_t i = 0; i < n; i++) {
            struct topo_pair pair = topo_pair_of(i, (i + lap + 1) % n);
            drawing->pairs[(size_t)lap * n + i] = pair;
            topo_link_set_add(&drawing->known, pair);
        }
    }
}

// Moves the far end of a link of processor i. A processor that is linked to all others keeps its links.
static void move(struct drawing *drawing, struct topo_pair *pair, uint32_t i, uint32_t far)
{
    if (drawing->degree[i] == drawing->processors - 1) {
        return;
    }
    struct topo_pair moved;
    uint32_t j;
    do {
        j = (uint32_t)base_random_below(&drawing->random, drawing->processors);
        moved = topo_pair_of(i, j);
    } while (!topo_link_set_lacks(&drawing->known, moved));
    topo_link_set_remove(&drawing->known, *pair);
    topo_link_set_add(&drawing->known, moved);
    drawing->degree[far]--;
    drawing->degree[j]++;
    *pair = moved;
}

// Draws until the graph is connected.
static bool draw(struct drawing *drawing)
{
    uint32_t n = drawing->processors;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        begin(drawing);
        for (uint32_t lap = 0; lap < drawing->laps; lap++) {
            for (uint32_t i = 0; i < n; i++) {
                if (base_random_unit(&drawing->random) < drawing->probability) {
                    move(drawing, &drawing->pairs[(size_t)lap * n + i], i, (i + lap + 1) % n);
                }
            }
        }
        if (topo_pairs_components(drawing->pairs, (size_t)n * drawing->laps, n, drawing->parent) == 1) {
            return true;
        }
    }
    return false;
}

static bool draw_links(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t nearest,
                       double probability)
{
    struct ek_topology *topology = draft->topology;
    size_t n = topology->processors;
    struct drawing drawing = {.random = base_random_start(draft->request->seed, 0, BASE_STREAM_LINKS),
                              .pairs = draft->pairs,
                              .parent = malloc(n * sizeof *drawing.parent),
                              .degree = malloc(n * sizeof *drawing.degree),
                              .processors = topology->processors,
                              .laps = (uint32_t)nearest / 2,
                              .probability = probability};
    bool good = topo_link_set_make(&drawing.known, topology->links) && drawing.parent && drawing.degree;
    good = good ? draw(&drawing) || base_cursor_fail(cursor, at,
                                                     "%d graphs were drawn and none is connected: use a larger K, a "
                                                     "smaller P or another seed",
                                                     ATTEMPTS)
                : base_cursor_fail(cursor, at, "there is no memory left for a topology");
    topo_link_set_destroy(&drawing.known);
    free(drawing.parent);
    free(drawing.degree);
    draft->pairs_count = topology->links;
    topo_draft_pairs_end(draft);
    return good;
}

bool topo_read_smallworld(struct topo_draft *draft, struct base_cursor *cursor)
{
    static const char AS[] = "the number before it, as in smallworld:100:4:0.1";
    uint64_t n;
    uint64_t nearest;
    double probability;
    if (!base_cursor_expect(cursor, ':', "smallworld, as in smallworld:100:4:0.1")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 3, TOPO_PROCESSORS_MAX, &n) ||
        !base_cursor_expect(cursor, ':', AS)) {
        return false;
    }
    size_t nearest_at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of nearest processors", 2, n - 1, &nearest)) {
        return false;
    }
    if (nearest % 2 == 1) {
        return base_cursor_fail(cursor, nearest_at,
                                "half of the nearest processors are on each side: use an even number");
    }
    if (!base_cursor_expect(cursor, ':', AS) ||
        !base_cursor_real(cursor, "the probability that a link is moved", 0.0, 1.0, &probability)) {
        return false;
    }
    draft->extra_bytes = topo_link_set_bytes(n * nearest / 2) + 2 * n * sizeof(uint32_t);
    draft->topology->drawn = true;
    draft->topology->places = places;
    return topo_draft_pairs_begin(draft, cursor, at, n, n * nearest / 2) &&
           draw_links(draft, cursor, at, nearest, probability);
}
