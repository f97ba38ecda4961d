// SPDX-License-Identifier: MIT
// Exchange of data between ranks.
#include "threads/drivers/porters/exchange.h"

#include "base/cursor.h"
#include "threads/free/finish.h"
#include "threads/machine/on_ranks.h"
#include "threads/ranks/agree.h"

static void lose(struct porter *porter)
{
    struct ek_error lost;
    base_fail(&lost, EK_BAD_INPUT, "carrier",
              "another rank does not answer: it has ended or died, and this run ends with it");
    porter->lost = true;
    free_violate_with(&porter->control->run, &lost);
    // Relaxed: this thread's own. The worker that waits for the start of the clock ends.
    if (!atomic_load_explicit(&porter->driver->started, memory_order_relaxed)) {
        threads_start_clock(porter->driver);
    }
}

bool porter_agree(struct porter *porter, bool good, struct ek_error *error)
{
    if (!porter->lost && !rank_vote(porter->link, &good, 0, error)) {
        porter->lost = true;
    }
    return good;
}

bool porter_bring(struct porter *porter, void *all, size_t bytes)
{
    const struct ek_ranks *link = porter->link;
    if (!porter->lost && !link->gather(link->context, (char *)all + link->rank * bytes, all, bytes)) {
        lose(porter);
    }
    return !porter->lost;
}

void porter_collect(struct porter *porter, void *array, size_t bytes, bool ports)
{
    const uint32_t *first = ports ? porter->control->run.topology->first : NULL;
    if (!porter->lost && array && !rank_collect(&porter->collector, array, bytes / sizeof(double), first)) {
        lose(porter);
    }
}

void porter_collect_parts(struct porter *porter, void *array, size_t bytes, bool first)
{
    const struct ek_ranks *link = porter->link;
    if (porter->lost || !array) {
        return;
    }
    for (unsigned r = 0; r <= link->count; r++) {
        porter->from[r] = (first ? r > 0 : r) * (bytes / sizeof(double));
    }
    if (!link->collect(link->context, array, porter->from)) {
        lose(porter);
    }
}

bool porter_exchange(struct porter *porter, const struct ek_rank_peer *peer, const double *out, double *in)
{
    const struct ek_ranks *link = porter->link;
    if (!porter->lost && !link->exchange(link->context, peer, porter->crossings.peers, out, in)) {
        lose(porter);
    }
    return !porter->lost;
}

#define COLLECTS_WORDS(type)                                                                                           \
    _Static_assert(sizeof(type) % sizeof(double) == 0 && sizeof(type) / sizeof(double) <= MACHINE_RANKS_WORDS_FREE,    \
                   "whole words, at most as many as machine_ranks_check counts on")
COLLECTS_WORDS(struct free_snapshot);
COLLECTS_WORDS(struct free_processor);
COLLECTS_WORDS(struct free_port);
