// SPDX-License-Identifier: MIT
// A run in free timing made again from what its workers saw, on the caller's thread, turn by turn. Fourth part of
// <evenkeel.h>.
//
// Between two turns all loads stand still and can be looked at. The turns come in an order in which each sees nothing
// of those after it, by the clock where that leaves a choice; the order is the same each time.
#ifndef EK_REPLAY_H
#define EK_REPLAY_H

#include "threads/api/run.h"

// Where the tapes come from: the bytes of each worker's in their order, as a struct ek_recorder was handed them.
struct ek_tape {
    // The next piece of this worker's tape, which stays alive until the next call for the same worker; 0 bytes: there
    // is no more.
    size_t (*read)(void *context, unsigned worker, const uint8_t **bytes);
    void *context;
};

// What happens in a turn.
enum ek_event_kind {
    EK_EVENT_TAKES,  // a message from `other`: `message` says of which kind
    EK_EVENT_SENDS,  // one to `other`
    EK_EVENT_BEGINS, // an operation of its own
    EK_EVENT_ENDS,   // it; `amount` is the load that it got by it
    EK_EVENT_LEAVES, // an operation in which nobody took part
    EK_EVENT_WORKS,  // a tick of work; `amount` is by how much the load grew
    EK_EVENT_LET_GO  // by the operation of `other`, which it had told its load; `amount` is by how much that has grown
                     // since, NaN where it has not taken part after all
};

struct ek_event {
    enum ek_event_kind kind;
    uint32_t other;      // the processor at the other end of the link, where there is one
    bool carries;        // load, which `amount` is
    const char *message; // "ask", "tell", "refuse", "give", "pull", "release", "return", "marker", "announce"
    double amount;       // else what the message says
};

// A turn that was made.
struct ek_turn_made {
    uint64_t number;  // of the run's turns, from 1
    uint64_t time_ns; // since the run's start, by the clock as its worker saw it
    unsigned worker;
    uint32_t processor;
    double held;                   // by it, after the turn
    const struct ek_event *events; // [count], good until the next turn
    size_t count;
};

struct ek_replay;

// Makes run `run` of the machine ready to be made again. The machine is prepared from the experiment that was recorded,
// with as many workers, and without a recorder; it must outlive this. NULL and `error` where it cannot be.
EK_API struct ek_replay *ek_replay_begin(struct ek_machine *machine, uint64_t run, const struct ek_tape *tape,
                                         struct ek_error *error);
EK_API void ek_replay_destroy(struct ek_replay *replay);

enum ek_replay_status {
    EK_REPLAY_TURN,  // one was made
    EK_REPLAY_ENDS,  // the run has ended, as it did then
    EK_REPLAY_CUT,   // the tapes end before the run does: all that they hold has been made
    EK_REPLAY_MISFIT // a tape does not fit this machine; `error` says where
};

// Makes the next turn.
EK_API enum ek_replay_status ek_replay_turn(struct ek_replay *replay, struct ek_turn_made *turn,
                                            struct ek_error *error);

// By processor: what it holds now. Alive with `replay`.
EK_API const double *ek_replay_loads(struct ek_replay *replay);

// The load under way on links now.
EK_API double ek_replay_in_flight(const struct ek_replay *replay);

// The report of the run as it was made again, when it has ended: `ended` and `elapsed_s` are the run's. What only the
// attendant knows (snapshots, when the criterion held) and what the system counts are not in it. Once.
EK_API enum ek_status ek_replay_report_sized(struct ek_replay *replay, enum ek_ended ended, double elapsed_s,
                                             struct ek_report *report, size_t size, struct ek_error *error);
static inline enum ek_status ek_replay_report(struct ek_replay *replay, enum ek_ended ended, double elapsed_s,
                                              struct ek_report *report, struct ek_error *error)
{
    return ek_replay_report_sized(replay, ended, elapsed_s, report, sizeof *report, error);
}

// What operations did, by how they overlap, from all turns of a run from its first on (docs/recording.md): what
// ek_run reports of those that its bounded log still holds at the end, of all of them.
struct ek_overlaps;

enum ek_overlap_kind {
    EK_OVERLAP_ALONE,      // a sphere of one operation
    EK_OVERLAP_ADJACENT,   // of two, one's invoker in the other's domain
    EK_OVERLAP_ONE_SHARED, // of two whose domains share one processor, no invoker
    EK_OVERLAP_TWO_SHARED,
    EK_OVERLAP_MANY // all others
};

// A sphere: operations that overlap, and those that overlap with these.
struct ek_sphere {
    uint64_t begin, end; // the turns of its first ask and of its last end
    uint32_t operations;
    uint32_t processors; // in at least one of its domains
    enum ek_overlap_kind kind;
    double before, after; // the sum of (w - mean)^2 over these: of what each held when its part began and ended
};

struct ek_overlaps_report {
    struct ek_effects effects;
    uint64_t adjacent, one_shared, two_shared, many; // of every two operations that overlap, whatever else these do
};

// `loads` are those before the first turn (ek_replay_loads). Each sphere is handed to `take`, in the order of their
// begins, as soon as no operation is open. NULL and `error` without memory, and where domains say nothing: where
// capacities differ, or loads are pushed. The machine must outlive this.
EK_API struct ek_overlaps *ek_overlaps_begin(const struct ek_machine *machine, const double *loads,
                                             void (*take)(void *context, const struct ek_sphere *sphere), void *context,
                                             struct ek_error *error);
EK_API void ek_overlaps_destroy(struct ek_overlaps *overlaps);

// Takes the turn that was made. False without memory: for each operation since none was open it takes some 110 bytes,
// and 50 for each processor in it.
EK_API bool ek_overlaps_add(struct ek_overlaps *overlaps, const struct ek_turn_made *turn, struct ek_error *error);

// What there is after the last turn. Operations that are still open, and those that may overlap with them, count as
// unknown. Once.
EK_API bool ek_overlaps_end(struct ek_overlaps *overlaps, struct ek_overlaps_report *report, struct ek_error *error);

#endif
