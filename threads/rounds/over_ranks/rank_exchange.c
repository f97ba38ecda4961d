// SPDX-License-Identifier: MIT
// What the parts of the transport share.
#include "base/error.h"
#include "threads/rounds/over_ranks/rank_exchange.h"
#include "threads/rounds/verdict.h"

void rounds_ranks_lose(struct rounds_run *rounds)
{
    struct ek_error lost;
    base_fail(&lost, EK_BAD_INPUT, "carrier",
              "another rank does not answer: it has ended or died, so the run ends in step %llu",
              (unsigned long long)rounds->now.step);
    rounds->remote.lost = true;
    rounds_violate(rounds, &lost);
}

void rounds_ranks_use_all(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    ranks->crossings = &ranks->all;
    ranks->sends = ranks->brings = ranks->all.count;
}

bool rounds_ranks_exchange(struct rounds_run *rounds)
{
    const struct rounds_remote *ranks = &rounds->remote;
    bool good = ranks->link->exchange(ranks->link->context, ranks->crossings->peer, ranks->crossings->peers, ranks->out,
                                      ranks->in);
    if (!good) {
        rounds_ranks_lose(rounds);
    }
    return good;
}
