// SPDX-License-Identifier: MIT
#include "cli/figures/drawing.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "topologies/topology.h"

// The largest product of processors and links of which lines are bent. In a larger drawing nobody follows a single one.
static const uint64_t BENDS_MAX = 20000000;

// In pixels. A drawing has the area of a square of side SIDE, or less if processors would be more than FAR apart or it
// would be longer than SIDE_MAX.
static const double SIDE_MAX = 1600.0, FAR = 76.0, SIDE = 900.0, RADIUS_MAX = 17.0, MARGIN = 8.0;
// Of the distance between neighbours.
static const double RADIUS = 0.3;
// In radii of a processor. A link meets a processor whose centre is nearer than MEETS, and is then led around it, if
// possible at a distance of CLEAR.
static const double MEETS = 0.15, CLEAR = 1.2;

void report_drawing_destroy(struct report_drawing *drawing)
{
    free(drawing->at);
    free(drawing->line);
    *drawing = (struct report_drawing){0};
}

double report_drawing_round(double pixels)
{
    return round(pixels * 100.0) / 100.0 + 0.0; // no -0
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

// Writes to `nearest` [processors] each processor's distance to the nearest other one, in ascending order.
static void find_nearest(const struct report_drawing *drawing, double *nearest)
{
    for (uint32_t i = 0; i < drawing->processors; i++) {
        nearest[i] = drawing->processors > 1 ? INFINITY : 1.0;
        for (uint32_t j = 0; j < drawing->processors; j++) {
            double distance = hypot(drawing->at[i].x - drawing->at[j].x, drawing->at[i].y - drawing->at[j].y);
            nearest[i] = j != i ? fmin(nearest[i], distance) : nearest[i];
        }
    }
    qsort(nearest, drawing->processors, sizeof *nearest, compare);
}

// Returns the distance of neighbours from which the size of processors follows. In a regular drawing it is the smallest
// one. In an irregular one a few processors that nearly touch do not make all others small.
static double distance_of(const double *nearest, uint32_t processors)
{
    return fmax(nearest[0], 0.6 * nearest[processors / 2]);
}

// Scales the places to pixels. `apart` is the distance of neighbours. Returns this distance in pixels.
static double scale(struct report_drawing *drawing, double apart)
{
    struct ek_place low = drawing->at[0];
    struct ek_place high = drawing->at[0];
    for (uint32_t p = 1; p < drawing->processors; p++) {
        low = (struct ek_place){fmin(low.x, drawing->at[p].x), fmin(low.y, drawing->at[p].y)};
        high = (struct ek_place){fmax(high.x, drawing->at[p].x), fmax(high.y, drawing->at[p].y)};
    }
    double wide = fmax(high.x - low.x, apart);
    double tall = fmax(high.y - low.y, apart);
    double by = fmin(FAR / apart, fmin(SIDE_MAX / fmax(wide, tall), SIDE / sqrt(wide * tall)));
    double spacing = by * apart;
    drawing->radius = fmin(RADIUS * spacing, RADIUS_MAX);
    double margin = fmax(drawing->radius, 0.5 * spacing) + MARGIN;
    for (uint32_t p = 0; p < drawing->processors; p++) {
        drawing->at[p] =
            (struct ek_place){by * (drawing->at[p].x - low.x) + margin, by * (drawing->at[p].y - low.y) + margin};
    }
    drawing->width = by * (high.x - low.x) + 2.0 * margin;
    drawing->height = by * (high.y - low.y) + 2.0 * margin;
    return spacing;
}

// Returns the direction of a line, and its length.
static struct ek_place direction_of(const struct report_drawing *drawing, const struct report_line *line,
                                    double *length)
{
    struct ek_place from = drawing->at[line->from];
    struct ek_place to = drawing->at[line->to];
    *length = hypot(to.x - from.x, to.y - from.y);
    return (struct ek_place){(to.x - from.x) / *length, (to.y - from.y) / *length};
}

static struct ek_place aside(struct ek_place at, struct ek_place along, double by, double left)
{
    return (struct ek_place){at.x + by * along.x + left * along.y, at.y + by * along.y - left * along.x};
}

// Returns how far the line is from its straight line at a distance x from `from`. In a grid it runs beside the row,
// with a corner at each end; else it is an arc, a parabola.
static double bend_at(const struct report_drawing *drawing, double bend, double length, double x)
{
    double corner = fmin(fabs(bend), 0.5 * length);
    double from_end = fmin(x, length - x);
    if (!drawing->grid) {
        return 4.0 * bend * x * (length - x) / (length * length);
    }
    return from_end < corner ? bend * sqrt(from_end / corner) : bend;
}

// Returns the distance of the line from the nearest processor at which it does not end, if it is bent like this.
static double clearance(const struct report_drawing *drawing, const struct report_line *line, double bend)
{
    double length;
    struct ek_place along = direction_of(drawing, line, &length);
    struct ek_place from = drawing->at[line->from];
    double least = INFINITY;
    for (uint32_t p = 0; p < drawing->processors; p++) {
        double dx = drawing->at[p].x - from.x;
        double dy = drawing->at[p].y - from.y;
        double x = fmin(fmax(dx * along.x + dy * along.y, 0.0), length); // along the line
        if (p != line->from && p != line->to) {
            struct ek_place near = aside((struct ek_place){0.0, 0.0}, along, x, bend_at(drawing, bend, length, x));
            least = fmin(least, hypot(near.x - dx, near.y - dy));
        }
    }
    return least;
}

// Bends the line if it meets a processor: in the first way that keeps it clear of all, or else in the best one.
static void bend(const struct report_drawing *drawing, struct report_line *line, double spacing)
{
    static const double of_grid[] = {0.5, -0.5, 0.35, -0.35, 0.25, -0.25};
    static const double of_arcs[] = {0.06, -0.06, 0.09, -0.09, 0.12, -0.12};
    double length;
    direction_of(drawing, line, &length);
    double best = clearance(drawing, line, 0.0);
    for (size_t i = 0; i < 6 && best < (i == 0 ? MEETS : CLEAR) * drawing->radius; i++) {
        double way = drawing->grid ? of_grid[i] * spacing : of_arcs[i] * length;
        double clear = clearance(drawing, line, way);
        if (clear > best) {
            best = clear;
            line->bend = way;
        }
    }
}

// Moves the drawing, and makes it larger, so that it has room for lines that are bent outwards.
static void make_room(struct report_drawing *drawing)
{
    struct ek_place low = {MARGIN, MARGIN};
    struct ek_place high = {drawing->width - MARGIN, drawing->height - MARGIN};
    for (uint32_t link = 0; link < drawing->links; link++) {
        struct ek_place middle = report_drawing_middle(drawing, &drawing->line[link]);
        low = (struct ek_place){fmin(low.x, middle.x), fmin(low.y, middle.y)};
        high = (struct ek_place){fmax(high.x, middle.x), fmax(high.y, middle.y)};
    }
    for (uint32_t p = 0; p < drawing->processors; p++) {
        drawing->at[p].x += MARGIN - low.x;
        drawing->at[p].y += MARGIN - low.y;
    }
    drawing->width = high.x - low.x + 2.0 * MARGIN;
    drawing->height = high.y - low.y + 2.0 * MARGIN;
}

static void take_lines(struct report_drawing *drawing, const struct ek_topology *topology, double spacing)
{
    uint32_t link = 0;
    bool bends = (uint64_t)topology->links * topology->processors <= BENDS_MAX;
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t from = topology->neighbour[topology->twin[port]];
        uint32_t to = topology->neighbour[port];
        if (from < to) { // each link once
            drawing->line[link] = (struct report_line){.from = from, .to = to, .colour = topology->colour[port]};
            if (bends) {
                bend(drawing, &drawing->line[link], spacing);
            }
            link++;
        }
    }
}

