// SPDX-License-Identifier: MIT
// The log of a schedule.
#include "threads/drivers/explore/explore_log.h"

#include <string.h>

static void log_number(struct ek_explore *explore, uint64_t number, unsigned bytes)
{
    uint8_t *at = explore->bytes + explore->bytes_count;
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
    explore->bytes_count += bytes;
}

static void log_double(struct ek_explore *explore, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    log_number(explore, bits, sizeof bits);
}

// Writes the buffered log if it has no room for `bytes` more bytes.
static void log_room(struct ek_explore *explore, size_t bytes)
{
    if (explore->bytes_count + bytes > sizeof explore->bytes) {
        if (explore->log.write) {
            explore->log.write(explore->log.context, explore->bytes, explore->bytes_count);
        }
        explore->bytes_count = 0;
    }
}

void explore_log_turn(struct ek_explore *explore, uint32_t p)
{
    enum { BYTES = 1 + 4, TURN = 255 };
    log_room(explore, BYTES);
    log_number(explore, TURN, 1);
    log_number(explore, p, 4);
}

void explore_log_message(struct ek_explore *explore, enum ek_event_kind kind, uint32_t port,
                         const struct mail_message *message)
{
    enum { BYTES = 1 + 4 + 2 + 8 };
    log_room(explore, BYTES);
    log_number(explore, (uint64_t)kind, 1);
    log_number(explore, port, 4);
    log_number(explore, message->stamp & 0xFFFF, 2); // without the time
    log_double(explore, message->amount);
}

void explore_log_event(struct ek_explore *explore, const struct ek_event *event)
{
    enum { BYTES = 1 + 8 };
    log_room(explore, BYTES);
    log_number(explore, (uint64_t)event->kind, 1);
    log_double(explore, event->amount);
}

void explore_log_end(struct ek_explore *explore)
{
    enum { BYTES = 8 };
    for (uint32_t p = 0; p < explore->run->topology->processors; p++) {
        log_room(explore, BYTES);
        log_double(explore, explore->run->processor[p].held);
    }
    log_room(explore, sizeof explore->bytes);
}
