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

static bool has_letters(const struct mail_message *message)
{
    return free_message_kind(message) == FREE_LETTERS;
}

// Returns the tasks of a message, apart from those in its letters.
static uint64_t tasks_in(const struct mail_message *message)
{
    return free_message_carries(message) && !has_letters(message) ? (uint64_t)message->amount : 0;
}

// Returns the doubles of these tasks and the value that a message carries.
static size_t words_of(struct free_rank_link *link, const struct mail_message *message)
{
    return cargo_crossing_bytes(tasks_of(link), tasks_in(message)) / sizeof(double);
}

// Returns whether a message carries objects.
static bool has_objects(const struct free_rank_link *link, const struct mail_message *message)
{
    return link->control->run.moves_objects && free_message_carries(message) && message->amount > 0.0;
}

// Returns the doubles of what a message carries that leaves from this port.
static size_t leaving(struct free_rank_link *link, uint32_t port, const struct mail_message *message)
{
    struct free_run *run = &link->control->run;
    if (!free_has_tasks(run)) {
        return has_objects(link, message) ? cargo_objects_leaving(&run->objects, port) : 0;
    }
    return words_of(link, message) + (has_letters(message) ? cargo_envelope_words(&run->letters, port) : 0);
}

// Returns whether messages do not say how long that is which they carry.
static bool hides_lengths(const struct free_run *run)
{
    return run->moves_objects || free_has_letters(run);
}

// Ends the run: the other ranks wait for this load, and find this rank gone.
static void give_up(struct free_rank_link *link)
{
    struct ek_error error;
    base_fail(&error, EK_BAD_INPUT, "carrier", "no memory for the load that this rank exchanges: use more ranks");
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
    struct free_run *run = &link->control->run;
    size_t words = link->lost ? 0 : leaving(link, port, message);
    if (words == 0) {
        return;
    }
    if (!rank_room_grow(&cargo->out, cargo->sends + words)) {
        give_up(link);
        return;
    }
    double *out = cargo->out.at + cargo->sends;
    if (has_objects(link, message)) {
        cargo_objects_leave(&run->objects, port, out);
    } else {
        cargo_leave(tasks_of(link), port, tasks_in(message), out);
        if (has_letters(message)) {
            cargo_envelope_leave(&run->letters, port, out + words_of(link, message));
        }
    }
    cargo->sends += words;
    cargo->peer[k].sends += words;
}

void free_rank_cargo_expect(struct free_rank_link *link, size_t k, const struct mail_message *message)
{
    size_t words = hides_lengths(&link->control->run) ? 0 : words_of(link, message);
    link->cargo.peer[k].brings += words;
    link->cargo.brings += words;
}

// Exchanges the lengths, which the messages do not say.
static bool exchange_lengths(struct free_rank_link *link, size_t peers)
{
    struct free_rank_cargo *cargo = &link->cargo;
    for (size_t k = 0; k < peers; k++) {
        cargo->length[k] = (double)cargo->peer[k].sends;
        cargo->one[k] = (struct ek_rank_peer){cargo->peer[k].rank, 1, 1};
    }
    bool good = free_rank_exchange(link, cargo->one, peers, cargo->length, cargo->length + link->ranks->count);
    for (size_t k = 0; good && k < peers; k++) {
        cargo->peer[k].brings = (size_t)cargo->length[link->ranks->count + k];
        cargo->brings += cargo->peer[k].brings;
    }
    return good;
}

bool free_rank_cargo_exchange(struct free_rank_link *link, const struct ek_rank_peer *peer, size_t peers)
{
    struct free_rank_cargo *cargo = &link->cargo;
    for (size_t k = 0; k < peers; k++) {
        cargo->peer[k].rank = peer[k].rank;
    }
    if (hides_lengths(&link->control->run) && !exchange_lengths(link, peers)) {
        return false;
    }
    if (!link->lost && (!rank_room_grow(&cargo->out, cargo->sends) || !rank_room_grow(&cargo->in, cargo->brings))) {
        give_up(link);
    }
    return free_rank_exchange(link, cargo->peer, peers, cargo->out.at, cargo->in.at);
}

void free_rank_cargo_enter(struct free_rank_link *link, uint32_t port, const struct mail_message *message)
{
    struct free_run *run = &link->control->run;
    const double *from = link->cargo.in.at + link->cargo.read;
    if (link->lost) {
        return;
    }
    if (run->moves_objects) {
        link->cargo.read += has_objects(link, message) ? cargo_objects_enter(&run->objects, port, from) : 0;
        return;
    }
    size_t words = words_of(link, message);
    size_t envelope = has_letters(message) ? cargo_envelope_enter(&run->letters, port, from + words) : 0;
    link->cargo.read += words + envelope;
    if (!cargo_enter(tasks_of(link), port, tasks_in(message), from) || (has_letters(message) && envelope == 0)) {
        give_up(link);
    }
}
