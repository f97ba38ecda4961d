// SPDX-License-Identifier: MIT
#include "lab/record/run_experiment.h"

#include <stdlib.h>

#include "base/error.h"
#include "lab/record/profile.h"
#include "threads/api/run.h"

struct running {
    const struct lab_run_request *request;
    struct ek_machine *machine;
    uint64_t number;
};

static bool stopped(const struct lab_run_request *request)
{
    return request->stopped && request->stopped();
}

static void attend(void *context, const struct ek_progress *so_far)
{
    const struct running *running = context;
    const struct lab_run_request *request = running->request;
    if (stopped(request)) {
        ek_interrupt(running->machine);
        if (request->on_stop) {
            request->on_stop(request->context);
        }
    }
    if (request->on_progress) {
        request->on_progress(request->context, running->number, so_far);
    }
}

static enum ek_status run_machine(const struct lab_run_request *request, struct ek_machine *machine, uint64_t run,
                                  uint64_t number, struct ek_report *report, struct ek_error *error)
{
    struct running running = {.request = request, .machine = machine, .number = number};
    return ek_run(machine, run, report, attend, &running, error);
}

// Makes one run. A machine with drawn parts is drawn anew for each run, so run r of seed s is run 0 of seed s + r.
static enum ek_status run_one(const struct lab_run_request *request, struct ek_machine *machine, uint64_t number,
                              struct ek_report *report, struct ek_error *error)
{
    if (number == 0 || !ek_machine_drawn(machine)) {
        return run_machine(request, machine, number, number, report, error);
    }
    struct ek_experiment experiment = request->experiment;
    experiment.seed += number;
    struct ek_machine *own = ek_prepare(&experiment, error);
    if (!own) {
        return error->status;
    }
    enum ek_status status = run_machine(request, own, 0, number, report, error);
    ek_machine_destroy(own);
    return status;
}

// Frees the parts of the report that the request does not keep.
static void trim(const struct lab_run_request *request, uint64_t number, struct ek_report *report)
{
    if (number >= request->loads_kept) {
        free(report->initial);
        free(report->final);
        free(report->frame);
        free(report->frame_load);
        free(report->frame_flow);
        lab_profile_drop(&report->profile);
        report->frame = NULL;
        report->frame_load = NULL;
        report->frame_flow = NULL;
        report->frame_count = 0;
        report->initial = NULL;
        report->final = NULL;
    }
    if (number >= request->traces_kept) {
        free(report->trace);
        report->trace = NULL;
        report->trace_count = 0;
    }
}

// Returns whether another run follows. Processes that carry the run together must agree on it: none may leave while the
// others wait for it, even if it was stopped or has failed (`good` is false).
static bool goes_on(const struct lab_run_request *request, bool good, struct ek_error *error)
{
    if (good && stopped(request)) {
        good = base_refuse(error, "stopped between two runs");
        error->status = EK_UNREACHED;
    }
    return ek_ranks_agree(request->experiment.ranks, good, error);
}

// Adds a run to the record and reports it to the caller.
static bool keep(const struct lab_run_request *request, uint64_t run, struct ek_report *report,
                 struct lab_record *record, struct ek_error *error)
{
    trim(request, run, report);
    if (!lab_record_add(record, report, error)) {
        ek_report_destroy(report);
        return false;
    }
    return !request->on_run || request->on_run(request->context, record, error);
}

// Makes all runs of the request. `good` is false if the preparation failed.
static enum ek_status run_all(const struct lab_run_request *request, struct ek_machine *machine, bool good,
                              struct lab_record *record, struct ek_error *error)
{
    enum ek_status worst = EK_OK;
    for (uint64_t run = 0; run < request->runs; run++) {
        if (!goes_on(request, good, error)) {
            bool asked = error->status == EK_UNREACHED;
            return asked && worst != EK_OK ? worst : error->status;
        }
        struct ek_report report = {0};
        enum ek_status status = run_one(request, machine, run, &report, error);
        if (status == EK_BAD_INPUT) { // it could not be carried out
            ek_report_destroy(&report);
            return status;
        }
        good = keep(request, run, &report, record, error);
        worst = status == EK_OK ? worst : status;
        if (status != EK_OK && status != EK_UNREACHED) {
            break;
        }
    }
    return good ? worst : EK_BAD_INPUT;
}

enum ek_status lab_run_on(const struct lab_run_request *request, struct ek_machine *machine, struct lab_record *record,
                          struct ek_error *error)
{
    *record = (struct lab_record){0};
    bool good = (!request->on_prepared || request->on_prepared(request->context, machine, error)) &&
                lab_record_begin(record, machine, request->command, request->runs, request->theory, error);
    enum ek_status status = run_all(request, machine, good, record, error);
    if (record->count == 0) {
        lab_record_destroy(record);
    }
    return status;
}

enum ek_status lab_run(const struct lab_run_request *request, struct lab_record *record, struct ek_error *error)
{
    struct ek_machine *machine = ek_prepare(&request->experiment, error);
    if (!machine) {
        return EK_BAD_INPUT;
    }
    enum ek_status status = lab_run_on(request, machine, record, error);
    ek_machine_destroy(machine);
    return status;
}
