// SPDX-License-Identifier: MIT
// Doorbell of a worker that may fall asleep. A put rings only a sleeper, and no ring is missed: the ringer rings after
// its put, the sleeper lies down before its last look. Both do so by a read-modify-write of one flag, and those have
// one order: either the ringer's comes second and finds the sleeper lying, or the sleeper's comes second, synchronises
// with the ringer's (acquire with release) and its last look finds what was put. A store and a load would not do: they
// may pass each other, on x86 too.
//
// Its model is tests/models/bell.cpp, which does not cover sleeps with a limit, nor what the kernel does.
#ifndef THREADS_MAIL_BELL_H
#define THREADS_MAIL_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mail_bell {
    atomic_uint lying; // 1: asleep, or about to be
};

// Whether somebody was lying there: then it is woken.
bool mail_bell_ring(struct mail_bell *bell);

// Lie down, look once more, then sleep until a ring or for so long (UINT64_MAX: no limit), or rise at once.
void mail_bell_lie_down(struct mail_bell *bell);
void mail_bell_sleep(struct mail_bell *bell, uint64_t nanoseconds);
bool mail_bell_rise(struct mail_bell *bell); // whether it was rung

#endif
