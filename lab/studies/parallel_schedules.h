// SPDX-License-Identifier: MIT
// Schedules by several threads: each has a machine of its own and takes one number after the other, and what they make
// is added up in the order of the numbers. So what comes of it is the same for any number of threads.
#ifndef LAB_STUDIES_PARALLEL_SCHEDULES_H
#define LAB_STUDIES_PARALLEL_SCHEDULES_H

#include "lab/studies/schedule_maker.h"

// Makes schedules from number 0 on until one fails, all are made, or `enough` says so, which one thread at a time asks
// before the next is begun. What the last of them came to; where it is no end, `error` says why.
enum ek_explored lab_schedules_make_parallel(const struct lab_explore_request *request, bool (*enough)(void *context),
                                             void *context, struct lab_exploration *exploration,
                                             struct ek_error *error);

#endif
