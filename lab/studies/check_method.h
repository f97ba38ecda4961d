// SPDX-License-Identifier: MIT
// Checks of a method's promises. Experiments with the method are drawn from seeds, and each is run in several ways in a
// child process. If the child crashes or hangs, its parent knows which run is the cause.
#ifndef LAB_STUDIES_CHECK_METHOD_H
#define LAB_STUDIES_CHECK_METHOD_H

#include "threads/api/run.h"

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

// The name of a promise in reports, and a sentence that says what is promised.
struct lab_promise_text {
    const char *name, *what;
};
extern const struct lab_promise_text lab_promises[LAB_PROMISES];

enum { LAB_CHECK_LINE = 8192 }; // bytes of a command line

// What was found about a promise.
struct lab_promise_found {
    uint64_t runs; // runs that could have broken it; in determinism and carriers, comparisons
    bool broken;   // if true, the fields below describe the first case
    uint64_t seed; // seed of the experiment
    char why[600];
    char command[LAB_CHECK_LINE]; // a command that repeats the run
    char beside[LAB_CHECK_LINE];  // for carriers, a command that repeats it on the other carrier; else ""
};

struct lab_method_checked {
    struct lab_promise_found found[LAB_PROMISES];
    uint64_t experiments; // drawn and run
    uint64_t refused;     // drawn, and refused by the method on every topology
    unsigned broken;      // the number of promises broken
    char refusal[600];    // why the last one was refused
};

struct lab_check_request {
    const char *method; // as the value of the axis
    const char *plugin; // for the commands' --plugin, or NULL
    uint64_t seed;      // of the first experiment; experiment e has seed + e
    uint64_t experiments;
    double timeout_s; // a run that takes longer breaks the promise to end
    struct ek_reader reader;
    bool (*stopped)(void);
    // If not NULL, called about ten times a second.
    void (*progress)(void *context, uint64_t experiments);
    void *context;
};

// Checks the method. Stops early if the child crashes or hangs, or if `stopped` returns true. Returns false with
// `error` filled if nothing could be checked: the method refuses all experiments, or no process can be started.
bool lab_check_method(const struct lab_check_request *request, struct lab_method_checked *checked,
                      struct ek_error *error);

#endif
