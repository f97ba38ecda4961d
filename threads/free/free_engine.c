// SPDX-License-Identifier: MIT
// The engine of free timing as a table, what it cannot do, and what it settles.
#include "threads/free/free_engine.h"

#include <math.h>
#include <stdio.h>

#include "threads/free/pushed.h"
#include "base/cursor.h"

static bool check(const struct ek_machine *machine, struct ek_error *error)
{
    if (!machine->method->free) {
        return base_fail_at(error, "method", 0,
                            "%s works in rounds only: use --timing rounds, or a method like adf or ade",
                            machine->method->name);
    }
    return !machine->pushed || free_announce_possible(machine, error);
}

// Who invokes by its load stops by itself. Without a criterion the machine then ends when it is quiet; where work goes
// on for ever, it never is.
static void settle_stop(struct ek_machine *machine)
{
    bool endless = core_workload_continues(&machine->work, UINT64_MAX);
    if (endless || core_invoke_by_load(&machine->invoke)) {
        machine->stop.kind = endless ? CORE_STOP_NEVER : CORE_STOP_ITSELF;
        snprintf(machine->stop_spec, sizeof machine->stop_spec, "%s", endless ? "never" : "nobody invokes");
    }
}

static void settle(struct ek_machine *machine)
{
    struct ek_experiment *experiment = &machine->experiment;
    machine->helped = free_faults(machine);
    experiment->watchdog_s = experiment->watchdog_s > 0.0 ? experiment->watchdog_s : 10.0;
    experiment->audit_s = experiment->audit_s > 0.0 ? experiment->audit_s : fmin(0.01, experiment->watchdog_s / 2);
    if (!experiment->stop) {
        settle_stop(machine);
    }
}

// Below, nearly every message of two workers goes to another core (bench/README.md).
static uint32_t shared_from(const struct ek_machine *machine)
{
    (void)machine;
    return 64;
}

const struct machine_engine free_engine = {
    .choice = {"free", "every processor at its own pace, without a barrier"},
    .timing = EK_IN_FREE,
    .mailbox = "spsc",
    .capacity = 4,
    .by_clock = true,
    .overlapping = true,
    .check = check,
    .settle = settle,
    .shared = shared_from,
    .bytes = free_bytes,
    .create = free_create,
    .destroy = free_destroy,
    .work = free_work,
    .attend = free_attend,
    .attend_ns = FREE_PERIOD_NS,
    .help = free_help,
    .progress = free_progress,
    .report = free_report,
};
