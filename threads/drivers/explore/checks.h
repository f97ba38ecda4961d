// SPDX-License-Identifier: MIT
// The checker of a run: it tests the run after every turn. The checker observes the turns as a witness, counts the
// messages itself, and knows of the protocol only what docs/model.md says.
//
//   links      a received message is the first one under way over its link: none is lost, doubled, forged or overtaken
//   bounds     the messages under way in a direction of a link, and those kept by its sender, are within their bounds
//   ledger     initial + generated = held + in flight + consumed, with the sums over all processors
//   permits    with --operations, the sum of unused, held, active and used permits is constant
//   loads      no load is negative; in tokens each load is whole
//   protocol   a message arrives only in a state in which it has a meaning; a processor counts its answers and
//              engagements correctly, and keeps to its one port or its exclusive domain
//   answers    a turn sends every answer that it owes: to ASK, to PULL, and to load that came over a failed link
//   end        no processor is in an operation or would begin one, and no message is under way; every load was
//              announced if announcements are pushed
#ifndef THREADS_DRIVERS_EXPLORE_CHECKS_H
#define THREADS_DRIVERS_EXPLORE_CHECKS_H

#include "threads/free/control/control.h"
#include "threads/free/witness.h"

enum {
    EXPLORE_STATES = 12,  // states of a port: enum free_member, and whether it is engaged
    EXPLORE_MESSAGES = 13 // kinds of messages; 0 is a GIVE in answer to a PULL
};

// A kind of message that is received in a state.
struct explore_pair {
    uint8_t state, coming;
};

// The messages under way to a port.
struct explore_under_way {
    uint32_t first, count;
};

struct explore_checker {
    struct free_witness witness;
    struct free_control *control;
    struct free_run *run; // &control->run
    uint32_t bound;       // on the messages under way to a port
    struct explore_under_way *way;
    struct mail_message *place;                     // by port: `bound` places of messages under way
    double in_flight;                               // load under way
    uint64_t carriers, under_way;                   // messages with load under way, and all messages under way
    uint64_t additions;                             // to any load
    uint32_t owed, owed_port;                       // enum free_kind: the message that came over this port in this
                                                    // turn and must be answered first; 0: none
    uint64_t met[EXPLORE_STATES][EXPLORE_MESSAGES]; // how often a kind was received in a state
    struct explore_pair
        possible[EXPLORE_STATES * EXPLORE_MESSAGES]; // [possibles] the states and messages that can meet
    unsigned possibles;
};

// The first function returns the bytes of memory that a checker takes. The second one begins a checker, before the
// first turn, and returns false if there is no memory. The third one ends it.
size_t explore_check_bytes(const struct free_run *run);
bool explore_check_begin(struct explore_checker *checker, struct free_control *control);
void explore_check_end(struct explore_checker *checker);

// Resets the checker to a run before its first turn.
void explore_check_restart(struct explore_checker *checker);

// Checks all processors after the last turn of a run that has not been ended by a violation.
void explore_check_end_of_run(struct explore_checker *checker);

#endif
