// SPDX-License-Identifier: MIT
// The barrier: one way to arrive, three ways to wait, and pthread's barrier for comparison (measured in
// bench/README.md).
#define _GNU_SOURCE
#include "threads/mail/barrier.h"
#include "base/debug.h"

#include <sched.h>
#include <time.h>
#include <urcu/arch.h>

// The limits are times, not numbers of polls. With thousands of threads on two cores a round takes tens of milliseconds
// if every member works.
static const uint64_t SPIN_NS = 20 * 1000;
static const uint64_t YIELD_NS = 500 * 1000 * 1000;

// In the order of enum mail_barrier_kind.
static const struct ek_choice kinds[] = {
    {"auto", "spin where every worker has a core, else yield"},
    {"spin", "poll, for a while; then yield"},
    {"yield", "sched_yield between polls, for a while; then sleep"},
    {"sleep", "sleep on a futex at once"},
    {"pthread", "pthread_barrier_t, to compare with"},
};

const struct ek_choice *mail_barrier_choice(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

static unsigned group_of(const struct mail_barrier *barrier, unsigned member)
{
    return (unsigned)((uint64_t)member * barrier->groups / barrier->members);
}

static void expect_all(struct mail_barrier *barrier)
{
    for (unsigned g = 0; g < barrier->groups; g++) {
        barrier->group[g].expected = barrier->group[g].members;
    }
    barrier->groups_expected = barrier->groups;
    barrier->only_some = false;
}

enum mail_barrier_kind mail_barrier_chosen(enum mail_barrier_kind kind, unsigned members, unsigned cores)
{
    return kind != MAIL_BARRIER_AUTO ? kind : members <= cores ? MAIL_BARRIER_SPIN : MAIL_BARRIER_YIELD;
}

void mail_barrier_plan(struct mail_barrier *barrier, enum mail_barrier_kind kind, unsigned members, unsigned groups,
                       struct base_arena *memory)
{
    assert(members > 0 && groups > 0);
    *barrier = (struct mail_barrier){.kind = mail_barrier_chosen(kind, members, groups),
                                     .members = members,
                                     .groups = groups < members ? groups : members};
    base_arena_plan_isolated(memory, &barrier->member, members, sizeof *barrier->member);
    base_arena_plan_isolated(memory, &barrier->group, barrier->groups, sizeof *barrier->group);
}

bool mail_barrier_begin(struct mail_barrier *barrier)
{
    for (unsigned m = barrier->members; m-- > 0;) {
        struct mail_group *group = &barrier->group[group_of(barrier, m)];
        group->members++;
        group->begin = m;
    }
    expect_all(barrier);
    return barrier->kind != MAIL_BARRIER_PTHREAD || pthread_barrier_init(&barrier->native, NULL, barrier->members) == 0;
}

void mail_barrier_end(struct mail_barrier *barrier)
{
    if (barrier->kind == MAIL_BARRIER_PTHREAD) {
        pthread_barrier_destroy(&barrier->native);
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// A member inside the barrier, and the counters as it read them before it arrived.
struct visit {
    struct mail_group *group;
    struct mail_member *member;
    unsigned generation, calls, called;
};

// Relaxed: these counters do not change before this member has arrived.
static struct visit visit_of(struct mail_barrier *barrier, unsigned member)
{
    struct visit visit = {.group = &barrier->group[group_of(barrier, member)], .member = &barrier->member[member]};
    visit.generation = atomic_load_explicit(&visit.group->generation, memory_order_relaxed);
    visit.calls = atomic_load_explicit(&visit.group->calls, memory_order_relaxed);
    visit.called = atomic_load_explicit(&visit.member->called, memory_order_relaxed);
    return visit;
}

// Returns whether members of the group have been called since this one arrived.
static bool some_called(const struct visit *visit)
{
    return atomic_load_explicit(&visit->group->calls, memory_order_acquire) != visit->calls; // pairs with `call`
}

// Returns whether this member has been released. The loads are acquire or stronger, and pair with the releases in
// `release_group` and `release_member`. So a released member sees what all others did before they arrived. The first
// load is sequentially consistent for a member that is about to sleep (see release_group). A member reads its own
// `called` only after a call in its group.
static bool released(const struct visit *visit)
{
    return atomic_load_explicit(&visit->group->generation, memory_order_seq_cst) != visit->generation ||
           (some_called(visit) && atomic_load_explicit(&visit->member->called, memory_order_acquire) != visit->called);
}

static bool wait_spinning(const struct visit *visit)
{
    uint64_t end = 0;
    for (unsigned polls = 1;; polls++) {
        if (released(visit)) {
            return true;
        }
        caa_cpu_relax();
        if (polls % 256 == 0) {
            uint64_t now = now_ns();
            end = end ? end : now + SPIN_NS;
            if (now >= end) {
                return false;
            }
        }
    }
}

static bool wait_yielding(const struct visit *visit)
{
    uint64_t end = 0;
    for (unsigned polls = 1;; polls++) {
        if (released(visit)) {
            return true;
        }
        if (some_called(visit)) { // if this member was not called, it should not delay those that were
            return false;
        }
        sched_yield();
        if (polls % 64 == 0) {
            uint64_t now = now_ns();
            end = end ? end : now + YIELD_NS;
            if (now >= end) {
                return false;
            }
        }
    }
}

// The bell ensures that no member sleeps through its release (threads/mail/bell.h).
static void wait_sleeping(const struct visit *visit)
{
    atomic_fetch_add_explicit(&visit->group->sleepers, 1, memory_order_seq_cst); // see release_group
    mail_bell_lie_down(&visit->member->bell);
    while (!released(visit)) {
        mail_bell_sleep(&visit->member->bell, UINT64_MAX);
        mail_bell_lie_down(&visit->member->bell);
    }
    mail_bell_rise(&visit->member->bell);
    atomic_fetch_sub_explicit(&visit->group->sleepers, 1, memory_order_relaxed);
}

// Releases all members of a group. Ringing every bell is slow, so it is skipped if `sleepers` is 0. A sleeper
// increments `sleepers` before it reads `generation`; this function writes `generation` before it reads `sleepers`. All
// four are sequentially consistent, so at least one side sees the other's write: the member finds itself released, or
// is rung.
static void release_group(struct mail_barrier *barrier, unsigned g)
{
    struct mail_group *group = &barrier->group[g];
    unsigned next = atomic_load_explicit(&group->generation, memory_order_relaxed) + 1;
    atomic_exchange_explicit(&group->generation, next, memory_order_seq_cst);
    if (atomic_load_explicit(&group->sleepers, memory_order_seq_cst) == 0) {
        return;
    }
    for (unsigned m = group->begin; m < group->begin + group->members; m++) {
        mail_bell_ring(&barrier->member[m].bell);
    }
}

static void release_member(struct mail_member *member)
{
    atomic_fetch_add_explicit(&member->called, 1, memory_order_release); // pairs with the acquire in `released`
}

// Releases the members that the serial section has called. As soon as the last of them is released, they can run the
// next phase and overwrite what this function reads. So the first of them is released last, and nothing shared is read
// after.
//
// `called` of the others is incremented before `calls` of their groups. So a member that polls and finds that some have
// been called also finds whether it is one of them: it goes on without having slept, or sleeps at once. Members that
// have work in every phase thus pass from one to the next by yielding, and the others cost nothing.
static void call(struct mail_barrier *barrier)
{
    struct mail_member *first = &barrier->member[barrier->called[0]];
    for (unsigned g = 0; g < barrier->groups; g++) {
        barrier->group[g].expected = 0;
    }
    barrier->groups_expected = 0;
    barrier->only_some = true;
    for (unsigned i = 0; i < barrier->called_count; i++) {
        barrier->groups_expected += barrier->group[group_of(barrier, barrier->called[i])].expected++ == 0;
    }
    for (unsigned i = 1; i < barrier->called_count; i++) {
        release_member(&barrier->member[barrier->called[i]]);
    }
    for (unsigned g = 0; g < barrier->groups; g++) {
        // Release: pairs with the acquire in `some_called`. A member that finds its `called` unchanged is the first, or
        // was not called. It sleeps; the first is rung.
        atomic_fetch_add_explicit(&barrier->group[g].calls, 1, memory_order_release);
    }
    for (unsigned i = 1; i < barrier->called_count; i++) {
        mail_bell_ring(
            &barrier->member[barrier->called[i]].bell); // some went on without sleeping: this ring is harmless
    }
    release_member(first);
    mail_bell_ring(&first->bell);
}

// Counts an arrival, and returns true for the last expected member. The additions are acq_rel, so the last member to
// arrive sees what every member wrote before.
static bool arrive(struct mail_barrier *barrier, struct mail_group *group)
{
    // Read before arriving: when all have arrived, these are overwritten.
    unsigned expected = group->expected;
    unsigned groups_expected = barrier->groups_expected;
    if (atomic_fetch_add_explicit(&group->arrived, 1, memory_order_acq_rel) + 1 < expected) {
        return false;
    }
    atomic_store_explicit(&group->arrived, 0, memory_order_relaxed); // no member arrives again before it is released
    if (atomic_fetch_add_explicit(&barrier->groups_arrived, 1, memory_order_acq_rel) + 1 < groups_expected) {
        return false;
    }
    atomic_store_explicit(&barrier->groups_arrived, 0, memory_order_relaxed);
    return true;
}

static void wait_native(struct mail_barrier *barrier, void (*serial)(void *context), void *context)
{
    bool chosen = pthread_barrier_wait(&barrier->native) == PTHREAD_BARRIER_SERIAL_THREAD;
    if (serial) {
        if (chosen) {
            serial(context);
        }
        pthread_barrier_wait(&barrier->native);
    }
}

bool mail_barrier_can_call(const struct mail_barrier *barrier)
{
    return barrier->kind == MAIL_BARRIER_YIELD || barrier->kind == MAIL_BARRIER_SLEEP;
}

void mail_barrier_call(struct mail_barrier *barrier, const uint32_t *members, unsigned count)
{
    assert(mail_barrier_can_call(barrier) && count > 0 && count <= barrier->members);
    barrier->called = members;
    barrier->called_count = count;
}

// Runs the serial section and releases members, as the last one to arrive. Returns whether this member goes on too.
static bool finish(struct mail_barrier *barrier, void (*serial)(void *context), void *context)
{
    barrier->called_count = 0;
    if (serial) {
        serial(context);
    }
    if (barrier->called_count > 0) {
        call(barrier);
        return false;
    }
    if (barrier->only_some) {
        expect_all(barrier);
    }
    for (unsigned g = 0; g < barrier->groups; g++) {
        release_group(barrier, g);
    }
    return true;
}

void mail_barrier_wait(struct mail_barrier *barrier, unsigned member, void (*serial)(void *context), void *context)
{
    BASE_DEBUG_ASSERT(member < barrier->members);
    if (barrier->kind == MAIL_BARRIER_PTHREAD) {
        wait_native(barrier, serial, context);
        return;
    }
    struct visit visit = visit_of(barrier, member);
    if (arrive(barrier, visit.group) && finish(barrier, serial, context)) {
        return;
    }
    bool done = barrier->kind == MAIL_BARRIER_SPIN && wait_spinning(&visit);
    done = done || (barrier->kind != MAIL_BARRIER_SLEEP && wait_yielding(&visit));
    if (!done) {
        wait_sleeping(&visit);
    }
}
