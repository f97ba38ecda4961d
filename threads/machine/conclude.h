// SPDX-License-Identifier: MIT
// Conclusions: whether a run converged, and if not, a sentence that says why.
#ifndef THREADS_MACHINE_CONCLUDE_H
#define THREADS_MACHINE_CONCLUDE_H

#include "threads/machine/plan.h"

// Concludes a run whose engine has filled the report and returned `status`. Unless the status is EK_OK, `error` has the
// reason. Sets `converged`, `ended` and `why` of the report. Returns the run's status.
enum ek_status machine_conclude(const struct machine_plan *plan, enum ek_status status, struct ek_report *report,
                                const struct ek_error *error);

#endif
