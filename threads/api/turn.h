// SPDX-License-Identifier: MIT
// The turns of a run in free or virtual timing, as a replay shows them. Part of <evenkeel.h>.
#ifndef EK_TURN_H
#define EK_TURN_H

#include "base/common.h"

// The events of a turn.
enum ek_event_kind {
    EK_EVENT_TAKES,  // the processor receives a message of kind `message` from `other`
    EK_EVENT_SENDS,  // it sends a message to `other`
    EK_EVENT_BEGINS, // it begins an operation of its own
    EK_EVENT_ENDS,   // it ends this operation; `amount` is the load that it gained by the operation
    EK_EVENT_LEAVES, // it abandons this operation, because no neighbour took part
    EK_EVENT_WORKS,  // a tick of its workload; `amount` is the growth of its load
    EK_EVENT_LET_GO  // the operation of `other`, in which it took part, releases it; `amount` is the growth of its load
                     // since it announced its load to `other`, or NaN if it did not take part after all
};

struct ek_event {
    enum ek_event_kind kind;
    uint32_t other;      // the processor at the other end of the link, where there is one
    bool carries;        // the message carries load: `amount`
    const char *message; // "ask", "tell", "refuse", "give", "pull", "release", "return", "marker" or "announce"
    double amount;       // as enum ek_event_kind says; for messages without load, the number in the message
};

// A turn of the replay.
struct ek_turn_made {
    uint64_t number;  // the position in the replay, from 1
    uint64_t time_ns; // nanoseconds since the run's start: as the worker read the clock; in virtual time, its begin
    unsigned worker;  // in free timing; 0 in virtual time, where the workers have no influence
    uint32_t processor;
    double held;                   // the processor's load after the turn
    const struct ek_event *events; // [count] in their order; valid until the next turn
    size_t count;
};

enum ek_replay_status {
    EK_REPLAY_TURN,  // a turn was replayed
    EK_REPLAY_ENDS,  // the run has ended, as the recorded run did
    EK_REPLAY_CUT,   // the tapes end before the end of the run; everything on them was replayed
    EK_REPLAY_MISFIT // a tape does not fit this machine; `error` says where
};

#endif
