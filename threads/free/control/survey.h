// SPDX-License-Identifier: MIT
// A *survey* sums up the state of all processors at one possible moment, records it, and decides whether the run ends.
// In free timing a snapshot shows such a moment (audit.h); in virtual time every end of a window is one.
//
//   1. free_survey_begin, and free_survey_add for each processor in their order;
//   2. free_survey_measure, which measures the loads;
//   3. free_survey_record and free_survey_judge, or one of them.
#ifndef THREADS_FREE_CONTROL_SURVEY_H
#define THREADS_FREE_CONTROL_SURVEY_H

#include "threads/free/control/control.h"

// Sums over the parts of all processors.
struct free_totals {
    double held, in_flight, generated, consumed, moved, stayed;
    uint64_t messages;
    uint64_t ticks;                   // of work
    uint64_t operations;              // ended so far
    uint32_t active;                  // processors in an operation
    uint32_t asking;                  // processors that would invoke
    uint32_t blocked;                 // processors that would invoke and cannot
    bool held_back;                   // some processor would announce or give over a failed link
    bool works;                       // some processor has work to come
    bool recurs;                      // some processor may invoke later, by a draw or at its time
    double fingerprint;               // of the loads
    uint64_t tried;                   // the fewest operations of any processor that would invoke and can: so far,
    uint64_t tries;                   // and since a snapshot showed a change
    uint64_t ended;                   // the fewest that one of these processors has ended
    struct cargo_objects_sum objects; // held, and under way
};

struct free_totals free_survey_begin(void);

// Adds the part of processor p.
void free_survey_add(struct free_control *control, struct free_totals *totals, uint32_t p,
                     const struct free_snapshot *part);

// Measures the loads of all parts.
void free_survey_measure(struct free_control *control, const struct free_totals *totals, struct core_measure *measure);

// Adds the survey to the trace, the frames and the window, and shows it to the observer. If there is no memory for the
// trace, the trace ends and the run goes on.
void free_survey_record(struct free_control *control, const struct free_totals *totals,
                        const struct core_measure *measure);

// Checks the ledger first. Then ends or drains the run, if the survey shows a reason.
void free_survey_judge(struct free_control *control, const struct free_totals *totals,
                       const struct core_measure *measure);

// Tests the condition on all loads that lets every processor invoke (axis `invoke`), and publishes the result. Returns
// whether the condition holds.
bool free_trigger(struct free_control *control, const struct core_measure *measure);

// Checks the ledger: the measured loads with `under_way` messages, and what the workload generated and consumed in
// `ticks` ticks of all processors. Ends the run if the ledger is violated or its numbers have become meaningless.
// Returns false if it is violated.
bool free_ledger(struct free_control *control, const struct core_measure *measure, double generated, double consumed,
                 uint64_t ticks, uint64_t under_way);

#endif
