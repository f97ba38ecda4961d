// SPDX-License-Identifier: MIT
// The barrier between the phases of a round.
//
// Terms. The *members* are the threads that meet at the barrier. A *group* is a set of successive members, one group
// for each core if threads are pinned. The *serial section* is a function that the last member to arrive runs for all,
// while the others wait. Members are *expected* if the barrier opens only after they have arrived: all of them, or
// those that the last serial section has called.
//
//   call               caller                                concurrent with
//   plan, begin, end   the owner of the run                  nothing; no member is inside
//   wait               a member                              wait of other members
//   call               the serial section                    nothing
//
// Algorithm of mail_barrier_wait:
//
//   1. The member reads the counters that it will poll, and counts itself in `arrived` of its group.
//   2. The last expected member of a group counts the group in `groups_arrived`. So members on different cores share
//      only this counter, and each group writes it once.
//   3. The last expected member of the last expected group runs the serial section.
//   4. If the section called nobody, this member increments `generation` of every group, which releases all members,
//      and goes on. Otherwise it increments `called` of the members that were called, then `calls` of every group,
//      which releases them, and rings those that sleep. Only they go on, and only they are expected the next time; the
//      others stay until they are called or all are released.
//   5. The other members spin, then yield, then sleep until they are released (the kind decides where they begin).
//
// Memory order. All that a member did before mail_barrier_wait happens before the serial section, and the serial
// section happens before what any released member does next. The acq_rel additions in step 2 chain the arrivals; the
// increments in step 4 are releases, and pair with the acquires of the polling members (`released` in barrier.c).
//
// Cost: one atomic addition for each member, one more for each group, and one cache line that each group reads again. A
// release makes no system call if no member of the group sleeps.
//
// The model tests/models/barrier.cpp has three members in two groups. It does not cover pthread_barrier_t and the
// clock.
#ifndef THREADS_MAIL_BARRIER_H
#define THREADS_MAIL_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "threads/mail/bell.h"
#include "base/common.h"

enum mail_barrier_kind {
    MAIL_BARRIER_AUTO,   // spin if every member has a core, else yield
    MAIL_BARRIER_SPIN,   // poll for a while, then yield
    MAIL_BARRIER_YIELD,  // sched_yield between polls for a while, then sleep
    MAIL_BARRIER_SLEEP,  // sleep on a futex at once
    MAIL_BARRIER_PTHREAD // pthread_barrier_t, for comparison
};

// A group. Its members poll `generation` and `calls`, so `arrived` has a cache line of its own.
struct mail_group {
    _Alignas(128) atomic_uint arrived;
    unsigned begin, members;              // members begin .. begin + members - 1 of the barrier
    unsigned expected;                    // members that must arrive before the barrier opens
    _Alignas(128) atomic_uint generation; // number of releases of all members
    atomic_uint calls;                    // number of releases of called members only
    atomic_uint sleepers;
};

struct mail_member {
    _Alignas(64) atomic_uint called; // number of releases of this member by a call
    struct mail_bell bell;
};

struct mail_barrier {
    enum mail_barrier_kind kind; // never MAIL_BARRIER_AUTO
    unsigned members;
    unsigned groups;
    unsigned groups_expected;
    bool only_some;         // only called members are expected
    const uint32_t *called; // the members that the serial section has called
    unsigned called_count;
    struct mail_member *member;
    struct mail_group *group;
    pthread_barrier_t native;
    _Alignas(128) atomic_uint groups_arrived;
};

// Plans the memory of a barrier of `members` in at most `groups` groups: member m belongs to the group m * groups /
// members. When the memory has been allocated, begin prepares the barrier; it returns false if the system refuses a
// pthread barrier. A prepared barrier must be ended.
void mail_barrier_plan(struct mail_barrier *barrier, enum mail_barrier_kind kind, unsigned members, unsigned groups,
                       struct base_arena *memory);
bool mail_barrier_begin(struct mail_barrier *barrier);
void mail_barrier_end(struct mail_barrier *barrier);

// Returns the kind itself, or for MAIL_BARRIER_AUTO the kind for so many members on so many cores.
enum mail_barrier_kind mail_barrier_chosen(enum mail_barrier_kind kind, unsigned members, unsigned cores);

// Waits for all expected members. One of them runs `serial`, unless it is NULL, when all have arrived. Either all
// expected members pass a function or none does.
void mail_barrier_wait(struct mail_barrier *barrier, unsigned member, void (*serial)(void *context), void *context);

// Returns whether members can be called: if they yield or sleep. Spinning members each have a core and gain nothing
// from being left out.
bool mail_barrier_can_call(const struct mail_barrier *barrier);

// Called in a serial section: when it ends, only these `count` > 0 members go on. The array must stay unchanged until
// the next serial section.
void mail_barrier_call(struct mail_barrier *barrier, const uint32_t *members, unsigned count);

// Returns a kind's name and description in the order of enum mail_barrier_kind, or NULL past the last.
const struct ek_choice *mail_barrier_choice(size_t index);

#endif
