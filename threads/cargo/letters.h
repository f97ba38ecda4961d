// SPDX-License-Identifier: MIT
// The letters of a run with tasks (core/method.h): the turns in which methods read and write them, and the two ways in
// which letters travel.
//
//   letters            memory, turns, counts
//   letters_in_steps   rounds and turns: a letter lies in the inbox of its receiver, with the step in which it arrives
//   letters_packed     on ranks: letters as numbers, from rank to rank
//   letters_under_way  without rounds: processors forward letters, and messages bring them over links
#ifndef THREADS_CARGO_LETTERS_H
#define THREADS_CARGO_LETTERS_H

#include "threads/cargo/under_way.h"
#include "threads/mail/stack.h"

struct cargo_letter {
    struct mail_link link; // in an inbox, or among those under way
    struct cargo_letter *next;
    struct ek_letter seen; // the part that the method sees
    uint64_t due;          // in steps: the step in which it arrives
    uint64_t place;        // in steps: its place among the letters of its sender
    int64_t best;          // in steps: the best value that its sender knew
    bool last;             // without rounds: the last one that its message brings
    struct core_task_queue tasks;
};

struct cargo_letter_counts {
    uint64_t requests, refusals, hops;
};

// Counts of letters by the processors of a worker.
struct cargo_letter_sums {
    int64_t under_way; // tasks posted less tasks received
    struct cargo_letter_counts counts;
};

// The letters of a worker's processors that it will use again, and what these processors counted.
struct cargo_letters_worker {
    _Alignas(128) struct cargo_letter *unused;
    struct cargo_letter_sums sums;
    struct cargo_letter_counts asked; // in this step, which is not complete
};

// A list of letters, the oldest first.
struct cargo_letter_list {
    struct cargo_letter *first, *last;
};

// A processor without rounds.
struct cargo_letters_processor {
    uint64_t draws; // random numbers so far
    double tasks;   // in its letters that wait for a message
    uint32_t ports; // over which letters wait for a message
};

struct cargo_turn;

struct cargo_letters {
    struct cargo_tasks *tasks;
    const struct machine_plan *machine;
    uint64_t seed;
    double *state;                                                      // by processor: plan.state_doubles each
    double *memory;                                                     // by port: plan.port_doubles each
    void (*send)(struct cargo_turn *turn, struct cargo_letter *letter); // as letters travel in this run
    struct cargo_letters_worker *worker;

    // In steps. By processor: letters that were pushed, letters that are not due yet, and those that are to be read
    // next, in the order in which they are read.
    bool in_turns;
    struct mail_stack *inbox;
    struct cargo_letter **waiting, **arrived;
    struct cargo_letter_list *abroad; // on ranks, by rank: letters that leave for it

    // Without rounds. By the sender's port: letters under way, in envelopes over a link to another process; and those
    // that leave with the next message. By processor: letters without tasks that wait for a failed link.
    struct mail_way *way;
    struct cargo_letter_list *leaving, *stopped;
    struct cargo_letters_processor *processor;
};

// The tasks and messages of a call.
struct cargo_posted {
    double arrived, left; // tasks that are held from now on, and those that are not any more
    double moved;         // in steps: moves of these tasks over a link
    uint64_t messages;    // in steps
    uint64_t parcels;     // letters with tasks, by the links that they cross
};

// A processor's turn, and what the machine needs when the method posts letters in it.
struct cargo_turn {
    struct ek_letter_turn seen; // the part that the method sees
    struct cargo_letters *letters;
    unsigned worker;
    uint64_t now, place;
    bool asks;
    const uint8_t *usable;     // without rounds, by port: the links that have not failed; NULL: none has
    struct cargo_letter *read; // the letter that is read; NULL: it was passed on
    struct cargo_posted posted;
};

static inline void cargo_letter_append(struct cargo_letter_list *list, struct cargo_letter *letter)
{
    letter->next = NULL;
    *(list->first ? &list->last->next : &list->first) = letter;
    list->last = letter;
}

// Returns whether all processors announce their loads to their neighbours, for the method to see in `give`.
static inline bool cargo_letters_announce(const struct machine_plan *machine)
{
    return machine->method->letters && !machine->method->rounds->announce;
}

// ---- what both ways share ----

// Plans the memory of both ways; `begin` sets what does not change in a run.
void cargo_letters_plan(struct cargo_letters *letters, const struct machine_plan *machine, unsigned workers,
                        struct base_arena *memory);
void cargo_letters_begin(struct cargo_letters *letters, struct cargo_tasks *tasks, const struct machine_plan *machine,
                         uint64_t seed, double *state, double *memory);

// Returns an empty letter, or NULL if there is no memory. `give_back` lets a worker use a letter again.
struct cargo_letter *cargo_letter_take(struct cargo_letters *letters, unsigned worker);
void cargo_letter_give_back(struct cargo_letters *letters, unsigned worker, struct cargo_letter *letter);

// Returns the turn of a processor.
struct cargo_turn cargo_turn_of(struct cargo_letters *letters, unsigned worker, uint32_t processor);

// Puts the tasks of a letter in front of those that the processor holds.
void cargo_turn_hold(struct cargo_turn *turn, struct cargo_letter *letter);

// Lets the method read a letter, which it may pass on. Otherwise the letter ends here.
void cargo_turn_read(struct cargo_turn *turn, struct cargo_letter *letter);

// Counts a letter that leaves, and the links that it crosses.
void cargo_turn_count(struct cargo_turn *turn, const struct cargo_letter *letter, uint64_t links);

// Reports on a run, also on one without letters.
void cargo_letters_report(const struct cargo_letters *letters, struct ek_tasks_report *report);

