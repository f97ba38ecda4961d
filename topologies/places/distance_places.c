// SPDX-License-Identifier: MIT
// Places of a general graph. The drawing minimises the stress, the sum over all pairs of
//     (|place_i - place_j| - d_ij)^2 / d_ij^2,
// where d_ij is the number of links between i and j. It begins with the first two axes of pivot multidimensional
// scaling (Brandes & Pich 2006), and moves one processor after the other to the mean of the places that the others want
// for it (Gansner, Koren & North 2004). Only sums, products, quotients and square roots are used, and the one random
// stream has a fixed seed. So the places do not depend on the computer.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/places/places.h"
#include "base/random.h"
#include "topologies/topology.h"

enum { PIVOTS = 32, POWERS = 100, SWEEPS = 120, PUSHES = 60 };

static const uint64_t SEED = 20;

struct sketch {
    const struct ek_topology *topology;
    uint32_t processors;
    uint16_t *distance; // [processors * processors]
    uint32_t *queue;    // [processors]
    double *column;     // [pivots * processors] squared distances to the pivots, centred in both directions
    uint32_t pivots;
    struct ek_place *place;
};

// Finds the distances from one processor by a breadth-first search.
static void search(struct sketch *sketch, uint32_t from)
{
    const struct ek_topology *topology = sketch->topology;
    uint16_t *distance = sketch->distance + (size_t)from * sketch->processors;
    for (uint32_t p = 0; p < sketch->processors; p++) {
        distance[p] = UINT16_MAX;
    }
    uint32_t filled = 0;
    distance[from] = 0;
    sketch->queue[filled++] = from;
    for (uint32_t i = 0; i < filled; i++) {
        uint32_t p = sketch->queue[i];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            if (distance[q] == UINT16_MAX) {
                distance[q] = (uint16_t)(distance[p] + 1);
                sketch->queue[filled++] = q;
            }
        }
    }
}

// Fills the columns. Each pivot is the processor that is farthest from the pivots before it.
static void choose_pivots(struct sketch *sketch)
{
    uint32_t n = sketch->processors;
    uint32_t *nearest = sketch->queue; // by processor: its distance to the nearest pivot
    for (uint32_t p = 0; p < n; p++) {
        nearest[p] = UINT32_MAX;
    }
    uint32_t pivot = 0;
    for (uint32_t i = 0; i < sketch->pivots; i++) {
        const uint16_t *distance = sketch->distance + (size_t)pivot * n;
        double *column = sketch->column + (size_t)i * n;
        uint32_t farthest = 0;
        for (uint32_t p = 0; p < n; p++) {
            column[p] = (double)distance[p] * distance[p];
            nearest[p] = distance[p] < nearest[p] ? distance[p] : nearest[p];
            farthest = nearest[p] > nearest[farthest] ? p : farthest;
        }
        pivot = farthest;
    }
}

static void centre(double *first, size_t count, size_t stride)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += first[i * stride];
    }
    for (size_t i = 0; i < count; i++) {
        first[i * stride] -= sum / (double)count;
    }
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Finds by powers of C C^T the axis of the columns C with the largest variance, orthogonal to `other` if that is not
// NULL. The axis has length 1.
static void find_axis(const struct sketch *sketch, const double *other, struct base_random *random, double *axis)
{
    uint32_t n = sketch->processors;
    for (uint32_t p = 0; p < n; p++) {
        axis[p] = base_random_unit(random) - 0.5;
    }
    for (unsigned power = 0; power < POWERS; power++) {
        double weight[PIVOTS];
        for (uint32_t i = 0; i < sketch->pivots; i++) {
            weight[i] = dot(sketch->column + (size_t)i * n, axis, n);
        }
        double along = 0.0;
        for (uint32_t p = 0; p < n; p++) {
            axis[p] *= 1e-9; // an axis remains if the columns have no second one
            for (uint32_t i = 0; i < sketch->pivots; i++) {
                axis[p] += weight[i] * sketch->column[(size_t)i * n + p];
            }
            along += other ? axis[p] * other[p] : 0.0;
        }
        for (uint32_t p = 0; p < n && other; p++) {
            axis[p] -= along * other[p];
        }
        double length = sqrt(dot(axis, axis, n));
        for (uint32_t p = 0; p < n && length > 0.0; p++) {
            axis[p] /= length;
        }
    }
}

