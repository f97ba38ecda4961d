// SPDX-License-Identifier: MIT
// Measures the loads of all processors at one moment.
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

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

// Returns the sum, always added in the same order: the same bits for every caller. It is computed with two doubles and
// rounded once (Neumaier, ZAMM 54, 1974).
double core_measure_sum(const double *value, size_t count);

// Measure the loads: core_measure_balance only total, in_flight, variance and distance, core_measure_loads all fields.
// `capacity` is [processors], or NULL if all are 1.
void core_measure_balance(const double *held, const double *capacity, uint32_t processors, double in_flight,
                          struct core_measure *measure);
void core_measure_loads(const double *held, const double *capacity, uint32_t processors, double in_flight,
                        struct core_measure *measure);

// Numbers of all processors that no process holds together. They are read in windows of CORE_WINDOW processors, of
// which the last may be shorter: in ascending order, and again from processor 0 on.
struct core_windows {
    const double *(*read)(void *context, uint32_t from, uint32_t count);
    void *context;
    uint32_t processors;
};

enum { CORE_WINDOW = 1 << 16 };

// Return the same bits as core_measure_sum and core_measure_loads, for equal capacities.
double core_measure_windows_sum(const struct core_windows *windows);
void core_measure_windows(const struct core_windows *windows, double in_flight, struct core_measure *measure);

// Returns the largest difference of load over a link.
double core_measure_gradient(const struct ek_topology *topology, const double *held);

// Returns how far the sum of held and in-flight load may be from the expected one by rounding alone. In tokens that is
// 0. An addition errs by at most half an ulp of its result, 2^-53 of it. Each load takes part in `additions` additions
// in a row, and the sizes of all loads together are at most `largest`: so the errors are at most 2^-53 * additions *
// largest. The result is twice that, since a load can be larger between two additions of a step.
double core_measure_tolerance(double largest, double additions, bool tokens);

// Finds the 1-norm and the 2-norm of the net flow over the links. `sent` is the load sent by port; if it is NULL both
// norms are NaN.
void core_measure_flows(const struct ek_topology *topology, const double *sent, double *l1, double *l2);

#endif
