// SPDX-License-Identifier: MIT
// Running experiments.
#include "lab/record/run_experiment.h"

#include <stdlib.h>

#include "base/error.h"

// A run under way.
struct running {
    const struct lab_run_request *order;
    struct ek_machine *machine;
    uint64_t number;
};

static bool stopped(const struct lab_run_request *order)
{
    return order->stopped && order->stopped();
}

// Some ten times a second.
static void attend(void *context, const struct ek_progress *so_far)
{
    const struct running *running = context;
    const struct lab_run_request *order = running->order;
    if (stopped(order)) {
        ek_interrupt(running->machine);
    }
    if (order->progress) {
        order->progress(order->context, running->number, so_far);
    }
}

static enum ek_status run_machine(const struct lab_run_request *order, struct ek_machine *machine, uint64_t run,
                                  uint64_t number, struct ek_report *report, struct ek_error *error)
{
    struct running running = {.order = order, .machine = machine, .number = number};
    return ek_run(machine, run, report, attend, &running, error);
}

// One run. What was drawn with the machine is drawn anew for each, so run r of seed s is run 0 of seed s + r.
static enum ek_status run_one(const struct lab_run_request *order, struct ek_machine *machine, uint64_t number,
                              struct ek_report *report, struct ek_error *error)
{
    if (number == 0 || !ek_machine_drawn(machine)) {
        return run_machine(order, machine, number, number, report, error);
    }
    struct ek_experiment experiment = order->experiment;
    experiment.seed += number;
    struct ek_machine *own = ek_prepare(&experiment, error);
    if (!own) {
        return error->status;
    }
    enum ek_status status = run_machine(order, own, 0, number, report, error);
    ek_machine_destroy(own);
    return status;
}

// Many runs need not keep what nothing shows.
static void trim(const struct lab_run_request *order, uint64_t number, struct ek_report *report)
{
    if (number >= order->loads_kept) {
        free(report->initial);
        free(report->final);
        free(report->frame);
        free(report->frame_load);
        report->frame = NULL;
        report->frame_load = NULL;
        report->frame_count = 0;
        report->initial = NULL;
        report->final = NULL;
    }
    if (number >= order->traces_kept) {
        free(report->trace);
        report->trace = NULL;
        report->trace_count = 0;
    }
}

// Whether another run is to be made. Processes that carry it together all make it, or none: who was told to stop, or
// has failed (not `good`), does not leave while the others wait for it.
static bool goes_on(const struct lab_run_request *order, bool good, struct ek_error *error)
{
    if (good && stopped(order)) {
        good = base_refuse(error, "stopped between two runs");
        error->status = EK_UNREACHED;
    }
    return ek_ranks_agree(order->experiment.ranks, good, error);
}

// Puts a run into the record, and says that it is there.
static bool keep(const struct lab_run_request *order, uint64_t run, struct ek_report *report, struct lab_record *record,
                 struct ek_error *error)
{
    trim(order, run, report);
    if (!lab_record_add(record, report, error)) {
        ek_report_destroy(report);
        return false;
    }
    return !order->made || order->made(order->context, record, error);
}

// `good`: what comes before the runs was.
static enum ek_status run_all(const struct lab_run_request *order, struct ek_machine *machine, bool good,
                              struct lab_record *record, struct ek_error *error)
{
    enum ek_status worst = EK_OK;
    for (uint64_t run = 0; run < order->runs; run++) {
        if (!goes_on(order, good, error)) {
            bool asked = error->status == EK_UNREACHED;
            return asked && worst != EK_OK ? worst : error->status;
        }
        struct ek_report report = {0};
        enum ek_status status = run_one(order, machine, run, &report, error);
        if (status == EK_BAD_INPUT) { // it could not be carried
            ek_report_destroy(&report);
            return status;
        }
        good = keep(order, run, &report, record, error);
        worst = status == EK_OK ? worst : status;
        if (status != EK_OK && status != EK_UNREACHED) {
            break;
        }
    }
    return good ? worst : EK_BAD_INPUT;
}

enum ek_status lab_run_on(const struct lab_run_request *order, struct ek_machine *machine, struct lab_record *record,
                          struct ek_error *error)
{
    *record = (struct lab_record){0};
    bool good = (!order->accepts || order->accepts(order->context, machine, error)) &&
                lab_record_begin(record, machine, order->command, order->runs, order->theory, error);
    enum ek_status status = run_all(order, machine, good, record, error);
    if (record->count == 0) {
        lab_record_destroy(record);
    }
    return status;
}

enum ek_status lab_run(const struct lab_run_request *order, struct lab_record *record, struct ek_error *error)
{
    struct ek_machine *machine = ek_prepare(&order->experiment, error);
    if (!machine) {
        return EK_BAD_INPUT;
    }
    enum ek_status status = lab_run_on(order, machine, record, error);
    ek_machine_destroy(machine);
    return status;
}
