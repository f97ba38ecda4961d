// SPDX-License-Identifier: MIT
// Exchange between ranks in virtual time.
#include "threads/drivers/virtual/virtual_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "threads/api/experiment.h"
#include "threads/drivers/virtual/wires.h"
#include "threads/free/detect.h"
#include "threads/free/finish.h"
#include "threads/free/over_ranks/gather.h"
#include "threads/free/over_ranks/rank_cargo.h"
#include "threads/free/over_ranks/ranks_transport.h"

// Messages that one exchange sends to a rank, at most. Further ones follow in further exchanges.
enum { CHUNK = 1 << 12, WORDS = sizeof(struct virtual_crossing) / sizeof(double) };
_Static_assert(sizeof(struct virtual_crossing) % sizeof(double) == 0, "whole words");

struct virtual_status {
    uint64_t next; // the time of its next turn, or of the arrival of a message that it has sent
    uint64_t departed, arrived, begun, busy_ns, overhead_ns, last_ns;
    int64_t in_operation;
    uint64_t messages, operations, turns;
    struct free_log_lengths logs;
    uint64_t tasks_created, tasks_executed, detected_ns;
    bool no_memory, log_no_memory, too_late, violated, interrupted, detected;
    bool tasks_fail; // its tasks outgrow the memory, or the program has broken a promise
};

// ---- memory ----

static void plan_memory(struct virtual_ranks *ranks, const struct machine_plan *plan)
{
    enum { GATHERED_WORDS = 2 }; // for each link, when results are gathered
    struct base_arena *memory = &ranks->memory;
    uint64_t count = plan->ranks->count;
    free_rank_link_plan(&ranks->link, plan, GATHERED_WORDS, memory);
    base_arena_plan(memory, &ranks->status, count, sizeof *ranks->status);
    base_arena_plan(memory, &ranks->crossing, count * count, sizeof *ranks->crossing);
    base_arena_plan(memory, &ranks->peer, count, sizeof *ranks->peer);
    base_arena_plan(memory, &ranks->out, count * CHUNK * WORDS, sizeof *ranks->out);
    base_arena_plan(memory, &ranks->in, count * CHUNK * WORDS, sizeof *ranks->in);
    base_arena_plan(memory, &ranks->violation, count, sizeof *ranks->violation);
    base_arena_plan(memory, &ranks->number, count, sizeof *ranks->number);
}

uint64_t virtual_ranks_bytes(const struct machine_plan *plan)
{
    struct virtual_ranks ranks = {.machine = NULL};
    plan_memory(&ranks, plan);
    return sizeof ranks + base_arena_bytes(&ranks.memory);
}

struct virtual_ranks *virtual_ranks_create(const struct machine_plan *plan)
{
    struct virtual_ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks) {
        return NULL;
    }
    plan_memory(ranks, plan);
    ranks->transport = free_ranks_transport(&ranks->link, free_ranks_gather);
    if (!base_arena_take(&ranks->memory)) {
        free(ranks);
        return NULL;
    }
    free_rank_link_begin(&ranks->link);
    ranks->stale = true;
    return ranks;
}

void virtual_ranks_destroy(struct virtual_ranks *ranks)
{
    if (ranks) {
        free_rank_link_end(&ranks->link);
        base_arena_destroy(&ranks->memory);
        free(ranks);
    }
}

// ---- numbers ----

static const uint64_t *bring_number(struct virtual_ranks *ranks, uint64_t number)
{
    ranks->number[ranks->link.ranks->rank] = number;
    free_rank_bring(&ranks->link, ranks->number, sizeof *ranks->number);
    return ranks->number;
}

uint64_t virtual_ranks_least(struct virtual_ranks *ranks, uint64_t number)
{
    const uint64_t *numbers = bring_number(ranks, number);
    uint64_t least = number;
    for (unsigned r = 0; r < ranks->link.ranks->count; r++) {
        least = numbers[r] < least ? numbers[r] : least;
    }
    return least;
}

uint64_t virtual_ranks_sum(struct virtual_ranks *ranks, uint64_t number)
{
    const uint64_t *numbers = bring_number(ranks, number);
    uint64_t sum = 0;
    for (unsigned r = 0; r < ranks->link.ranks->count; r++) {
        sum += numbers[r];
    }
    return sum;
}

bool virtual_ranks_any(struct virtual_ranks *ranks, bool any)
{
    return virtual_ranks_sum(ranks, any) > 0;
}

double virtual_ranks_total(struct virtual_ranks *ranks, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint64_t *numbers = bring_number(ranks, bits);
    double total = 0.0;
    for (unsigned r = 0; r < ranks->link.ranks->count; r++) {
        memcpy(&number, &numbers[r], sizeof number);
        total += number;
    }
    return total;
}

// ---- counts ----

