// SPDX-License-Identifier: MIT
// A processor's part in a snapshot. Its models are tests/models/protocol.pml and announce.pml, and
// tests/models/snapshot.cpp for its begin in C11's memory model. They do not cover more than two processors, nor work.
#include "threads/free/snapshot.h"

#include <assert.h>

#include "threads/free/pushed.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"

// Counts a complete part. Release: pairs with the acquire in audit.c. The part is written before it is counted.
static void complete(struct free_run *run)
{
    atomic_fetch_add_explicit(&run->shared.complete, 1, memory_order_release);
}

// Records whether p is in an operation or would begin one.
static void record_operation(struct free_worker *worker, uint32_t p, struct free_snapshot *part)
{
    const struct free_processor *processor = &worker->run->processor[p];
    part->idle = processor->phase == FREE_PHASE_IDLE && processor->engaged == 0;
    part->asks = processor->phase != FREE_PHASE_IDLE || free_wanted(worker, p);
    part->blocked = part->idle && free_blocked(worker, p);
    part->recurs = free_recurs(worker, p);
}

struct free_snapshot free_snapshot_of(struct free_worker *worker, uint32_t p)
{
    const struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    struct free_snapshot part = {.held = processor->held,
                                 .generated = processor->generated,
                                 .consumed = processor->consumed,
                                 .moved = processor->moved,
                                 .stayed = free_stayed(run, p),
                                 .cut_off = !free_has_link(worker, p),
                                 .tried = processor->operation,
                                 .ended = processor->operation - processor->abandoned,
                                 .ticks = processor->ticks,
                                 .works = free_works(run, processor)};
    if (run->moves_objects) {
        cargo_objects_add(&run->objects, &run->objects.held[p], &part.objects);
        part.lightest = cargo_objects_lightest(&run->objects, p);
    }
    if (free_has_letters(run)) {
        part.idle = true;
        part.in_flight = run->letters.processor[p].tasks;
        part.messages = run->letters.processor[p].ports;
    } else if (run->pushed) {
        free_push_record(worker, p, &part);
    } else {
        record_operation(worker, p, &part);
    }
    return part;
}

bool free_snapshot_record(struct free_worker *worker, uint32_t p, uint32_t epoch)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    const struct ek_topology *topology = run->topology;
    if (processor->epoch >= epoch) { // it was recorded when a marker came
        return false;
    }
    assert(processor->markers == 0);
    run->snapshot[p] = free_snapshot_of(worker, p);
    processor->epoch = epoch;
    processor->markers = free_degree(run, p);
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        run->port[port].marked = false;
        free_post(worker, port, FREE_MARKER, epoch, 0, FREE_PATH_ANY);
    }
    if (processor->markers == 0) {
        complete(run);
    }
    return true;
}

void free_snapshot_note(struct free_run *run, uint32_t p, uint32_t port, struct mail_message message)
{
    if (run->port[port].marked || free_message_kind(&message) == FREE_MARKER) {
        return;
    }
    run->snapshot[p].messages++;
    if (free_message_carries(&message)) {
        run->snapshot[p].in_flight += message.amount;
    }
    if (run->moves_objects && free_message_carries(&message) && message.amount > 0.0) {
        uint32_t sent_from = run->topology->twin[port];
        cargo_objects_add(&run->objects, cargo_objects_first(&run->objects, sent_from), &run->snapshot[p].objects);
    }
}

void free_snapshot_mark(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    struct free_run *run = worker->run;
    free_snapshot_record(worker, p, (uint32_t)message.amount);
    if (run->processor[p].epoch != (uint32_t)message.amount || run->port[port].marked) {
        free_violate_at(run, p, port, "received a marker twice or of another snapshot");
        return;
    }
    run->port[port].marked = true;
    if (--run->processor[p].markers == 0) {
        complete(run);
    }
}
