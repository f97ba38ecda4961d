// SPDX-License-Identifier: MIT
// The migrate phase: processors receive announcements, the method decides how much load goes where, and parcels are
// sent.
#include <math.h>

#include "threads/rounds/round_overlaps.h"
#include "threads/rounds/step.h"
#include "base/cursor.h"

static void receive_announcements(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    rounds_lane_fetch(&rounds->announcements, rounds->lines.links ? &worker->announced_on : &worker->now);
    for (size_t k = 0; rounds->lines.links && k < rounds_active_count(&worker->announced_on); k++) {
        uint32_t port = rounds_active_port(&worker->announced_on, k);
        double announced = rounds->announcements.inbox[port];
        if (rounds->now.time == 0) { // until the first announcement is due, the neighbour's first load counts
            rounds->lines.known[port] = announced;
        }
        mail_delay_announcement(&rounds->lines, port, rounds->now.time, announced);
    }
    if (rounds->invokes) {
        rounds_lane_fetch(&rounds->invitations, &worker->now);
    }
    if (rounds->machine->method->links == EK_LINKS_CHOSEN) {
        rounds_check_ends_agree(worker);
    }
}

// Returns how many of the announcements an operation needs. A rule needs them at both ends of an invoker's link, a
// program only at the invoker.
static uint64_t count_needed(const struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    bool rule = !rounds->machine->method->rounds->act;
    uint64_t needed = 0;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        needed += rounds->invitations.inbox[port] != 0.0 || (rule && rounds->invokes[p]);
    }
    return needed;
}

// Records which processors take part in an operation: both ends of a link if either one invokes.
static void note_parts(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        bool part = !rounds->invokes || rounds->invokes[p] || rounds->invitations.inbox[port] != 0.0;
        rounds->took_part[p] = rounds->took_part[p] || part;
    }
}

// Records the requests and counts that the method returned for the block.
static void note_turns(struct rounds_worker *worker, const struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    // Relaxed: both are read after the barrier
    if (block->busy > 0) {
        atomic_store_explicit(&rounds->shared.busy, true, memory_order_relaxed);
    }
    if (block->waiting != 0) {
        atomic_fetch_add_explicit(&rounds->shared.waiting, block->waiting, memory_order_relaxed);
    }
    for (int side = 0; side < 2; side++) {
        worker->shift[side] = fmax(worker->shift[side], block->shift[side]);
    }
    worker->swapped += block->swapped;
    if (rounds->machine->method->rounds->reads_invokes && rounds->now.fresh && rounds->now.operation_begins) {
        worker->invokers = block->invokers;
    }
    if (block->stray_port != UINT32_MAX) {
        struct ek_error violation;
        base_fail(&violation, EK_VIOLATION, "ports",
                  "in step %llu load was sent from %u to %u over a link that takes no part",
                  (unsigned long long)rounds->now.step,
                  rounds->topology->neighbour[rounds->topology->twin[block->stray_port]],
                  rounds->topology->neighbour[block->stray_port]);
        rounds_violate(rounds, &violation);
    }
}

// Rings the bells of processors that request a turn in the next step.
static void ring_requesters(struct rounds_worker *worker, const struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    for (uint32_t i = 0; i < ek_block_turns(block); i++) {
        uint32_t p = ek_block_processor(block, i);
        if (rounds->requests[p] & EK_REQUESTS_TURN) {
            rounds_bells_ring(&rounds->parcels.bells, p);
        }
    }
}

void rounds_migrate(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (rounds_only_letters(rounds)) {
        rounds_letters_give(worker);
        return;
    }
    if (rounds_some_have_turns(rounds)) {
        rounds_lane_answer(worker, &rounds->announcements);
        worker->now = rounds_active_of_turns(worker, rounds->now.colour_from, rounds->now.colour_end);
    }
    receive_announcements(worker);
    // With delays every load is announced in every step, because it is not known yet which ones will be needed.
    if (rounds->invokes && !rounds_program_announces(rounds) && !rounds->lines.links) {
        worker->announced = count_needed(worker);
    }
    if (rounds->took_part) {
        note_parts(worker);
    }
    if (rounds_has_tasks(rounds)) {
        rounds_tasks_hear(worker);
        rounds_tasks_leave_out(worker);
    }
    struct ek_block block = rounds_block_of(worker);
    if (rounds->now.operation_begins) {
        rounds_overlaps_begin(worker, &block);
    }
    rounds_run_method(worker, &block);
    if (rounds_has_tasks(rounds)) {
        rounds_tasks_send(worker);
    }
    if (rounds_has_letters(rounds)) {
        rounds_letters_give(worker);
    }
    if (machine_moves_objects(rounds->machine)) {
        rounds_objects_send(worker, &block);
    }
    note_turns(worker, &block);
    rounds_clock_migrate(worker);
    worker->parcels += block.parcels;
    worker->messages += worker->announced + block.announcements + block.parcels;
    worker->announced = 0; // this worker may be left out of the next announce phase

    if (isnan(rounds->announcements.nothing)) { // an empty inbox means that there was no announcement
        for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
            rounds->announcements.inbox[rounds_active_port(&worker->now, k)] = NAN;
        }
    }
    rounds_lane_post(&rounds->parcels, &worker->now);
    worker->before = worker->now;
    if (rounds->requests) {
        rounds_lane_ring(worker, &rounds->parcels);
        ring_requesters(worker, &block);
    }
}
