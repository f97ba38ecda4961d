// SPDX-License-Identifier: MIT
// What is measured of the loads of all processors at one moment.
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include "topologies/topology.h"

struct core_measure {
    double total;
    double variance; // sum of (w_i - mean)^2, not divided (Xu et al. 1995)
    double minimum;
    double maximum;
    uint64_t idle; // processors without load
};

// Sums in one fixed order, in pieces: the same to the last bit whoever computes them, and with a rounding error that
// does not grow with the number of processors as one long sum's would.
double core_measure_sum(const double *value, size_t count);

// Measures the total and the variance alone; and everything.
void core_measure_balance(const double *held, uint32_t processors, struct core_measure *measure);
void core_measure_loads(const double *held, uint32_t processors, struct core_measure *measure);

// The sum of squares of the distances from balance: from each processor's share of the measured total by capacity;
// without capacities (NULL) the measured variance.
double core_measure_distance(const double *held, const double *capacity, uint32_t processors,
                             const struct core_measure *measure);

// The largest difference of load over a link.
double core_measure_gradient(const struct ek_topology *topology, const double *held);

// How far held and in-flight load together may be from what there ought to be: by the rounding of all load handled so
// far; in tokens not at all, but for a diverging run's beyond 2^53, where sums are not exact.
double core_measure_tolerance(double handled, bool tokens);

// The 1-norm and the 2-norm of the net flow over each link; NaN where `sent`, the load sent by port, is NULL.
void core_measure_flows(const struct ek_topology *topology, const double *sent, double *l1, double *l2);

#endif
