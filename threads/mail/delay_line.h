// SPDX-License-Identifier: MIT
// Delay lines hold the messages that the owner of a port has received from its mailbox, but that are not due yet.
//
// Terms. A message is *due* at the step in which a link with delay tau delivers it. A port has two lines: one for
// announcements and one for parcels. Only the worker that owns the receiving port uses them, so they need no atomic
// operations.
//
//   1. An announcement of step t is due at step t + tau. The neighbour's load counts as the latest announcement that is
//      due, until the next one is.
//   2. A parcel of step t is due at step t + max(tau, 1). All parcels that are due are added to the load.
//   3. A line is a queue: messages leave it in the order in which they were sent, also if delays are random. A message
//      that is due earlier than the one before it waits for it.
#ifndef THREADS_MAIL_DELAY_LINE_H
#define THREADS_MAIL_DELAY_LINE_H

#include "core/links/link.h"
#include "base/arena.h"

struct mail_delayed {
    uint64_t due; // step
    double amount;
};

// A bounded queue: a ring of `depth` places for each port.
struct mail_delay_queue {
    uint32_t first, count;
};

struct mail_delay_lines {
    const struct ek_link_model *links; // NULL: no delays
    uint64_t seed;
    uint32_t depth;                 // places in each queue
    double *known;                  // by port: the latest announcement that is due; NAN: none
    struct mail_delayed *announced; // [ports * depth]
    struct mail_delayed *parcels;   // [ports * depth]
    struct mail_delay_queue *announced_queue, *parcel_queue;
};

// Plans the memory of the lines of a number of ports, in the run with this seed.
void mail_delay_lines_plan(struct mail_delay_lines *lines, const struct ek_link_model *links, uint64_t seed,
                           uint32_t ports, struct base_arena *memory);

// Puts the announcement of step `now` into the line, and updates `known` with the announcements that are due at `now`.
void mail_delay_announcement(struct mail_delay_lines *lines, uint32_t port, uint64_t now, double announced);

// Puts a parcel of step `sent` into the line (none if `amount` is 0), and returns the load that is due at step `sent` +
// 1.
double mail_delay_parcel(struct mail_delay_lines *lines, uint32_t port, uint64_t sent, double amount);

// Empties the lines of a port whose link fails. `known` becomes NAN until a later announcement is due. Returns the load
// of the parcels, and adds their number to `parcels`.
double mail_delay_cut(struct mail_delay_lines *lines, uint32_t port, uint64_t *parcels);

// Adds the load in the lines of the ports from..to-1 to `*sum`, and the rounding error of these additions to `*lost`.
void mail_delay_add_in_flight(const struct mail_delay_lines *lines, uint32_t from, uint32_t to, double *sum,
                              double *lost);

// Returns the load in all lines.
double mail_delay_in_flight(const struct mail_delay_lines *lines, uint32_t ports);

#endif
