// SPDX-License-Identifier: MIT
// Measures what a turn and a message cost on this computer, as costs of virtual time.
#ifndef LAB_STUDIES_MEASURE_COSTS_H
#define LAB_STUDIES_MEASURE_COSTS_H

#include <stdio.h>

#include "lab/studies/contention.h"

// In seconds. There is no gap: the cores themselves move messages, so this time is in the overhead.
struct lab_measured_costs {
    double turn, overhead, latency;
    double byte; // the time of a byte
};

// Measures turns and messages with one worker, `runs` times. The latency is the time in which a cache line moves
// between cores, and the time of a byte is that of a copy, both from `contention`. Of several measurements it takes the
// shortest, which other programs disturbed least. Returns false and `error` if
// something could not be measured.
bool lab_measure_costs(struct lab_measured_costs *costs, const struct lab_contention *contention, uint64_t runs,
                       const struct lab_contention_watch *watch, struct ek_error *error);

// Writes the costs as a file that --host reads. Errors of writing stay with the stream.
void lab_measured_costs_write(FILE *out, const struct lab_measured_costs *costs,
                              const struct lab_contention *contention);

#endif
