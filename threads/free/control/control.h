// SPDX-License-Identifier: MIT
// The state that controls a run from outside its turns. It consists of the state of the attendant, which takes
// snapshots and ends the run, and of the state of the fault injection.
#ifndef THREADS_FREE_CONTROL_CONTROL_H
#define THREADS_FREE_CONTROL_CONTROL_H

#include "core/theory/rest.h"
#include "threads/api/measures.h"
#include "threads/free/free_state.h"
#include "threads/watch/frames.h"
#include "threads/watch/no_progress.h"
#include "threads/watch/trace.h"

// The messages that are still under way to a port when all workers have ended.
struct free_left {
    double load; // their load. The load of a RETURN counts at the other end of the link, to which it was first sent
    uint64_t messages;
};

// Sums over the parts of all processors.
struct free_totals {
    double held, in_flight, generated, consumed, moved, stayed;
    uint64_t messages;
    uint64_t ticks;                   // of work
    uint64_t operations;              // ended so far
    uint32_t active;                  // processors in an operation
    uint32_t asking;                  // processors that would invoke
    uint32_t blocked;                 // processors that would invoke and cannot
    bool held_back;                   // some processor would announce or give over a failed link
    bool works;                       // some processor has work to come
    bool recurs;                      // some processor may invoke later, by a draw or at its time
    double fingerprint;               // of the loads
    uint64_t tried;                   // the fewest operations of any processor that would invoke and can: so far,
    uint64_t tries;                   // and since a snapshot showed a change
    uint64_t ended;                   // the fewest that one of these processors has ended
    struct cargo_objects_sum objects; // held, and under way
};

// Read and written by the attendant alone.
struct free_attendant {
    enum ek_ended ended;
    bool stopping;     // the run drains, for the reason `ended`
    uint64_t ended_ns; // when the run ended
    bool cut;          // virtual time: the run ended at its limit of time, with messages under way
    bool *slept;       // by worker: it slept when the run ended

    bool auditing;               // a snapshot has begun and is not evaluated yet
    uint64_t audits;             // snapshots evaluated so far
    uint64_t rows;               // moments recorded so far: snapshots, or in virtual time ends of windows
    uint64_t audit_began_ns;     // when the last snapshot began
    uint64_t audit_next_ns;      // when the next one is due
    uint64_t audit_rested_ns;    // from when on it may begin early, if the criterion seems to hold
    bool repairs_pending;        // at the begin of the snapshot: repairs were still to come
    bool repairs_elsewhere;      // repairs are to come in another process
    uint64_t missed_ns;          // when the last snapshot began in which the criterion did not hold
    bool reached;                // the criterion has held in all snapshots after `missed_ns`;
    uint64_t reached_ns;         //   the first of these began at this time,
    uint64_t reached_operations; //   after so many ended operations
    uint64_t audits_before_end;  // snapshots before the run drained
    uint64_t audited_until_ns;   // when the last of these began
    uint32_t drained_epoch;      // in snapshots from this one on, no operation can begin any more
    struct free_totals totals;   // of the last snapshot that was added up,
    uint32_t added_epoch;        // its number,
    struct core_measure measure; // and its loads
    double moved_before;         // load moved until the last snapshot in which anything had changed,
    double fingerprint;          // a fingerprint of its loads,
    uint32_t changed_epoch;      // and its number
    struct watch_no_progress no_progress;
    uint64_t *tried;     // by processor of this process: its operations at that snapshot
    double *held;        // by processor (run->by_block: of this process): its load in the last snapshot
    uint64_t *lightest;  // objects, by processor: its lightest object in the last snapshot
    double nearest;      // objects: the least distance from balance so far,
    uint64_t nearest_at; //   and how often every processor had tried to balance then
    struct watch_trace trace;
    double observed_s; // how long the experiment's observer has looked
    struct watch_window window;
    struct watch_frames frames;
    bool none_waits; // in the last snapshot, no processor was in an operation or waited for one

    struct free_left *left;    // by port of this process; NULL if they can be counted again (left.h)
    struct base_random random; // for perturbations
};

// The injection of faults. Written by one thread.
struct free_faults_injected {
    struct core_fault_source faults;
    struct core_fault next; // the next failure or repair
    bool waits;             // `next` is valid
    uint64_t link_failures, processor_failures, repairs;
    uint64_t lag_ns;             // the longest delay of a failure or repair after its time
    atomic_bool repairs_pending; // a failed link or processor will come back. Read by the attendant
};

struct free_transport;

struct free_control {
    struct free_run run;
    struct free_transport *transport;
    unsigned long interrupts_before;    // interrupts of the machine before the run
    unsigned groups;                    // groups of workers that share a core
    struct core_rest rest;              // without room if the loads alone do not show whether the method rests
    double *initial;                    // by processor: its initial load; NULL unless the experiment keeps loads
    struct ek_link_report *link_report; // by port; NULL unless the experiment keeps links
    double *room;                       // memory of the workers' `announced`, `amounts` and `arrived`
    struct watch_histogram *histograms; // [groups][FREE_HISTOGRAMS, or fewer without delays]
    struct base_arena plan;             // all memory of the run
    struct free_attendant attendant;
    struct free_faults_injected faults;
    _Atomic double variance; // of the last snapshot, for free_progress
};

#endif
