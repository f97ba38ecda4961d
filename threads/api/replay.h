// SPDX-License-Identifier: MIT
// Replays of recorded runs in free and virtual timing, on the caller's thread, turn by turn. Part of <evenkeel.h>.
//
// In free timing a recording has a *tape* for each worker: what the worker saw. In virtual time a run follows from its
// experiment; its tape shows whether the replay is the same run, and when someone asked it to end. Between two turns no
// load changes, so the caller can read all of them. A turn comes after all turns whose effects it saw; turns whose
// order this rule does not decide are ordered by the clock, and in virtual time by the processor after that. The order
// is the same in each replay.
#ifndef EK_REPLAY_H
#define EK_REPLAY_H

#include "threads/api/prepared.h"
#include "threads/api/report.h"
#include "threads/api/turn.h"

// Reads the tapes of a recording: for each worker the bytes that struct ek_recorder received, in the same order.
struct ek_tape {
    // Sets *bytes to the next piece of this worker's tape and returns its size, or 0 at the end of the tape. The piece
    // must stay valid until the next call for the same worker.
    size_t (*read)(void *context, unsigned worker, const uint8_t **bytes);
    void *context;
};

struct ek_replay;

// Begins to replay run `run` of a machine. The machine must be prepared from the recorded experiment, with as many
// workers, with `by_caller` and without a recorder, and must outlive the replay. In virtual time any number of workers
// will do, and `tape` may be NULL: then there is no recorded run, and the replay is run `run` itself. Returns NULL with
// `error` filled on failure.
EK_API struct ek_replay *ek_replay_begin(struct ek_machine *machine, uint64_t run, const struct ek_tape *tape,
                                         struct ek_error *error);
EK_API void ek_replay_destroy(struct ek_replay *replay);

// Replays the next turn.
EK_API enum ek_replay_status ek_replay_turn(struct ek_replay *replay, struct ek_turn_made *turn,
                                            struct ek_error *error);

// Returns the current loads, [processors]. The array is valid as long as the replay and changes with each turn.
EK_API const double *ek_replay_loads(struct ek_replay *replay);

// Returns the load that is under way on links.
EK_API double ek_replay_in_flight(const struct ek_replay *replay);

// Fills the report of a replay that has ended. `ended` and `elapsed_s` are those of the recorded run. In free timing
// the report lacks what only the attendant knows (snapshots, when the criterion held) and what the system counts. In
// virtual time it is complete, and `ended` is not used. Call it once.
EK_API enum ek_status ek_replay_report_sized(struct ek_replay *replay, enum ek_ended ended, double elapsed_s,
                                             struct ek_report *report, size_t size, struct ek_error *error);
static inline enum ek_status ek_replay_report(struct ek_replay *replay, enum ek_ended ended, double elapsed_s,
                                              struct ek_report *report, struct ek_error *error)
{
    return ek_replay_report_sized(replay, ended, elapsed_s, report, sizeof *report, error);
}

// An object that computes the effects of operations on the variance, by how the operations overlap (docs/recording.md),
// from all turns of a run. ek_run reports these effects only for the operations that its bounded log still contains at
// the end.
struct ek_overlaps;

enum ek_overlap_kind {
    EK_OVERLAP_ALONE,      // a sphere of one operation
    EK_OVERLAP_ADJACENT,   // a sphere of two; the invoker of one is in the domain of the other
    EK_OVERLAP_ONE_SHARED, // a sphere of two whose domains share one processor, which is no invoker
    EK_OVERLAP_TWO_SHARED, // a sphere of two whose domains share two processors, neither of them an invoker
    EK_OVERLAP_MANY        // any other sphere
};

// A sphere: operations that overlap, directly or through other operations.
struct ek_sphere {
    uint64_t begin, end; // the turns of its first request and of the last end of an operation
    uint32_t operations;
    uint32_t processors; // those in at least one of its domains
    enum ek_overlap_kind kind;
    double before, after; // the sum of (w - mean)^2 over these processors; w is a processor's load when its part began,
                          // and when its part ended
};

struct ek_overlaps_report {
    struct ek_effects effects;
    uint64_t adjacent, one_shared, two_shared, many; // pairs of operations that overlap, in spheres of any size
};

// Begins to collect overlaps. `loads` are the loads before the first turn (ek_replay_loads). `take` receives each
// sphere, in the order of their begins, as soon as no operation is open. The machine must outlive the object. Returns
// NULL with `error` filled if there is no memory. Does the same if capacities differ or loads are pushed, because
// effects on domains then have no meaning.
EK_API struct ek_overlaps *ek_overlaps_begin(const struct ek_machine *machine, const double *loads,
                                             void (*take)(void *context, const struct ek_sphere *sphere), void *context,
                                             struct ek_error *error);
EK_API void ek_overlaps_destroy(struct ek_overlaps *overlaps);

// Adds the turn that ek_replay_turn has filled. Returns false with `error` filled if there is no memory. An operation
// takes about 110 bytes and 50 for each processor in it, until a moment at which no operation is open.
EK_API bool ek_overlaps_add(struct ek_overlaps *overlaps, const struct ek_turn_made *turn, struct ek_error *error);

// Fills the report after the last turn. Operations that are still open, and those that may overlap with them, count as
// unknown. Call it once.
EK_API bool ek_overlaps_end(struct ek_overlaps *overlaps, struct ek_overlaps_report *report, struct ek_error *error);

#endif
