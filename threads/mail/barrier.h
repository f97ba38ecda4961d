// SPDX-License-Identifier: MIT
// The barrier between the phases of a round. Members arrive by group (one per core, when threads are pinned), so that
// the counting stays within a core; the last of all may run a serial section before anybody goes on.
//
//   call                  who                  at the same time
//   mail_barrier_create     the owner            nothing else
//   mail_barrier_wait       who was let go, once each other: yes; a member with itself: no
//   mail_barrier_call       the serial section   nothing else: there is one
//   mail_barrier_destroy    the owner            nothing else, no member inside
//
// A serial section may call single members: then only they go on, and only they are expected the next time. The others
// stay where they are, until they are called or all are let go.
//
// What a member did before mail_barrier_wait happens before the serial section, and that before what any member does
// after.
#ifndef MAIL_BARRIER_H
#define MAIL_BARRIER_H

#include "core/load.h"
#include "threads/run.h"

enum mail_barrier_kind {
    MAIL_BARRIER_AUTO,   // spin where every member has a core, else yield
    MAIL_BARRIER_SPIN,   // poll, for a while; then yield
    MAIL_BARRIER_YIELD,  // sched_yield between polls, for a while; then sleep
    MAIL_BARRIER_SLEEP,  // sleep on a futex at once
    MAIL_BARRIER_PTHREAD // pthread_barrier_t, to compare with
};

struct mail_barrier;

// A barrier for `members` in `groups`: member m belongs to the group m * groups / members. NULL when there is no
// memory.
struct mail_barrier *mail_barrier_create(enum mail_barrier_kind kind, unsigned members, unsigned groups);
void mail_barrier_destroy(struct mail_barrier *barrier);

// Waits for all who are expected. `serial`, if not NULL, is run by one of them when all have arrived; either all
// members of a round pass one or none does.
void mail_barrier_wait(struct mail_barrier *barrier, unsigned member, void (*serial)(void *context), void *context);

// Whether members can be called: where they yield or sleep. Who spins, as where each has a core, gains nothing by it.
bool mail_barrier_can_call(const struct mail_barrier *barrier);

// In a serial section: when it ends only these `count` > 0 members go on. The array must stay as it is until the next.
void mail_barrier_call(struct mail_barrier *barrier, const uint32_t *members, unsigned count);

const char *mail_barrier_name(const struct mail_barrier *barrier);

// A kind as `list` shows it, in the order of enum mail_barrier_kind; NULL past the last.
const struct core_choice *mail_barrier_choice(size_t index);

#endif
