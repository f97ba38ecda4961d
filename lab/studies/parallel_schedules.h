// SPDX-License-Identifier: MIT
// Runs schedules with several threads. Each thread has its own machine and takes the next number. The results are
// summed in the order of the numbers, so the sum is the same for any number of threads.
#ifndef LAB_STUDIES_PARALLEL_SCHEDULES_H
#define LAB_STUDIES_PARALLEL_SCHEDULES_H

#include "lab/studies/schedule_maker.h"

// Runs schedules from number 0 until one fails, all have run, or `enough` returns true. One thread at a time calls
// `enough`, before each schedule. Returns how the last schedule ended; unless it is EK_EXPLORED_ENDS, with `error`.
enum ek_explored lab_schedules_make_parallel(const struct lab_explore_request *request, bool (*enough)(void *context),
                                             void *context, struct lab_exploration *exploration,
                                             struct ek_error *error);

#endif
