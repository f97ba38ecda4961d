// SPDX-License-Identifier: MIT
// Virtual time: the engine of free timing under a computed clock.
//
// Purpose. What would the processors of a machine with given latencies, overheads and bandwidths do? A run is a
// function of the experiment and its seed. It is the same on any number of workers, and on any computer.
//
// Terms. A *wire* is one direction of a link. A message *departs* when its sender has spent the overhead on it; then it
// waits until its wire is free, occupies the wire for a while, and *arrives* one latency later. The *lookahead* is the
// least time from the begin of a turn to the arrival of a message that the turn sends. A *window* is an interval of
// time as long as the lookahead.
//
// Windows (conservative synchronisation: Nicol, The cost of conservative synchronization in parallel discrete event
// simulations, JACM 40, 1993). A message that is sent in a window arrives after it. So each processor can make all its
// turns of a window, one after another, without knowing what the others do in the window. A worker makes the turns of
// its processors, in any order. Then all workers meet, and the state of the whole machine at the end of the window is
// known.
//
// Files, each of which calls only those above it:
//
//   agenda           when each processor has its next turn
//   wires            messages under way
//   virtual_turn     one turn, its costs, and the begin of the next one
//   virtual_ranks    exchange with other processes
//   virtual_marks    the tape of a recorded run
//   criterion        a quick test of the stop criterion
//   window_end       what follows from the state at the end of a window
//   virtual_step     a run turn by turn
//   virtual_engine   memory, workers, report
//
// Ownership. A worker's struct virtual_worker, and the places, wires and arrivals of its processors, belong to this
// worker during a window. A message to another worker's processor stays in a batch until the next window begins.
// Between two windows everything belongs to the thread that runs the serial section of the barrier.
#ifndef THREADS_DRIVERS_VIRTUAL_VIRTUAL_STATE_H
#define THREADS_DRIVERS_VIRTUAL_VIRTUAL_STATE_H

#include "threads/drivers/virtual/agenda.h"
#include "threads/drivers/virtual/virtual_marks.h"
#include "threads/free/control/control.h"
#include "threads/free/look.h"
#include "threads/mail/barrier.h"

// No clock goes beyond this time, so that sums of a few times do not overflow. It is 146 years.
#define VIRTUAL_CLOCK_MAX (UINT64_C(1) << 62)

// Processors of a block, whose messages lie near each other (wires.c).
enum { VIRTUAL_BLOCK = 64 };

// A message on the way to a port, behind another one (struct free_arrival). The messages to a port are in the order of
// their arrival.
struct virtual_message {
    struct mail_message message;
    uint64_t arrives;
    uint32_t next; // index of the next message to the same port, 0 if there is none
};

// A wire, as its sender knows it.
struct virtual_wire {
    uint64_t free_at;        // when the wire becomes free; with one port, of a processor's first port for all its wires
    uint16_t first, waiting; // the messages that wait for the wire: their place in `starts`, and their number
};

// The order of messages on a wire, if their latencies differ.
struct virtual_order {
    uint64_t departed; // messages so far
    uint64_t arrived;  // when the last of them arrives
};

// A message that a turn has sent and that has not departed yet.
struct virtual_sent {
    struct mail_message message;
    uint32_t port;
};

// A message to another worker's processor.
struct virtual_crossing {
    struct mail_message message;
    uint64_t arrives;
    uint32_t port; // at which it arrives
};

// Messages to one other worker.
struct virtual_batch {
    struct virtual_crossing *crossing;
    size_t count, size;
    uint64_t first; // the earliest arrival
};

struct virtual_worker {
    _Alignas(BASE_ARENA_ISOLATION) struct virtual_machine *machine;
    struct free_worker *worker; // its part of the engine
    struct virtual_agenda agenda;

    // The current turn.
    uint32_t place; // of its processor, from the worker's first one
    struct virtual_sent *sent;
    size_t sent_count, sent_size;
    uint32_t received;

    struct virtual_message *message; // [messages_size] to its processors; element 0 is not used
    size_t messages, messages_size;  // used so far, and allocated
    uint32_t *free;                  // by block of processors: the first message that is free again, 0 if there is none
    struct virtual_batch *batch[2];  // [workers] by the other worker: filled in windows of even and of odd number
    struct base_arena memory;        // of `agenda` and `free`

