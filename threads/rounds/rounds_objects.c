// SPDX-License-Identifier: MIT
// Objects in rounds and turns: the parcels that the method has sent as numbers are filled with objects.
#include <math.h>

#include "base/error.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/rounds/step.h"

void rounds_objects_loads(struct rounds_run *rounds, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; p++) {
        rounds->loads.held[p] = cargo_objects_load(&rounds->objects, p);
        rounds->loads.moved[p] = core_object_load(rounds->objects.set, rounds->objects.moved[p]);
    }
}

// A link takes part in an operation if either end invokes. The rest of an amount is kept where it does not.
static bool takes_part(const struct rounds_run *rounds, uint32_t p, uint32_t port)
{
    return !rounds->invokes || rounds->invokes[p] || rounds->invitations.inbox[port] != 0.0;
}

void rounds_objects_send(struct rounds_worker *worker, struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        double *amount = &rounds->parcels.outbox[rounds_place(&rounds->parcels, port)];
        if (!takes_part(rounds, p, port)) {
            continue;
        }
        double sent = cargo_objects_send(&rounds->objects, p, port, *amount);
        block->parcels -= *amount > 0.0 && sent == 0.0;
        if (rounds->sent) {
            rounds->sent[port] += sent - *amount;
        }
        *amount = sent;
    }
    rounds_objects_loads(rounds, worker->begin, worker->end);
}

void rounds_objects_receive(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->before); k++) {
        uint32_t sent_from = topology->twin[rounds_active_port(&worker->before, k)];
        cargo_objects_receive(&rounds->objects, topology->neighbour[sent_from], sent_from);
    }
    rounds_objects_loads(rounds, worker->begin, worker->end);
}

void rounds_objects_say(struct rounds_worker *worker)
{
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        cargo_objects_say(&worker->rounds->objects, p);
    }
}

double rounds_objects_cross(struct rounds_run *rounds, uint32_t p, uint32_t port, double amount)
{
    return cargo_objects_cross(&rounds->objects, p, port, amount, rounds->now.time);
}

void rounds_objects_settle(struct rounds_run *rounds)
{
    if (rounds->machine->method->placement) {
        rounds->worker[0].messages += cargo_objects_place(&rounds->objects, rounds->seed, rounds->now.step);
    } else {
        cargo_objects_settle(&rounds->objects, rounds->sent);
    }
    rounds_objects_loads(rounds, 0, rounds->topology->processors);
}

bool rounds_objects_wane(struct rounds_run *rounds, double distance)
{
    if (rounds->now.operation == 0 || distance < rounds->now.nearest) {
        rounds->now.nearest = distance;
        rounds->now.nearest_at = rounds->now.operation;
    }
    return rounds->now.operation - rounds->now.nearest_at >=
           cargo_objects_patience(rounds->machine, rounds->topology->diameter);
}

bool rounds_objects_report(struct rounds_run *rounds, struct ek_report *report, struct ek_error *error)
{
    const struct ek_experiment *experiment = rounds->machine->experiment;
    bool files = experiment->keep_placement && rounds->seed == experiment->seed;
    if (rounds->machine->migrates_last) {
        cargo_objects_lowest(rounds->machine, rounds->topology->processors, report);
    }
    report->has_stayed = true;
    report->stayed = (double)cargo_objects_stayed(&rounds->objects);
    return cargo_objects_good(&rounds->objects, error) &&
           cargo_objects_report(&rounds->objects, files, &report->objects, error);
}
