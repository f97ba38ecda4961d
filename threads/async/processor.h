// SPDX-License-Identifier: MIT
// What a processor in free timing holds, gives and promises; its operations build on that.
#ifndef ASYNC_PROCESSOR_H
#define ASYNC_PROCESSOR_H

#include "threads/async/state.h"

// Flags of a message: a GIVE in answer to a PULL; a RELEASE from an operation in which the member takes no part.
enum { ASYNC_FLAG_ANSWER = 1, ASYNC_FLAG_NO_PART = 1 };

static inline uint32_t async_degree(const struct async_run *run, uint32_t p)
{
    return run->topology->first[p + 1] - run->topology->first[p];
}

static inline unsigned async_index(const struct async_worker *worker)
{
    return worker->index;
}

// The smaller of two amounts that are numbers: fmin, which minds what is none, is a call.
static inline double async_least(double a, double b)
{
    return a < b ? a : b;
}

// What a method compares.
static inline double async_level(const struct async_run *run, uint32_t p)
{
    double held = run->processor[p].held;
    const double *capacity = run->machine->capacity;
    return run->target ? held - run->target[p] : capacity ? held / capacity[p] : held;
}

// Whether p is in an operation of its own that it has not withdrawn.
static inline bool async_invokes(const struct async_processor *processor)
{
    return processor->phase != ASYNC_PHASE_IDLE && !processor->withdrawn;
}

// Notes a violation of the protocol by processor p, or towards it, over the link at this port.
__attribute__((cold)) void async_violate_at(struct async_run *run, uint32_t p, uint32_t port, const char *what);

// Sends load: no more than is there, and than the link carries. Returns what is sent.
double async_give(struct async_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag);

// Takes in load that came over the port.
void async_credit(struct async_run *run, uint32_t p, uint32_t port, double amount);

// Notes that processor p has entered another operation.
void async_enter(struct async_worker *worker, uint32_t p, struct async_entry *entry);

// Notes, where somebody wants to know, that p is let go by the operation of the neighbour at this port, and whether it
// has had a part in it.
void async_note_let_go(struct async_worker *worker, uint32_t p, uint32_t port, bool part);

// Logs the part that p has had in an operation since `entry`: at this port in the neighbour's, its engagement there of
// this number; UINT32_MAX: in its own, with so many members.
void async_log_part(struct async_worker *worker, uint32_t p, const struct async_entry *entry, uint32_t port,
                    uint32_t number);

// Whether the ticket of this age of processor p goes before the other's: refused more often, or as often and lower.
bool async_older(unsigned age, uint32_t p, unsigned than_age, uint32_t than);

// Whether p has promised itself to an older ticket than the one of this age at the port; UINT32_MAX: its own.
bool async_promised_before(const struct async_worker *worker, uint32_t p, uint32_t port, unsigned age);

// Whether a link of p can be used.
bool async_linked(const struct async_worker *worker, uint32_t p);

// For what p waits.
enum ek_waiting async_waits(const struct async_run *run, uint32_t p);

#endif
