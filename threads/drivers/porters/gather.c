// SPDX-License-Identifier: MIT
// The exchange of results.
#include "threads/drivers/porters/gather.h"

#include <string.h>

#include "base/cursor.h"
#include "threads/drivers/porters/exchange.h"
#include "threads/drivers/porters/meeting.h"
#include "threads/free/finish.h"

// The message of a rank to all others when its worker has ended.
struct porter_final {
    struct free_attendant attendant; // the first rank's is that of the whole run
    uint64_t link_failures, processor_failures, repairs, lag_ns;
    struct free_counts counts;
    struct host_counters counters;
    uint64_t messages, operations, turns;
    bool violated;
};

void porter_gather_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory)
{
    base_arena_plan(memory, &porter->final, ranks, sizeof *porter->final);
}

static struct porter_final final_of(const struct porter *porter)
{
    const struct free_control *control = porter->control;
    const struct free_worker *worker = porter_worker(porter);
    return (struct porter_final){.attendant = control->attendant,
                                 .link_failures = control->faults.link_failures,
                                 .processor_failures = control->faults.processor_failures,
                                 .repairs = control->faults.repairs,
                                 .lag_ns = control->faults.lag_ns,
                                 .counts = worker->counts,
                                 .counters = worker->counters,
                                 .messages = worker->messages,
                                 .operations = worker->operations,
                                 .turns = worker->turns,
                                 // Acquire: pairs with the release in free_violate.
                                 .violated = atomic_load_explicit(&control->run.shared.violated, memory_order_acquire)};
}

// Takes over the first rank's attendant, which is that of the whole run; its pointers stay this rank's own.
static void apply_attendant(struct free_control *control, const struct porter_final *first)
{
    struct free_attendant own = control->attendant;
    struct free_attendant *attendant = &control->attendant;
    *attendant = first->attendant;
    attendant->slept = own.slept;
    attendant->tried = own.tried;
    attendant->held = own.held;
    attendant->trace.rows = own.trace.rows;
    attendant->trace.count = own.trace.count;
    attendant->trace.room = own.trace.room;
    attendant->frames.frame = own.frames.frame;
    attendant->frames.load = own.frames.load;
    attendant->left = own.left;
    control->faults.link_failures = first->link_failures;
    control->faults.processor_failures = first->processor_failures;
    control->faults.repairs = first->repairs;
    control->faults.lag_ns = first->lag_ns;
}

// Returns whether one of the ranks has found a violation.
static bool apply_finals(struct porter *porter)
{
    const struct porter_final *final = porter->final;
    bool violated = false;
    for (unsigned r = 0; r < porter->link->count; r++) {
        struct free_worker *worker = &porter->control->run.worker[r];
        worker->counts = final[r].counts;
        worker->counters = final[r].counters;
        worker->messages = final[r].messages;
        worker->operations = final[r].operations;
        worker->turns = final[r].turns;
        violated = violated || final[r].violated;
    }
    apply_attendant(porter->control, &final[0]);
    return violated;
}

// Makes a violation in some ranks a violation in all ranks. All take over the violation of the first of these ranks.
static void apply_violation(struct porter *porter)
{
    struct free_shared *shared = &porter->control->run.shared;
    porter_agree(porter, !porter->final[porter->link->rank].violated, &shared->violation);
    atomic_store_explicit(&shared->violated, true, memory_order_relaxed); // the workers have ended
}

// Makes room for the first rank's rows in all ranks.
static void gather_trace(struct porter *porter)
{
    struct watch_trace *trace = &porter->control->attendant.trace;
    if (porter->lost) {
        return;
    }
    size_t count = porter->final[0].attendant.trace.count;
    struct ek_error error = {0};
    bool good =
        watch_trace_make_room(trace, count) ||
        base_fail(&error, EK_BAD_INPUT, "trace", "no memory for a trace of %zu rows: leave the trace out", count);
    if (!porter_agree(porter, good, &error)) {
        free_violate_with(&porter->control->run, &error);
        return;
    }
    trace->count = count;
    porter_collect_parts(porter, trace->rows, count * sizeof *trace->rows, true);
}

