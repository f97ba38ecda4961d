// SPDX-License-Identifier: MIT
// Measures the loads of all processors at one moment.
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include "core/exact_sum.h"
#include "base/common.h"

struct ek_topology;

struct core_measure {
    double total;     // load held by processors
    double in_flight; // load under way, in addition
    double variance; // sum of (w_i - mean)^2, not divided (Xu et al. 1995); the mean is that of held and in-flight load
                     // together
    double distance; // sum of (w_i - share_i)^2, share_i the processor's share by capacity; equals the variance if
                     // capacities are equal
    double minimum;
    double maximum;
    double discrepancy; // largest minus smallest load, each divided by its processor's capacity
    uint64_t idle;      // processors without load
};

// Adds a value to a sum, and its rounding error to `lost` (Knuth's two-sum).
static inline void core_measure_add(double *sum, double *lost, double value)
{
    double after = *sum + value;
    double taken = after - *sum;
    *lost += (*sum - (after - taken)) + (value - taken);
    *sum = after;
}

// Returns the sum: the same bits for every caller. It is exact and rounded once, or computed with two doubles and
// rounded once (Neumaier, ZAMM 54, 1974).
double core_measure_sum(const double *value, size_t count);

// Measure the loads: core_measure_balance only total, in_flight, variance and distance, core_measure_loads all fields.
// `capacity` is [processors], or NULL if all are 1.
void core_measure_balance(const double *held, const double *capacity, uint32_t processors, double in_flight,
                          struct core_measure *measure);
void core_measure_loads(const double *held, const double *capacity, uint32_t processors, double in_flight,
                        struct core_measure *measure);

// Up to so many processors, sums add one after another, in the order of processors. Sums of more are exact.
enum { CORE_MEASURE_IN_ORDER = 1 << 16 };

// A part of the processors adds this to the measures of all: the sum of its loads, and the extremes. Parts are merged
// in any order.
struct core_tally {
    struct core_exact sum;
    double minimum, maximum;
    uint64_t idle;
};

struct core_tally core_tally_of_none(void);
void core_tally_add(struct core_tally *tally, const double *held, size_t count);
void core_tally_merge(struct core_tally *to, const struct core_tally *from);

// Measures more than CORE_MEASURE_IN_ORDER loads with equal capacities, as core_measure_loads does. The second function
// needs the sum of squares of the distances from `mean`, which the first one returns.
double core_measure_tally(const struct core_tally *tally, uint32_t processors, double in_flight,
                          struct core_measure *measure);
void core_measure_squares(const struct core_exact *squares, struct core_measure *measure);

// Returns the largest difference of load over a link of the processors begin..end-1.
double core_measure_gradient(const struct ek_topology *topology, const double *held, uint32_t begin, uint32_t end);

// Returns how far the sum of held and in-flight load may be from the expected one by rounding alone. In tokens that is
// 0. An addition errs by at most half an ulp of its result, 2^-53 of it. Each load takes part in `additions` additions
// in a row, and the sizes of all loads together are at most `largest`: so the errors are at most 2^-53 * additions *
// largest. The result is twice that, since a load can be larger between two additions of a step.
double core_measure_tolerance(double largest, double additions, bool tokens);

// Finds the 1-norm and the 2-norm of the net flow over the links. `sent` is the load sent: by port if `plane` is 0,
// else by processor in planes (topo_plane) that begin `plane` doubles from one another. If it is NULL both norms are
// NaN.
void core_measure_flows(const struct ek_topology *topology, const double *sent, size_t plane, double *l1, double *l2);

// Exact sums of the net flows and of their squares, of some links.
struct core_flows {
    struct core_exact sizes, squares;
};

// Adds the links whose lower ends are the processors begin..end-1. `sent` and `plane` as above.
void core_flows_add(struct core_flows *flows, const struct ek_topology *topology, const double *sent, size_t plane,
                    uint32_t begin, uint32_t end);

#endif