    // Counts so far.
    uint64_t departed, arrived; // messages
    uint64_t begun;             // operations that have begun, without those abandoned
    int64_t in_operation;       // processors in an operation
    uint64_t busy_ns;           // in turns
    uint64_t overhead_ns;       // of which for sending and receiving
    uint64_t last_ns;           // end of the last turn that sent or received a message
    bool no_memory;             // a message was lost because there was no memory for it
    bool too_late;              // a time passed VIRTUAL_CLOCK_MAX
};

// A window.
struct virtual_window {
    uint64_t until;  // the turns that begin before this time belong to the window
    bool whole;      // it ends at a multiple of the lookahead, where criteria are tested
    unsigned parity; // which batches are filled
};

struct virtual_ranks; // virtual_ranks.h

struct virtual_machine {
    struct free_look_source source; // the clock of the turns
    struct free_control *control;
    struct free_run *run; // &control->run
    uint64_t lookahead_ns;
    uint64_t turn_ns, overhead_ns; // costs
    double task_ns;                // of a unit of cost of a task
    uint64_t wire_ns;              // how long a message without load occupies its wire
    bool wires_wait;               // a message can depart while its wire is occupied; else `wire` and `starts` are NULL
    bool load_occupies;            // messages with load occupy their wire for longer, by their load
    uint64_t latency_ns;           // of every message, if `alike`
    bool alike;                    // all messages have the same latency
    const struct core_within *within; // each turn and each message has costs of its own; NULL: it has not
    uint64_t end_ns;                  // with --for: the end of the run
    uint64_t sample_ns;               // with --sample

    // By processor or port.
    uint32_t *turns;              // by processor: its turns so far
    struct virtual_wire *wire;    // by port of the sender
    struct free_arrival *arrival; // by port of the receiver: messages on the way; indexes are 0 if there is none
    uint64_t *starts;             // by port of the sender: when its waiting messages start on the wire, a ring each
    struct virtual_order *order;  // by port of the sender; NULL if all latencies are alike

    struct virtual_worker *worker; // [workers]
    unsigned first, last;          // the workers in this process: first .. last-1
    uint32_t begin, end;           // their processors: begin .. end-1
    struct virtual_ranks *ranks;   // the other processes; NULL if there are none
    struct virtual_batch *batches; // [2 * workers * workers]
    struct mail_barrier barrier;
    struct base_arena memory;

    // Between windows.
    bool interrupted; // the program asks the run to end
    bool over;        // no window follows; a violation in a window sets run->shared.over before the window ends
    struct virtual_window window;
    struct virtual_marks marks;
    uint64_t now_ns;   // the time up to which the machine has come
    uint64_t windows;  // that had turns
    uint64_t made;     // turns until the end of the last of them
    uint64_t surveyed; // turns at the last survey
    uint64_t recorded; // turns at the last row of the trace
    uint64_t next_sample_ns;
    uint32_t witness;  // the processor with which the search for a criterion that does not hold begins
    uint64_t began_ns; // on the computer's clock, when the first worker began
};

static inline struct virtual_machine *virtual_machine_of(const struct free_worker *worker)
{
    return (struct virtual_machine *)worker->run->source; // `source` is the first member
}

static inline struct virtual_worker *virtual_worker_of(const struct free_worker *worker)
{
    return &virtual_machine_of(worker)->worker[worker->index];
}

// Returns the turns of all workers. No worker may run.
static inline uint64_t virtual_turns_so_far(const struct virtual_machine *machine)
{
    uint64_t turns = 0;
    for (unsigned w = 0; w < machine->run->machine->workers; w++) {
        turns += atomic_load_explicit(&machine->run->worker[w].turns, memory_order_relaxed); // a count
    }
    return turns;
}

// Returns whether worker w had no memory for an operation or a part of its logs.
static inline bool virtual_log_no_memory(const struct free_run *run, unsigned w)
{
    return (run->log.ring && run->log.ring[w].no_memory) || (run->parts.ring && run->parts.ring[w].no_memory);
}

// Returns the factor by which processor p is slow.
static inline uint64_t virtual_slowness(const struct virtual_machine *machine, uint32_t p)
{
    const uint32_t *slow = machine->run->machine->slow;
    return slow ? slow[p] : 1;
}

#endif
