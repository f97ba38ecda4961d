// SPDX-License-Identifier: MIT
// Detection of termination: the machine finds out by messages of its own that no task is left.
//
// A processor is *passive* if it holds no task. A passive processor becomes active only when a parcel of tasks arrives.
// Each processor counts the parcels that it has sent and received (threads/cargo/). The messages of a detection travel
// along a spanning tree, whose root is processor 0. The answer is sure: if the root detects the end, it has come.
//
//   detect_tree      the spanning tree
//   detect_safra     a token visits all processors, one after the other
//   detect_mattern   waves visit them from the root to the leaves and back
//   detectors        the table of both
//
// With `snapshot`, the default, there is no such detection: the attendant finds out by its own snapshots, and in
// virtual time at the ends of windows.
#ifndef THREADS_FREE_DETECT_H
#define THREADS_FREE_DETECT_H

#include "threads/free/free_state.h"

// A processor's state in the detection.
struct free_probe {
    uint32_t parent;       // the port to its parent in the tree; UINT32_MAX at the root
    uint32_t from;         // safra: the port over which the token came, UINT32_MAX at its start
    uint32_t awaited;      // mattern: children that have not answered
    bool holds;            // safra: it has the token; mattern: it has not answered the wave
    bool black;            // safra: the token is black
    bool sends;            // mattern: the wave counts the parcels sent, not those received
    bool begun;            // at the root: a probe is under way
    double sum;            // safra: of the token; mattern: of the answers so far
    double received;       // mattern, at the root: the parcels received that the last wave has counted
    uint64_t taken_before; // safra: the parcels that it had received at the last visit
};

struct free_detector {
    // Receives a message of the detection, and acts at the end of a turn.
    void (*receive)(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);
    void (*act)(struct free_worker *worker, uint32_t p);
};

extern const struct free_detector free_detect_safra, free_detect_mattern;

// Returns the detector of a machine, or NULL.
const struct free_detector *free_detector_of(const struct machine_plan *machine);

// Begins the detection. Returns false if the graph has several parts, so that no tree spans it.
bool free_detect_begin(struct free_run *run);

// Returns the number of messages that the detection has sent. No worker may run.
uint64_t free_probes(const struct free_run *run);

// Returns whether the neighbour at this port is a child of the port's owner.
bool free_is_child(const struct free_run *run, uint32_t port);

// Sends a message of the detection, which counts as one.
void free_detect_send(struct free_worker *worker, uint32_t port, enum free_kind kind, double sum, unsigned flag);

// Tells the attendant that no task is left. Another process may have detected it.
void free_detected(struct free_worker *worker);
void free_set_detected(struct free_run *run, uint64_t detected_ns);

// Returns whether the detection has found that no task is left.
static inline bool free_has_detected(const struct free_run *run)
{
    // Acquire: pairs with the release in free_detected.
    return run->detector && atomic_load_explicit(&run->shared.detected, memory_order_acquire);
}

static inline bool free_is_passive(const struct free_run *run, uint32_t p)
{
    return run->processor[p].held == 0.0;
}

#endif
