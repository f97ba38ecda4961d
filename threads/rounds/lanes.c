// SPDX-License-Identifier: MIT
// Lanes: messages into mailboxes and out of them, and the bells of sleeping processors.
#include "threads/rounds/step.h"

// There is room: a link carries one message in each phase, and the barrier lies between phases.
void rounds_lane_post(struct rounds_lane *lane, const struct rounds_active *active)
{
    if (!lane->boxes.kind->put) {
        return;
    }
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        // A method that violates its contract may have left a message there. The run ends at the next barrier.
        if (!rounds_is_nothing(lane, lane->outbox[port]) && lane->boxes.kind->room(&lane->boxes, port) > 0) {
            lane->boxes.kind->put(&lane->boxes, port, (struct mail_message){.amount = lane->outbox[port], .stamp = 1});
        }
    }
}

void rounds_lane_fetch(struct rounds_lane *lane, const struct rounds_active *active)
{
    if (!lane->boxes.kind->take) {
        return;
    }
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        struct mail_message message = {.amount = lane->nothing};
        if (lane->boxes.kind->waiting(&lane->boxes, port) > 0) {
            lane->boxes.kind->take(&lane->boxes, port, &message);
        }
        lane->inbox[rounds_found(lane, port)] = message.amount;
    }
}

void rounds_lane_answer(struct rounds_worker *worker, struct rounds_lane *lane)
{
    worker->turns_count = rounds_bells_answer(&lane->bells, worker->begin, worker->end, worker->turns);
}

void rounds_lane_ring(struct rounds_worker *worker, struct rounds_lane *lane)
{
    const struct ek_topology *topology = worker->rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        if (!rounds_is_nothing(lane, lane->outbox[rounds_place(lane, port)])) {
            rounds_bells_ring(&lane->bells, topology->neighbour[port]);
        }
    }
}
