// SPDX-License-Identifier: MIT
// Delays. In rounds and turns a delay counts steps: the age of an announcement when it is read, and the time by which a
// parcel arrives later than in the next step. In free timing it is the least time that a message is in flight.
#ifndef CORE_LINKS_DELAY_H
#define CORE_LINKS_DELAY_H

#include "core/axes/load.h"

enum core_delay_kind { CORE_DELAY_NONE, CORE_DELAY_FIXED, CORE_DELAY_UNIFORM, CORE_DELAY_EXPONENTIAL, CORE_DELAY_FILE };

enum { CORE_DELAY_STEPS_MAX = 4096 };

struct core_delay {
    enum core_delay_kind kind;
    bool by_clock;      // in nanoseconds; else in steps
    uint64_t low, high; // the least and the largest possible delay
    double mean;        // exponential
    uint64_t *by_port;  // file: the delay of the port's link, in the direction that core_link_arrives means by the port
};

// Parses none, fixed:T, uniform:A:B, exponential:MEAN or file:PATH (`i j T` for each link once, both ways, or `i j T B`
// with the delay B from j to i). If `by_clock` is set, delays are times of at most 10 s, as in fixed:20us. Otherwise
// they are whole steps, as in fixed:3. Errors name this axis. Release with core_delay_destroy.
bool core_delay_parse(struct core_delay *delay, const char *axis, const char *spec, const struct ek_topology *topology,
                      bool by_clock, struct ek_reader reader, struct ek_error *error);
void core_delay_destroy(struct core_delay *delay);

// Returns the delay of this time, in nanoseconds, on every link.
static inline struct core_delay core_delay_fixed(uint64_t time_ns)
{
    return (struct core_delay){.kind = CORE_DELAY_FIXED, .by_clock = true, .low = time_ns, .high = time_ns};
}

// Returns the delay of message `number` over the port's link in one direction, in steps or nanoseconds. The drawn kinds
// draw it from the seed of the run, the port and the number alone. It is at most delay->high.
uint64_t core_delay_at(const struct core_delay *delay, uint64_t seed, uint32_t port, uint64_t number);

// Returns a delay as a list shows it, or NULL past the last.
const struct ek_choice *core_delay_choice(size_t index);

#endif
