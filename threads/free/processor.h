// SPDX-License-Identifier: MIT
// What a processor holds, gives and waits for, and the ticket for which it is reserved.
#ifndef THREADS_FREE_PROCESSOR_H
#define THREADS_FREE_PROCESSOR_H

#include "threads/free/free_state.h"
#include "base/debug.h"

// Flags of a message: a GIVE that answers a PULL; a RELEASE from an operation in which the member had no part.
enum { FREE_FLAG_ANSWER = 1, FREE_FLAG_NO_PART = 1 };

static inline uint32_t free_degree(const struct free_run *run, uint32_t p)
{
    return run->topology->first[p + 1] - run->topology->first[p];
}

// Returns the smaller of two amounts, neither of which is NAN. (fmin, which allows NAN, is a function call.)
static inline double free_least(double a, double b)
{
    return a < b ? a : b;
}

// Returns what the method compares: the load, the load for each unit of capacity, or the distance from the target.
static FREE_BY_PATH double free_level(const struct free_run *run, uint32_t p, enum free_path path)
{
    double held = run->processor[p].held;
    if (path == FREE_PATH_PLAIN) {
        return held;
    }
    const double *capacity = run->machine->capacity;
    return run->target ? held - run->target[p] : capacity ? held / capacity[p] : held;
}

// Returns whether the processor has work to come, as far as it knows.
static inline bool free_works(const struct free_run *run, const struct free_processor *processor)
{
    return free_has_tasks(run) ? processor->held > 0.0 : core_workload_continues(&run->machine->work, processor->ticks);
}

// Returns the tokens that began at p and have not left it: those that it holds, and those that it has consumed.
static inline double free_stayed(const struct free_run *run, uint32_t p)
{
    return run->processor[p].native + (run->consumed_at_home ? run->consumed_at_home[p] : 0.0);
}

// Returns whether p has its own operation and has not withdrawn it.
static inline bool free_invokes(const struct free_processor *processor)
{
    return processor->phase != FREE_PHASE_IDLE && !processor->withdrawn;
}

// Notes a violation of the protocol by processor p, or against it, over the link at this port.
__attribute__((cold)) void free_violate_at(struct free_run *run, uint32_t p, uint32_t port, const char *what);

double free_give_plain(struct free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag);
double free_give_any(struct free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag);
void free_credit_plain(struct free_worker *worker, uint32_t p, uint32_t port, double amount, bool returned);
void free_credit_any(struct free_worker *worker, uint32_t p, uint32_t port, double amount, bool returned);

// Sends `amount` of load, or less if p holds less or the link passes less. Returns the load that was sent.
static FREE_BY_PATH double free_give(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                     unsigned flag, enum free_path path)
{
    return (path == FREE_PATH_PLAIN ? free_give_plain : free_give_any)(worker, p, port, amount, flag);
}

// Adds load that came over the port. `returned`: p has sent it, and it has come back.
static FREE_BY_PATH void free_credit(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                     bool returned, enum free_path path)
{
    (path == FREE_PATH_PLAIN ? free_credit_plain : free_credit_any)(worker, p, port, amount, returned);
}

// Counts the operations in which p is now, one of which has just begun.
static inline void free_note_overlap(struct free_worker *worker, uint32_t p)
{
    const struct free_processor *processor = &worker->run->processor[p];
    uint32_t in = processor->engaged + free_invokes(processor);
    BASE_DEBUG_ASSERT(in > 0);
    worker->counts.overlap_most = in > worker->counts.overlap_most ? in : worker->counts.overlap_most;
}

// Notes the begin of a part of processor p in an operation.
static inline void free_begin_part(struct free_worker *worker, uint32_t p, struct free_part_begin *entry)
{
    struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    *entry =
        (struct free_part_begin){.moment = watch_part_log_moment(&run->parts, worker->index), .held = processor->held};
}

// Reports to the witnesses that the neighbour at this port has released p from its operation, and whether p took part
// in it.
void free_note_release(struct free_worker *worker, uint32_t p, uint32_t port, bool took_part);

// Logs the part of p in an operation since `entry`. In the operation of the neighbour at `port`, `number` is the number
// of its engagement there. With port WATCH_PART_OWN it is p's own operation, with `number` members. With
// WATCH_PART_OPEN it has not ended.
static inline void free_log_part(struct free_worker *worker, uint32_t p, const struct free_part_begin *entry,
                                 uint32_t port, uint32_t number)
{
    struct free_run *run = worker->run;
    watch_part_log_add(&run->parts, worker->index,
                       &(struct watch_part){.begin = entry->moment,
                                            .end = watch_part_log_moment(&run->parts, worker->index),
                                            .before = entry->held,
                                            .after = run->processor[p].held,
                                            .processor = p,
                                            .port = port,
                                            .number = number});
}

// Returns whether the ticket of processor p, of this age, is older than another one: its age is greater, or its age is
// the same and its processor's number lower.
bool free_older(unsigned age, uint32_t p, unsigned than_age, uint32_t than);

// Returns whether p is reserved for a ticket that is older than the ticket, of this age, of the neighbour at the port.
// With port UINT32_MAX, p's own ticket is compared.
bool free_is_reserved_before(const struct free_worker *worker, uint32_t p, uint32_t port, unsigned age);

// Returns whether any link of p can be used.
bool free_has_link(const struct free_worker *worker, uint32_t p);

// Returns what p waits for.
enum ek_waiting free_waiting_for(const struct free_worker *worker, uint32_t p);

#endif
