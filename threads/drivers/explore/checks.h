// SPDX-License-Identifier: MIT
// What is held against a run after every turn, from outside: it counts by itself what the turns send and take, and
// knows of the protocol only what docs/model.md says.
//
//   links      what is taken is what was sent over this link, in its order: nothing is lost, doubled, forged, overtaken
//   bounds     at most so many messages are under way over a direction of a link, and kept by its sender
//   ledger     initial + generated = held + in flight + consumed, as the processors' books have it
//   permits    with --operations, each is somewhere
//   loads      none is negative, in tokens each is whole
//   protocol   a message comes only where it can mean something; a processor counts its own engagements and answers
//              right, and keeps to its one port or its exclusive domain
//   end        nobody is in an operation, nothing is under way; who would go on has not been left out
#ifndef THREADS_DRIVERS_EXPLORE_CHECKS_H
#define THREADS_DRIVERS_EXPLORE_CHECKS_H

#include "threads/free/control/control.h"
#include "threads/free/witness.h"

enum {
    EXPLORE_STATES = 12,  // of a port: its part in the own operation, and whether it is in the neighbour's
    EXPLORE_MESSAGES = 10 // kinds of messages; 0 is a GIVE in answer to a PULL
};

// A message that comes in a state.
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
    struct free_run *run; // its
    uint32_t bound;       // on those of one port
    struct explore_under_way *way;
    struct mail_message *place;                     // by port: `bound` each
    double in_flight;                               // load under way
    uint64_t carriers, under_way;                   // in so many messages; and all messages
    uint64_t additions;                             // to any load
    uint64_t met[EXPLORE_STATES][EXPLORE_MESSAGES]; // how often a message came in a state
    struct explore_pair
        possible[EXPLORE_STATES * EXPLORE_MESSAGES]; // [possibles] the states and messages that can meet
    unsigned possibles;
};

// Looks on at this run, before its first turn, with so many bytes. False without memory.
size_t explore_check_bytes(const struct free_run *run);
bool explore_check_begin(struct explore_checker *checker, struct free_control *control);
void explore_check_end(struct explore_checker *checker);

// Nothing is under way, and nothing was met.
void explore_check_restart(struct explore_checker *checker);

// After the last turn of a run that ended of itself: looks at all processors. A violation ends the run.
void explore_check_end_of_run(struct explore_checker *checker);

#endif
