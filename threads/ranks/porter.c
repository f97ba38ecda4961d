// SPDX-License-Identifier: MIT
// Porters.
#include "threads/ranks/porter.h"

#include <string.h>
#include <time.h>

#include "threads/free/control/end.h"
#include "threads/free/look.h"
#include "threads/ranks/free_ranks.h"
#include "base/cursor.h"

// What goes over a link between ranks, or the number of messages that there is room for since the last such: 0 as a
// stamp.
struct entry {
    uint64_t crossing; // of those to this rank
    struct mail_message message;
};

// Entries of a link at one meeting: messages, and one of room.
enum { MESSAGES = 4, ENTRIES = MESSAGES + 1, WORDS = sizeof(struct entry) / sizeof(double) };

// What a rank says of itself.
struct free_told {
    uint64_t messages, operations, turns, advances, sleeps_until;
    uint64_t worked_ns;                // its worker's processor time
    double sum, squares, least, most;  // its worker's tally
    uint64_t crossed;                  // messages that its porter took at the last meeting
    int64_t permits, wanted, returned; // that lie here, that its worker lacks, that go back to the first rank
    bool lies, ready, complete, mends, interrupted, over;
    // The first rank's:
    uint32_t epoch;
    bool draining, triggered, leaves;
    int64_t lent; // to all who lacked some at the last meeting
};

void free_porter_plan(struct free_run *run, struct base_arena *memory)
{
    struct free_ranks *ranks = &run->ranks;
    uint64_t count = ranks->link ? ranks->link->count : 0;
    uint64_t crossings = ranks->crossings.count;
    base_arena_plan(memory, &ranks->told, count, sizeof *ranks->told);
    base_arena_plan(memory, &ranks->room, crossings, sizeof *ranks->room);
    base_arena_plan(memory, &ranks->given, crossings, sizeof *ranks->given);
    base_arena_plan(memory, &ranks->lengths, 2 * count, sizeof *ranks->lengths);
    base_arena_plan(memory, &ranks->parcel, count, sizeof *ranks->parcel);
    base_arena_plan(memory, &ranks->out, crossings * ENTRIES * WORDS, sizeof *ranks->out);
    base_arena_plan(memory, &ranks->in, crossings * ENTRIES * WORDS, sizeof *ranks->in);
}

void free_porter_begin(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        ranks->room[i] = ranks->given[i] = run->boxes.capacity;
    }
}

// What this rank's operations lack. When the first rank has none any more and somebody lacks some, the others give back
// what they have; else the first lends as many as are lacking, or half of what it has.
static void tell_permits(struct free_run *run, struct free_told *told)
{
    const struct free_ranks *ranks = &run->ranks;
    atomic_int_fast64_t *permits = &run->shared.permits;
    int64_t lacking = 0;
    for (unsigned r = 0; r < ranks->link->count; r++) {
        lacking += ranks->told[r].wanted;
    }
    // Relaxed, here and below: counts, no data goes with them.
    told->wanted = atomic_load_explicit(&run->shared.permits_wanted, memory_order_relaxed);
    told->permits = atomic_load_explicit(permits, memory_order_relaxed);
    if (told->wanted > 0 || lacking == 0) {
        return;
    }
    if (ranks->link->rank > 0 && ranks->told[0].permits <= 0) {
        told->returned = free_take_permits(permits, INT32_MAX);
    } else if (ranks->link->rank == 0 && ranks->lacking > 0) {
        int64_t half = told->permits / 2 < INT32_MAX ? told->permits / 2 : INT32_MAX;
        told->lent = free_take_permits(permits, half > lacking ? half : lacking);
    }
}

// The processor time of this rank's worker; 0 when it has ended.
static uint64_t worked_here(struct free_run *run)
{
    struct timespec time;
    bool there = clock_gettime(free_ranks_worker(run)->clock, &time) == 0;
    return there ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec : 0;
}

uint64_t free_porter_worked_ns(const struct free_run *run)
{
    uint64_t worked_ns = 0;
    for (unsigned r = 0; r < run->ranks.link->count; r++) {
        worked_ns += run->ranks.told[r].worked_ns;
    }
    return worked_ns;
}

