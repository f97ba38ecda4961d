// SPDX-License-Identifier: MIT
#include "threads/free/over_ranks/ranks_transport.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/left.h"
#include "threads/free/over_ranks/rank_link.h"

// Makes a violation in some ranks a violation in all ranks. All take over the violation of the first of these ranks.
static void agree(struct free_transport *transport, struct free_control *control)
{
    struct free_shared *shared = &control->run.shared;
    bool violated = atomic_load_explicit(&shared->violated, memory_order_acquire); // pairs with free_violate
    if (!free_rank_agree(transport->link, !violated, &shared->violation)) {
        atomic_store_explicit(&shared->violated, true, memory_order_relaxed); // the workers have ended
    }
}

// Counts the messages of this rank on a link to another rank: those in its mailboxes and on its shelves, and those that
// it has not sent on. Returns the count of the other end. Both directions are counted in the order of ports, as in one
// process.
static struct free_left count_link(struct free_run *run, uint32_t port, struct free_left *here)
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

static void count_crossing(struct free_transport *transport, struct free_control *control)
{
    struct free_rank_link *link = transport->link;
    const struct rank_crossings *crossings = &link->crossings;
    struct free_left *left = control->attendant.left;
    for (size_t i = 0; i < crossings->count; i++) {
        struct free_left there = count_link(&control->run, crossings->at[i].port, &left[crossings->at[i].port]);
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

// Removes the zeros between the parts of a text.
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

struct free_transport free_ranks_transport(struct free_rank_link *link,
                                           void (*gather)(struct free_transport *, struct free_control *))
{
    return (struct free_transport){.separate = true,
                                   .own = link->ranks->rank,
                                   .link = link,
                                   .gather = gather,
                                   .count_crossing = count_crossing,
                                   .pass = pass,
                                   .measure = measure,
                                   .measure_flows = measure_flows,
                                   .agree = agree,
                                   .join = join};
}
