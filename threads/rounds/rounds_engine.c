// SPDX-License-Identifier: MIT
// The engines of rounds and of turns as tables, and what they cannot do.
#include "threads/rounds/rounds_engine.h"

#include <math.h>

#include "base/cursor.h"
#include "threads/api/axis.h"
#include "threads/api/experiment.h"

// Checks that the transfers of a method that decides them in advance are possible. Otherwise it would wait for load
// that never arrives.
static bool check_transfers(const struct machine_plan *machine, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    if (!method->direct || !method->rounds->act) {
        return true;
    }
    if (!core_links_carry_all(&machine->links)) {
        return base_fail_at(error, "method", 0,
                            "%s decides its transfers in advance: use %s none, or a method like gde", method->name,
                            machine->links.use[0].axis);
    }
    return machine->work.kind == CORE_WORKLOAD_NONE || !machine->clock_steps ||
           base_fail_at(error, "method", 0,
                        "%s decides its transfers in advance: use clock operation, or a method like gde", method->name);
}

// Checks that the experiment asks for nothing that the method cannot do in rounds, or in turns.
static bool check_method(const struct machine_plan *machine, bool in_turns, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    if (machine->invoke.kind == CORE_INVOKE_GRADIENT) {
        return base_fail_at(error, "invoke", 0, "gradient needs free timing: use invoke outside:L:H, or timing free");
    }
    if (machine->invoke.kind != CORE_INVOKE_ALWAYS &&
        (in_turns || (method->rounds->act && !method->rounds->reads_invokes))) {
        return base_fail_at(error, "method", 0,
                            "%s is invoked by all processors at once: use invoke always, or a method like ade or adf",
                            method->name);
    }
    if (core_links_delay(&machine->links) && !method->supports.delays) {
        return base_fail_at(error, "method", 0, "%s needs the present loads: use %s, or a method like sender or adf",
                            method->name, core_links_undelayed(&machine->links));
    }
    if (machine->work.working == CORE_WORKING_SUSPENDED && method->rounds->act && method->draws) {
        return base_fail_at(
            error, "method", 0,
            "%s draws the members of an operation: use working after, or a method like adf or local-average",
            method->name);
    }
    return check_transfers(machine, error);
}

// Checks that domains can be measured. A domain is an invoker with all its neighbours. Load that arrives after the
// operation belongs to no domain.
static bool check_overlaps(const struct machine_plan *machine, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    bool neighbours = method->rounds->act ? method->rounds->reads_invokes
                                          : method->links == EK_LINKS_ALL || method->links == EK_LINKS_COLOUR;
    if (!machine->experiment->overlaps || (neighbours && !machine->capacity && !core_links_delay(&machine->links) &&
                                           machine->faults.kind == CORE_FAULTS_NONE)) {
        return true;
    }
    return base_fail(
        error, EK_BAD_INPUT, "overlaps",
        "domains can only be measured for methods like ade or adf, with capacity homo, delay none and faults none");
}

static bool check_rounds(const struct machine_plan *machine, struct ek_error *error)
{
    return check_method(machine, false, error) && check_overlaps(machine, error);
}

static bool check_turns(const struct machine_plan *machine, struct ek_error *error)
{
    if (!machine->method->supports.turns) {
        return base_fail_at(error, "method", 0,
                            "%s does not support turns: use timing rounds, or a method like sender, adf or odf",
                            machine->method->name);
    }
    if (machine->ports == EK_ONE_PORT) {
        return base_fail_at(error, "ports", 0,
                            "a processor's turn uses all its ports: use ports all, or timing rounds");
    }
    if (machine->capacity) {
        return base_fail_at(
            error, "capacity", 0,
            "in turns processors compare the loads that they hold: use capacity homo, or timing rounds");
    }
    return check_method(machine, true, error);
}

// Returns the number of processors from which on several workers are faster than one: two workers that spin take 85 to
// 400 ns to meet, and fetch what the other has written (bench/README.md).
static uint32_t shared_in_rounds(const struct machine_plan *machine)
{
    return machine->method->rounds->block_wide && machine->units == EK_REAL ? 3072 : 512;
}

// In turns several workers are never faster: one processor acts at a time, and the others wait.
static uint32_t shared_in_turns(const struct machine_plan *machine)
{
    (void)machine;
    return UINT32_MAX;
}

const struct machine_engine rounds_engine = {
    .choice = {"rounds", "all processors act at once, with a barrier between the phases"},
    .timing = EK_IN_ROUNDS,
    .variant = ROUNDS_TOGETHER,
    .mailbox = "slot",
    .together = true,
    .check = check_rounds,
    .shared = shared_in_rounds,
    .bytes = rounds_bytes,
    .computes_rows = rounds_computes_rows,
    .stores_part = rounds_stores_part,
    .create = rounds_create,
    .destroy = rounds_destroy,
    .run_worker = rounds_run_worker,
    .progress = rounds_progress,
    .report = rounds_report,
};

const struct machine_engine rounds_turns_engine = {
    .choice = {"turns", "one processor after another in a step, in the order of their numbers"},
    .timing = EK_IN_TURNS,
    .variant = ROUNDS_TURNS,
    .ascending = true,
    .mailbox = "slot",
    .check = check_turns,
    .shared = shared_in_turns,
    .bytes = rounds_bytes,
    .create = rounds_create,
    .destroy = rounds_destroy,
    .run_worker = rounds_run_turns,
    .progress = rounds_progress,
    .report = rounds_report,
};

const struct machine_engine rounds_turns_random_engine = {
    .choice = {"turns:random", "one after another, in a fresh order each step"},
    .timing = EK_IN_TURNS,
    .variant = ROUNDS_TURNS_RANDOM,
    .mailbox = "slot",
    .check = check_turns,
    .shared = shared_in_turns,
    .bytes = rounds_bytes,
    .create = rounds_create,
    .destroy = rounds_destroy,
    .run_worker = rounds_run_turns,
    .progress = rounds_progress,
    .report = rounds_report,
};
