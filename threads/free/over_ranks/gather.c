// SPDX-License-Identifier: MIT
// The exchange of results.
#include "threads/free/over_ranks/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/cargo/objects_over_ranks.h"
#include "threads/cargo/picture.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/left.h"
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

// Makes a violation in some ranks a violation in all ranks. All take over the violation of the first of these ranks.
static void agree(struct free_transport *transport, struct free_control *control)
{
    struct free_shared *shared = &control->run.shared;
    bool violated = atomic_load_explicit(&shared->violated, memory_order_acquire); // pairs with free_violate
    if (!free_rank_agree(transport->link, !violated, &shared->violation)) {
        atomic_store_explicit(&shared->violated, true, memory_order_relaxed); // the workers have ended
    }
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

// Brings together what is reported of tasks.
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

// Brings together what is reported of letters.
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

// Brings together what was sent over each port; or over the ports at the other ends of this rank's links only.
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

void free_ranks_gather(struct free_rank_link *link)
{
    struct free_control *control = link->control;
    struct free_run *run = &control->run;
    link->final[link->ranks->rank] = final_of(link);
    if (!free_rank_bring(link, link->final, sizeof *link->final)) {
        return;
    }
    if (apply_finals(link)) {
        agree(control->transport, control);
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

// ---- the transport ----

// Counts the messages on a link to another rank that this rank has: those in its own mailboxes and shelves, and those
// that it has not sent on. They are counted in the order of ports.
static struct free_left count_crossing(struct free_run *run, uint32_t port, struct free_left *here)
{
    struct free_left there = {0};
    uint32_t twin = run->topology->twin[port];
    for (unsigned k = 0; k < 2; k++) {
        if ((k == 0) == (port < twin)) {
            free_left_count_at(run, port, here, &there);
        } else {
            free_left_count_at(run, twin, &there, here);
        }
    }
    return there;
}

static void gather_left(struct free_transport *transport, struct free_control *control)
{
    struct free_rank_link *link = transport->link;
    const struct rank_crossings *crossings = &link->crossings;
    struct free_left *left = control->attendant.left;
    for (size_t i = 0; i < crossings->count; i++) {
        struct free_left there = count_crossing(&control->run, crossings->at[i].port, &left[crossings->at[i].port]);
        memcpy(link->out + 2 * i, &there, sizeof there);
    }
    for (size_t k = 0; k < crossings->peers; k++) {
        size_t count = 2 * crossings->peer[k].sends;
        link->peer[k] = (struct ek_rank_peer){crossings->peer[k].rank, count, count};
    }
    if (free_rank_exchange(link, link->peer, crossings->peers, link->out, link->in)) {
        for (size_t i = 0; i < crossings->count; i++) {
            struct free_left more;
            memcpy(&more, link->in + 2 * i, sizeof more);
            left[crossings->at[i].port].load += more.load;
            left[crossings->at[i].port].messages += more.messages;
        }
    }
}

static void pass(struct free_transport *transport, struct free_control *control, const struct rank_pass *pass)
{
    (void)control;
    struct free_rank_link *link = transport->link;
    if (!link->lost && !rank_collect_pass(&link->collector, pass)) {
        free_rank_lose(link);
    }
}

// Merges the tallies of all ranks into `own`.
static void merge(struct free_rank_link *link, struct core_tally *own)
{
    link->tally[link->ranks->rank] = *own;
    free_rank_bring(link, link->tally, sizeof *link->tally);
    for (unsigned r = 0; r < link->ranks->count; r++) {
        if (r != link->ranks->rank) {
            core_tally_merge(own, &link->tally[r]);
        }
    }
}

static void measure(struct free_transport *transport, struct free_control *control, double in_flight,
                    struct core_measure *measure)
{
    struct free_rank_link *link = transport->link;
    const struct rank_placement *placement = &control->run.machine->placement;
    const double *held = control->attendant.held;
    struct core_tally tally = core_tally_of_none(), squares = core_tally_of_none();
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == link->ranks->rank) {
            core_tally_add(&tally, held + placement->begin[i], placement->begin[i + 1] - placement->begin[i]);
        }
    }
    merge(link, &tally);
    double mean = core_measure_tally(&tally, control->run.topology->processors, in_flight, measure);
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == link->ranks->rank) {
            core_exact_add_squares(&squares.sum, held + placement->begin[i],
                                   placement->begin[i + 1] - placement->begin[i], mean);
        }
    }
    merge(link, &squares);
    core_measure_squares(&squares.sum, measure);
}

static void measure_flows(struct free_transport *transport, struct free_control *control, double *l1, double *l2)
{
    struct free_rank_link *link = transport->link;
    const struct free_run *run = &control->run;
    const struct rank_placement *placement = &run->machine->placement;
    struct core_flows *own = &link->flows[link->ranks->rank];
    if (!run->sent || free_brings_sent(run)) {
        core_measure_flows(run->topology, run->sent, 0, l1, l2);
        return;
    }
    *own = (struct core_flows){.sizes = {.added = 0}};
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == link->ranks->rank) {
            core_flows_add(own, run->topology, run->sent, 0, placement->begin[i], placement->begin[i + 1]);
        }
    }
    free_rank_bring(link, link->flows, sizeof *link->flows);
    for (unsigned r = 1; r < link->ranks->count; r++) {
        core_exact_merge(&link->flows[0].sizes, &link->flows[r].sizes);
        core_exact_merge(&link->flows[0].squares, &link->flows[r].squares);
    }
    *l1 = core_exact_total(&link->flows[0].sizes);
    *l2 = sqrt(core_exact_total(&link->flows[0].squares));
}

// Moves the characters of a text together that zeros separate.
static char *without_gaps(char *text, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; i < room; i++) {
        if (text[i] != '\0') {
            text[length++] = text[i];
        }
    }
    text[length] = '\0';
    return text;
}

static char *join(struct free_transport *transport, struct free_control *control, char *text)
{
    struct free_rank_link *link = transport->link;
    size_t own = text ? (strlen(text) + sizeof(double) - 1) / sizeof(double) : 0, *lengths = link->lengths;
    (void)control;
    lengths[link->ranks->rank] = own;
    free_rank_bring(link, lengths, sizeof *lengths);
    link->from[0] = 0;
    for (unsigned r = 0; r < link->ranks->count; r++) {
        link->from[r + 1] = link->from[r] + lengths[r];
    }
    char *all = calloc(link->from[link->ranks->count] + 1, sizeof(double));
    struct ek_error error;
    if (!free_rank_agree(link, all || base_fail(&error, EK_BAD_INPUT, "carrier", "no memory for a text"), &error)) {
        free(all);
        free(text);
        return NULL;
    }
    if (own > 0) { // with its end: zeros are left out below
        memcpy(all + link->from[link->ranks->rank] * sizeof(double), text, strlen(text) + 1);
    }
    free_rank_collect_list(link, all);
    free(text);
    return without_gaps(all, link->from[link->ranks->count] * sizeof(double));
}

struct free_transport free_ranks_transport(struct free_rank_link *link, unsigned own,
                                           void (*gather)(struct free_transport *, struct free_control *))
{
    return (struct free_transport){.separate = true,
                                   .own = own,
                                   .link = link,
                                   .gather = gather,
                                   .gather_left = gather_left,
                                   .pass = pass,
                                   .measure = measure,
                                   .measure_flows = measure_flows,
                                   .agree = agree,
                                   .join = join};
}