static struct virtual_status status_of(const struct virtual_ranks *ranks)
{
    const struct virtual_machine *machine = ranks->machine;
    const struct free_run *run = machine->run;
    unsigned own = ranks->link.ranks->rank;
    const struct virtual_worker *worker = &machine->worker[own];
    uint64_t sent = virtual_wires_first(worker, machine->window.parity);
    uint64_t turn = virtual_agenda_first(&worker->agenda);
    const struct cargo_worker *cargo = free_has_tasks(run) ? &run->tasks.worker[own] : &(struct cargo_worker){0};
    // Relaxed: no worker runs.
    return (struct virtual_status){
        .next = turn < sent ? turn : sent,
        .departed = worker->departed,
        .arrived = worker->arrived,
        .begun = worker->begun,
        .busy_ns = worker->busy_ns,
        .overhead_ns = worker->overhead_ns,
        .last_ns = worker->last_ns,
        .in_operation = worker->in_operation,
        .messages = atomic_load_explicit(&run->worker[own].messages, memory_order_relaxed),
        .operations = atomic_load_explicit(&run->worker[own].operations, memory_order_relaxed),
        .turns = atomic_load_explicit(&run->worker[own].turns, memory_order_relaxed),
        .logs = free_log_lengths_of(run, own),
        .tasks_created = cargo->created,
        .tasks_executed = cargo->executed,
        .tasks_fail = cargo->short_of_memory || cargo->broken,
        .detected = free_has_detected(run),
        .detected_ns = run->shared.detected_ns,
        .no_memory = worker->no_memory,
        .log_no_memory = virtual_log_no_memory(run, own),
        .too_late = worker->too_late,
        .violated = atomic_load_explicit(&run->shared.violated, memory_order_relaxed),
        .interrupted =
            machine_interrupts(run->machine) != machine->control->interrupts_before || machine->marks.refused};
}

static void apply_status(struct virtual_machine *machine, unsigned r, const struct virtual_status *status)
{
    struct virtual_worker *worker = &machine->worker[r];
    struct free_worker *counts = &machine->run->worker[r];
    worker->departed = status->departed;
    worker->arrived = status->arrived;
    worker->begun = status->begun;
    worker->busy_ns = status->busy_ns;
    worker->overhead_ns = status->overhead_ns;
    worker->last_ns = status->last_ns;
    worker->in_operation = status->in_operation;
    worker->no_memory = status->no_memory;
    worker->too_late = status->too_late;
    free_log_lengths_set(machine->run, r, &status->logs);
    if (machine->run->log.ring) {
        machine->run->log.ring[r].no_memory = status->log_no_memory;
    }
    // Relaxed: no worker runs.
    atomic_store_explicit(&counts->messages, status->messages, memory_order_relaxed);
    atomic_store_explicit(&counts->operations, status->operations, memory_order_relaxed);
    atomic_store_explicit(&counts->turns, status->turns, memory_order_relaxed);
}

// Takes over what rank r says of its tasks. If they failed there, the run ends in all ranks.
static void apply_tasks(struct free_run *run, unsigned r, const struct virtual_status *status)
{
    run->tasks.worker[r].created = status->tasks_created;
    run->tasks.worker[r].executed = status->tasks_executed;
    if (status->detected) {
        free_set_detected(run, status->detected_ns);
    }
    if (status->tasks_fail) {
        free_finish(run);
    }
}

// Makes a violation in some ranks one in all ranks: the one whose sentence is the first in the order of characters.
static void share_violation(struct virtual_ranks *ranks)
{
    struct free_run *run = ranks->machine->run;
    unsigned own = ranks->link.ranks->rank;
    ranks->violation[own] = ranks->status[own].violated ? run->shared.violation : (struct ek_error){.status = EK_OK};
    if (!free_rank_bring(&ranks->link, ranks->violation, sizeof *ranks->violation)) {
        return;
    }
    for (unsigned r = 0; r < ranks->link.ranks->count; r++) {
        if (ranks->status[r].violated) {
            free_violate_with(run, &ranks->violation[r]);
        }
    }
}

static bool share_counts(struct virtual_ranks *ranks)
{
    ranks->status[ranks->link.ranks->rank] = status_of(ranks);
    if (!free_rank_bring(&ranks->link, ranks->status, sizeof *ranks->status)) {
        return false;
    }
    bool violated = false;
    ranks->next = VIRTUAL_NEVER;
    ranks->stale = ranks->interrupted = false;
    for (unsigned r = 0; r < ranks->link.ranks->count; r++) {
        const struct virtual_status *status = &ranks->status[r];
        if (r != ranks->link.ranks->rank) {
            apply_status(ranks->machine, r, status);
        }
        if (free_has_tasks(ranks->machine->run)) {
            apply_tasks(ranks->machine->run, r, status);
        }
        ranks->next = status->next < ranks->next ? status->next : ranks->next;
        ranks->interrupted = ranks->interrupted || status->interrupted;
        violated = violated || status->violated;
    }
    if (violated) {
        share_violation(ranks);
    }
    return !ranks->link.lost;
}

// ---- messages ----

// Returns the number of messages of an exchange from one rank to another: `done` messages have gone before.
static size_t count_in_chunk(const struct virtual_ranks *ranks, unsigned from, unsigned to, size_t done)
{
    uint64_t all = ranks->crossing[(size_t)from * ranks->link.ranks->count + to];
    uint64_t left = all > done ? all - done : 0;
    return left < CHUNK ? left : CHUNK;
}

