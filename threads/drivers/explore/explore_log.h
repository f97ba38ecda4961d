// SPDX-License-Identifier: MIT
// The log of a schedule: all turns, messages and events, and the loads at the end, as bytes that are the same on every
// computer.
#ifndef THREADS_DRIVERS_EXPLORE_EXPLORE_LOG_H
#define THREADS_DRIVERS_EXPLORE_EXPLORE_LOG_H

#include "threads/drivers/explore/steps.h"

void explore_log_turn(struct ek_explore *explore, uint32_t p);
void explore_log_message(struct ek_explore *explore, enum ek_event_kind kind, uint32_t port,
                         const struct mail_message *message);
void explore_log_event(struct ek_explore *explore, const struct ek_event *event);

// Logs the loads at the end of the schedule, and writes what the log still buffers.
void explore_log_end(struct ek_explore *explore);

#endif
