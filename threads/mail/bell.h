// SPDX-License-Identifier: MIT
// A bell wakes a thread that sleeps.
//
// Terms. The *sleeper* is the one thread that may sleep on this bell. A *ringer* is any thread that has put something
// where the sleeper looks for it. The flag `lying` is 1 while the sleeper is asleep or about to sleep.
//
//   1. The sleeper lies down: it exchanges `lying` to 1.
//   2. It looks for work once more. If it finds some, it rises: it exchanges `lying` to 0, and goes on.
//   3. Otherwise it sleeps on a futex until `lying` is no longer 1, or a time limit has passed.
//   4. A ringer puts its work and then exchanges `lying` to 0. If the flag was 1, it wakes the sleeper.
//
// No ring is missed. All writes of the flag are read-modify-writes with acquire and release, so they have one order. If
// the ringer's exchange comes after the sleeper's, the ringer reads 1 and wakes it. If it comes before, the sleeper's
// exchange acquires the ringer's release, and the look of step 2 finds the work. A store followed by a load would not
// suffice: the processor may reorder them, also on x86.
//
// Cost: one read-modify-write for each ring; a system call only if the sleeper is lying.
//
// The model tests/models/bell.cpp does not cover time limits and the kernel.
#ifndef THREADS_MAIL_BELL_H
#define THREADS_MAIL_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mail_bell {
    atomic_uint lying; // 1: asleep or about to sleep
};

// Rings: returns whether the sleeper was lying; then it is woken. Never blocks.
bool mail_bell_ring(struct mail_bell *bell);

// The steps of the sleeper, as above. The time limit is in ns; UINT64_MAX is no limit.
void mail_bell_lie_down(struct mail_bell *bell);
void mail_bell_sleep(struct mail_bell *bell, uint64_t nanoseconds);
bool mail_bell_rise(struct mail_bell *bell); // returns whether it was rung

#endif
