// SPDX-License-Identifier: MIT
// The barrier between the phases of a round. Members arrive by group (one per core, when threads are pinned), so that
// the counting stays within a core; the last of all may run a serial section before anybody goes on.
//
//   call               who                    at the same time
//   plan, begin, end   the owner of the run   nothing else, no member inside
//   wait               who was let go, once   each other: yes; a member with itself: no
//   call               the serial section     nothing else: there is one
//
// A serial section may call single members: then only they go on, and only they are expected the next time. The others
// stay where they are, until they are called or all are let go.
//
// What a member did before mail_barrier_wait happens before the serial section, and that before what any member does
// after.
//
// Its model is tests/models/barrier.cpp: three members in two groups. It does not cover pthread's, nor the clock.
#ifndef THREADS_MAIL_BARRIER_H
#define THREADS_MAIL_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "threads/mail/bell.h"
#include "threads/api/run.h"

enum mail_barrier_kind {
    MAIL_BARRIER_AUTO,   // spin where every member has a core, else yield
    MAIL_BARRIER_SPIN,   // poll, for a while; then yield
    MAIL_BARRIER_YIELD,  // sched_yield between polls, for a while; then sleep
    MAIL_BARRIER_SLEEP,  // sleep on a futex at once
    MAIL_BARRIER_PTHREAD // pthread_barrier_t, to compare with
};

// A group's own cache lines: its members poll `generation` and `calls`, nobody else touches `arrived`.
struct mail_group {
    _Alignas(128) atomic_uint arrived;
    unsigned begin, members;              // members begin .. begin + members - 1 of the barrier
    unsigned expected;                    // of them, before anybody goes on
    _Alignas(128) atomic_uint generation; // how often all were let go
    atomic_uint calls;                    // how often only some were
    atomic_uint sleepers;
};

struct mail_member {
    _Alignas(64) atomic_uint called; // how often, by itself
    struct mail_bell bell;
};

struct mail_barrier {
    enum mail_barrier_kind kind; // what was chosen
    unsigned members;
    unsigned groups;
    unsigned groups_expected;
    bool only_some;         // are expected
    const uint32_t *called; // whom the serial section has called
    unsigned called_count;
    struct mail_member *member;
    struct mail_group *group;
    pthread_barrier_t native;
    _Alignas(128) atomic_uint groups_arrived;
};

// Plans the memory of a barrier for `members` in at most `groups`: member m belongs to the group m * groups / members.
// And, when it is taken, gets it ready: false where the system refuses its own barrier. What is ready is to be ended.
void mail_barrier_plan(struct mail_barrier *barrier, enum mail_barrier_kind kind, unsigned members, unsigned groups,
                       struct base_arena *memory);
bool mail_barrier_begin(struct mail_barrier *barrier);
void mail_barrier_end(struct mail_barrier *barrier);

// What AUTO is for so many members on so many cores.
enum mail_barrier_kind mail_barrier_chosen(enum mail_barrier_kind kind, unsigned members, unsigned cores);

// Waits for all who are expected. `serial`, if not NULL, is run by one of them when all have arrived; either all
// members of a round pass one or none does.
void mail_barrier_wait(struct mail_barrier *barrier, unsigned member, void (*serial)(void *context), void *context);

// Whether members can be called: where they yield or sleep. Who spins, as where each has a core, gains nothing by it.
bool mail_barrier_can_call(const struct mail_barrier *barrier);

// In a serial section: when it ends only these `count` > 0 members go on. The array must stay as it is until the next.
void mail_barrier_call(struct mail_barrier *barrier, const uint32_t *members, unsigned count);

// A kind as `list` shows it, in the order of enum mail_barrier_kind; NULL past the last.
const struct ek_choice *mail_barrier_choice(size_t index);

#endif
