// SPDX-License-Identifier: MIT
// What the two halves of the operation protocol share: protocol.c (what a message does) and operation.c (an
// operation of a processor's own).
#ifndef ASYNC_PROTOCOL_H
#define ASYNC_PROTOCOL_H

#include "threads/async/state.h"

// Flags of a message: a GIVE in answer to a PULL; a TELL or SEEN of a member that was in another operation, too.
enum { ASYNC_FLAG_ANSWER = 1, ASYNC_FLAG_MET = 1 };

static inline uint32_t async_degree(const struct async_run *run, uint32_t p)
{
    return run->topology->first[p + 1] - run->topology->first[p];
}

// What a method compares.
static inline double async_level(const struct async_run *run, uint32_t p)
{
    double held = run->processor[p].held;
    const double *capacity = run->machine->capacity;
    return run->target ? held - run->target[p] : capacity ? held / capacity[p] : held;
}

static inline bool async_usable(const struct async_worker *worker, uint32_t port)
{
    return !worker->usable || worker->usable[port];
}

// A violation of the protocol by processor p, or towards it, over the link at this port.
void async_violate_at(struct async_run *run, uint32_t p, uint32_t port, const char *what);

// Sends load: no more than is there, and than the link carries. Returns what is sent.
double async_give(struct async_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag);

// Whether p has promised itself to an older ticket than the one of this age at the port; UINT32_MAX: its own.
bool async_promised_before(const struct async_worker *worker, uint32_t p, uint32_t port, unsigned age);

// A processor has entered another operation.
void async_enter(struct async_worker *worker, struct async_processor *processor);

// A neighbour's part in the own operation is done; a measured operation looks at what it holds now.
void async_settle_port(struct async_worker *worker, uint32_t p, uint32_t port);

// Takes the own operation on, where no answer is out any more.
void async_go_on(struct async_worker *worker, uint32_t p);

#endif
