// SPDX-License-Identifier: MIT
// One experiment in free timing, and others that differ from it in one thing each, run in turn as often as asked: what
// threads, mailboxes, ports, pinning, carriers and barriers cost. One plain value, to JSON and back.
#ifndef LAB_STUDIES_CONTENTION_H
#define LAB_STUDIES_CONTENTION_H

#include "lab/record/record.h"
#include "lab/statistics/statistics.h"
#include "lab/studies/host_limits.h"
#include "lab/sweep/experiment_spec.h"

enum { LAB_CONTENTION_RUNS_MAX = 100 };

// What is measured of each run: rates by the second; latencies in seconds; stalled messages and context switches by the
// message; of all turns the share without anything to do. In rounds, where messages do not wait, only the first two are
// measured, and the second counts steps.
enum lab_cost {
    LAB_COST_MESSAGES,
    LAB_COST_OPERATIONS,
    LAB_COST_LATENCY,
    LAB_COST_LATENCY_P99,
    LAB_COST_STALLS,
    LAB_COST_EMPTY,
    LAB_COST_SLEEPS,
    LAB_COST_SWITCHES,
    LAB_COSTS
};
extern const char *const lab_cost_names[LAB_COSTS]; // in reports

struct lab_point {
    char *axis;                  // the option in which it differs from the base; "" of the base itself
    char *value;                 // what it has there
    char *command;               // the line that runs it once: the experiment's identity
    size_t base;                 // the point that it is compared with; itself where it is a base
    char refusal[200];           // why the machine does not carry it, or ""
    double (*sample)[LAB_COSTS]; // [count]
    size_t count;
    struct lab_experiment_spec spec; // its texts are those that it was added with; none of a point that was read
};

struct lab_contention {
    char *command; // that measured it
    char version[32];
    struct lab_host host;
    uint64_t runs;           // of each, as asked
    struct lab_point *point; // [count], the base first
    size_t count;
    double host_limit[LAB_HOST_LIMITS]
                     [LAB_CONTENTION_RUNS_MAX]; // [turns] of each: the computer's own limits, once a turn
    size_t turns;
    double others; // the share of the computer's time that other programs took meanwhile; NaN where not known
};

// Begins one, without points. False without memory.
bool lab_contention_begin(struct lab_contention *contention, const char *command, uint64_t runs,
                          struct ek_error *error);
void lab_contention_destroy(struct lab_contention *contention);

// Adds an experiment that differs from point `base` on an axis; as a base of its own where that is the number of points
// so far. One that is there already is not added again. False without memory.
bool lab_contention_add(struct lab_contention *contention, const struct lab_experiment_spec *spec, const char *axis,
                        const char *value, size_t base, struct ek_error *error);

// Who is told of each run before it, and asked whether those that are left are not to be made; and how long the
// computer's own limits are measured, each, at the beginning of every turn.
struct lab_contention_watch {
    void (*tell)(void *context, const struct lab_point *point, uint64_t done, uint64_t all); // or NULL
    void *context;
    bool (*stopped)(void);
    struct ek_reader reader;
    double host_limit_s;
};

// Runs all points once, back and forth as often as asked: a computer that becomes slower does so for all of them.
// EK_UNREACHED where it was stopped; `error` where a run was stuck or violated an invariant, or the first point is
// refused.
enum ek_status lab_contention_run(struct lab_contention *contention, const struct lab_contention_watch *watch,
                                  struct ek_error *error);

extern const struct lab_confidence lab_contention_confidence; // of all intervals here

// The mean of a cost; its ratio to another point's, the geometric mean of run by run; and a limit of the computer. The
// value is NaN where it was not measured, low and high are NaN of less than two runs.
struct lab_interval lab_contention_mean(const struct lab_point *point, enum lab_cost cost);
struct lab_interval lab_contention_ratio(const struct lab_point *point, const struct lab_point *to, enum lab_cost cost);
struct lab_interval lab_contention_limit(const struct lab_contention *contention, enum lab_host_limit limit);

// "more", "less", or "none" where the interval holds 1; NULL where there is no interval.
const char *lab_contention_difference(const struct lab_interval *ratio);

// The same experiment in another measurement, or NULL.
const struct lab_point *lab_contention_same(const struct lab_contention *in, const struct lab_point *point);

// Writes it as one JSON object, with what comparing with `baseline` (or NULL) gives. Errors of writing stay
// with the stream.
void lab_contention_write(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline);

// Reads what was written. False and `error` where it is none.
bool lab_contention_read(const char *text, size_t length, struct lab_contention *contention, struct ek_error *error);

#endif