static void gather_frames(struct porter *porter)
{
    struct watch_frames *frames = &porter->control->attendant.frames;
    porter_collect_parts(porter, frames->frame, frames->count * sizeof *frames->frame, true);
    porter_collect_parts(porter, frames->load, frames->count * frames->processors * sizeof *frames->load, true);
}

static void gather_logs(struct porter *porter)
{
    struct watch_operation_log *operations = &porter->control->run.log;
    struct watch_part_log *parts = &porter->control->run.parts;
    if (porter_bring(porter, operations->ring, sizeof *operations->ring)) {
        watch_operation_log_begin(operations); // a ring's place is each rank's own
        porter_collect_parts(porter, operations->places, operations->capacity * sizeof *operations->places, false);
    }
    if (parts->ring && porter_bring(porter, parts->ring, sizeof *parts->ring)) {
        watch_part_log_begin(parts);
        porter_collect_parts(porter, parts->places, parts->capacity * sizeof *parts->places, false);
        porter_collect_parts(porter, parts->members, parts->capacity * sizeof *parts->members, false);
    }
}

// Adds the senders' counts of stalls to the receivers' ports. A sender counts the messages for which the mailbox at the
// other end had no room, but the report takes this count from the receiver's port.
static void gather_stalls(struct porter *porter)
{
    const struct free_run *run = &porter->control->run;
    const struct rank_crossings *crossings = &porter->crossings;
    for (size_t i = 0; run->use && i < crossings->count; i++) {
        porter->out[i] = (double)run->use[run->topology->twin[crossings->at[i].port]].stalls;
    }
    if (run->use && porter_exchange(porter, crossings->peer, porter->out, porter->in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            run->use[crossings->at[i].port].stalls += (uint64_t)porter->in[i];
        }
    }
}

void porter_gather(struct free_transport *transport, struct free_control *control)
{
    struct porter *porter = (struct porter *)transport;
    struct free_run *run = &control->run;
    while (porter_meet(porter)) { // after a violation in this rank other ranks may not know yet that the run is over
    }
    if (porter->lost) {
        return;
    }
    porter->final[porter->link->rank] = final_of(porter);
    if (!porter_bring(porter, porter->final, sizeof *porter->final)) {
        return;
    }
    if (apply_finals(porter)) {
        apply_violation(porter);
    }
    gather_trace(porter);
    gather_frames(porter);
    gather_logs(porter);
    gather_stalls(porter);
    porter_bring(porter, control->histograms, free_histograms(run->machine) * sizeof *control->histograms);
    porter_collect(porter, run->processor, sizeof *run->processor, false);
    porter_collect(porter, run->sent, sizeof *run->sent, true);
    porter_collect(porter, run->received, sizeof *run->received, true);
    porter_collect(porter, run->use, sizeof *run->use, true);
}

// Exchanges the counts of messages left under way. A message in a porter's mailbox is under way to a port of another
// rank.
void porter_gather_left(struct free_transport *transport, struct free_control *control)
{
    struct porter *porter = (struct porter *)transport;
    struct free_run *run = &control->run;
    const struct rank_crossings *crossings = &porter->crossings;
    struct free_left *left = control->attendant.left;
    for (size_t i = 0; i < crossings->count; i++) {
        struct free_left *there = &left[run->topology->twin[crossings->at[i].port]];
        memcpy(porter->out + 2 * i, there, sizeof *there);
    }
    for (size_t k = 0; k < crossings->peers; k++) {
        size_t count = 2 * crossings->peer[k].sends;
        porter->pack[k] = (struct ek_rank_peer){crossings->peer[k].rank, count, count};
    }
    if (crossings->peers > 0 && porter_exchange(porter, porter->pack, porter->out, porter->in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            struct free_left more;
            memcpy(&more, porter->in + 2 * i, sizeof more);
            left[crossings->at[i].port].load += more.load;
            left[crossings->at[i].port].messages += more.messages;
        }
    }
    porter_collect(porter, left, sizeof *left, true);
    porter_collect(porter, run->port, sizeof *run->port, true); // each rank has counted its own shelves
}
