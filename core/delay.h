// SPDX-License-Identifier: MIT
// Delays. In rounds in steps: how old an announcement is when it is read, and how much later than the next step a
// parcel arrives. In free timing by the clock: how long a message is under way at least.
#ifndef EK_DELAY_H
#define EK_DELAY_H

#include "core/load.h"

enum ek_delay_kind { EK_DELAY_NONE, EK_DELAY_FIXED, EK_DELAY_UNIFORM, EK_DELAY_EXPONENTIAL, EK_DELAY_FILE };

enum { EK_DELAY_STEPS_MAX = 4096 };

struct ek_delay {
    enum ek_delay_kind kind;
    bool by_clock;      // in nanoseconds; else in steps
    uint64_t low, high; // fixed, uniform: the range, both included; of every kind no delay is above `high`
    double mean;        // exponential
    uint64_t *by_port;  // file: of the port's link
};

// Parses none, fixed:T, uniform:A:B, exponential:MEAN or file:PATH (`i j T` for each link once, both ways). `by_clock`:
// delays are times of at most 10 s, as in fixed:20us; else whole steps, as in fixed:3. Release with ek_delay_release.
bool ek_delay_parse(struct ek_delay *delay, const char *spec, const struct ek_topology *topology, bool by_clock,
                    struct ek_reader reader, struct ek_error *error);
void ek_delay_release(struct ek_delay *delay);

// The delay of what is sent at step `step` over the port's link in one direction, in the run with this seed. Depends on
// nothing else.
uint32_t ek_delay_at(const struct ek_delay *delay, uint64_t seed, uint32_t port, uint64_t step);

// By the clock: the delay in nanoseconds of message `message` (from 0) over the port's link in one direction, in the
// run with this seed. Depends on nothing else.
uint64_t ek_delay_ns(const struct ek_delay *delay, uint64_t seed, uint32_t port, uint64_t message);

// The longest delay that ek_delay_at can answer.
uint32_t ek_delay_max(const struct ek_delay *delay);

// A delay as `list` shows it, or NULL past the last.
const struct ek_choice *ek_delay_choice(size_t index);

#endif
