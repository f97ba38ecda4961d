// SPDX-License-Identifier: MIT
// What controls a run in free timing from outside of its turns: the attendant, who takes snapshots and ends the run;
// the injection of faults; the report.
#ifndef THREADS_FREE_CONTROL_CONTROL_H
#define THREADS_FREE_CONTROL_CONTROL_H

#include "core/theory/rest.h"
#include "threads/free/free_state.h"
#include "threads/watch/frames.h"
#include "threads/watch/no_progress.h"
#include "threads/watch/trace.h"

// What is left on its way to a port when all have ended.
struct free_left {
    double load; // that was sent to it; what comes back over a failed link counts the other way
    uint64_t messages;
};

// The attendant's own, which is the caller's thread.
struct free_attendant {
    enum ek_ended ended;
    bool stopping; // a reason to end is known
    uint64_t ended_ns;
    bool *slept; // by worker: whether it slept when the run ended

    bool auditing;
    bool repairs_pending;   // repairs were to come when the snapshot began
    bool repairs_elsewhere; // repairs are to come in another process
    uint64_t audit_began_ns, audit_next_ns, audits;
    uint64_t audit_rested_ns;                     // when a promise may begin the next one early
    uint64_t missed_ns, reached_ns;               // when the last snapshot began in which the criterion did not hold,
    uint64_t reached_operations;                  // and the first of those since, and the operations until then
    bool reached;                                 // there is such a one
    uint64_t audits_before_end, audited_until_ns; // those that came at their interval, and when the last of them began
    uint32_t drained_epoch;           // snapshots from this one on began when no operation could begin any more
    double moved_before, fingerprint; // at the last snapshot that was different
    struct watch_no_progress no_progress;
    uint64_t *tried; // by processor: operations when something changed last
    double *held;    // by processor, of the last snapshot
    struct watch_trace trace;
    struct watch_window window;
    struct watch_frames frames;
    bool nobody_waits; // in the last snapshot, in an operation or for one

    struct free_left *left; // by port
};

// The injection of faults: links and processors fail and come back. Written by one thread.
struct free_faults_injected {
    struct core_fault_source faults;
    struct core_fault next;
    bool waits; // there is a next one
    uint64_t link_failures, processor_failures, repairs;
    uint64_t lag_ns;             // most that one of them came late
    atomic_bool repairs_pending; // what is down will come back. Read by the attendant
};

struct free_transport;

struct free_control {
    struct free_run run;
    struct free_transport *transport;
    unsigned long interrupts_before;    // of the machine
    unsigned groups;                    // of workers that share a core
    struct core_rest rest;              // no room in it: rest does not show in the loads alone
    double *initial;                    // by processor; NULL unless asked for
    struct ek_link_report *link_report; // by port: what each link did; NULL unless asked for
    double *room;                       // the workers' announced, amounts and arrived
    struct watch_histogram *histograms; // by group, then as named in free_state.h
    struct base_arena plan;
    struct free_attendant attendant;
    struct free_faults_injected faults;
    _Atomic double variance; // of the last snapshot, for progress
};

#endif
