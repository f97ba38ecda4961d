// SPDX-License-Identifier: MIT
// Delay lines: messages that a port's owner has taken from its mailbox and that are not due yet. A line belongs to the
// receiving port; nobody but its owner touches it.
//
// An announcement made in step t is heard from step t + tau on: the latest that is due stands until the next is. A
// parcel sent in step t comes in at step t + max(tau, 1): all that are due add. What was sent first comes first, also
// where delays are drawn: who is due earlier waits in its queue.
#ifndef THREADS_MAIL_DELAY_LINE_H
#define THREADS_MAIL_DELAY_LINE_H

#include "core/links/link.h"
#include "base/arena.h"

struct mail_delayed {
    uint64_t due; // step
    double amount;
};

// A bounded queue for each port; places are used in turn.
struct mail_delay_queue {
    uint32_t first, count;
};

struct mail_delay_lines {
    const struct ek_link_model *links; // NULL: there are no delays
    uint64_t seed;
    uint32_t depth;                 // places in each queue
    double *heard;                  // by port: the announcement that is due
    struct mail_delayed *announced; // [ports * depth]
    struct mail_delayed *parcels;   // [ports * depth]
    struct mail_delay_queue *announced_queue, *parcel_queue;
};

// Plans the memory of the lines of so many ports, in the run with this seed.
void mail_delay_lines_plan(struct mail_delay_lines *lines, const struct ek_link_model *links, uint64_t seed,
                           uint32_t ports, struct base_arena *memory);

// An announcement that was made in step `now`, and what is heard at `now`.
void mail_delay_hear(struct mail_delay_lines *lines, uint32_t port, uint64_t now, double announced);

// A parcel that was sent in step `sent`, and the load that comes in at step `sent` + 1.
double mail_delay_take(struct mail_delay_lines *lines, uint32_t port, uint64_t sent, double amount);

// The link of this port fails: what was announced on it is forgotten, so that NAN is heard until something that is said
// later is due, and its parcels leave the line. Returns their load, and adds how many they were to `parcels`.
double mail_delay_cut(struct mail_delay_lines *lines, uint32_t port, uint64_t *parcels);

// Adds the load in the lines of the ports from..to-1 to a sum, and to `lost` what rounding takes from it.
void mail_delay_add_in_flight(const struct mail_delay_lines *lines, uint32_t from, uint32_t to, double *sum,
                              double *lost);

// The load in all lines.
double mail_delay_in_flight(const struct mail_delay_lines *lines, uint32_t ports);

#endif
