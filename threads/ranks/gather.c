// SPDX-License-Identifier: MIT
// What is brought together in the end.
#include "threads/ranks/gather.h"

#include <string.h>

#include "threads/free/control/end.h"
#include "threads/ranks/porter.h"
#include "threads/ranks/free_ranks.h"
#include "base/cursor.h"

// What a rank has to say when its worker has ended.
struct free_last {
    struct free_attendant attendant; // the first rank's is good
    uint64_t link_failures, processor_failures, repairs, lag_ns;
    struct free_counts counts;
    struct watch_counters counters;
    uint64_t messages, operations, turns;
    bool violated;
};

void free_gather_plan(struct free_run *run, struct base_arena *memory)
{
    const struct ek_ranks *link = run->ranks.link;
    base_arena_plan(memory, &run->ranks.last, link ? link->count : 0, sizeof *run->ranks.last);
}

// What is said when a worker has ended.
static struct free_last last_words(struct free_run *run)
{
    const struct free_worker *worker = free_ranks_worker(run);
    return (struct free_last){.attendant = run->attendant,
                              .link_failures = run->helper.link_failures,
                              .processor_failures = run->helper.processor_failures,
                              .repairs = run->helper.repairs,
                              .lag_ns = run->helper.lag_ns,
                              .counts = worker->counts,
                              .counters = worker->counters,
                              .messages = worker->messages,
                              .operations = worker->operations,
                              .turns = worker->turns,
                              // Acquire: pairs with the release of who found it.
                              .violated = atomic_load_explicit(&run->shared.violated, memory_order_acquire)};
}

// The first rank's attendant is that of all; what it points to is each rank's own.
static void hear_last_attendant(struct free_run *run, const struct free_last *first)
{
    struct free_attendant own = run->attendant;
    struct free_attendant *attendant = &run->attendant;
    *attendant = first->attendant;
    attendant->slept = own.slept;
    attendant->tried = own.tried;
    attendant->held = own.held;
    attendant->trace.rows = own.trace.rows;
    attendant->trace.count = own.trace.count;
    attendant->trace.room = own.trace.room;
    attendant->frames.frame = own.frames.frame;
    attendant->frames.load = own.frames.load;
    attendant->turns_seen = own.turns_seen;
    attendant->left = own.left;
    run->helper.link_failures = first->link_failures;
    run->helper.processor_failures = first->processor_failures;
    run->helper.repairs = first->repairs;
    run->helper.lag_ns = first->lag_ns;
}

// Whether one of them has found a violation.
static bool hear_last(struct free_run *run)
{
    const struct free_last *last = run->ranks.last;
    bool violated = false;
    for (unsigned r = 0; r < run->ranks.link->count; r++) {
        struct free_worker *worker = &run->worker[r];
        worker->counts = last[r].counts;
        worker->counters = last[r].counters;
        worker->messages = last[r].messages;
        worker->operations = last[r].operations;
        worker->turns = last[r].turns;
        violated = violated || last[r].violated;
    }
    hear_last_attendant(run, &last[0]);
    return violated;
}

// A violation in one rank is one in all; the first rank's is reported.
static void hear_violation(struct free_run *run)
{
    const struct free_ranks *ranks = &run->ranks;
    free_ranks_agree(run, !ranks->last[ranks->link->rank].violated, &run->shared.violation);
    atomic_store_explicit(&run->shared.violated, true, memory_order_relaxed); // the workers have ended
}

// Rows are as many as the first rank has; all must have room for them.
static void gather_trace(struct free_run *run)
{
    struct watch_trace *trace = &run->attendant.trace;
    if (!free_ranks_speak(run)) {
        return;
    }
    size_t count = run->ranks.last[0].attendant.trace.count;
    struct ek_error error = {0};
    bool good = watch_trace_make_room(trace, count) ||
                base_fail(&error, EK_BAD_INPUT, "trace", "no memory for a trace of %zu rows: leave --trace out", count);
    if (!free_ranks_agree(run, good, &error)) {
        free_violate(run, &error);
        return;
    }
    trace->count = count;
    free_ranks_collect_parts(run, trace->rows, count * sizeof *trace->rows, true);
}

