// SPDX-License-Identifier: MIT
#include "lab/studies/torture.h"

#include <stdlib.h>

#include "base/error.h"
#include "lab/record/clock.h"
#include "lab/record/failure_recording.h"
#include "lab/record/run_experiment.h"
#include "lab/text/memory_stream.h"

enum { FAILURES_MAX = 10 };

static const struct lab_torture_tally nothing = {
    .misses = {{.name = "fullest mailbox, messages", .first = 1.0, .base = 2.0},
               {.name = "oldest announcement", .time = true, .first = 1e-6, .base = 10.0},
               {.name = "longest wait", .time = true, .first = 1e-6, .base = 10.0},
               {.name = "most overlaps at once", .first = 1.0, .base = 2.0}}};

static void count_miss(struct lab_near_miss *miss, double value, uint64_t seed)
{
    if (!(value > 0.0)) { // NaN: not measured
        return;
    }
    if (value > miss->most) {
        miss->most = value;
        miss->seed = seed;
    }
    int bin = 0;
    for (double end = miss->first; bin + 1 < LAB_NEAR_MISS_BINS && value > end; end *= miss->base) {
        bin++;
    }
    miss->runs[bin]++;
}

static void count_run(struct lab_torture_tally *tally, const struct ek_report *report)
{
    const struct ek_free_report *free = &report->free;
    const double values[LAB_NEAR_MISSES] = {(double)free->depth_most, free->stale_age.maximum, free->longest_wait,
                                            (double)free->overlap_most};
    for (size_t i = 0; i < LAB_NEAR_MISSES; i++) {
        count_miss(&tally->misses[i], values[i], report->seed);
    }
    tally->operations += report->operations;
    tally->messages += report->messages;
    tally->audits += free->audits;
    tally->faults += free->faults.link_failures + free->faults.processor_failures;
}

static void count(struct lab_torture_tally *tally, const struct lab_torture_run *run)
{
    tally->done++;
    if (!run->error) {
        count_run(tally, run->report);
    } else if (run->status != EK_BAD_INPUT) {
        tally->failed++;
        tally->status = tally->status == EK_VIOLATION ? EK_VIOLATION : run->status;
    } else if (tally->refused++ == 0) {
        tally->refusal = *run->error;
        tally->refused_seed = run->seed;
    }
}

// Returns the command line that runs the experiment; the caller frees it. NULL if memory is short.
static char *command_of(const struct lab_section *experiment)
{
    struct lab_stream line;
    if (lab_stream_begin(&line)) {
        fputs("evenkeel run", line.out);
        lab_section_write(line.out, experiment);
    }
    return lab_stream_end(&line);
}

static bool begin_recording(void *context, const struct ek_machine *machine, struct ek_error *error)
{
    const struct lab_failure_recording *failure = context;
    return !failure->recorder || lab_recorder_begin(failure->recorder, machine, error);
}

// Runs an experiment, and records it if failures are to be recorded. A recording that cannot be written ends the
// torture.
static enum ek_status run(const struct lab_torture_request *torture, const char *command,
                          struct ek_experiment *experiment, struct lab_failure_recording *failure,
                          struct lab_record *record, struct lab_torture_tally *tally, struct ek_error *error)
{
    bool recorded = torture->failures && ek_timing_named(experiment->timing) & (EK_IN_FREE | EK_IN_VIRTUAL);
    experiment->keep_loads = experiment->keep_trace = recorded; // for the record in the recording
    if (recorded && !lab_failure_recording_begin(failure, torture->failures, command, experiment, &tally->unwritten)) {
        return EK_UNREACHED; // the run has not begun
    }
    struct lab_run_request request = {.experiment = *experiment,
                                      .runs = 1,
                                      .command = "",
                                      .loads_kept = UINT64_MAX,
                                      .traces_kept = UINT64_MAX,
                                      .stopped = torture->stopped,
                                      .on_prepared = begin_recording,
                                      .context = failure};
    enum ek_status status = lab_run(&request, record, error);
    struct ek_error unwritten;
    if (recorded && !lab_failure_recording_end(failure, record, status, &unwritten)) {
        tally->unwritten = unwritten;
    }
    return status;
}

// Draws, runs and counts the experiment of a seed. Returns false if no more runs are to be made.
static bool run_seed(const struct lab_torture_request *torture, uint64_t seed, struct lab_torture_tally *tally)
{
    struct lab_section drawn;
    struct ek_error error = {.at = -1};
    struct lab_record record = {0};
    struct lab_failure_recording failure = {0};
    if (!lab_torture_draw(seed, &torture->bounds, torture->reader, &drawn, &error)) {
        tally->unwritten = error;
        return false;
    }
    torture->on_begin(torture->context, seed, tally);
    struct lab_experiment_spec spec = lab_section_spec(&drawn);
    struct ek_experiment experiment;
    char *command = command_of(&drawn);
    enum ek_status status = EK_BAD_INPUT;
    if (!command) {
        base_refuse(&error, "there is no memory for an experiment");
    } else if (lab_experiment_spec_read(&spec, torture->reader, &experiment, &error)) {
        status = run(torture, command, &experiment, &failure, &record, tally, &error);
    }
    bool made = record.count > 0 || status != EK_UNREACHED; // else it was stopped before the run began
    if (made) {
        struct lab_torture_run run = {.seed = seed,
                                      .command = command ? command : "",
                                      .status = status,
                                      .error = status == EK_OK || status == EK_UNREACHED ? NULL : &error,
                                      .report = record.count > 0 ? record.runs : NULL,
                                      .recording = failure.kept ? failure.path : NULL};
        count(tally, &run);
        made = torture->on_run(torture->context, &run, tally);
    }
    free(command);
    lab_failure_recording_destroy(&failure);
    lab_record_destroy(&record);
    lab_section_destroy(&drawn);
    return made;
}

static bool goes_on(const struct lab_torture_request *request, uint64_t began_ns, struct lab_torture_tally *tally)
{
    tally->elapsed_s = 1e-9 * (double)(lab_clock_ns() - began_ns);
    return tally->done < request->runs && tally->failed < FAILURES_MAX && tally->unwritten.status == EK_OK &&
           !request->stopped() && tally->elapsed_s < request->seconds;
}

void lab_torture(const struct lab_torture_request *request, struct lab_torture_tally *tally)
{
    const uint64_t began_ns = lab_clock_ns();
    *tally = nothing;
    while (goes_on(request, began_ns, tally) && run_seed(request, request->seed + tally->done, tally)) {
    }
    tally->elapsed_s = 1e-9 * (double)(lab_clock_ns() - began_ns);
}