// Whether the first rank's caller is to see to what else it does, as interrupts, and all others with it.
static bool is_to_leave(struct free_ranks *ranks)
{
    enum { EVERY_NS = 20 * 1000 * 1000 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    bool leaves = ranks->link->rank == 0 && now_ns - ranks->left_ns >= EVERY_NS;
    ranks->left_ns = leaves ? now_ns : ranks->left_ns;
    return leaves;
}

static struct free_told tell(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    struct free_worker *worker = free_ranks_worker(run);
    struct free_shared *shared = &run->shared;
    const struct mail_bell *bell = worker->bell;
    uint32_t block = worker->end - worker->begin;
    // Relaxed: lone values and counts. Acquire: `complete` pairs with the release of each processor that counted its
    // part of the snapshot; `mends` and `over` with those in helper.c and end.c.
    struct free_told told = {
        .messages = atomic_load_explicit(&worker->messages, memory_order_relaxed),
        .operations = atomic_load_explicit(&worker->operations, memory_order_relaxed),
        .turns = atomic_load_explicit(&worker->turns, memory_order_relaxed),
        .advances = atomic_load_explicit(&worker->advances, memory_order_relaxed),
        .sleeps_until = atomic_load_explicit(&worker->sleeps_until, memory_order_relaxed),
        .sum = atomic_load_explicit(&worker->tally.sum, memory_order_relaxed),
        .squares = atomic_load_explicit(&worker->tally.squares, memory_order_relaxed),
        .least = atomic_load_explicit(&worker->tally.least, memory_order_relaxed),
        .most = atomic_load_explicit(&worker->tally.most, memory_order_relaxed),
        .crossed = ranks->crossed,
        .lies = atomic_load_explicit(&bell->lying, memory_order_relaxed) != 0,
        .ready = atomic_load_explicit(&shared->ready, memory_order_acquire) > 0,
        .epoch = atomic_load_explicit(&shared->epoch, memory_order_relaxed),
        .mends = atomic_load_explicit(&shared->mends, memory_order_acquire),
        .interrupted = machine_interrupts(run->machine) != run->interrupts_before,
        .over = atomic_load_explicit(&shared->over, memory_order_acquire),
        .draining = atomic_load_explicit(&shared->draining, memory_order_relaxed),
        .triggered = atomic_load_explicit(&shared->triggered, memory_order_relaxed),
        .leaves = is_to_leave(ranks),
    };
    told.worked_ns = told.ready ? worked_here(run) : 0;
    told.complete =
        told.epoch > ranks->brought && atomic_load_explicit(&shared->complete, memory_order_acquire) == block;
    if (run->machine->experiment.operations_max > 0) {
        tell_permits(run, &told);
    }
    return told;
}

// Another rank's worker: what it published there is published here.
static void hear_worker(struct free_worker *worker, const struct free_told *told)
{
    // Relaxed: lone values and counts, which this thread alone reads.
    atomic_store_explicit(&worker->messages, told->messages, memory_order_relaxed);
    atomic_store_explicit(&worker->operations, told->operations, memory_order_relaxed);
    atomic_store_explicit(&worker->turns, told->turns, memory_order_relaxed);
    atomic_store_explicit(&worker->advances, told->advances, memory_order_relaxed);
    atomic_store_explicit(&worker->sleeps_until, told->sleeps_until, memory_order_relaxed);
    atomic_store_explicit(&worker->bell->lying, told->lies, memory_order_relaxed);
    atomic_store_explicit(&worker->tally.sum, told->sum, memory_order_relaxed);
    atomic_store_explicit(&worker->tally.squares, told->squares, memory_order_relaxed);
    atomic_store_explicit(&worker->tally.least, told->least, memory_order_relaxed);
    atomic_store_explicit(&worker->tally.most, told->most, memory_order_relaxed);
}

// What the first rank's attendant wants. A snapshot's markers come at this meeting at the earliest, so who records
// itself on behalf of one has not been counted before.
static void hear_attendant(struct free_run *run, const struct free_told *first)
{
    struct free_shared *shared = &run->shared;
    bool triggers = first->triggered && !atomic_load_explicit(&shared->triggered, memory_order_relaxed);
    // Relaxed: ordered by the epoch, or lone flags.
    atomic_store_explicit(&shared->draining, first->draining, memory_order_relaxed);
    atomic_store_explicit(&shared->triggered, first->triggered, memory_order_relaxed);
    bool begins = first->epoch != atomic_load_explicit(&shared->epoch, memory_order_relaxed);
    if (begins) {
        atomic_store_explicit(&shared->complete, 0, memory_order_relaxed);
        // Release: pairs with the acquire of the epoch in a look, as where the attendant begins one.
        atomic_store_explicit(&shared->epoch, first->epoch, memory_order_release);
    }
    if (begins || triggers) {
        free_ring_all(run);
    }
}

// Who lacked some when they met last has an even part of what is lent; the first of them have one more.
static int64_t part_of(const struct free_ranks *ranks, int64_t lent)
{
    if (ranks->lacking == 0 || !ranks->lacks) {
        return 0;
    }
    return lent / ranks->lacking + (ranks->lacking_before < lent % ranks->lacking);
}

static void hear_permits(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    unsigned own = ranks->link->rank;
    int64_t more = part_of(ranks, ranks->told[0].lent);
    ranks->lacking = ranks->lacking_before = 0;
    ranks->lacks = own > 0 && ranks->told[own].wanted > 0;
    for (unsigned r = 1; r < ranks->link->count; r++) {
        bool lacks = ranks->told[r].wanted > 0;
        ranks->lacking += lacks;
        ranks->lacking_before += lacks && r < own;
        more += own == 0 ? ranks->told[r].returned : 0;
    }
    // Relaxed: a count.
    atomic_fetch_add_explicit(&run->shared.permits, more, memory_order_relaxed);
    if (more > 0) {
        free_ring_all(run);
    }
}

// What all have told. Whether the run goes on.
static bool hear(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    bool ready = true, complete = true;
    ranks->mends = ranks->moves = false;
    for (unsigned r = 0; r < ranks->link->count; r++) {
        const struct free_told *told = &ranks->told[r];
        if (r != ranks->link->rank) {
            hear_worker(&run->worker[r], told);
        }
        ready = ready && told->ready;
        complete = complete && told->complete;
        ranks->mends = ranks->mends || told->mends;
        ranks->moves = ranks->moves || told->crossed > 0;
        ranks->interrupted = ranks->interrupted || told->interrupted;
        ranks->over = ranks->over || told->over;
    }
    if (ranks->link->rank > 0) {
        hear_attendant(run, &ranks->told[0]);
    }
    if (run->machine->experiment.operations_max > 0) {
        hear_permits(run);
    }
    if (ready && !atomic_load_explicit(&run->shared.started, memory_order_relaxed)) { // this thread's own
        free_look_start(run);
    }
    ranks->whole = complete;
    ranks->leaves = ranks->told[0].leaves;
    if (ranks->over) {
        free_go_home(run);
    }
    return !ranks->over;
}

// All parts of the snapshot are complete, on every rank: the attendant looks at them all.
static void bring_snapshot(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    if (ranks->whole) {
        free_ranks_collect(run, run->snapshot, sizeof *run->snapshot, false);
        ranks->brought = ranks->told[0].epoch;
        // Relaxed: this thread has what was counted, and nobody counts any more.
        atomic_store_explicit(&run->shared.complete, run->topology->processors, memory_order_relaxed);
    }
}

static double *add_entry(double *out, uint64_t crossing, struct mail_message message)
{
    struct entry entry = {crossing, message};
    memcpy(out, &entry, sizeof entry);
    return out + WORDS;
}

// Packs what goes over one of the links: how much more room there is here, and messages for which there is room there.
static double *pack(struct free_run *run, size_t i, uint64_t crossing, double *out)
{
    struct free_ranks *ranks = &run->ranks;
    const struct mail_kind *kind = run->boxes.kind;
    uint32_t there = run->topology->twin[ranks->crossings.at[i].port];
    uint32_t room = kind->room(&run->boxes, there);
    if (room > ranks->given[i]) {
        out = add_entry(out, crossing, (struct mail_message){.amount = room - ranks->given[i]});
        ranks->given[i] = room;
    }
    uint32_t waiting = ranks->room[i] > 0 ? kind->waiting(&run->boxes, there) : 0;
    for (unsigned k = 0; k < MESSAGES && k < waiting && ranks->room[i] > 0; k++, ranks->room[i]--) {
        struct mail_message message;
        kind->take(&run->boxes, there, &message);
        out = add_entry(out, crossing, message);
        ranks->crossed++;
    }
    return out;
}

// More has come over a link than the other rank was told of room for: mailboxes do not look, and would lose a message.
static void refuse(struct free_run *run, const struct rank_crossing *crossing)
{
    const struct ek_topology *topology = run->topology;
    struct ek_error violation;
    base_fail(
        &violation, EK_VIOLATION, "",
        "rank %u sent more messages over the link from processor %u to %u than rank %u had room for: report this, "
        "with the command and the version",
        crossing->rank, topology->neighbour[crossing->port], topology->neighbour[topology->twin[crossing->port]],
        run->ranks.link->rank);
    free_violate(run, &violation);
}

static void unpack(struct free_run *run, size_t first, const struct entry *entry)
{
    struct free_ranks *ranks = &run->ranks;
    size_t i = first + entry->crossing;
    const struct rank_crossing *crossing = &ranks->crossings.at[i];
    if (entry->message.stamp == 0) {
        ranks->room[i] += (uint32_t)entry->message.amount;
    } else if (ranks->given[i] == 0) {
        refuse(run, crossing);
    } else {
        ranks->given[i]--;
        run->boxes.kind->put(&run->boxes, run->topology->twin[crossing->port], entry->message);
    }
}

// A pack for each peer: first how long it is, then itself.
static void cross(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    const struct rank_crossings *crossings = &ranks->crossings;
    double *out = ranks->out;
    double *length = ranks->lengths, *brings = ranks->lengths + crossings->peers;
    ranks->crossed = 0;
    for (size_t k = 0, i = 0; k < crossings->peers; k++) {
        const double *from = out;
        for (size_t end = i + crossings->peer[k].sends, n = 0; i < end; i++, n++) {
            out = pack(run, i, n, out);
        }
        length[k] = (double)(out - from);
        ranks->parcel[k] = (struct ek_rank_peer){crossings->peer[k].rank, 1, 1};
    }
    if (!free_ranks_exchange(run, ranks->parcel, length, brings)) {
        return;
    }
    for (size_t k = 0; k < crossings->peers; k++) {
        ranks->parcel[k] = (struct ek_rank_peer){crossings->peer[k].rank, (size_t)length[k], (size_t)brings[k]};
    }
    if (!free_ranks_exchange(run, ranks->parcel, ranks->out, ranks->in)) {
        return;
    }
    const double *in = ranks->in;
    for (size_t k = 0, first = 0; k < crossings->peers; first += crossings->peer[k++].brings) {
        for (const double *end = in + ranks->parcel[k].brings; in < end; in += WORDS) {
            struct entry entry;
            memcpy(&entry, in, sizeof entry);
            unpack(run, first, &entry);
        }
    }
    if (in > ranks->in) {
        mail_bell_ring(free_ranks_worker(run)->bell);
    }
}

// Where nothing has crossed for some meetings, the cores are the workers' own for a while: each rank knows it of all,
// and rests as long.
static void rest(struct free_ranks *ranks)
{
    enum { PATIENCE = 64, REST_NS = 50 * 1000 };
    ranks->idle = ranks->moves ? 0 : ranks->idle + 1;
    if (ranks->idle > PATIENCE) {
        nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
    }
}

bool free_porter_meet(struct free_run *run)
{
    struct free_ranks *ranks = &run->ranks;
    if (!free_ranks_speak(run) || ranks->over) {
        return false;
    }
    ranks->told[ranks->link->rank] = tell(run);
    if (!free_ranks_bring(run, ranks->told, sizeof *ranks->told) || !hear(run)) {
        return false;
    }
    bring_snapshot(run);
    cross(run);
    rest(ranks);
    return free_ranks_speak(run);
}
