// SPDX-License-Identifier: MIT
// Letters of rounds on several processes. A letter goes straight to the rank of its receiver, in the phase in which it
// is posted, and waits there until it is due. Any two ranks can have letters for each other: first they exchange how
// many doubles they send, then the letters.
#include "threads/rounds/over_ranks/letters_over_ranks.h"
#include "threads/rounds/over_ranks/rank_exchange.h"
#include "threads/rounds/over_ranks/tasks_over_ranks.h"

// The doubles of all letters that this rank sends and receives, and the ranks that it sends to or receives from.
struct amounts {
    size_t sends, brings, peers;
};

static const unsigned ALL = UINT32_MAX; // every rank sends letters

// Exchanges the numbers of doubles, and sets the peers: all other ranks, or the `sender` if only one rank sends.
// Returns false if a rank is lost.
static bool exchange_amounts(struct rounds_run *rounds, unsigned sender, struct amounts *amounts)
{
    struct rounds_remote *ranks = &rounds->remote;
    unsigned count = ranks->link->count, own = ranks->link->rank;
    double *out = ranks->sums, *in = ranks->sums + count;
    size_t peers = 0;
    bool sends = sender == ALL || sender == own, brings = sender != own;
    for (unsigned r = 0; r < count; r++) {
        if (r != own && (sends || r == sender)) {
            out[peers] = sends ? (double)cargo_letters_words(&rounds->letters, r) : 0.0;
            in[peers] = 0.0;
            ranks->task_peer[peers++] = (struct ek_rank_peer){.rank = r, .sends = sends, .brings = brings};
        }
    }
    if (!ranks->link->exchange(ranks->link->context, ranks->task_peer, peers, out, in)) {
        return false;
    }
    amounts->peers = peers;
    for (size_t k = 0; k < peers; k++) {
        ranks->task_peer[k].sends = (size_t)out[k];
        ranks->task_peer[k].brings = (size_t)in[k];
        amounts->sends += (size_t)out[k];
        amounts->brings += (size_t)in[k];
    }
    return true;
}

static void pack(struct rounds_run *rounds, size_t peers)
{
    struct rounds_remote *ranks = &rounds->remote;
    double *out = ranks->tasks_out.at;
    for (size_t k = 0; k < peers; k++) {
        cargo_letters_pack(&rounds->letters, ranks->task_peer[k].rank, out);
        out += ranks->task_peer[k].sends;
    }
}

static void cross_letters(struct rounds_run *rounds, unsigned sender)
{
    struct rounds_remote *ranks = &rounds->remote;
    struct amounts amounts = {0};
    if (ranks->lost) {
        return;
    }
    if (!exchange_amounts(rounds, sender, &amounts)) {
        rounds_ranks_lose(rounds);
        return;
    }
    if (!rounds_ranks_make_room(rounds, amounts.sends, amounts.brings)) {
        return;
    }
    pack(rounds, amounts.peers);
    if (!ranks->link->exchange(ranks->link->context, ranks->task_peer, amounts.peers, ranks->tasks_out.at,
                               ranks->tasks_in.at)) {
        rounds_ranks_lose(rounds);
    } else if (!cargo_letters_unpack(&rounds->letters, ranks->tasks_in.at, amounts.brings)) {
        rounds_ranks_run_short(rounds);
    }
}

void rounds_ranks_cross_letters(struct rounds_run *rounds)
{
    cross_letters(rounds, ALL);
}

void rounds_ranks_cross_letters_of(struct rounds_run *rounds, unsigned rank)
{
    cross_letters(rounds, rank);
}

void rounds_ranks_meet_letters(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    struct cargo_letter_sums own = cargo_letters_sum_of(&rounds->letters, rounds->blocks);
    if (ranks->lost) {
        return;
    }
    if (!ranks->link->gather(ranks->link->context, &own, ranks->letters, sizeof own)) {
        rounds_ranks_lose(rounds);
        return;
    }
    for (unsigned r = 0; r < ranks->link->count; r++) {
        if (r != ranks->link->rank) {
            rounds->letters.worker[rounds_ranks_worker(rounds, r)].sums = ranks->letters[r];
        }
    }
}
