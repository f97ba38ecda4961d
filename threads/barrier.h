// SPDX-License-Identifier: MIT
// The barrier between the phases of a round. Members arrive by group (one per core, when threads are pinned), so that
// the counting stays within a core; the last of all may run a serial section before anybody goes on.
//
//   call                  who                  at the same time
//   ek_barrier_create     the owner            nothing else
//   ek_barrier_wait       who was let go, once each other: yes; a member with itself: no
//   ek_barrier_call       the serial section   nothing else: there is one
//   ek_barrier_destroy    the owner            nothing else, no member inside
//
// A serial section may call single members: then only they go on, and only they are expected the next time. The others
// stay where they are, until they are called or all are let go.
//
// What a member did before ek_barrier_wait happens before the serial section, and that before what any member does
// after.
#ifndef EK_BARRIER_H
#define EK_BARRIER_H

#include "core/load.h"
#include "threads/run.h"

enum ek_barrier_kind {
    EK_BARRIER_AUTO,   // spin where every member has a core, else yield
    EK_BARRIER_SPIN,   // poll, for a while; then yield
    EK_BARRIER_YIELD,  // sched_yield between polls, for a while; then sleep
    EK_BARRIER_SLEEP,  // sleep on a futex at once
    EK_BARRIER_PTHREAD // pthread_barrier_t, to compare with
};

struct ek_barrier;

// A barrier for `members` in `groups`: member m belongs to the group m * groups / members. NULL when there is no
// memory.
struct ek_barrier *ek_barrier_create(enum ek_barrier_kind kind, unsigned members, unsigned groups);
void ek_barrier_destroy(struct ek_barrier *barrier);

// Waits for all who are expected. `serial`, if not NULL, is run by one of them when all have arrived; either all
// members of a round pass one or none does.
void ek_barrier_wait(struct ek_barrier *barrier, unsigned member, void (*serial)(void *context), void *context);

// Whether members can be called: where they yield or sleep. Who spins, as where each has a core, gains nothing by it.
bool ek_barrier_can_call(const struct ek_barrier *barrier);

// In a serial section: when it ends only these `count` > 0 members go on. The array must stay as it is until the next.
void ek_barrier_call(struct ek_barrier *barrier, const uint32_t *members, unsigned count);

const char *ek_barrier_name(const struct ek_barrier *barrier);

// A kind as `list` shows it, in the order of enum ek_barrier_kind; NULL past the last.
const struct ek_choice *ek_barrier_choice(size_t index);

#endif
