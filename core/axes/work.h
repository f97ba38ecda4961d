// SPDX-License-Identifier: MIT
// Workload: the load that processors generate and consume while they balance, tick by tick.
#ifndef CORE_AXES_WORK_H
#define CORE_AXES_WORK_H

#include "core/axes/load.h"

enum core_workload_kind { CORE_WORKLOAD_NONE, CORE_WORKLOAD_NORMAL, CORE_WORKLOAD_CONSTANT, CORE_WORKLOAD_FILE };

// When the work of a tick comes: after its balancing, before it, or after it to those alone that took no part (Xu et
// al. 1995, Eqs. (1), (7): work is suspended while a processor balances).
enum core_working { CORE_WORKING_AFTER, CORE_WORKING_BEFORE, CORE_WORKING_SUSPENDED };

struct core_workload {
    enum core_workload_kind kind;
    enum ek_units units;
    uint32_t processors;
    double mean, deviation; // normal: of what is generated
    double consumption;     // normal: by every processor in every tick
    bool owed;              // work takes all that it asks for: a load may fall below zero
    enum core_working working;
    uint64_t ticks;  // file: its lines; constant: 1
    double *changes; // file and constant: by tick, then by processor; positive is generated
};

// Parses a `--work` spec: none, normal:MEAN:VARIANCE:CONSUMPTION, constant:P=A,P=A,… or file:PATH. Amounts are whole in
// tokens. Release with core_workload_destroy.
bool core_workload_parse(struct core_workload *workload, const char *spec, uint32_t processors, enum ek_units units,
                         struct ek_reader reader, struct ek_error *error);
void core_workload_destroy(struct core_workload *workload);

// What `processor` generates and wants to consume in tick `tick` (from 0) of the run with this seed, both at least 0: a
// draw below zero is consumption. Depends on nothing else.
void core_workload_at(const struct core_workload *workload, uint64_t seed, uint32_t processor, uint64_t tick,
                      double *generated, double *wanted);

// Whether it may make or consume anything in tick `tick` or later; of UINT64_MAX: for ever.
bool core_workload_comes(const struct core_workload *workload, uint64_t tick);

// A workload as `list` shows it, or NULL past the last.
const struct ek_choice *core_workload_choice(size_t index);

#endif
