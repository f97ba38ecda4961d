// SPDX-License-Identifier: MIT
// Meetings of porters (porter.h).
#include "threads/drivers/porters/meeting.h"

#include <string.h>
#include <time.h>

#include "base/cursor.h"
#include "threads/api/experiment.h"
#include "threads/free/control/audit.h"
#include "threads/free/control/survey.h"
#include "threads/free/detect.h"
#include "threads/free/finish.h"
#include "threads/free/over_ranks/rank_cargo.h"

// An entry of a pack: a message on a link between ranks; or, with stamp 0, the number of further messages that the
// receiver of this link's messages has room for.
struct entry {
    uint64_t crossing; // the link's number among those between the two ranks
    struct mail_message message;
};

// A pack has at most ENTRIES entries for a link: MESSAGES messages, and one entry of room.
enum { MESSAGES = 4, ENTRIES = MESSAGES + 1, WORDS = sizeof(struct entry) / sizeof(double) };

// The message of a rank to all others at a meeting.
struct porter_status {
    uint64_t messages, operations, turns, advances, sleeps_until;
    double sum, squares, least, most; // its worker's sums of loads (load_sums.h)
    uint64_t crossed;                 // messages that its porter took at the last meeting
    int64_t permits;                  // operations that may still begin here
    int64_t lacking;                  // operations that its worker lacks
    int64_t returned;                 // operations that it gives back to the first rank
    bool lies, ready, complete, repairs_pending, interrupted, over;
    bool detected;        // no task is left,
    uint64_t detected_ns; //   and since when this is known
    // Only the first rank's are used:
    uint32_t epoch, changed_epoch; // of the last snapshot, and of the last one in which anything had changed
    bool draining, triggered, attends_elsewhere;
    int64_t lent; // operations, to all ranks that lacked some at the last meeting
};

static uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

unsigned porter_pack_words(void)
{
    return ENTRIES * WORDS;
}

void porter_meeting_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory)
{
    uint64_t crossings = porter->ranks.crossings.count;
    base_arena_plan(memory, &porter->status, ranks, sizeof *porter->status);
    base_arena_plan(memory, &porter->room, crossings, sizeof *porter->room);
    base_arena_plan(memory, &porter->granted, crossings, sizeof *porter->granted);
    base_arena_plan(memory, &porter->lengths, 2 * ranks, sizeof *porter->lengths);
}

void porter_meeting_begin(struct porter *porter, uint32_t mailbox_capacity)
{
    for (size_t i = 0; i < porter->ranks.crossings.count; i++) {
        porter->room[i] = porter->granted[i] = mailbox_capacity;
    }
}

// ---- status ----

// Fills in the operations that this rank has and lacks. If the first rank has none left and some rank lacks operations,
// the others give back what they have. Otherwise the first rank lends half of what it has, or as many as are lacking if
// that is more.
static void report_permits(struct porter *porter, struct porter_status *status)
{
    atomic_int_fast64_t *permits = &porter->ranks.control->run.shared.permits;
    int64_t lacking = 0;
    for (unsigned r = 0; r < porter->ranks.ranks->count; r++) {
        lacking += porter->status[r].lacking;
    }
    // Relaxed, here and below: counts, no data goes with them.
    status->lacking = atomic_load_explicit(&porter_worker(porter)->permits_lacking, memory_order_relaxed);
    status->permits = atomic_load_explicit(permits, memory_order_relaxed);
    if (status->lacking > 0 || lacking == 0) {
        return;
    }
    if (porter->ranks.ranks->rank > 0 && porter->status[0].permits <= 0) {
        status->returned = free_take_permits(permits, INT32_MAX);
    } else if (porter->ranks.ranks->rank == 0 && porter->lacking > 0) {
        int64_t half = status->permits / 2 < INT32_MAX ? status->permits / 2 : INT32_MAX;
        status->lent = free_take_permits(permits, half > lacking ? half : lacking);
    }
}

// Returns, in the first rank, whether all porters now return to their callers, which handle interrupts. Returns false
// in the other ranks.
static bool is_time_to_return(struct porter *porter)
{
    enum { EVERY_NS = 20 * 1000 * 1000 };
    uint64_t now_ns = clock_now_ns();
    bool returns = porter->ranks.ranks->rank == 0 && now_ns - porter->left_ns >= EVERY_NS;
    porter->left_ns = returns ? now_ns : porter->left_ns;
    return returns;
}