// Exchanges what the messages of an exchange carry, before their receivers' next turns. `brings` is the number of
// messages that have come.
static void exchange_cargo(struct virtual_ranks *ranks, const struct virtual_batch *batch, size_t done, size_t peers,
                           size_t brings)
{
    struct free_rank_link *link = &ranks->link;
    const uint32_t *twin = ranks->machine->run->topology->twin;
    const double *in = ranks->in;
    struct virtual_crossing crossing;
    free_rank_cargo_begin(link);
    for (size_t k = 0; k < peers; k++) {
        const struct virtual_crossing *sent = batch[ranks->peer[k].rank].crossing + done;
        for (const struct virtual_crossing *end = sent + ranks->peer[k].sends / WORDS; sent < end; sent++) {
            free_rank_cargo_leave(link, k, twin[sent->port], &sent->message);
        }
        for (const double *end = in + ranks->peer[k].brings; in < end; in += WORDS) {
            memcpy(&crossing, in, sizeof crossing);
            free_rank_cargo_expect(link, k, &crossing.message);
        }
    }
    bool good = free_rank_cargo_exchange(link, ranks->peer, peers);
    for (size_t i = 0; good && i < brings; i++) {
        memcpy(&crossing, ranks->in + i * WORDS, sizeof crossing);
        free_rank_cargo_enter(link, twin[crossing.port], &crossing.message);
    }
}

// Exchanges the messages done .. done+CHUNK-1 of each pair of ranks.
static void exchange_chunk(struct virtual_ranks *ranks, size_t done)
{
    unsigned own = ranks->link.ranks->rank;
    struct virtual_worker *worker = &ranks->machine->worker[own];
    const struct virtual_batch *batch = worker->batch[ranks->machine->window.parity];
    double *out = ranks->out;
    size_t peers = 0;
    size_t brings = 0;
    for (unsigned r = 0; r < ranks->link.ranks->count; r++) {
        size_t sent = r == own ? 0 : count_in_chunk(ranks, own, r, done);
        size_t brought = r == own ? 0 : count_in_chunk(ranks, r, own, done);
        if (sent + brought > 0) {
            ranks->peer[peers++] = (struct ek_rank_peer){r, sent * WORDS, brought * WORDS};
        }
        if (sent > 0) {
            memcpy(out, batch[r].crossing + done, sent * sizeof *batch[r].crossing);
        }
        out += sent * WORDS;
        brings += brought;
    }
    if (free_rank_exchange(&ranks->link, ranks->peer, peers, ranks->out, ranks->in)) {
        for (size_t i = 0; i < brings; i++) {
            struct virtual_crossing crossing;
            memcpy(&crossing, ranks->in + i * WORDS, sizeof crossing);
            virtual_wires_arrive(worker, &crossing);
        }
        if (free_has_cargo(ranks->machine->run)) {
            exchange_cargo(ranks, batch, done, peers, brings);
        }
    }
}

// Returns the most messages from one rank to another.
static uint64_t most_crossing(const struct virtual_ranks *ranks)
{
    unsigned count = ranks->link.ranks->count;
    uint64_t most = 0;
    for (unsigned i = 0; i < count * count; i++) {
        most = ranks->crossing[i] > most ? ranks->crossing[i] : most;
    }
    return most;
}

static void exchange_messages(struct virtual_ranks *ranks)
{
    unsigned count = ranks->link.ranks->count;
    unsigned own = ranks->link.ranks->rank;
    struct virtual_batch *batch = ranks->machine->worker[own].batch[ranks->machine->window.parity];
    for (unsigned r = 0; r < count; r++) {
        ranks->crossing[own * count + r] = batch[r].count;
    }
    if (!free_rank_bring(&ranks->link, ranks->crossing, count * sizeof *ranks->crossing)) {
        return;
    }
    uint64_t most = most_crossing(ranks);
    for (size_t done = 0; done < most && !ranks->link.lost; done += CHUNK) {
        exchange_chunk(ranks, done);
    }
    for (unsigned r = 0; r < count; r++) {
        batch[r].count = 0;
        batch[r].first = VIRTUAL_NEVER;
    }
}

void virtual_ranks_meet(struct virtual_ranks *ranks)
{
    if (share_counts(ranks)) {
        exchange_messages(ranks);
    }
}

// ---- arrays ----

void virtual_ranks_collect_ends(struct virtual_ranks *ranks)
{
    struct cargo_tasks *tasks = &ranks->machine->run->tasks;
    free_rank_collect(&ranks->link, tasks->works_until, sizeof *tasks->works_until, false);
}

const double *virtual_ranks_collect_loads(struct virtual_ranks *ranks)
{
    double *held = ranks->machine->control->attendant.held; // no survey is under way
    for (uint32_t p = ranks->machine->begin; p < ranks->machine->end; p++) {
        held[p] = ranks->machine->run->processor[p].held;
    }
    free_rank_collect(&ranks->link, held, sizeof *held, false);
    return held;
}
