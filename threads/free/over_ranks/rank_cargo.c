// SPDX-License-Identifier: MIT
#include "threads/free/over_ranks/rank_cargo.h"

#include "base/error.h"
#include "threads/cargo/under_way.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/post.h"

static struct cargo_tasks *tasks_of(struct free_rank_link *link)
{
    return &link->control->run.tasks;
}

static uint64_t tasks_in(const struct mail_message *message)
{
    return free_message_carries(message) ? (uint64_t)message->amount : 0;
}

static size_t words_of(struct free_rank_link *link, const struct mail_message *message)
{
    return cargo_crossing_bytes(tasks_of(link), tasks_in(message)) / sizeof(double);
}

// Ends the run: the other ranks wait for these tasks, and find this rank gone.
static void give_up(struct free_rank_link *link)
{
    struct ek_error error;
    base_fail(&error, EK_BAD_INPUT, "tasks", "no memory for the tasks that this rank exchanges: use more ranks");
    free_violate_with(&link->control->run, &error);
    link->lost = true;
}

void free_rank_cargo_begin(struct free_rank_link *link)
{
    struct free_rank_cargo *cargo = &link->cargo;
    cargo->sends = cargo->brings = cargo->read = 0;
    for (unsigned r = 0; r < link->ranks->count; r++) {
        cargo->peer[r] = (struct ek_rank_peer){0};
    }
}

void free_rank_cargo_leave(struct free_rank_link *link, size_t k, uint32_t port, const struct mail_message *message)
{
    struct free_rank_cargo *cargo = &link->cargo;
    size_t words = words_of(link, message);
    if (link->lost) {
        return;
    }
    if (!rank_room_grow(&cargo->out, cargo->sends + words)) {
        give_up(link);
        return;
    }
    cargo_leave(tasks_of(link), port, tasks_in(message), cargo->out.at + cargo->sends);
    cargo->sends += words;
    cargo->peer[k].sends += words;
}

void free_rank_cargo_expect(struct free_rank_link *link, size_t k, const struct mail_message *message)
{
    size_t words = words_of(link, message);
    link->cargo.peer[k].brings += words;
    link->cargo.brings += words;
}

bool free_rank_cargo_exchange(struct free_rank_link *link, const struct ek_rank_peer *peer, size_t peers)
{
    struct free_rank_cargo *cargo = &link->cargo;
    for (size_t k = 0; k < peers; k++) {
        cargo->peer[k].rank = peer[k].rank;
    }
    if (!link->lost && (!rank_room_grow(&cargo->out, cargo->sends) || !rank_room_grow(&cargo->in, cargo->brings))) {
        give_up(link);
    }
    return free_rank_exchange(link, cargo->peer, peers, cargo->out.at, cargo->in.at);
}

void free_rank_cargo_enter(struct free_rank_link *link, uint32_t port, const struct mail_message *message)
{
    const double *from = link->cargo.in.at + link->cargo.read;
    link->cargo.read += words_of(link, message);
    if (!link->lost && !cargo_enter(tasks_of(link), port, tasks_in(message), from)) {
        give_up(link);
    }
}
