// SPDX-License-Identifier: MIT
// Tasks in rounds: the parcels that the method has sent as numbers are filled with tasks.
#include "core/program.h"
#include "threads/rounds/step.h"
#include "threads/rounds/transport.h"
#include "threads/rounds/verdict.h"

static struct cargo_worker *cargo_of(const struct rounds_worker *worker)
{
    return &worker->rounds->tasks.worker[worker - worker->rounds->worker];
}

// An exchange moves a part of the difference of two loads, so nothing moves between two processors without load. Such a
// link is left out if nobody but the rule reads what crosses it. The lowest load needs no new look at the two
// processors: theirs has not changed since the step before.
bool rounds_tasks_can_leave_out(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_method *method = machine->method;
    return machine->program && rounds->reads_levels && method->links == EK_LINKS_COLOUR &&
           method->matrix == EK_MATRIX_EXCHANGE && machine->invoke.kind == CORE_INVOKE_ALWAYS &&
           machine->rounding == CORE_ROUNDING_DOWN && !machine->to_target && !rounds_has_faults(rounds) &&
           !rounds->transport;
}

void rounds_tasks_leave_out(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const uint32_t *neighbour = rounds->topology->neighbour;
    const double *level = rounds->loads.level;
    const struct ek_end *ends = worker->now.ends;
    struct ek_end *list = worker->loaded_ends;
    size_t count = 0;
    if (!list || !ends) {
        return;
    }
    for (size_t k = 0; k < worker->now.count; k++) {
        list[count] = ends[k];
        count += (level[ends[k].processor] != 0.0) | (level[neighbour[ends[k].port]] != 0.0);
    }
    worker->now = (struct rounds_active){.ends = list, .count = count};
}

// Lists the ends with a parcel. `amounts` are by the sender's port. `twin` is NULL if the ends belong to the senders;
// if they belong to the receivers, it leads to the sender's port. Few links carry a parcel in a step, and which ones
// cannot be predicted, so the loop has no branch on the amount.
static struct rounds_active list_parcels(const struct rounds_worker *worker, const struct rounds_active *active,
                                         const double *amounts, const uint32_t *twin)
{
    const struct ek_topology *topology = worker->rounds->topology;
    const uint32_t *neighbour = topology->neighbour, *other_end = topology->twin;
    struct ek_end *list = worker->parcel_ends;
    size_t count = 0;
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        list[count] = active->ends ? active->ends[k] : (struct ek_end){neighbour[other_end[port]], port};
        count += amounts[twin ? twin[port] : port] > 0.0;
    }
    return (struct rounds_active){.ends = list, .count = count};
}

// Prefetches what later parcels need: those of a large machine do not fit the caches. A processor knows where its
// oldest block is, and the block where its oldest task is.
static inline void prefetch_parcel(const struct rounds_run *rounds, const struct rounds_active *parcels, size_t k)
{
    enum { PROCESSOR = 24, BLOCK = 16, TASK = 8 }; // parcels ahead
    const struct cargo_processor *processor = rounds->tasks.processor;
    if (k + PROCESSOR < parcels->count) {
        __builtin_prefetch(&processor[parcels->ends[k + PROCESSOR].processor], 1);
    }
    if (k + BLOCK < parcels->count) {
        __builtin_prefetch(processor[parcels->ends[k + BLOCK].processor].held.oldest, 1);
    }
    if (k + TASK < parcels->count && processor[parcels->ends[k + TASK].processor].held.oldest) {
        struct core_task_block *oldest = processor[parcels->ends[k + TASK].processor].held.oldest;
        __builtin_prefetch(core_task_at(&rounds->tasks.worker->store, oldest, oldest->from), 1);
    }
}

// A linear rule may give away more than a processor holds. Tasks cannot be owed, so the parcel gets what is there.
void rounds_tasks_send(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    struct rounds_active parcels = list_parcels(worker, &worker->now, rounds->parcels.outbox, NULL);
    for (size_t k = 0; k < parcels.count; k++) {
        struct ek_end end = parcels.ends[k];
        double *amount = &rounds->parcels.outbox[end.port];
        prefetch_parcel(rounds, &parcels, k);
        double sent = (double)cargo_send(cargo_of(worker), end.processor, end.port, (uint64_t)*amount);
        double short_of = *amount - sent;
        rounds->loads.held[end.processor] += short_of;
        rounds->loads.moved[end.processor] -= short_of;
        if (rounds->sent) {
            rounds->sent[end.port] -= short_of;
        }
        *amount = sent;
    }
}

void rounds_tasks_receive(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    struct rounds_active parcels = list_parcels(worker, &worker->before, rounds->parcels.inbox, rounds->topology->twin);
    for (size_t k = 0; k < parcels.count; k++) {
        prefetch_parcel(rounds, &parcels, k);
        cargo_receive(cargo_of(worker), parcels.ends[k].processor, rounds->topology->twin[parcels.ends[k].port]);
    }
}

// Returns whether processors tell one another the best value that they know.
static bool tells_best(const struct rounds_run *rounds)
{
    return rounds->tasks.program->result == EK_RESULT_LEAST;
}

void rounds_tasks_say(struct rounds_worker *worker)
{
    for (uint32_t p = worker->begin; tells_best(worker->rounds) && p < worker->end; p++) {
        cargo_say(&worker->rounds->tasks, p);
    }
}

// Reads what the neighbours said in the announce phase. The barrier between the phases orders these accesses.
void rounds_tasks_hear(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; tells_best(rounds) && k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        if (!rounds->invokes || rounds->invokes[p] || rounds->invitations.inbox[port] != 0.0) {
            cargo_hear(&rounds->tasks, p, topology->neighbour[port]);
        }
    }
}

void rounds_tasks_done(struct rounds_run *rounds)
{
    struct ek_error violation;
    if (!rounds_has_tasks(rounds)) {
        return;
    }
    if (rounds->transport) {
        rounds->transport->meet_tasks(rounds);
    }
    bool done = cargo_tick_done(&rounds->tasks, cargo_letters_in_flight(&rounds->letters));
    if (!cargo_good(&rounds->tasks, done, &violation)) {
        rounds_violate(rounds, &violation);
    } else if (done) {
        rounds_end(rounds, EK_ENDED_DONE);
    }
}