static struct porter_status status_of(struct porter *porter)
{
    const struct free_run *run = &porter->ranks.control->run;
    const struct free_shared *shared = &run->shared;
    const struct free_worker *worker = porter_worker(porter);
    uint32_t block = worker->end - worker->begin;
    // Relaxed: lone values and counts. Acquire: `complete` pairs with the release of each processor that counted its
    // part of the snapshot; `repairs_pending` with the one in fault_injection.c; `over` with the one in finish.c;
    // `lies` with the one in mail_bell_lie_down.
    struct porter_status status = {
        .messages = atomic_load_explicit(&worker->messages, memory_order_relaxed),
        .operations = atomic_load_explicit(&worker->operations, memory_order_relaxed),
        .turns = atomic_load_explicit(&worker->turns, memory_order_relaxed),
        .advances = atomic_load_explicit(&worker->advances, memory_order_relaxed),
        .sum = atomic_load_explicit(&worker->sums.sum, memory_order_relaxed),
        .squares = atomic_load_explicit(&worker->sums.squares, memory_order_relaxed),
        .least = atomic_load_explicit(&worker->sums.least, memory_order_relaxed),
        .most = atomic_load_explicit(&worker->sums.most, memory_order_relaxed),
        .crossed = porter->crossed,
        .lies = atomic_load_explicit(&worker->bell->lying, memory_order_acquire) != 0,
        .ready = atomic_load_explicit(&porter->driver->ready, memory_order_acquire) > 0,
        .epoch = atomic_load_explicit(&shared->epoch, memory_order_relaxed),
        .changed_epoch = porter->ranks.control->attendant.changed_epoch,
        .repairs_pending = atomic_load_explicit(&porter->ranks.control->faults.repairs_pending, memory_order_acquire),
        .interrupted = machine_interrupts(run->machine) != porter->ranks.control->interrupts_before,
        .over = atomic_load_explicit(&shared->over, memory_order_acquire),
        .draining = atomic_load_explicit(&shared->draining, memory_order_relaxed),
        .triggered = atomic_load_explicit(&shared->triggered, memory_order_relaxed),
        .attends_elsewhere = is_time_to_return(porter),
    };
    status.detected = free_has_detected(run);
    status.detected_ns = status.detected ? shared->detected_ns : 0;
    status.sleeps_until = atomic_load_explicit(&worker->sleeps_until, memory_order_relaxed); // after `lies`
    status.complete = status.epoch > porter->ranks.control->attendant.added_epoch &&
                      atomic_load_explicit(&shared->complete, memory_order_acquire) == block;
    if (run->machine->experiment->operations_max > 0) {
        report_permits(porter, &status);
    }
    return status;
}

// Stores what another rank's worker has published.
static void apply_worker(struct free_worker *worker, const struct porter_status *status)
{
    // Relaxed: lone values and counts, which this thread alone reads.
    atomic_store_explicit(&worker->messages, status->messages, memory_order_relaxed);
    atomic_store_explicit(&worker->operations, status->operations, memory_order_relaxed);
    atomic_store_explicit(&worker->turns, status->turns, memory_order_relaxed);
    atomic_store_explicit(&worker->advances, status->advances, memory_order_relaxed);
    atomic_store_explicit(&worker->sleeps_until, status->sleeps_until, memory_order_relaxed);
    atomic_store_explicit(&worker->bell->lying, status->lies, memory_order_relaxed);
    atomic_store_explicit(&worker->sums.sum, status->sum, memory_order_relaxed);
    atomic_store_explicit(&worker->sums.squares, status->squares, memory_order_relaxed);
    atomic_store_explicit(&worker->sums.least, status->least, memory_order_relaxed);
    atomic_store_explicit(&worker->sums.most, status->most, memory_order_relaxed);
}

// Applies the first rank's finding that the last snapshot has shown a change. This rank still has its parts of it.
static void apply_change(struct free_control *control, uint32_t changed_epoch)
{
    if (changed_epoch != control->attendant.changed_epoch) {
        control->attendant.changed_epoch = changed_epoch;
        free_survey_note_tried(control);
    }
}

// Applies the decisions of the first rank's attendant. A snapshot's markers cross between ranks at this meeting at the
// earliest. So before the count begins here, no processor has recorded itself because of such a marker and been
// counted.
static void apply_attendant(struct free_run *run, const struct porter_status *first)
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

// Returns this rank's part of the operations that are lent. The ranks that lacked operations at the last meeting have
// even parts. The remainder is divided among the first of these ranks, one operation each.
static int64_t part_of(const struct porter *porter, int64_t lent)
{
    if (porter->lacking == 0 || !porter->lacks) {
        return 0;
    }
    return lent / porter->lacking + (porter->lacking_before < lent % porter->lacking);
}

