// SPDX-License-Identifier: MIT
// Exploration in virtual time.
#include "threads/drivers/explore/explore_virtual.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "threads/drivers/explore/explore_log.h"
#include "threads/drivers/virtual/virtual_engine.h"
#include "threads/drivers/virtual/virtual_step.h"
#include "threads/free/finish.h"

// ---- the witness ----

static struct ek_explore *explore_of(struct free_witness *witness)
{
    return (struct ek_explore *)((char *)witness - offsetof(struct ek_explore, witness));
}

static void see_message(struct free_witness *witness, enum ek_event_kind kind, uint32_t port,
                        const struct mail_message *message)
{
    explore_log_message(explore_of(witness), kind, port, message);
}

static void see_event(struct free_witness *witness, const struct ek_event *event)
{
    explore_log_event(explore_of(witness), event);
}

static void see_turn(struct free_witness *witness, uint32_t p)
{
    explore_log_turn(explore_of(witness), p);
}

// ---- machines ----

static void destroy_machine(struct ek_explore *explore)
{
    explore_check_end(&explore->checker);
    explore->checker = (struct explore_checker){.way = NULL};
    if (explore->machine) {
        virtual_engine.destroy(explore->machine);
        explore->machine = NULL;
    }
}

// Creates the machine with the number of the plan, before its first turn.
static bool create_machine(struct ek_explore *explore, struct ek_error *error)
{
    destroy_machine(explore);
    explore->machine = virtual_engine.create(explore->plan, 0, error);
    if (!explore->machine) {
        return false;
    }
    explore->control = explore->machine->control;
    explore->run = explore->machine->run;
    if (!explore_check_begin(&explore->checker, explore->control)) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for an explorer");
    }
    explore->witness = (struct free_witness){.message = see_message, .event = see_event, .turn = see_turn};
    free_add_witness(explore->run, &explore->witness);
    free_add_witness(explore->run, &explore->checker.witness);
    return true;
}

bool explore_virtual_begin(struct ek_explore *explore, const struct machine_plan *plan, struct ek_error *error)
{
    explore->plan = malloc(sizeof *explore->plan);
    if (!explore->plan) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for an explorer");
    }
    *explore->plan = *plan;
    explore->first_number = plan->within.number;
    return create_machine(explore, error);
}

void explore_virtual_end(struct ek_explore *explore)
{
    destroy_machine(explore);
    free(explore->plan);
}

// ---- schedules ----

// Asks a run that has too many turns to end, and notes a violation if it does not end then.
static void bound_turns(struct ek_explore *explore)
{
    if (!explore->was_cut && explore->turns >= explore->turns_most) {
        explore->machine->marks.too_long = true;
        explore->drained_at = explore->turns;
        explore->was_cut = true;
    } else if (explore->was_cut && explore->turns - explore->drained_at >= explore_turns_to_end(explore)) {
        free_violate(explore->run, "the run has not ended %llu turns after it was told to end",
                     (unsigned long long)explore_turns_to_end(explore));
    }
}

// Checks a run that has ended. The end of its time can leave it in the middle of everything.
static void check_end(struct ek_explore *explore)
{
    const struct free_attendant *attendant = &explore->control->attendant;
    if (attendant->ended == EK_ENDED_STUCK) {
        free_violate(explore->run, "nothing is left to do, but processor %u waits in an operation",
                     explore_waiting_processor(explore));
    } else if (!attendant->cut) {
        explore_check_end_of_run(&explore->checker);
    }
    explore->was_cut = explore->was_cut || attendant->cut;
}

enum ek_explored explore_virtual_schedule(struct ek_explore *explore, uint64_t number, struct ek_error *error)
{
    uint32_t p;
    uint64_t time;
    explore->turns = explore->drained_at = 0;
    explore->was_cut = false;
    explore->plan->within.number = (uint32_t)(explore->first_number + number);
    if (!create_machine(explore, error)) {
        return EK_EXPLORED_REFUSED;
    }
    while (!explore_has_failed(explore) && virtual_step(explore->machine, &p, &time)) {
        explore->turns++;
        bound_turns(explore);
    }
    explore_log_end(explore);
    if (!explore_has_failed(explore)) {
        check_end(explore);
    }
    if (explore_has_failed(explore)) {
        *error = explore->run->shared.violation;
        return EK_EXPLORED_FAILS;
    }
    return explore->was_cut ? EK_EXPLORED_CUT : EK_EXPLORED_ENDS;
}
