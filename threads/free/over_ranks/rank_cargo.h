// SPDX-License-Identifier: MIT
// What messages between ranks carry apart from their number: tasks and best values (threads/cargo/under_way.h), objects
// or letters. When messages have been exchanged, this follows: first its length, unless the messages say it. For an
// exchange, the carrier of the messages
//
//   1. begins;
//   2. lets the messages to each peer leave, and counts those from it, in their order;
//   3. exchanges;
//   4. lets all messages from all peers enter, in their order.
#ifndef THREADS_FREE_OVER_RANKS_RANK_CARGO_H
#define THREADS_FREE_OVER_RANKS_RANK_CARGO_H

#include "threads/free/over_ranks/rank_link.h"

void free_rank_cargo_begin(struct free_rank_link *link);

// `k` is the number of the peer in the exchange, and `port` the sender's.
void free_rank_cargo_leave(struct free_rank_link *link, size_t k, uint32_t port, const struct mail_message *message);
void free_rank_cargo_expect(struct free_rank_link *link, size_t k, const struct mail_message *message);

// Returns whether all ranks answer, and there was memory.
bool free_rank_cargo_exchange(struct free_rank_link *link, const struct ek_rank_peer *peer, size_t peers);

void free_rank_cargo_enter(struct free_rank_link *link, uint32_t port, const struct mail_message *message);

#endif
