// SPDX-License-Identifier: MIT
// What runs measure, and what reports are made of: rows of the trace, distributions, effects, times, faults and
// profiles. Part of <evenkeel.h>.
#ifndef EK_MEASURES_H
#define EK_MEASURES_H

#include "base/common.h"

// The loads after a step, or in a snapshot of free timing.
struct ek_trace_row {
    uint64_t step;
    double variance; // sum of (w_i - mean)^2
    double spread;   // largest - smallest load
    double minimum;
    double maximum;
    double moved;      // load sent over links so far
    uint64_t invokers; // processors that invoked the current operation; in free timing those with an open operation
    double time;       // seconds since the start; in rounds virtual_s so far, NaN if the run has none
    double in_flight;  // load under way on links
    double error;      // 2-norm of the differences of each held load from the processor's share by capacity
    double mean;       // of the held loads
    double deviation;  // the largest difference of a load from the mean of all load
    double normalised_cost;
    double local_fraction; // in tokens, else NaN
    uint64_t invocations;  // so far
    uint64_t messages;     // so far; records contain only the sum of the run
};

// A moment at which a report has all loads.
struct ek_frame {
    uint64_t step; // in free timing the number of the snapshot, from 1; 0 for the start
    double time;   // seconds since the start in free timing, else 0
};

// Why a run ended.
enum ek_ended {
    EK_ENDED_CRITERION,  // the stop criterion held
    EK_ENDED_ITSELF,     // a direct method was done; in free timing no processor invokes and nothing is under way
    EK_ENDED_STEPS,      // steps_max was reached
    EK_ENDED_OPERATIONS, // operations_max was reached
    EK_ENDED_TIME,       // seconds_max was reached
    EK_ENDED_INTERRUPT,  // ek_interrupt was called
    EK_ENDED_FROZEN,     // no load can move any more
    EK_ENDED_REPEATS,    // a state occurred again, and a state determines all that follows
    EK_ENDED_DIVERGES,   // the loads grew until rounding errors exceeded a millionth of all load
    EK_ENDED_GIVEN_UP,   // no limit was set, and for long the loads came no nearer to balance; this is no proof
    EK_ENDED_STUCK,      // the watchdog saw no progress
    EK_ENDED_VIOLATION,  // an invariant was violated
    EK_ENDED_DONE        // no task is left
};

// The distribution of a measured value; NaN if count is 0.
struct ek_quantiles {
    uint64_t count;
    double mean, median, p90, p99, maximum; // within 1 %; the maximum is exact
};

// The effect of operations or spheres on the variance of their processors, the sum of (w - mean)^2 over these. `mean`
// is that of all load, in free timing at the start of the run.
struct ek_effect {
    uint64_t count;       // operations or spheres
    double before, after; // mean variance before and after
    double left;          // after / before
    double left_error;    // standard error of `left`
};

// Effects by how operations overlap. Two operations overlap if a processor takes part in both at once. A sphere is a
// set of operations that overlap, directly or through other operations.
struct ek_effects {
    struct ek_effect alone;                            // operations that overlap with none
    struct ek_effect overlapped;                       // each other operation, with the processors of its own domain
    struct ek_effect adjacent, one_shared, two_shared; // spheres of two operations (enum ek_overlap_kind)
    struct ek_effect many;                             // all other spheres
    uint64_t unknown;                                  // operations of which, or of whose overlaps, too little is known
};

// Why a processor waited.
enum ek_waiting {
    EK_WAIT_ANSWER, // for a neighbour's answer to its own operation
    EK_WAIT_PEER,   // for a neighbour's operation to end, with one port or exclusive domains
    EK_WAIT_ROOM,   // for room in a mailbox
    EK_WAIT_TURNED, // after a neighbour refused to take part
    EK_WAIT_IDLE,   // for something to do
    EK_WAITS
};

// Ranges of a histogram: the messages in a mailbox when it was emptied were 1, 2, 3-4, 5-8, 9-16, ...
enum { EK_DEPTHS = 8 };

// Counts of faults.
struct ek_faults_report {
    uint64_t link_failures, processor_failures, repairs;
    uint64_t returned;    // parcels that returned from failed links to their senders
    double load_returned; // the load in them
};

// The activities of a processor, for each of which a profile has times.
enum ek_profile_kind {
    EK_PROFILE_WORK,     // executing tasks
    EK_PROFILE_OVERHEAD, // rounds and turns: balancing in a tick that it had to leave out for that (axis working); else
                         // receiving and sending messages, and turns
    EK_PROFILE_IDLE,     // neither
    EK_PROFILE_TIMES,
    EK_PROFILE_EXECUTED = EK_PROFILE_TIMES, // tasks that it executed
    EK_PROFILE_CREATED,                     // tasks that it created, and its first ones
    EK_PROFILE_KINDS
};

// An interval of a run: in ticks in rounds and turns, else in seconds since the start.
struct ek_interval {
    double from, to;
};

// The activities of processors over time, with experiment.profile; in the unit of the intervals. These have the same
// length, but for the last one, which ends with the run. In free timing times are those of the cores, from samples, and
// a processor that waits for a core is idle.
struct ek_profile {
    uint32_t group;               // successive processors in a group; the last group may have fewer
    uint32_t groups;              // at most 1024, so a group is one processor in runs of up to 1024 processors
    struct ek_interval *interval; // [intervals]; NULL if there is no profile
    size_t intervals;
    double *time;      // [intervals * EK_PROFILE_TIMES * groups] the sum over the processors of each group, as
                       // time[(interval * EK_PROFILE_TIMES + kind) * groups + group]
    double *processor; // [EK_PROFILE_KINDS * processors] of the whole run, as processor[kind * processors + p]
};

#endif