static void apply_permits(struct porter *porter)
{
    struct free_run *run = &porter->ranks.control->run;
    unsigned own = porter->ranks.ranks->rank;
    int64_t more = part_of(porter, porter->status[0].lent);
    porter->lacking = porter->lacking_before = 0;
    porter->lacks = own > 0 && porter->status[own].lacking > 0;
    for (unsigned r = 1; r < porter->ranks.ranks->count; r++) {
        bool lacks = porter->status[r].lacking > 0;
        porter->lacking += lacks;
        porter->lacking_before += lacks && r < own;
        more += own == 0 ? porter->status[r].returned : 0;
    }
    atomic_fetch_add_explicit(&run->shared.permits, more, memory_order_relaxed); // a count
    if (more > 0) {
        free_ring_all(run);
    }
}

// Acts on the status of all ranks. Returns whether the run goes on.
static bool apply_status(struct porter *porter)
{
    struct free_run *run = &porter->ranks.control->run;
    bool ready = true, complete = true, repairs_pending = false;
    porter->moves = false;
    for (unsigned r = 0; r < porter->ranks.ranks->count; r++) {
        const struct porter_status *status = &porter->status[r];
        if (r != porter->ranks.ranks->rank) {
            apply_worker(&run->worker[r], status);
        }
        ready = ready && status->ready;
        complete = complete && status->complete;
        repairs_pending = repairs_pending || status->repairs_pending;
        porter->moves = porter->moves || status->crossed > 0;
        porter->interrupted = porter->interrupted || status->interrupted;
        porter->over = porter->over || status->over;
        if (status->detected && r != porter->ranks.ranks->rank) {
            free_set_detected(run, status->detected_ns);
        }
    }
    porter->ranks.control->attendant.repairs_elsewhere = repairs_pending;
    if (porter->ranks.ranks->rank > 0) {
        apply_change(porter->ranks.control, porter->status[0].changed_epoch); // before another snapshot begins
        apply_attendant(run, &porter->status[0]);
    }
    if (run->machine->experiment->operations_max > 0) {
        apply_permits(porter);
    }
    if (ready && !atomic_load_explicit(&porter->driver->started, memory_order_relaxed)) { // this thread's own
        threads_start_clock(porter->driver);
    }
    porter->snapshot_complete = complete;
    porter->attends_elsewhere = porter->status[0].attends_elsewhere;
    if (porter->over) {
        free_finish(run);
    }
    return !porter->over;
}

// ---- snapshots ----

// Adds up the parts of the snapshot if they are complete on every rank: then the attendant can evaluate it.
static void add_snapshot(struct porter *porter)
{
    if (porter->snapshot_complete) {
        free_audit_add(porter->ranks.control);
    }
}

// ---- messages ----

static double *add_entry(double *out, uint64_t crossing, struct mail_message message)
{
    struct entry entry = {crossing, message};
    memcpy(out, &entry, sizeof entry);
    return out + WORDS;
}

// Packs the entries of link `i`: the additional room in this rank's mailbox, and messages for which the other rank has
// room.
static double *pack(struct porter *porter, size_t i, uint64_t crossing, double *out)
{
    struct free_run *run = &porter->ranks.control->run;
    const struct mail_kind *kind = run->boxes.kind;
    uint32_t there = run->topology->twin[porter->ranks.crossings.at[i].port];
    uint32_t room = kind->room(&run->boxes, there);
    if (room > porter->granted[i]) {
        out = add_entry(out, crossing, (struct mail_message){.amount = room - porter->granted[i]});
        porter->granted[i] = room;
    }
    uint32_t waiting = porter->room[i] > 0 ? kind->waiting(&run->boxes, there) : 0;
    for (unsigned k = 0; k < MESSAGES && k < waiting && porter->room[i] > 0; k++, porter->room[i]--) {
        struct mail_message message;
        kind->take(&run->boxes, there, &message);
        out = add_entry(out, crossing, message);
        porter->crossed++;
    }
    return out;
}

// Notes that more messages have come over a link than the other rank was granted. A mailbox does not check this, and
// would lose a message.
static void refuse(struct porter *porter, const struct rank_crossing *crossing)
{
    struct free_run *run = &porter->ranks.control->run;
    const struct ek_topology *topology = run->topology;
    free_violate(
        run,
        "rank %u sent more messages over the link from processor %u to %u than rank %u had room for: report this, "
        "with the command and the version",
        crossing->rank, topology->neighbour[crossing->port], topology->neighbour[topology->twin[crossing->port]],
        porter->ranks.ranks->rank);
}

static void unpack(struct porter *porter, size_t first, const struct entry *entry)
{
    struct free_run *run = &porter->ranks.control->run;
    size_t i = first + entry->crossing;
    const struct rank_crossing *crossing = &porter->ranks.crossings.at[i];
    if (entry->message.stamp == 0) {
        porter->room[i] += (uint32_t)entry->message.amount;
    } else if (porter->granted[i] == 0) {
        refuse(porter, crossing);
    } else {
        porter->granted[i]--;
        if (free_has_cargo(run)) {
            free_rank_cargo_enter(&porter->ranks, run->topology->twin[crossing->port], &entry->message);
        }
        run->boxes.kind->put(&run->boxes, run->topology->twin[crossing->port], entry->message);
    }
}

