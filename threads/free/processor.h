// SPDX-License-Identifier: MIT
// What a processor in free timing holds, gives and promises; its operations build on that.
#ifndef THREADS_FREE_PROCESSOR_H
#define THREADS_FREE_PROCESSOR_H

#include "threads/free/free_state.h"

// Flags of a message: a GIVE in answer to a PULL; a RELEASE from an operation in which the member takes no part.
enum { FREE_FLAG_ANSWER = 1, FREE_FLAG_NO_PART = 1 };

static inline uint32_t free_degree(const struct free_run *run, uint32_t p)
{
    return run->topology->first[p + 1] - run->topology->first[p];
}

static inline unsigned free_index(const struct free_worker *worker)
{
    return worker->index;
}

// The smaller of two amounts that are numbers: fmin, which minds what is none, is a call.
static inline double free_least(double a, double b)
{
    return a < b ? a : b;
}

// What a method compares.
static inline double free_level(const struct free_run *run, uint32_t p)
{
    double held = run->processor[p].held;
    const double *capacity = run->machine->capacity;
    return run->target ? held - run->target[p] : capacity ? held / capacity[p] : held;
}

// Whether p is in an operation of its own that it has not withdrawn.
static inline bool free_invokes(const struct free_processor *processor)
{
    return processor->phase != FREE_PHASE_IDLE && !processor->withdrawn;
}

// Notes a violation of the protocol by processor p, or towards it, over the link at this port.
__attribute__((cold)) void free_violate_at(struct free_run *run, uint32_t p, uint32_t port, const char *what);

// Sends load: no more than is there, and than the link carries. Returns what is sent.
double free_give(struct free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag);

// Takes in load that came over the port.
void free_credit(struct free_run *run, uint32_t p, uint32_t port, double amount);

// Notes that processor p has entered another operation.
void free_enter(struct free_worker *worker, uint32_t p, struct free_entry *entry);

// Notes, where somebody wants to know, that p is let go by the operation of the neighbour at this port, and whether it
// has had a part in it.
void free_note_let_go(struct free_worker *worker, uint32_t p, uint32_t port, bool part);

// Logs the part that p has had in an operation since `entry`: at this port in the neighbour's, its engagement there of
// this number; UINT32_MAX: in its own, with so many members.
void free_log_part(struct free_worker *worker, uint32_t p, const struct free_entry *entry, uint32_t port,
                   uint32_t number);

// Whether the ticket of this age of processor p goes before the other's: refused more often, or as often and lower.
bool free_older(unsigned age, uint32_t p, unsigned than_age, uint32_t than);

// Whether p has promised itself to an older ticket than the one of this age at the port; UINT32_MAX: its own.
bool free_promised_before(const struct free_worker *worker, uint32_t p, uint32_t port, unsigned age);

// Whether a link of p can be used.
bool free_linked(const struct free_worker *worker, uint32_t p);

// For what p waits.
enum ek_waiting free_waits(const struct free_run *run, uint32_t p);

#endif
