// SPDX-License-Identifier: MIT
// Workload: load that processors generate and consume while they balance, tick by tick.
#ifndef CORE_AXES_WORK_H
#define CORE_AXES_WORK_H

#include "core/axes/load.h"

// CORE_WORKLOAD_TASKS: the load consists of tasks, which create and end load when they run (threads/cargo/).
enum core_workload_kind {
    CORE_WORKLOAD_NONE,
    CORE_WORKLOAD_NORMAL,
    CORE_WORKLOAD_CONSTANT,
    CORE_WORKLOAD_FILE,
    CORE_WORKLOAD_PARETO,
    CORE_WORKLOAD_TASKS
};

// When processors do the work of a tick: after balancing; before balancing; or after balancing, except the processors
// that took part in it (Xu et al. 1995, Eqs. (1), (7): work is suspended while a processor balances).
enum core_working { CORE_WORKING_AFTER, CORE_WORKING_BEFORE, CORE_WORKING_SUSPENDED };

struct core_workload {
    enum core_workload_kind kind;
    enum ek_units units;
    uint32_t processors;
    double mean, deviation; // normal: of the generated amount
    double shape, least;    // pareto: a draw is above x with the probability (least / x)^shape
    double consumption;     // normal, pareto: of each processor in each tick
    bool owed;              // consumption takes the whole amount, even if the load falls below zero
    enum core_working working;
    uint64_t ticks;  // file: number of lines; constant: 1
    double *changes; // file and constant: [ticks][processors]; positive amounts are generated
};

// A draw of pareto above this amount is replaced by this amount. So sums of many draws of tokens stay exact.
#define CORE_WORKLOAD_PARETO_MOST 1e12

// Parses none, normal:MEAN:VARIANCE:CONSUMPTION, constant:P=A,P=A,…, file:PATH or pareto:SHAPE:LEAST:CONSUMPTION.
// Amounts are whole in tokens. Returns false with `error` filled if the spec or its file is wrong. Release with
// core_workload_destroy.
bool core_workload_parse(struct core_workload *workload, const char *spec, uint32_t processors, enum ek_units units,
                         struct ek_reader reader, struct ek_error *error);
void core_workload_destroy(struct core_workload *workload);

// Finds the amounts that `processor` generates and wants to consume in tick `tick` (from 0) of the run with this seed.
// Both are at least 0: a negative draw is consumption. The result depends on nothing else.
void core_workload_at(const struct core_workload *workload, uint64_t seed, uint32_t processor, uint64_t tick,
                      double *generated, double *wanted);

// Returns whether each processor draws its amount of each tick from one distribution.
static inline bool core_workload_is_drawn(const struct core_workload *workload)
{
    return workload->kind == CORE_WORKLOAD_NORMAL || workload->kind == CORE_WORKLOAD_PARETO;
}

// Returns the mean or the variance of what a processor generates in a tick, before rounding, if the work is drawn and
// its distribution has them without the largest amount: pareto has a mean if its shape is above 1, and a variance if it
// is above 2. Otherwise returns NaN.
double core_workload_mean(const struct core_workload *workload);
double core_workload_variance(const struct core_workload *workload);

// Returns whether anything may be generated or consumed in tick `tick` or later. UINT64_MAX asks whether the workload
// continues for ever.
bool core_workload_continues(const struct core_workload *workload, uint64_t tick);

// Returns a workload as a list shows it, or NULL past the last.
const struct ek_choice *core_workload_choice(size_t index);

#endif
