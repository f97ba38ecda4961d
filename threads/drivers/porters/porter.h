// SPDX-License-Identifier: MIT
// Free timing on several processes.
//
// Purpose. An MPI program starts several processes, called *ranks*, that carry one run together. Each rank has one
// worker, which takes the turns of the rank's processors, and the state of these processors. The caller's thread of
// each rank is its *porter*: it carries messages between ranks while the workers take their turns. Workers, snapshots,
// the ledger and the end of a run do not know of ranks.
//
// A link between two ranks is two mailboxes in a row, one in each process. For its worker, the porter is the other end
// of such a link: it takes the messages that the worker puts there, and puts the messages that have come. The link
// stays first in, first out, and bounded: a porter takes a message only if the mailbox in the other process has room.
//
// A *meeting*. Porters meet again and again (meeting.h). At a meeting, every porter
//
//   1. sends its status to all others: what its worker has counted and published; from the first rank also what the
//      attendant wants (a snapshot begins, the run drains, the run is over);
//   2. adds up a snapshot together with all others, if its parts are complete on all ranks;
//   3. exchanges one pack with each rank to which links lead: the messages on these links, and for each link the number
//      of places in the receiving mailbox that became free since the last meeting.
//
// Between two meetings porters hold no message. So a snapshot's marker stays behind the messages sent before it, and
// every message under way is in a mailbox, on a shelf or in a delay line.
//
// The attendant of the whole run is the first rank's porter. It lends operations to the other ranks (--operations). A
// rank that lacks operations receives an even part of what is lent; the others give back what they do not use.
//
// When all workers have ended, the ranks exchange what they have counted (gather.h), and each fills in the whole
// report.
//
// Each rank's clock starts when the rank learns that all ranks are ready. The starts differ by about the duration of a
// meeting.
#ifndef THREADS_DRIVERS_PORTERS_PORTER_H
#define THREADS_DRIVERS_PORTERS_PORTER_H

#include "threads/drivers/porters/porter_state.h"

// Returns the bytes of memory that a porter takes.
uint64_t porter_bytes(const struct machine_plan *machine);

// Creates the porter of this process. The run is then created with the porter's transport. Returns NULL if there is no
// memory.
struct porter *porter_create(const struct machine_plan *machine);
void porter_destroy(struct porter *porter);

// Connects the porter with its worker's driver, before the first turn.
void porter_begin(struct porter *porter, struct thread_driver *driver);

// The main function of the rank's worker thread.
void porter_work(struct porter *porter);

// Called by the caller's thread: holds meetings until the first rank announces that all porters return.
void porter_attend(struct porter *porter);

#endif
