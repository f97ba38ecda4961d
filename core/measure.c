// SPDX-License-Identifier: MIT
// Measures the loads of all processors.
#include "core/measure.h"

#include <math.h>

#include "topologies/rows.h"

// Long sums of squares are added in pieces, and each sum in four interleaved lanes, so that four additions overlap.
enum { PIECE = 1024, LANES = 4 };

_Static_assert(PIECE % LANES == 0, "pieces consist of whole lanes");

static double sum_in_order(const double *value, size_t count)
{
    double sum[LANES] = {0.0}, lost[LANES] = {0.0};
    size_t whole = count / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            core_measure_add(&sum[l], &lost[l], value[i + l]);
        }
    }
    for (size_t i = whole; i < count; i++) {
        core_measure_add(&sum[0], &lost[0], value[i]);
    }
    for (size_t l = 1; l < LANES; l++) {
        core_measure_add(&sum[0], &lost[0], sum[l]);
        lost[0] += lost[l];
    }
    return isfinite(lost[0]) ? sum[0] + lost[0] : sum[0]; // an overflow has nothing to correct
}

double core_measure_sum(const double *value, size_t count)
{
    if (count <= CORE_MEASURE_IN_ORDER) {
        return sum_in_order(value, count);
    }
    struct core_exact sum = {.added = 0};
    core_exact_add(&sum, value, count);
    return core_exact_total(&sum);
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

// Returns the sum of squares of the distances from the mean.
static double squares_of(const double *value, size_t count, double mean)
{
    struct core_exact sum = {.added = 0};
    if (count > CORE_MEASURE_IN_ORDER) {
        core_exact_add_squares(&sum, value, count, mean);
        return core_exact_total(&sum);
    }
    double total = 0.0;
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
    measure->variance = squares_of(held, processors, all / processors);
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

struct core_tally core_tally_of_none(void)
{
    return (struct core_tally){.minimum = INFINITY, .maximum = -INFINITY};
}

void core_tally_add(struct core_tally *tally, const double *held, size_t count)
{
    struct core_measure measure = {.minimum = tally->minimum, .maximum = tally->maximum, .idle = tally->idle};
    core_exact_add(&tally->sum, held, count);
    note_extremes(&measure, held, count);
    tally->minimum = measure.minimum;
    tally->maximum = measure.maximum;
    tally->idle = measure.idle;
}

void core_tally_merge(struct core_tally *to, const struct core_tally *from)
{
    core_exact_merge(&to->sum, &from->sum);
    to->minimum = fmin(to->minimum, from->minimum);
    to->maximum = fmax(to->maximum, from->maximum);
    to->idle += from->idle;
}

double core_measure_tally(const struct core_tally *tally, uint32_t processors, double in_flight,
                          struct core_measure *measure)
{
    *measure = (struct core_measure){.total = core_exact_total(&tally->sum),
                                     .in_flight = in_flight,
                                     .minimum = tally->minimum,
                                     .maximum = tally->maximum,
                                     .discrepancy = tally->maximum - tally->minimum,
                                     .idle = tally->idle};
    return (measure->total + in_flight) / processors;
}

void core_measure_squares(const struct core_exact *squares, struct core_measure *measure)
{
    measure->variance = measure->distance = core_exact_total(squares);
}

double core_measure_gradient(const struct ek_topology *topology, const double *held, uint32_t begin, uint32_t end)
{
    double largest = 0.0;
    struct topo_neighbours neighbours = {0};
    for (uint32_t p = begin; p < end; p++) {
        topo_find_neighbours(topology, p, &neighbours);
        for (uint32_t port = 0; port < neighbours.degree; port++) {
            largest = fmax(largest, fabs(held[p] - held[neighbours.of[port]]));
        }
    }
    return largest;
}

typedef void add_net(void *sums, double net);

// Adds the net flow of each link between one of these processors and a neighbour with a larger number, by port.
static void add_by_port(const struct ek_topology *topology, const double *sent, uint32_t begin, uint32_t end,
                        add_net *add, void *sums)
{
    struct topo_neighbours neighbours = {0};
    for (uint32_t p = begin; p < end; p++) {
        uint32_t first = topo_first(topology, p);
        topo_find_neighbours(topology, p, &neighbours);
        for (uint32_t port = 0; port < neighbours.degree; port++) {
            if (neighbours.of[port] > p) {
                add(sums, sent[first + port] - sent[topo_twin(topology, p, port, neighbours.of[port])]);
            }
        }
    }
}

// Does the same by plane. The link to a neighbour has the opposite direction at the neighbour's end.
static void add_by_plane(const struct ek_topology *topology, const double *sent, size_t plane, uint32_t begin,
                         uint32_t end, add_net *add, void *sums)
{
    struct topo_port row[TOPO_ROW_MAX];
    for (uint32_t p = begin; p < end; p++) {
        uint32_t degree = topology->rows->row(topology, p, row);
        for (const struct topo_port *port = row; port < row + degree; port++) {
            if (port->neighbour > p) {
                const double *here = sent + topo_plane_of(topology, port->dimension, port->direction) * plane;
                const double *there = sent + topo_plane_of(topology, port->dimension, -port->direction) * plane;
                add(sums, here[p] - there[port->neighbour]);
            }
        }
    }
}

static void add_nets(const struct ek_topology *topology, const double *sent, size_t plane, uint32_t begin, uint32_t end,
                     add_net *add, void *sums)
{
    if (plane > 0) {
        add_by_plane(topology, sent, plane, begin, end, add, sums);
    } else {
        add_by_port(topology, sent, begin, end, add, sums);
    }
}

// Net flows that are to be added.
struct flows_buffer {
    struct core_flows *flows;
    double size[PIECE];
    size_t count;
};

static void empty(struct flows_buffer *buffer)
{
    core_exact_add(&buffer->flows->sizes, buffer->size, buffer->count);
    core_exact_add_squares(&buffer->flows->squares, buffer->size, buffer->count, 0.0);
    buffer->count = 0;
}

static void add_to_buffer(void *sums, double net)
{
    struct flows_buffer *buffer = sums;
    buffer->size[buffer->count++] = fabs(net);
    if (buffer->count == PIECE) {
        empty(buffer);
    }
}

void core_flows_add(struct core_flows *flows, const struct ek_topology *topology, const double *sent, size_t plane,
                    uint32_t begin, uint32_t end)
{
    struct flows_buffer buffer = {.flows = flows};
    add_nets(topology, sent, plane, begin, end, add_to_buffer, &buffer);
    empty(&buffer);
}

// The sums over links of the sizes and of the squares of net flows, added in the order of links.
struct norms {
    double sizes, squares;
};

static void add_in_order(void *sums, double net)
{
    struct norms *norms = sums;
    norms->sizes += fabs(net);
    norms->squares += net * net;
}

void core_measure_flows(const struct ek_topology *topology, const double *sent, size_t plane, double *l1, double *l2)
{
    *l1 = *l2 = NAN;
    if (sent && topology->processors <= CORE_MEASURE_IN_ORDER) {
        struct norms norms = {0.0, 0.0};
        add_nets(topology, sent, plane, 0, topology->processors, add_in_order, &norms);
        *l1 = norms.sizes;
        *l2 = sqrt(norms.squares);
    } else if (sent) {
        struct core_flows flows = {.sizes = {.added = 0}};
        core_flows_add(&flows, topology, sent, plane, 0, topology->processors);
        *l1 = core_exact_total(&flows.sizes);
        *l2 = sqrt(core_exact_total(&flows.squares));
    }
}

double core_measure_tolerance(double largest, double additions, bool tokens)
{
    return tokens && largest <= 0x1p53 ? 0.0 : 0x1p-52 * additions * largest;
}
