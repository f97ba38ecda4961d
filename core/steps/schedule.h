// SPDX-License-Identifier: MIT
// Finds the next step: the schedules of diffusion, dimension exchange and matchings, and the methods' own.
#ifndef CORE_STEPS_SCHEDULE_H
#define CORE_STEPS_SCHEDULE_H

#include "core/method.h"

struct ek_method;
struct ek_moment;
struct ek_plan;
struct ek_step;
struct ek_topology;

// Finds the step to come at this moment, or returns what has ended. `step` holds the last step, zeros at the run's
// start, and receives the next.
enum ek_next core_schedule_next(const struct ek_method *method, const struct ek_plan *plan,
                                const struct ek_topology *topology, const struct ek_moment *moment,
                                struct ek_step *step);

#endif