bool report_drawing_make(struct report_drawing *drawing, const struct ek_topology *topology, struct ek_error *error)
{
    *drawing = (struct report_drawing){.processors = topology->processors,
                                       .hosts = topology->hosts,
                                       .links = topology->links,
                                       .colours = topology->colours,
                                       .grid = topology->dimensions > 0};
    if (topology->links > REPORT_DRAWN_LINKS_MAX) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "a drawing has at most %d links, and %.300s has %u: draw a smaller one of its family",
                         REPORT_DRAWN_LINKS_MAX, topology->spec, topology->links);
    }
    drawing->at = calloc(topology->processors, sizeof *drawing->at);
    drawing->line = calloc((size_t)topology->links + 1, sizeof *drawing->line);
    if (!drawing->at || !drawing->line) {
        return base_refuse(error, "there is no memory for a drawing: use a smaller topology");
    }
    if (!ek_topology_places(topology, drawing->at, error)) {
        return false;
    }
    double *nearest = malloc(topology->processors * sizeof *nearest);
    if (!nearest) {
        return base_refuse(error, "there is no memory for a drawing: use a smaller topology");
    }
    find_nearest(drawing, nearest);
    double spacing = scale(drawing, distance_of(nearest, topology->processors));
    free(nearest);
    take_lines(drawing, topology, spacing);
    make_room(drawing);
    return true;
}

static void write_point(FILE *out, char letter, struct ek_place at)
{
    fprintf(out, "%c%g %g", letter, report_drawing_round(at.x), report_drawing_round(at.y));
}

void report_drawing_path(FILE *out, const struct report_drawing *drawing, const struct report_line *line)
{
    struct ek_place from = drawing->at[line->from];
    struct ek_place to = drawing->at[line->to];
    write_point(out, 'M', from);
    double length;
    struct ek_place along = direction_of(drawing, line, &length);
    if (line->bend != 0.0 && drawing->grid) {
        double corner = fmin(fabs(line->bend), 0.5 * length);
        write_point(out, 'Q', aside(from, along, 0.0, line->bend));
        write_point(out, ' ', aside(from, along, corner, line->bend));
        write_point(out, 'L', aside(to, along, -corner, line->bend));
        write_point(out, 'Q', aside(to, along, 0.0, line->bend));
        write_point(out, ' ', to);
    } else if (line->bend != 0.0) {
        write_point(out, 'Q', aside(from, along, 0.5 * length, 2.0 * line->bend));
        write_point(out, ' ', to);
    } else {
        write_point(out, 'L', to);
    }
}

struct ek_place report_drawing_middle(const struct report_drawing *drawing, const struct report_line *line)
{
    double length;
    struct ek_place along = direction_of(drawing, line, &length);
    return aside(drawing->at[line->from], along, 0.5 * length, line->bend);
}
