// SPDX-License-Identifier: MIT
// geometric:N:RADIUS, a random geometric graph (Gilbert, "Random plane networks", J. SIAM 9, 1961): N points are drawn
// uniformly in a square of side 1, and those at most RADIUS apart are linked. The points are drawn again until the
// graph is connected, which is likely if RADIUS is above sqrt(log N / (pi N)) (Penrose 1997).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "topologies/family.h"
#include "topologies/topology.h"

struct ek_place;

enum { ATTEMPTS = 100, CELLS_MAX = 4096 };

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    memcpy(place, topology->place, topology->processors * sizeof *place);
    return true;
}

// The points, and a grid of cells that are at least a radius wide: points that are linked are in cells side by side.
struct drawing {
    struct base_random random;
    struct ek_place *point; // [processors]
    uint32_t *next;         // [processors] the next point in the same cell, or NONE
    uint32_t *cell;         // [cells * cells] the first point of each cell, or NONE
    uint32_t *parent;       // [processors]
    uint32_t processors, cells;
    double radius;
};

static const uint32_t NONE = UINT32_MAX;

static uint32_t cell_of(const struct drawing *drawing, double coordinate)
{
    uint32_t cell = (uint32_t)(coordinate * drawing->cells);
    return cell < drawing->cells ? cell : drawing->cells - 1;
}

static void draw_points(struct drawing *drawing)
{
    size_t cells = (size_t)drawing->cells * drawing->cells;
    for (size_t i = 0; i < cells; i++) {
        drawing->cell[i] = NONE;
    }
    for (uint32_t p = 0; p < drawing->processors; p++) {
        double x = base_random_unit(&drawing->random);
        double y = base_random_unit(&drawing->random);
        uint32_t *first = &drawing->cell[(size_t)cell_of(drawing, y) * drawing->cells + cell_of(drawing, x)];
        drawing->point[p] = (struct ek_place){x, y};
        drawing->next[p] = *first;
        *first = p;
    }
}

// Adds the links from p to the points of a cell with larger numbers, if `draft` is not NULL. Returns how many there
// are.
static uint64_t link_cell(const struct drawing *drawing, struct topo_draft *draft, uint32_t p, uint32_t first)
{
    uint64_t count = 0;
    for (uint32_t q = first; q != NONE; q = drawing->next[q]) {
        double dx = drawing->point[p].x - drawing->point[q].x;
        double dy = drawing->point[p].y - drawing->point[q].y;
        if (q > p && dx * dx + dy * dy <= drawing->radius * drawing->radius) {
            count++;
            if (draft) {
                topo_draft_pairs_add(draft, p, q);
            }
        }
    }
    return count;
}

// Adds all links, if `draft` is not NULL. Returns how many there are.
static uint64_t link_points(const struct drawing *drawing, struct topo_draft *draft)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < drawing->processors; p++) {
        uint32_t column = cell_of(drawing, drawing->point[p].x);
        uint32_t row = cell_of(drawing, drawing->point[p].y);
        for (uint32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < drawing->cells; y++) {
            for (uint32_t x = column > 0 ? column - 1 : 0; x <= column + 1 && x < drawing->cells; x++) {
                count += link_cell(drawing, draft, p, drawing->cell[(size_t)y * drawing->cells + x]);
            }
        }
    }
    return count;
}

// Draws until the graph is connected.
static bool draw(struct drawing *drawing, struct topo_draft *draft, struct base_cursor *cursor, size_t at)
{
    uint64_t own = draft->extra_bytes;
    uint32_t n = drawing->processors;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        free(draft->pairs);
        draft->pairs = NULL;
        draft->extra_bytes = own;
        draw_points(drawing);
        uint64_t links = link_points(drawing, NULL);
        if (links + 1 < n) {
            continue; // too few to connect them
        }
        if (!topo_draft_pairs_begin(draft, cursor, at, n, links)) {
            return false;
        }
        link_points(drawing, draft);
        topo_draft_pairs_end(draft);
        if (topo_pairs_components(draft->pairs, links, n, drawing->parent) == 1) {
            return true;
        }
    }
    return base_cursor_fail(cursor, at,
                            "%d graphs were drawn and none is connected: use another seed, or a radius well above %.2g",
                            ATTEMPTS, sqrt(log(n) / (3.14159265358979 * n)));
}

static bool draw_links(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint32_t n, double radius)
{
    double cells = fmin(fmin(floor(1.0 / radius), ceil(sqrt(n))), CELLS_MAX);
    struct drawing drawing = {.random = base_random_start(draft->request->seed, 0, BASE_STREAM_LINKS),
                              .point = malloc(n * sizeof *drawing.point),
                              .next = malloc(n * sizeof *drawing.next),
                              .parent = malloc(n * sizeof *drawing.parent),
                              .processors = n,
                              .cells = cells >= 1.0 ? (uint32_t)cells : 1,
                              .radius = radius};
    drawing.cell = malloc((size_t)drawing.cells * drawing.cells * sizeof *drawing.cell);
    bool good = drawing.point && drawing.next && drawing.parent && drawing.cell;
    good = good ? draw(&drawing, draft, cursor, at)
                : base_cursor_fail(cursor, at, "there is no memory left for a topology");
    draft->topology->place = drawing.point;
    draft->topology->places = places;
    draft->topology->drawn = true;
    free(drawing.next);
    free(drawing.parent);
    free(drawing.cell);
    return good;
}

bool topo_read_geometric(struct topo_draft *draft, struct base_cursor *cursor)
{
    static const double RADIUS_MAX = 1.5, RADIUS_MIN = 1e-6; // above sqrt(2) all are linked
    uint64_t n;
    double radius;
    if (!base_cursor_expect(cursor, ':', "geometric, as in geometric:100:0.2")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 1, TOPO_PROCESSORS_MAX, &n) ||
        !base_cursor_expect(cursor, ':', "the number of processors, as in geometric:100:0.2") ||
        !base_cursor_real(cursor, "the radius", RADIUS_MIN, RADIUS_MAX, &radius)) {
        return false;
    }
    draft->extra_bytes = n * (sizeof(struct ek_place) + 2 * sizeof(uint32_t)) + n * sizeof(uint32_t);
    return topo_draft_size(draft, cursor, at, n, n - 1) && draw_links(draft, cursor, at, (uint32_t)n, radius);
}
