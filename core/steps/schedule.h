// SPDX-License-Identifier: MIT
// Which step comes next: the schedules of diffusion, dimension exchange and matchings, and of methods that have their
// own.
#ifndef CORE_STEPS_SCHEDULE_H
#define CORE_STEPS_SCHEDULE_H

#include "core/method.h"

// Finds the step that is to come at this moment, or says what has ended. `step` holds the step before, zeros at the
// run's start, and receives the next.
enum ek_next core_schedule_next(const struct ek_method *method, const struct ek_plan *plan,
                                const struct ek_topology *topology, const struct ek_moment *moment,
                                struct ek_step *step);

#endif
