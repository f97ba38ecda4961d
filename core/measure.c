// SPDX-License-Identifier: MIT
// Measures the loads of all processors.
#include "core/measure.h"

#include <math.h>

// Long sums are taken in pieces, and a piece in four interleaved lanes, so that four additions are under way at once.
enum { PIECE = 1024, LANES = 4 };

static inline __attribute__((always_inline)) double sum_of_piece(const double *value, size_t count, double mean,
                                                                 double (*term)(double difference))
{
    double lane[LANES] = {0.0};
    size_t whole = count / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lane[l] += term(value[i + l] - mean);
        }
    }
    for (size_t i = whole; i < count; i++) {
        lane[0] += term(value[i] - mean);
    }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// The sum of term(value - mean), inlined for each of the two terms below.
static inline __attribute__((always_inline)) double sum_of(const double *value, size_t count, double mean,
                                                           double (*term)(double difference))
{
    double total = 0.0;
    for (size_t from = 0; from < count; from += PIECE) {
        total += sum_of_piece(value + from, count - from < PIECE ? count - from : PIECE, mean, term);
    }
    return total;
}

static inline double itself(double difference)
{
    return difference;
}

static inline double square(double difference)
{
    return difference * difference;
}

double core_measure_sum(const double *value, size_t count)
{
    return sum_of(value, count, 0.0, itself);
}

void core_measure_balance(const double *held, uint32_t processors, struct core_measure *measure)
{
    measure->total = core_measure_sum(held, processors);
    measure->variance = sum_of(held, processors, measure->total / processors, square);
}

void core_measure_loads(const double *held, uint32_t processors, struct core_measure *measure)
{
    core_measure_balance(held, processors, measure);
    measure->minimum = INFINITY;
    measure->maximum = -INFINITY;
    measure->idle = 0;
    for (uint32_t p = 0; p < processors; p++) {
        measure->minimum = held[p] < measure->minimum ? held[p] : measure->minimum;
        measure->maximum = held[p] > measure->maximum ? held[p] : measure->maximum;
        measure->idle += held[p] <= 0.0;
    }
}

double core_measure_distance(const double *held, const double *capacity, uint32_t processors,
                             const struct core_measure *measure)
{
    if (!capacity) {
        return measure->variance;
    }
    double share = measure->total / core_measure_sum(capacity, processors);
    double squares = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        double distance = held[p] - share * capacity[p];
        squares += distance * distance;
    }
    return squares;
}

double core_measure_gradient(const struct ek_topology *topology, const double *held)
{
    double largest = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            largest = fmax(largest, fabs(held[p] - held[topology->neighbour[port]]));
        }
    }
    return largest;
}

void core_measure_flows(const struct ek_topology *topology, const double *sent, double *l1, double *l2)
{
    *l1 = *l2 = sent ? 0.0 : NAN;
    double squares = 0.0;
    for (uint32_t port = 0; sent && port < topology->ports; port++) {
        if (topology->twin[port] > port) {
            double net = sent[port] - sent[topology->twin[port]];
            *l1 += fabs(net);
            squares += net * net;
        }
    }
    if (sent) {
        *l2 = sqrt(squares);
    }
}

double core_measure_tolerance(double handled, bool tokens)
{
    return tokens && handled <= 0x1p53 ? 0.0 : 1e-12 * handled;
}