// ---- in steps ----
//
// No processor on the path of a letter handles it, but it takes the time of its path: a link carries any number of
// letters in a step, and one message has them all.
//
//   call              caller                              concurrent with
//   take, ask, give   the worker of the processor         calls for other processors
//   all others        the owner of the run                nothing
//
// An inbox is a stack that any worker pushes to, and that the worker of the receiver empties at once. Letters that are
// due were pushed before the last barrier.

void cargo_letters_plan_steps(struct cargo_letters *letters, const struct machine_plan *machine,
                              struct base_arena *memory);
void cargo_letters_begin_steps(struct cargo_letters *letters, bool in_turns);

// Receives the answers and refusals that are due in step `now`, and the tasks in them.
struct cargo_posted cargo_letters_take(struct cargo_letters *letters, unsigned worker, uint32_t processor,
                                       uint64_t now);

// Let the method read what has been received, and ask; then read requests and passing letters, and give. `announced`
// has the neighbours' loads, or is NULL.
struct cargo_posted cargo_letters_ask(struct cargo_letters *letters, unsigned worker, uint32_t processor, uint64_t now);
struct cargo_posted cargo_letters_give(struct cargo_letters *letters, unsigned worker, uint32_t processor, uint64_t now,
                                       const double *announced);

// Returns the tasks in letters.
double cargo_letters_in_flight(const struct cargo_letters *letters);

// ---- in rounds and turns on ranks, whose workers are one thread ----

// Returns the doubles that the letters to a rank fill. `pack` writes them, and removes the letters. `unpack` puts
// letters from `words` doubles into the inboxes of their receivers. It returns false if there is no memory.
size_t cargo_letters_words(const struct cargo_letters *letters, unsigned rank);
void cargo_letters_pack(struct cargo_letters *letters, unsigned rank, double *words);
bool cargo_letters_unpack(struct cargo_letters *letters, const double *word, size_t words);

// Returns what the first `workers` workers have counted.
struct cargo_letter_sums cargo_letters_sum_of(const struct cargo_letters *letters, unsigned workers);

// ---- without rounds ----
//
// A letter follows a shortest path: each processor on it forwards the letter to the first of its neighbours that is
// nearer to the receiver. The letters of a turn that leave over the same link leave with one message. They are pushed
// to the list of this link before the message is sent, so the receiver of the message finds them there.
//
// A letter waits while no link to a nearer neighbour can be used. Its tasks do not wait: the processor where it waits
// holds them from then on, and the letter brings a refusal.
//
// If a link leads to another process, each of the two processes has the lists of the link, as in under_way.h. The
// letters of a message then lie as numbers in an envelope, which no worker's memory is needed for.
//
//   call                    caller                              concurrent with
//   arrive, act, retry      the worker of the processor         calls for other processors
//   leave                   the worker of the sender            calls for other processors
//   envelope_send, _open    the worker of the processor         calls for other processors
//   envelope_words, _leave  who carries messages to other       calls of the sender
//                           processes, as the receiver
//   envelope_enter          who carries messages from other     calls of the receiver
//                           processes, as the sender
//   all others              the owner of the run                nothing

// Whose turn it is, and what it observes.
struct cargo_place {
    unsigned worker;
    uint32_t processor;
    const uint8_t *usable;   // by port; NULL: all links can be used
    const double *announced; // by the processor's own ports; NULL if no loads are announced
};

void cargo_letters_plan_under_way(struct cargo_letters *letters, const struct machine_plan *machine,
                                  struct base_arena *memory);
void cargo_letters_begin_under_way(struct cargo_letters *letters); // also of a run that begins anew
void cargo_letters_end_under_way(struct cargo_letters *letters);   // also of one that has not begun

// Receives the letters of the first message that was sent from `port` and has not been received yet.
struct cargo_posted cargo_letters_arrive(struct cargo_letters *letters, const struct cargo_place *place, uint32_t port);

// Lets the method ask and give. Sets `awake` if the method needs another turn.
struct cargo_posted cargo_letters_act(struct cargo_letters *letters, const struct cargo_place *place, bool *awake);

// Forwards the letters that waited for a failed link, if they can go on.
struct cargo_posted cargo_letters_retry(struct cargo_letters *letters, const struct cargo_place *place);

// Sends the letters that wait at a port on their way, and sets the number of their tasks. Letters must wait there.
// Returns false, with nothing sent, if there is no memory.
bool cargo_letters_leave(struct cargo_letters *letters, unsigned worker, uint32_t processor, uint32_t port,
                         double *tasks);

// Puts the letters that wait at a port into an envelope and sends it on its way to another process. Returns false, with
// nothing sent, if there is no memory. `open` returns the letters in the first envelope that came from `port`, in their
// order; if there is no memory, those for which there was.
bool cargo_envelope_send(struct cargo_letters *letters, unsigned worker, uint32_t port);
struct cargo_letter *cargo_envelope_open(struct cargo_letters *letters, unsigned worker, uint32_t port);

// The first envelope that was sent from `port` leaves this process, as so many doubles as `words` says, and enters that
// of its receiver. `enter` returns how many it has read, 0 if there is no memory.
size_t cargo_envelope_words(struct cargo_letters *letters, uint32_t port);
void cargo_envelope_leave(struct cargo_letters *letters, uint32_t port, double *to);
size_t cargo_envelope_enter(struct cargo_letters *letters, uint32_t port, const double *from);

static inline bool cargo_letters_wait(const struct cargo_letters *letters, uint32_t port)
{
    return letters->leaving[port].first != NULL;
}

#endif
