// SPDX-License-Identifier: MIT
// Checks of a program's promises (core/program.h). One processor executes its problem, every task twice, and then small
// machines execute it, in all timings.
#ifndef LAB_STUDIES_CHECK_PROGRAM_H
#define LAB_STUDIES_CHECK_PROGRAM_H

#include "lab/studies/check_child.h"

enum lab_program_promise {
    LAB_PROGRAM_PURE,
    LAB_PROGRAM_LIMITS,
    LAB_PROGRAM_SIZES,
    LAB_PROGRAM_BOUNDS,
    LAB_PROGRAM_RESULT,
    LAB_PROGRAM_TERMINATION,
    LAB_PROGRAM_CRASH,
    LAB_PROGRAM_PROMISES
};

extern const struct lab_promise_text lab_program_promises[LAB_PROGRAM_PROMISES];

// Checks the program. Returns false with `error` filled if the problem cannot be read, or is too large.
bool lab_check_program(const struct lab_check_request *request, struct lab_checked *checked, struct ek_error *error);

#endif