// Lets what the messages to and from peer k carry leave, and be expected.
static void count_cargo(struct porter *porter, size_t k, size_t first, const double *out, const double *in)
{
    struct free_rank_link *link = &porter->ranks;
    const struct ek_rank_peer *peer = &link->peer[k];
    struct entry entry;
    for (const double *end = out + peer->sends; out < end; out += WORDS) {
        memcpy(&entry, out, sizeof entry);
        if (entry.message.stamp != 0) {
            free_rank_cargo_leave(link, k, link->crossings.at[first + entry.crossing].port, &entry.message);
        }
    }
    for (const double *end = in + peer->brings; in < end; in += WORDS) {
        memcpy(&entry, in, sizeof entry);
        if (entry.message.stamp != 0) {
            free_rank_cargo_expect(link, k, &entry.message);
        }
    }
}

// Exchanges what the messages of the packs carry.
static bool cross_cargo(struct porter *porter)
{
    struct free_rank_link *link = &porter->ranks;
    const double *out = link->out, *in = link->in;
    if (!free_has_cargo(&link->control->run)) {
        return true;
    }
    free_rank_cargo_begin(link);
    for (size_t k = 0, first = 0; k < link->crossings.peers; first += link->crossings.peer[k++].brings) {
        count_cargo(porter, k, first, out, in);
        out += link->peer[k].sends;
        in += link->peer[k].brings;
    }
    return free_rank_cargo_exchange(link, link->peer, link->crossings.peers);
}

// Exchanges a pack with each peer: first its length, then the pack.
static void cross(struct porter *porter)
{
    const struct rank_crossings *crossings = &porter->ranks.crossings;
    double *out = porter->ranks.out;
    double *length = porter->lengths, *brings = porter->lengths + crossings->peers;
    porter->crossed = 0;
    for (size_t k = 0, i = 0; k < crossings->peers; k++) {
        const double *from = out;
        for (size_t end = i + crossings->peer[k].sends, n = 0; i < end; i++, n++) {
            out = pack(porter, i, n, out);
        }
        length[k] = (double)(out - from);
        porter->ranks.peer[k] = (struct ek_rank_peer){crossings->peer[k].rank, 1, 1};
    }
    if (!free_rank_exchange(&porter->ranks, porter->ranks.peer, crossings->peers, length, brings)) {
        return;
    }
    for (size_t k = 0; k < crossings->peers; k++) {
        porter->ranks.peer[k] = (struct ek_rank_peer){crossings->peer[k].rank, (size_t)length[k], (size_t)brings[k]};
    }
    if (!free_rank_exchange(&porter->ranks, porter->ranks.peer, crossings->peers, porter->ranks.out,
                            porter->ranks.in) ||
        !cross_cargo(porter)) {
        return;
    }
    const double *in = porter->ranks.in;
    for (size_t k = 0, first = 0; k < crossings->peers; first += crossings->peer[k++].brings) {
        for (const double *end = in + porter->ranks.peer[k].brings; in < end; in += WORDS) {
            struct entry entry;
            memcpy(&entry, in, sizeof entry);
            unpack(porter, first, &entry);
        }
    }
    if (in > porter->ranks.in) {
        mail_bell_ring(porter_worker(porter)->bell);
    }
}

// ---- meetings ----

// Sleeps for a while if no message has crossed at several meetings, so that the workers get the cores. All ranks know
// whether a message has crossed, so they sleep at the same time.
static void rest(struct porter *porter)
{
    enum { PATIENCE = 64, REST_NS = 50 * 1000 };
    porter->idle_meetings = porter->moves ? 0 : porter->idle_meetings + 1;
    if (porter->idle_meetings > PATIENCE) {
        nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
    }
}

static bool meet(struct porter *porter)
{
    porter->status[porter->ranks.ranks->rank] = status_of(porter);
    if (!free_rank_bring(&porter->ranks, porter->status, sizeof *porter->status) || !apply_status(porter)) {
        return false;
    }
    add_snapshot(porter);
    cross(porter);
    rest(porter);
    return !porter->ranks.lost;
}

bool porter_meet(struct porter *porter)
{
    if (porter->ranks.lost || porter->over) {
        return false;
    }
    bool goes_on = meet(porter);
    // Relaxed: this thread's own. The worker that waits for the start of the clock ends.
    if (porter->ranks.lost && !atomic_load_explicit(&porter->driver->started, memory_order_relaxed)) {
        threads_start_clock(porter->driver);
    }
    return goes_on;
}
