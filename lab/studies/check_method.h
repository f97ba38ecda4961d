// SPDX-License-Identifier: MIT
// Checks of a method's promises. Experiments with the method are drawn from seeds, and each is run in several ways in a
// child process.
#ifndef LAB_STUDIES_CHECK_METHOD_H
#define LAB_STUDIES_CHECK_METHOD_H

#include "lab/studies/check_child.h"

enum lab_promise {
    LAB_PROMISE_MUTUAL,
    LAB_PROMISE_CONSERVATION,
    LAB_PROMISE_BOUNDS,
    LAB_PROMISE_TOKENS,
    LAB_PROMISE_PORTS,
    LAB_PROMISE_DETERMINISM,
    LAB_PROMISE_CARRIERS,
    LAB_PROMISE_TERMINATION,
    LAB_PROMISE_CRASH,
    LAB_PROMISES
};

extern const struct lab_promise_text lab_promises[LAB_PROMISES];

// Checks the method. Stops early if the child crashes or hangs, or if `stopped` returns true. Returns false with
// `error` filled if nothing could be checked: the method refuses all experiments, or no process can be started.
bool lab_check_method(const struct lab_check_request *request, struct lab_checked *checked, struct ek_error *error);

#endif
