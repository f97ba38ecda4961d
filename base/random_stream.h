// SPDX-License-Identifier: MIT
// A stream of random numbers as a value. base/random.h draws from it, and takes long to compile.
#ifndef BASE_RANDOM_STREAM_H
#define BASE_RANDOM_STREAM_H

#include <stdint.h>

// The purpose of a stream of random numbers. Two purposes never share numbers.
enum base_stream {
    BASE_STREAM_LINKS,
    BASE_STREAM_LOAD,
    BASE_STREAM_MATCHING,
    BASE_STREAM_CAPACITY,
    BASE_STREAM_WORK,
    BASE_STREAM_INVOKE,
    BASE_STREAM_DELAY,
    BASE_STREAM_TURNS,
    BASE_STREAM_NEIGHBOURS,
    BASE_STREAM_FAULT,
    BASE_STREAM_SPHERES,
    BASE_STREAM_PAUSE,
    BASE_STREAM_PERTURB,
    BASE_STREAM_SCHEDULE,
    BASE_STREAM_TORTURE,
    BASE_STREAM_CHECK,
    BASE_STREAM_TURN_COSTS,
    BASE_STREAM_WIRE_COSTS,
    BASE_STREAM_ROUNDING,
    BASE_STREAM_TASKS,
    BASE_STREAM_LETTERS,
    BASE_STREAM_OBJECTS,
    BASE_STREAM_PEERS
};

struct base_random {
    uint64_t key[2], counter[2];
};

#endif
