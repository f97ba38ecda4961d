// SPDX-License-Identifier: MIT
// A check in a child process. If the child crashes or hangs, its parent knows which run is the cause.
#ifndef LAB_STUDIES_CHECK_CHILD_H
#define LAB_STUDIES_CHECK_CHILD_H

#include "base/common.h"

// The name of a promise in reports, and a sentence that says what is promised.
struct lab_promise_text {
    const char *name, *what;
    const char *unit; // what tests it: "run"
};

enum { LAB_CHECK_LINE = 8192 }; // bytes of a command line

// The finding about one promise.
struct lab_promise_found {
    uint64_t runs; // runs, comparisons or tasks that could have broken it
    bool broken;   // if true, the fields below describe the first case
    uint64_t seed; // seed of the experiment
    char why[600];
    char command[LAB_CHECK_LINE]; // a command that repeats the run
    char beside[LAB_CHECK_LINE];  // for carriers, a command that repeats it on the other carrier; else ""
};

enum { LAB_PROMISES_MAX = 9 };

struct lab_checked {
    const struct lab_promise_text *promises;
    unsigned count; // of promises
    bool program;   // a program was checked, not a method
    struct lab_promise_found found[LAB_PROMISES_MAX];
    uint64_t experiments; // drawn and run
    uint64_t refused;     // drawn, and refused by the machine on every topology
    unsigned broken;      // the number of promises broken
    char refusal[600];    // why the last one was refused
};

struct lab_check_request {
    const char *subject; // a method or a program, as the value of the axis
    const char *plugin;  // for the commands' --plugin, or NULL
    uint64_t seed;       // of the first experiment; experiment e has seed + e
    uint64_t experiments;
    double timeout_s; // a run that takes longer breaks the promise to end
    struct ek_reader reader;
    bool (*stopped)(void);
    // If not NULL, called about ten times a second.
    void (*progress)(void *context, uint64_t experiments);
    void *context;
};

// The memory that parent and child share.
struct lab_check_shared {
    struct lab_checked checked;
    char command[LAB_CHECK_LINE]; // of the run under way
    uint64_t seed;                // of its experiment
    _Atomic uint64_t since_ns;    // when it began; 0: none is under way
    _Atomic uint64_t experiments; // for progress
};

// A child's work, and the promises that its end can break.
struct lab_check_job {
    void (*check)(const struct lab_check_request *request, const void *context, struct lab_check_shared *shared);
    const void *context;
    const struct lab_promise_text *promises;
    unsigned count, termination, crash;
};

// Runs the job in a child. Returns false with `error` filled if nothing could be checked: the machine refuses all
// experiments, or no process can be started.
bool lab_check_in_child(const struct lab_check_request *request, const struct lab_check_job *job,
                        struct lab_checked *checked, struct ek_error *error);

// Notes that a promise is broken. Keeps the first case only.
void lab_check_note(struct lab_checked *checked, unsigned promise, uint64_t seed, const char *why, const char *command,
                    const char *beside);

#endif
