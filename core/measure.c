// SPDX-License-Identifier: MIT
// Measures the loads of all processors.
#include "core/measure.h"

#include <math.h>

#include "topologies/rows.h"

// Long sums of squares are added in pieces, and each sum in four interleaved lanes, so that four additions overlap.
enum { PIECE = 1024, LANES = 4 };

_Static_assert(CORE_WINDOW % PIECE == 0 && PIECE % LANES == 0, "windows consist of whole pieces and lanes");

// A sum that is not complete yet.
struct sum {
    double sum[LANES], lost[LANES];
};

// Adds a part of the values. All parts but the last must consist of whole lanes.
static void add_part(struct sum *to, const double *value, size_t count)
{
    struct sum part = *to; // a local copy: the compiler keeps it in registers
    size_t whole = count / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            core_measure_add(&part.sum[l], &part.lost[l], value[i + l]);
        }
    }
    for (size_t i = whole; i < count; i++) {
        core_measure_add(&part.sum[0], &part.lost[0], value[i]);
    }
    *to = part;
}

static double total_of(struct sum parts)
{
    double *sum = parts.sum, *lost = parts.lost;
    for (size_t l = 1; l < LANES; l++) {
        core_measure_add(&sum[0], &lost[0], sum[l]);
        lost[0] += lost[l];
    }
    return isfinite(lost[0]) ? sum[0] + lost[0] : sum[0]; // an overflow has nothing to correct
}

double core_measure_sum(const double *value, size_t count)
{
    struct sum sum = {{0.0}, {0.0}};
    add_part(&sum, value, count);
    return total_of(sum);
}

static double squares_of_piece(const double *value, size_t count, double mean)
{
    double lane[LANES] = {0.0};
    size_t whole = count / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lane[l] += (value[i + l] - mean) * (value[i + l] - mean);
        }
    }
    for (size_t i = whole; i < count; i++) {
        lane[0] += (value[i] - mean) * (value[i] - mean);
    }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// Adds the squares of the distances from the mean to a total.
static double add_squares(double total, const double *value, size_t count, double mean)
{
    for (size_t from = 0; from < count; from += PIECE) {
        total += squares_of_piece(value + from, count - from < PIECE ? count - from : PIECE, mean);
    }
    return total;
}

// Returns the sum of squares of the distances from each processor's share of the load.
static double distance_from(const double *held, const double *capacity, uint32_t processors, double all)
{
    double share = all / core_measure_sum(capacity, processors);
    double squares = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        double distance = held[p] - share * capacity[p];
        squares += distance * distance;
    }
    return squares;
}

void core_measure_balance(const double *held, const double *capacity, uint32_t processors, double in_flight,
                          struct core_measure *measure)
{
    measure->total = core_measure_sum(held, processors);
    measure->in_flight = in_flight;
    double all = measure->total + in_flight;
    measure->variance = add_squares(0.0, held, processors, all / processors);
    measure->distance = capacity ? distance_from(held, capacity, processors, all) : measure->variance;
}

static void begin_extremes(struct core_measure *measure)
{
    measure->minimum = INFINITY;
    measure->maximum = -INFINITY;
    measure->idle = 0;
}

static void note_extremes(struct core_measure *measure, const double *held, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        measure->minimum = held[p] < measure->minimum ? held[p] : measure->minimum;
        measure->maximum = held[p] > measure->maximum ? held[p] : measure->maximum;
        measure->idle += held[p] <= 0.0;
    }
}

void core_measure_loads(const double *held, const double *capacity, uint32_t processors, double in_flight,
                        struct core_measure *measure)
{
    core_measure_balance(held, capacity, processors, in_flight, measure);
    double least = INFINITY;
    double most = -INFINITY;
    for (uint32_t p = 0; capacity && p < processors; p++) {
        double level = held[p] / capacity[p];
        least = level < least ? level : least;
        most = level > most ? level : most;
    }
    begin_extremes(measure);
    note_extremes(measure, held, processors);
    measure->discrepancy = capacity ? most - least : measure->maximum - measure->minimum;
}