static void gather_frames(struct free_run *run)
{
    struct watch_frames *frames = &run->attendant.frames;
    free_ranks_collect_parts(run, frames->frame, frames->count * sizeof *frames->frame, true);
    free_ranks_collect_parts(run, frames->load, frames->count * frames->processors * sizeof *frames->load, true);
}

static void gather_logs(struct free_run *run)
{
    struct watch_operation_log *operations = &run->log;
    struct watch_part_log *parts = &run->parts;
    if (free_ranks_bring(run, operations->ring, sizeof *operations->ring)) {
        watch_operation_log_begin(operations); // a ring's place is each rank's own
        free_ranks_collect_parts(run, operations->places, operations->capacity * sizeof *operations->places, false);
    }
    if (parts->ring && free_ranks_bring(run, parts->ring, sizeof *parts->ring)) {
        watch_part_log_begin(parts);
        free_ranks_collect_parts(run, parts->places, parts->capacity * sizeof *parts->places, false);
        free_ranks_collect_parts(run, parts->members, parts->capacity * sizeof *parts->members, false);
    }
}

// The room that was missing at the other end of a link is counted by who sends; it belongs to who receives.
static void gather_stalls(struct free_run *run)
{
    const struct rank_crossings *crossings = &run->ranks.crossings;
    for (size_t i = 0; run->use && i < crossings->count; i++) {
        run->ranks.out[i] = (double)run->use[run->topology->twin[crossings->at[i].port]].stalls;
    }
    if (run->use && free_ranks_exchange(run, crossings->peer, run->ranks.out, run->ranks.in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            run->use[crossings->at[i].port].stalls += (uint64_t)run->ranks.in[i];
        }
    }
}

void free_gather(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    while (free_porter_meet(run)) { // a violation has sent the own worker home, and not everybody knows it yet
    }
    if (!free_ranks_speak(run)) {
        return;
    }
    ranks->last[ranks->link->rank] = last_words(run);
    if (!free_ranks_bring(run, ranks->last, sizeof *ranks->last)) {
        return;
    }
    if (hear_last(run)) {
        hear_violation(run);
    }
    gather_trace(run);
    gather_frames(run);
    gather_logs(run);
    gather_stalls(run);
    free_ranks_bring(run, run->histograms, free_histograms(run->machine) * sizeof *run->histograms);
    free_ranks_collect(run, run->processor, sizeof *run->processor, false);
    free_ranks_collect(run, run->sent, sizeof *run->sent, true);
    free_ranks_collect(run, run->received, sizeof *run->received, true);
    free_ranks_collect(run, run->use, sizeof *run->use, true);
}

// What lies in a porter's mailboxes is on its way to a port of another rank.
void free_gather_left(struct free_run *run)
{
    const struct rank_crossings *crossings = &run->ranks.crossings;
    struct free_left *left = run->attendant.left;
    for (size_t i = 0; i < crossings->count; i++) {
        struct free_left *there = &left[run->topology->twin[crossings->at[i].port]];
        memcpy(run->ranks.out + 2 * i, there, sizeof *there);
    }
    for (size_t k = 0; k < crossings->peers; k++) {
        size_t count = 2 * crossings->peer[k].sends;
        run->ranks.parcel[k] = (struct ek_rank_peer){crossings->peer[k].rank, count, count};
    }
    if (crossings->peers > 0 && free_ranks_exchange(run, run->ranks.parcel, run->ranks.out, run->ranks.in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            struct free_left more;
            memcpy(&more, run->ranks.in + 2 * i, sizeof more);
            left[crossings->at[i].port].load += more.load;
            left[crossings->at[i].port].messages += more.messages;
        }
    }
    free_ranks_collect(run, left, sizeof *left, true);
    free_ranks_collect(run, run->port, sizeof *run->port, true); // their shelves have been counted where they lie
}
