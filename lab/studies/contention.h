// SPDX-License-Identifier: MIT
// Contention: measures what threads, mailboxes, ports, pinning, carriers and barriers cost. A *base* is an experiment;
// each other *point* differs from its base on one axis. All points run in turn, several times. The result is one value,
// which is written as JSON and read back.
#ifndef LAB_STUDIES_CONTENTION_H
#define LAB_STUDIES_CONTENTION_H

#include "lab/record/record.h"
#include "lab/statistics/statistics.h"
#include "lab/studies/host_limits.h"
#include "lab/sweep/experiment_spec.h"

enum { LAB_CONTENTION_RUNS_MAX = 100 };

// The measurements of each run: messages, operations and sleeps per second; latencies in seconds; stalled messages and
// context switches per message; the share of turns without anything to do. In rounds messages do not wait, so only the
// first two are measured, and the second counts steps.
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
extern const char *const lab_cost_names[LAB_COSTS]; // in JSON and CSV

struct lab_point {
    char *axis;                  // the axis on which it differs from its base; "" for a base
    char *value;                 // its value on that axis
    char *command;               // the command line that runs it once, which identifies the experiment
    size_t base;                 // the index of its base; a base has its own index
    char refusal[200];           // why the machine refused it, or ""
    double (*sample)[LAB_COSTS]; // [count]
    size_t count;
    struct lab_experiment_spec spec; // with the caller's texts; empty if the point was read from JSON
};

struct lab_contention {
    char *command; // the command line of the measurement
    char version[32];
    struct lab_host host;
    uint64_t runs;           // requested for each point
    struct lab_point *point; // [count], the first is a base
    size_t count;
    double host_limit[LAB_HOST_LIMITS][LAB_CONTENTION_RUNS_MAX]; // [turns] measurements of each limit of the computer
    size_t turns;                                                // a turn runs each point once
    double others; // the share of the computer's processor time that other programs took; NaN if unknown
};

// Begins a measurement without points. Returns false if memory is short.
bool lab_contention_begin(struct lab_contention *contention, const char *command, uint64_t runs,
                          struct ek_error *error);
void lab_contention_destroy(struct lab_contention *contention);

// Adds a point that differs from point `base` on an axis. If `base` is the number of points so far, the new point is a
// base. An experiment that is already a point is not added again. Returns false if memory is short.
bool lab_contention_add(struct lab_contention *contention, const struct lab_experiment_spec *spec, const char *axis,
                        const char *value, size_t base, struct ek_error *error);

struct lab_contention_watch {
    // Called before each run with its number and the number of all runs, or NULL.
    void (*on_run)(void *context, const struct lab_point *point, uint64_t number, uint64_t all);
    void *context;
    bool (*stopped)(void); // returns whether to end the measurement
    struct ek_reader reader;
    double host_limit_s; // time for measuring each limit of the computer, once a turn
};

// Runs all points in turn, alternately forwards and backwards, so that a computer that slows down slows down all
// points. Returns EK_UNREACHED if it was stopped. Sets `error` if a run got stuck or violated an invariant, or if the
// machine refuses the first point.
enum ek_status lab_contention_run(struct lab_contention *contention, const struct lab_contention_watch *watch,
                                  struct ek_error *error);

extern const struct lab_confidence lab_contention_confidence; // of all intervals below

// Return the mean of a cost, the ratio of a cost to another point's, and the mean of a limit of the computer. The ratio
// is the geometric mean of the ratios run by run. The value is NaN if it was not measured; low and high are NaN with
// fewer than LAB_SAMPLES_MIN runs.
struct lab_interval lab_contention_mean(const struct lab_point *point, enum lab_cost cost);
struct lab_interval lab_contention_ratio(const struct lab_point *point, const struct lab_point *to, enum lab_cost cost);
struct lab_interval lab_contention_limit(const struct lab_contention *contention, enum lab_host_limit limit);

// Returns "more", "less", or "none" if the interval contains 1; NULL if there is no interval.
const char *lab_contention_difference(const struct lab_interval *ratio);

// Returns the point of measurement `in` with the same experiment, or NULL.
const struct lab_point *lab_contention_same(const struct lab_contention *in, const struct lab_point *point);

// Writes the measurement as one JSON object, compared with `baseline` if that is not NULL. Errors of writing stay with
// the stream.
void lab_contention_write(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline);

// Reads what lab_contention_write has written. Returns false and `error` if the text is anything else.
bool lab_contention_read(const char *text, size_t length, struct lab_contention *contention, struct ek_error *error);

#endif
