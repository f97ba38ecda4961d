// SPDX-License-Identifier: MIT
// The exchange of results.
#include "threads/free/over_ranks/gather.h"

#include "threads/cargo/objects_over_ranks.h"
#include "threads/cargo/picture.h"
#include "threads/free/control/free_run.h"
#include "threads/free/finish.h"

static struct free_final final_of(const struct free_rank_link *link)
{
    const struct free_run *run = &link->control->run;
    const struct free_worker *worker = &run->worker[link->ranks->rank];
    return (struct free_final){.counts = worker->counts,
                               .counters = worker->counters,
                               .logs = free_log_lengths_of(run, link->ranks->rank),
                               .messages = worker->messages,
                               .operations = worker->operations,
                               .turns = worker->turns,
                               // Acquire: pairs with the release in free_violate.
                               .violated = atomic_load_explicit(&run->shared.violated, memory_order_acquire)};
}

// Returns whether one of the ranks has found a violation.
static bool apply_finals(struct free_rank_link *link)
{
    struct free_run *run = &link->control->run;
    const struct free_final *final = link->final;
    bool violated = false;
    for (unsigned r = 0; r < link->ranks->count; r++) {
        struct free_worker *worker = &run->worker[r];
        worker->counts = final[r].counts;
        worker->counters = final[r].counters;
        worker->messages = final[r].messages;
        worker->operations = final[r].operations;
        worker->turns = final[r].turns;
        if (run->log.grows) {
            free_log_lengths_set(run, r, &final[r].logs);
        }
        violated = violated || final[r].violated;
    }
    return violated;
}

// Adds the senders' counts of stalls to the receivers' ports. A sender counts the messages for which the mailbox at the
// other end had no room, but the report takes this count from the receiver's port.
static void gather_stalls(struct free_rank_link *link)
{
    const struct free_run *run = &link->control->run;
    const struct rank_crossings *crossings = &link->crossings;
    for (size_t i = 0; run->use && i < crossings->count; i++) {
        link->out[i] = (double)run->use[run->topology->twin[crossings->at[i].port]].stalls;
    }
    if (run->use && free_rank_exchange(link, crossings->peer, crossings->peers, link->out, link->in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            run->use[crossings->at[i].port].stalls += (uint64_t)link->in[i];
        }
    }
}

static void gather_profile(struct free_rank_link *link)
{
    const struct watch_profile *profile = &link->control->run.tasks.profile;
    size_t intervals = WATCH_PROFILE_PARTS * (size_t)profile->most;
    free_rank_collect(link, profile->row, sizeof *profile->row, false);
    free_rank_collect(link, profile->time, intervals * sizeof *profile->time, false);
    free_rank_collect(link, profile->tasks, WATCH_PROFILE_PARTS * sizeof *profile->tasks, false);
}

// Brings together the data of the report about tasks.
static void gather_tasks(struct free_rank_link *link)
{
    struct free_run *run = &link->control->run;
    struct cargo_tasks *tasks = &run->tasks;
    unsigned own = link->ranks->rank;
    link->cargo.counted[own] = cargo_sum_of(tasks, own, own + 1);
    if (!free_rank_bring(link, link->cargo.counted, sizeof *link->cargo.counted)) {
        return;
    }
    for (unsigned r = 0; r < link->ranks->count; r++) {
        if (r != own) {
            cargo_set_counts(tasks, r, &link->cargo.counted[r]);
        }
    }
    free_rank_collect(link, tasks->busy, sizeof *tasks->busy, false);
    gather_profile(link);
    if (!link->lost && !cargo_picture_gather(tasks)) {
        free_rank_lose(link);
    }
}

// Brings together the data of the report about letters.
static void gather_letters(struct free_rank_link *link)
{
    struct cargo_letters *letters = &link->control->run.letters;
    unsigned own = link->ranks->rank;
    link->cargo.letters[own] = letters->worker[own].sums;
    if (free_rank_bring(link, link->cargo.letters, sizeof *link->cargo.letters)) {
        for (unsigned r = 0; r < link->ranks->count; r++) {
            letters->worker[r].sums = link->cargo.letters[r];
        }
    }
}

// Brings the objects together, and what their processors have sent.
static void gather_objects(struct free_rank_link *link)
{
    struct free_run *run = &link->control->run;
    struct ek_error error = {0};
    bool lost = false;
    cargo_objects_land(&run->objects);
    if (link->lost) {
        return;
    }
    if (!cargo_objects_gather(&run->objects, &lost, &error) && !lost) {
        free_violate_with(run, &error);
    }
    if (lost) {
        free_rank_lose(link);
    }
    free_rank_collect(link, run->objects.bytes_sent, sizeof *run->objects.bytes_sent, false);
}

// Brings together the loads sent over each port; or only those sent over the other ends of this rank's links to other
// ranks.
static void gather_sent(struct free_rank_link *link)
{
    const struct free_run *run = &link->control->run;
    const struct rank_crossings *crossings = &link->crossings;
    if (!run->sent || free_brings_sent(run)) {
        free_rank_collect(link, run->sent, sizeof *run->sent, true);
        return;
    }
    for (size_t i = 0; i < crossings->count; i++) {
        link->out[i] = run->sent[crossings->at[i].port];
    }
    if (free_rank_exchange(link, crossings->peer, crossings->peers, link->out, link->in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            run->sent[run->topology->twin[crossings->at[i].port]] = link->in[i];
        }
    }
}

void free_ranks_gather(struct free_transport *transport, struct free_control *control)
{
    struct free_rank_link *link = transport->link;
    struct free_run *run = &control->run;
    link->final[link->ranks->rank] = final_of(link);
    if (!free_rank_bring(link, link->final, sizeof *link->final)) {
        return;
    }
    if (apply_finals(link)) {
        transport->agree(transport, control);
    }
    free_ranks_gather_logs(link);
    gather_stalls(link);
    if (free_has_tasks(run)) {
        gather_tasks(link);
    }
    if (free_has_letters(run)) {
        gather_letters(link);
    }
    if (run->moves_objects) {
        gather_objects(link);
    }
    free_rank_bring(link, control->histograms, free_histograms(run->machine) * sizeof *control->histograms);
    gather_sent(link);
    if (run->use) {
        free_rank_collect(link, run->use, sizeof *run->use, true);
        free_rank_collect(link, run->received, sizeof *run->received, true);
    }
}
