// SPDX-License-Identifier: MIT
// Torture: experiments in free timing, and with tasks in all timings, are drawn from seeds and run one after the other,
// until runs fail or the time is over. The tally shows how near the runs came to their limits: a test that never comes
// near its limits proves little.
#ifndef LAB_STUDIES_TORTURE_H
#define LAB_STUDIES_TORTURE_H

#include <stdio.h>

#include "lab/sweep/experiment_file.h"

// The values that an axis may have, by the axis' index; an axis without values is drawn freely.
struct lab_torture_bounds {
    struct lab_values values[EK_AXES_MAX];
};

// Reads the bounds from one text for each axis, or NULL: a list of values, as a sweep takes it. If it returns false,
// there is nothing to destroy.
bool lab_torture_bounds_read(struct lab_torture_bounds *bounds, const char *const given[EK_AXES_MAX],
                             struct ek_error *error);
void lab_torture_bounds_destroy(struct lab_torture_bounds *bounds);

// Draws the experiment of a seed. The experiment is the same on every computer. Methods and topologies are drawn so
// that they go together. A bound can still ask for something that the machine then refuses. Returns false if memory is
// short; otherwise the caller destroys the section.
bool lab_torture_draw(uint64_t seed, const struct lab_torture_bounds *bounds, struct ek_reader reader,
                      struct lab_section *drawn, struct ek_error *error);

enum { LAB_NEAR_MISSES = 4, LAB_NEAR_MISS_BINS = 8 };

// A quantity that shows how near runs came to a limit, and its largest value in each run.
struct lab_near_miss {
    const char *name;
    bool time;          // its values are seconds
    double first, base; // bin b ends at first * base^b; the last bin has no end
    double most;        // over all runs; 0 if no run has a value
    uint64_t seed;      // of the run with `most`
    uint64_t runs[LAB_NEAR_MISS_BINS];
};

// The sums over all runs.
struct lab_torture_tally {
    struct lab_near_miss misses[LAB_NEAR_MISSES];
    uint64_t done;    // experiments, including those that were refused or failed
    uint64_t refused; // experiments that this machine cannot run
    uint64_t failed;  // runs that violated an invariant or got stuck
    uint64_t operations, messages, audits, faults;
    double elapsed_s;
    enum ek_status status;   // EK_OK, or the worst status of the runs that failed
    struct ek_error refusal; // the first one, of the experiment with `refused_seed`
    uint64_t refused_seed;
    struct ek_error unwritten; // why a recording could not be written; its status is EK_OK if all could
};

// A run that ended.
struct lab_torture_run {
    uint64_t seed;
    const char *command;
    enum ek_status status;
    const struct ek_error *error;   // NULL if the run neither failed nor was refused
    const struct ek_report *report; // NULL if the experiment was refused
    const char *recording;          // the path of its recording, or NULL if none was kept
};

struct lab_torture_request {
    struct lab_torture_bounds bounds;
    struct ek_reader reader;
    uint64_t seed;        // of the first run; run r has seed + r
    uint64_t runs;        // at most so many
    double seconds;       // no run begins after so long
    const char *failures; // the directory for recordings of runs that fail, or NULL
    bool (*stopped)(void);
    // Called before each run, and after each run; if on_run returns false, no more runs are made.
    void (*on_begin)(void *context, uint64_t seed, const struct lab_torture_tally *tally);
    bool (*on_run)(void *context, const struct lab_torture_run *run, const struct lab_torture_tally *tally);
    void *context;
};

// Runs the experiments. Stops after ten failures, or if a recording cannot be written.
void lab_torture(const struct lab_torture_request *request, struct lab_torture_tally *tally);

// Writes the report as JSON (docs/report.md), in three parts: the part before the runs, each run, and the part after
// all runs. Errors of writing stay with the stream.
void lab_torture_write_head(FILE *out, uint64_t seed, const char *command);
void lab_torture_write_run(FILE *out, const struct lab_torture_run *run, bool first);
void lab_torture_write_end(FILE *out, const struct lab_torture_tally *tally);

#endif
