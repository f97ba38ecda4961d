// SPDX-License-Identifier: MIT
// The tape of a run in virtual time.
//
// Purpose. A run in virtual time follows from its experiment, unless someone asks it to end. So its tape needs only
//
//   1. *marks*, by which a replay notices that it is another run, and that a recording was cut off;
//   2. the requests to end;
//   3. the number of its turns, since an explorer ends a run with the turn that breaks a rule.
//
// All belong to a test at the end of a window (window_end.c): nothing else happens between two windows, and a request
// has no effect before. Tests are numbered from 1. An entry of the tape is
//
//   1. a varint (look_stream.h): the number of its test, less that of the entry before;
//   2. a byte: enum virtual_entry;
//   3. for some entries 8 bytes, the lowest first. A mark has a hash of the load, the turns and the operations of each
//      processor; the last entry has the number of turns.
//
// All entries are on the tape of worker 0, so the tape does not depend on the number of workers. In several processes
// each writes the whole tape.
#ifndef THREADS_DRIVERS_VIRTUAL_VIRTUAL_MARKS_H
#define THREADS_DRIVERS_VIRTUAL_VIRTUAL_MARKS_H

#include "threads/api/turn.h"
#include "threads/free/control/control.h"

struct virtual_machine;

enum virtual_entry {
    VIRTUAL_MARK,
    VIRTUAL_INTERRUPT, // a request to end: the run was interrupted
    VIRTUAL_TOO_LONG,  // a request to end: an explored run made too many turns
    VIRTUAL_LAST       // no request follows until the run ends
};

struct virtual_marks {
    const struct ek_recorder *recorder; // takes the entries, or NULL
    const struct ek_tape *tape;         // gives the entries of an earlier run, or NULL
    const uint8_t *at, *end;            // the unread bytes of its current piece
    uint64_t tests;                     // so far
    uint64_t entered;                   // the test of the last entry, written or read
    enum virtual_entry next;            // the entry that was read last
    uint64_t number;                    // its 8 bytes
    uint64_t turns;                     // at the last mark
    bool refused;                       // the recorder has refused an entry
    bool too_long;                      // the explorer asks the run to end
    enum ek_replay_status status;       // EK_REPLAY_TURN as long as the machine can follow the tape
};

// Prepares the marks of a machine before its first turn: it writes them for its recorder, if it has one, or follows
// the tape of an earlier run. `tape` is NULL if there is none.
void virtual_marks_begin(struct virtual_machine *machine, const struct ek_tape *tape);

// Makes the entries of this test, or reads them. Returns whether the run is asked to end, and sets the reason.
bool virtual_marks_test(struct virtual_machine *machine, enum ek_ended *ended);

// Returns whether the machine has made all turns of its tape. Without a tape it never has.
bool virtual_marks_all_made(struct virtual_machine *machine);

// Checks that a run that has ended has made all turns of its tape, if it has a tape.
void virtual_marks_check_end(struct virtual_machine *machine);

// Makes the last entry. The run has ended.
void virtual_marks_end(struct virtual_machine *machine);

#endif
