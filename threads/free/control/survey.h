// SPDX-License-Identifier: MIT
// A *survey* sums up the state of all processors at one possible moment, records it, and decides whether the run ends.
// In free timing a snapshot shows such a moment (audit.h); in virtual time every end of a window is one.
//
//   1. free_survey_add, which adds up the parts of all processors in their order;
//   2. free_survey_measure, which measures the loads;
//   3. free_survey_record and free_survey_judge, or one of them.
#ifndef THREADS_FREE_CONTROL_SURVEY_H
#define THREADS_FREE_CONTROL_SURVEY_H

#include "threads/free/control/control.h"

// Returns the part of processor p of this process, without `tries`.
typedef struct free_snapshot free_survey_part(void *context, uint32_t p);

// Adds up the parts of all processors. With several processes, all call it, and each gives the parts of its own
// processors.
struct free_totals free_survey_add(struct free_control *control, free_survey_part *part_of, void *context);

// Keeps how many operations each processor of this process has tried until the last survey, which has shown a change.
void free_survey_note_tried(struct free_control *control);

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