// Places the processors along the two axes. Small random distances separate those that the axes do not.
static bool begin(struct sketch *sketch)
{
    uint32_t n = sketch->processors;
    double *axis = malloc(2 * (size_t)n * sizeof *axis);
    if (!axis) {
        return false;
    }
    struct base_random random = base_random_start(SEED, 0, BASE_STREAM_LINKS);
    find_axis(sketch, NULL, &random, axis);
    find_axis(sketch, axis, &random, axis + n);
    double scale = sqrt(n);
    for (uint32_t p = 0; p < n; p++) {
        double x = scale * axis[p] + 0.1 * (base_random_unit(&random) - 0.5);
        double y = scale * axis[n + p] + 0.1 * (base_random_unit(&random) - 0.5);
        sketch->place[p] = (struct ek_place){x, y};
    }
    free(axis);
    return true;
}

// Returns how often each processor is moved: less often in large drawings, which would take long.
static unsigned sweeps_of(size_t processors)
{
    static const double PAIRS_MAX = 2e8;
    return (unsigned)fmin(SWEEPS, PAIRS_MAX / ((double)processors * (double)processors));
}

// Moves processor p to the weighted mean of the places that the others want for it: on the line to p, at its distance.
static void improve(struct sketch *sketch, uint32_t p)
{
    const uint16_t *distance = sketch->distance + (size_t)p * sketch->processors;
    struct ek_place at = sketch->place[p];
    double x = 0.0;
    double y = 0.0;
    double weights = 0.0;
    for (uint32_t q = 0; q < sketch->processors; q++) {
        if (q == p) {
            continue;
        }
        struct ek_place other = sketch->place[q];
        double dx = at.x - other.x;
        double dy = at.y - other.y;
        double wanted = distance[q];
        double weight = 1.0 / (wanted * wanted);
        double stretch = wanted / (sqrt(dx * dx + dy * dy) + 1e-9);
        x += weight * (other.x + stretch * dx);
        y += weight * (other.y + stretch * dy);
        weights += weight;
    }
    sketch->place[p] = (struct ek_place){x / weights, y / weights};
}

// Moves processors apart that are much nearer to each other than if all were spread evenly, so that a drawing shows
// them as two.
static void push_apart(struct sketch *sketch)
{
    static const double SHARE = 0.6;
    uint32_t n = sketch->processors;
    struct ek_place size = topo_places_extent(sketch->place, n);
    double least = SHARE * sqrt(size.x * size.y / n);
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t q = p + 1; q < n; q++) {
            double dx = sketch->place[q].x - sketch->place[p].x;
            double dy = sketch->place[q].y - sketch->place[p].y;
            double apart = sqrt(dx * dx + dy * dy);
            if (apart < least && apart > 0.0) {
                double by = 0.5 * (least / apart - 1.0);
                sketch->place[p].x -= by * dx;
                sketch->place[p].y -= by * dy;
                sketch->place[q].x += by * dx;
                sketch->place[q].y += by * dy;
            }
        }
    }
}

bool topo_places_by_distance(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    size_t n = topology->processors;
    struct sketch sketch = {.topology = topology,
                            .processors = topology->processors,
                            .distance = malloc(n * n * sizeof *sketch.distance),
                            .queue = malloc(n * sizeof *sketch.queue),
                            .column = malloc(PIVOTS * n * sizeof *sketch.column),
                            .pivots = n < PIVOTS ? topology->processors : PIVOTS,
                            .place = place};
    bool good = sketch.distance && sketch.queue && sketch.column;
    for (uint32_t p = 0; good && p < n; p++) {
        search(&sketch, p);
    }
    if (good) {
        choose_pivots(&sketch);
        for (uint32_t i = 0; i < sketch.pivots; i++) {
            centre(sketch.column + i * n, n, 1);
        }
        for (uint32_t p = 0; p < n; p++) {
            centre(sketch.column + p, sketch.pivots, n);
        }
        good = begin(&sketch);
    }
    for (unsigned sweep = 0; good && n > 1 && sweep < sweeps_of(n); sweep++) {
        for (uint32_t p = 0; p < n; p++) {
            improve(&sketch, p);
        }
    }
    for (unsigned push = 0; good && push < PUSHES; push++) {
        push_apart(&sketch);
    }
    free(sketch.distance);
    free(sketch.queue);
    free(sketch.column);
    return good || topo_places_no_memory(error);
}
