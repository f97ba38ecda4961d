// SPDX-License-Identifier: MIT
// The engine of free timing: the experiments that it cannot run, its defaults, and a run of threads. A run consists of
// the driver, a recorder if the run is recorded, and a porter if several processes carry it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "threads/api/report.h"
#include "threads/drivers/porters/porter.h"
#include "threads/drivers/recorder/recorder.h"
#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/free_plan.h"
#include "threads/drivers/free_engine.h"
#include "threads/machine/on_ranks.h"
#include "threads/ranks/agree.h"

// A run of threads.
struct engine_run {
    struct thread_driver driver;
    struct recorder *recorder; // or NULL
    struct porter *porter;     // NULL if one process carries the run
};

static void settle(struct machine_plan *machine)
{
    struct ek_experiment *experiment = machine->experiment;
    machine->helped = free_faults(machine);
    experiment->watchdog_s = experiment->watchdog_s > 0.0 ? experiment->watchdog_s : 10.0;
    experiment->audit_s = experiment->audit_s > 0.0 ? experiment->audit_s : fmin(0.01, experiment->watchdog_s / 2);
    if (!experiment->stop && !machine->program) {
        free_settle_stop(machine);
    }
}

// With fewer processors nearly every message between two workers goes to another core (bench/README.md).
static uint32_t shared_from(const struct machine_plan *machine)
{
    (void)machine;
    return 64;
}

static uint64_t bytes(const struct machine_plan *machine)
{
    struct free_transport separate = {.separate = machine->ranks};
    return sizeof(struct engine_run) + free_bytes(machine, &separate) + threads_bytes(machine) +
           (machine->ranks ? porter_bytes(machine) : 0) + (machine->experiment->recorder ? recorder_bytes(machine) : 0);
}

static void destroy(void *context)
{
    struct engine_run *run = context;
    recorder_destroy(run->recorder);
    if (run->driver.control) {
        free_destroy(run->driver.control);
    }
    threads_end(&run->driver);
    porter_destroy(run->porter);
    free(run);
}

static bool no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "carrier", "no memory for the threads of a run");
}

// Creates the parts of the run. `run` is all zeros.
static bool assemble(struct engine_run *run, const struct machine_plan *machine, uint64_t number,
                     struct ek_error *error)
{
    struct free_transport *transport = &free_transport_local;
    if (machine->ranks) {
        run->porter = porter_create(machine);
        if (!run->porter) {
            return no_memory(error);
        }
        transport = &run->porter->transport;
    }
    struct free_control *control = free_create(machine, number, transport, error);
    if (!control) {
        return false;
    }
    if (!threads_begin(&run->driver, control)) {
        return no_memory(error);
    }
    if (run->porter) {
        porter_begin(run->porter, &run->driver);
    }
    if (machine->experiment->recorder) {
        run->recorder = recorder_create(&control->run, error);
        if (!run->recorder) {
            return false;
        }
        recorder_wrap(run->recorder, &control->run, &run->driver.source);
    }
    return true;
}

static void *create(const struct machine_plan *machine, uint64_t number, struct ek_error *error)
{
    struct engine_run *run = aligned_alloc(_Alignof(struct engine_run), sizeof *run);
    bool good = run || no_memory(error);
    if (run) {
        memset(run, 0, sizeof *run);
        good = assemble(run, machine, number, error);
    }
    good = rank_agree(machine->ranks, good, good ? free_print(&run->driver.control->run) : 0, error);
    if (!good && run) {
        destroy(run);
    }
    if (good) {
        free_begin_over_ranks(run->driver.control);
    }
    return good ? run : NULL;
}

static void run_worker(void *context, unsigned worker)
{
    struct engine_run *run = context;
    if (run->porter) {
        porter_work(run->porter);
    } else {
        threads_work(&run->driver, worker);
    }
}

static void attend(void *context)
{
    struct engine_run *run = context;
    if (run->porter) {
        porter_attend(run->porter);
        return;
    }
    run->driver.interrupted = recorder_failed(run->recorder);
    threads_attend(&run->driver);
}

static void help(void *context)
{
    threads_inject_faults(&((struct engine_run *)context)->driver);
}

static void progress(void *context, struct ek_progress *progress)
{
    free_progress(((const struct engine_run *)context)->driver.control, progress);
}

static enum ek_status report(void *context, struct ek_report *report, struct ek_error *error)
{
    struct engine_run *run = context;
    recorder_end(run->recorder);
    enum ek_status status = free_report(run->driver.control, report, error);
    recorder_report(run->recorder, &report->free);
    machine_ranks_report(run->driver.control->run.machine, report);
    return status;
}

const struct machine_engine free_engine = {
    .choice = {"free", "every processor at its own pace, without a barrier"},
    .timing = EK_IN_FREE,
    .mailbox = "spsc",
    .capacity = 4,
    .by_clock = true,
    .overlapping = true,
    .check = free_check,
    .settle = settle,
    .shared = shared_from,
    .bytes = bytes,
    .create = create,
    .destroy = destroy,
    .run_worker = run_worker,
    .attend = attend,
    .attend_ns = THREADS_PERIOD_NS,
    .help = help,
    .progress = progress,
    .report = report,
};