static uint32_t window_at(const struct core_windows *windows, uint32_t from)
{
    uint32_t left = windows->processors - from;
    return left < CORE_WINDOW ? left : CORE_WINDOW;
}

double core_measure_windows_sum(const struct core_windows *windows)
{
    struct sum sum = {{0.0}, {0.0}};
    for (uint32_t from = 0, count; from < windows->processors; from += count) {
        count = window_at(windows, from);
        add_part(&sum, windows->read(windows->context, from, count), count);
    }
    return total_of(sum);
}

void core_measure_windows(const struct core_windows *windows, double in_flight, struct core_measure *measure)
{
    struct sum sum = {{0.0}, {0.0}};
    begin_extremes(measure);
    for (uint32_t from = 0, count; from < windows->processors; from += count) {
        count = window_at(windows, from);
        const double *held = windows->read(windows->context, from, count);
        add_part(&sum, held, count);
        note_extremes(measure, held, count);
    }
    measure->total = total_of(sum);
    measure->in_flight = in_flight;
    measure->variance = 0.0;
    double mean = (measure->total + in_flight) / windows->processors;
    for (uint32_t from = 0, count; from < windows->processors; from += count) {
        count = window_at(windows, from);
        const double *held = windows->read(windows->context, from, count);
        measure->variance = add_squares(measure->variance, held, count, mean);
    }
    measure->distance = measure->variance;
    measure->discrepancy = measure->maximum - measure->minimum;
}

double core_measure_gradient(const struct ek_topology *topology, const double *held)
{
    double largest = 0.0;
    struct topo_neighbours neighbours = {0};
    for (uint32_t p = 0; p < topology->processors; p++) {
        topo_find_neighbours(topology, p, &neighbours);
        for (uint32_t port = 0; port < neighbours.degree; port++) {
            largest = fmax(largest, fabs(held[p] - held[neighbours.of[port]]));
        }
    }
    return largest;
}

// The sums over links of the sizes and of the squares of net flows.
struct norms {
    double sizes, squares;
};

static void add_net(struct norms *norms, double net)
{
    norms->sizes += fabs(net);
    norms->squares += net * net;
}

static void add_by_port(const struct ek_topology *topology, const double *sent, struct norms *norms)
{
    struct topo_neighbours neighbours = {0};
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t first = topo_first(topology, p);
        topo_find_neighbours(topology, p, &neighbours);
        for (uint32_t port = 0; port < neighbours.degree; port++) {
            if (neighbours.of[port] > p) {
                add_net(norms, sent[first + port] - sent[topo_twin(topology, p, port, neighbours.of[port])]);
            }
        }
    }
}

// The link to a neighbour has the opposite direction at the neighbour's end.
static void add_by_plane(const struct ek_topology *topology, const double *sent, size_t plane, struct norms *norms)
{
    struct topo_port row[TOPO_ROW_MAX];
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t degree = topology->rows->row(topology, p, row);
        for (const struct topo_port *port = row; port < row + degree; port++) {
            if (port->neighbour > p) {
                const double *here = sent + topo_plane_of(topology, port->dimension, port->direction) * plane;
                const double *there = sent + topo_plane_of(topology, port->dimension, -port->direction) * plane;
                add_net(norms, here[p] - there[port->neighbour]);
            }
        }
    }
}

void core_measure_flows(const struct ek_topology *topology, const double *sent, size_t plane, double *l1, double *l2)
{
    struct norms norms = {0.0, 0.0};
    if (sent && plane > 0) {
        add_by_plane(topology, sent, plane, &norms);
    } else if (sent) {
        add_by_port(topology, sent, &norms);
    }
    *l1 = sent ? norms.sizes : NAN;
    *l2 = sent ? sqrt(norms.squares) : NAN;
}

double core_measure_tolerance(double largest, double additions, bool tokens)
{
    return tokens && largest <= 0x1p53 ? 0.0 : 0x1p-52 * additions * largest;
}
