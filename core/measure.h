// SPDX-License-Identifier: MIT
// What is measured of the loads of all processors at one moment.
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include "topologies/topology.h"

struct core_measure {
    double total;     // held
    double in_flight; // under way beside it
    double variance;  // sum of (w_i - mean)^2, not divided (Xu et al. 1995); the mean is that of all load
    double distance;  // the same from each processor's share by capacity; the variance where capacities are equal
    double minimum;
    double maximum;
    uint64_t idle; // processors without load
};

// Adds a value to a sum, and to `lost` what rounding takes from it (Knuth's two-sum).
static inline void core_measure_add(double *sum, double *lost, double value)
{
    double after = *sum + value;
    double taken = after - *sum;
    *lost += (*sum - (after - taken)) + (value - taken);
    *sum = after;
}

// Sums in one fixed order: the same to the last bit whoever computes them, and so near to the exact sum as two doubles
// can say, then rounded once (Neumaier, ZAMM 54, 1974).
double core_measure_sum(const double *value, size_t count);

// Measures the totals and the distances from balance alone; and everything. With so much in flight; `capacity` by
// processor, or NULL.
void core_measure_balance(const double *held, const double *capacity, uint32_t processors, double in_flight,
                          struct core_measure *measure);
void core_measure_loads(const double *held, const double *capacity, uint32_t processors, double in_flight,
                        struct core_measure *measure);

// The largest difference of load over a link.
double core_measure_gradient(const struct ek_topology *topology, const double *held);

// How far held and in-flight load together may be from what there ought to be, by rounding alone. An addition errs by
// half an ulp of its result at most, 2^-53 of it; `additions` times in a row, each load is added to once or all of them
// are, when the sizes of all loads together are `largest` at most: so the errors are 2^-53 * additions * largest at
// most, and twice that with what a load is between two additions of a step. In tokens there are none below 2^53.
double core_measure_tolerance(double largest, double additions, bool tokens);

// The 1-norm and the 2-norm of the net flow over each link; NaN where `sent`, the load sent by port, is NULL.
void core_measure_flows(const struct ek_topology *topology, const double *sent, double *l1, double *l2);

#endif
