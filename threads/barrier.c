// SPDX-License-Identifier: MIT
// Barriers: one arrival scheme, three ways to wait, and pthread's for comparison (bench/README.md has the
// measurements).
#define _GNU_SOURCE
#include "threads/barrier.h"

#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <urcu/arch.h>

// Waiting is bounded by time, not by a count: with 16,384 threads on two cores one honest round takes some 30 ms.
static const uint64_t SPIN_NS = 20 * 1000;
static const uint64_t YIELD_NS = 500 * 1000 * 1000;

// A group's own cache lines: its members poll `generation`, nobody else touches `arrived`.
struct group {
    _Alignas(128) atomic_uint arrived;
    unsigned members;
    _Alignas(128) atomic_uint generation;
    atomic_uint sleepers;
};

struct ek_barrier {
    enum ek_barrier_kind kind;
    unsigned members;
    unsigned groups;
    pthread_barrier_t native;
    _Alignas(128) atomic_uint groups_arrived;
    struct group group[];
};

// In the order of enum ek_barrier_kind.
static const struct ek_choice kinds[] = {
    {"auto", "spin where every worker has a core, else yield"},
    {"spin", "poll, for a while; then yield"},
    {"yield", "sched_yield between polls, for a while; then sleep"},
    {"sleep", "sleep on a futex at once"},
    {"pthread", "pthread_barrier_t, to compare with"},
};

const struct ek_choice *ek_barrier_choice(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

const char *ek_barrier_name(const struct ek_barrier *barrier)
{
    return kinds[barrier->kind].form;
}

static unsigned group_of(const struct ek_barrier *barrier, unsigned member)
{
    return (unsigned)((uint64_t)member * barrier->groups / barrier->members);
}

struct ek_barrier *ek_barrier_create(enum ek_barrier_kind kind, unsigned members, unsigned groups)
{
    assert(members > 0 && groups > 0);
    groups = groups < members ? groups : members;
    struct ek_barrier *barrier = aligned_alloc(128, sizeof *barrier + groups * sizeof(struct group));
    if (!barrier) {
        return NULL;
    }
    memset(barrier, 0, sizeof *barrier + groups * sizeof(struct group));
    barrier->kind = kind != EK_BARRIER_AUTO ? kind : members <= groups ? EK_BARRIER_SPIN : EK_BARRIER_YIELD;
    barrier->members = members;
    barrier->groups = groups;
    for (unsigned member = 0; member < members; member++) {
        barrier->group[group_of(barrier, member)].members++;
    }
    if (pthread_barrier_init(&barrier->native, NULL, members) != 0) {
        free(barrier);
        return NULL;
    }
    return barrier;
}

void ek_barrier_destroy(struct ek_barrier *barrier)
{
    if (barrier) {
        pthread_barrier_destroy(&barrier->native);
        free(barrier);
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Acquire: pairs with the release in `let_go`, so that a member sees what all others did before they arrived.
static bool released(struct group *group, unsigned generation)
{
    return atomic_load_explicit(&group->generation, memory_order_acquire) != generation;
}

static bool wait_spinning(struct group *group, unsigned generation)
{
    uint64_t end = 0;
    for (unsigned polls = 1;; polls++) {
        if (released(group, generation)) {
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

static bool wait_yielding(struct group *group, unsigned generation)
{
    uint64_t end = 0;
    for (unsigned polls = 1;; polls++) {
        if (released(group, generation)) {
            return true;
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

// The sleeper raises `sleepers` and then reads `generation` (in the kernel); the releaser writes `generation` and then
// reads `sleepers`. Both are sequentially consistent, so one of them sees the other: nobody sleeps on unseen.
static void wait_sleeping(struct group *group, unsigned generation)
{
    atomic_fetch_add_explicit(&group->sleepers, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&group->generation, memory_order_seq_cst) == generation) {
        syscall(SYS_futex, &group->generation, FUTEX_WAIT_PRIVATE, generation, NULL, NULL, 0);
    }
    atomic_fetch_sub_explicit(&group->sleepers, 1, memory_order_relaxed);
}

// A wake with nobody asleep costs 150 ns for nothing, hence the look at `sleepers`.
static void let_go(struct group *group)
{
    unsigned next = atomic_load_explicit(&group->generation, memory_order_relaxed) + 1;
    atomic_exchange_explicit(&group->generation, next, memory_order_seq_cst);
    if (atomic_load_explicit(&group->sleepers, memory_order_seq_cst) > 0) {
        syscall(SYS_futex, &group->generation, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    }
}

// True for the last of all members. The acq_rel additions chain every member's earlier writes to it.
static bool arrive(struct ek_barrier *barrier, struct group *group)
{
    if (atomic_fetch_add_explicit(&group->arrived, 1, memory_order_acq_rel) + 1 < group->members) {
        return false;
    }
    atomic_store_explicit(&group->arrived, 0, memory_order_relaxed); // nobody arrives again before let_go
    if (atomic_fetch_add_explicit(&barrier->groups_arrived, 1, memory_order_acq_rel) + 1 < barrier->groups) {
        return false;
    }
    atomic_store_explicit(&barrier->groups_arrived, 0, memory_order_relaxed);
    return true;
}

static void wait_native(struct ek_barrier *barrier, void (*serial)(void *context), void *context)
{
    bool chosen = pthread_barrier_wait(&barrier->native) == PTHREAD_BARRIER_SERIAL_THREAD;
    if (serial) {
        if (chosen) {
            serial(context);
        }
        pthread_barrier_wait(&barrier->native);
    }
}

void ek_barrier_wait(struct ek_barrier *barrier, unsigned member, void (*serial)(void *context), void *context)
{
    assert(member < barrier->members);
    if (barrier->kind == EK_BARRIER_PTHREAD) {
        wait_native(barrier, serial, context);
        return;
    }
    struct group *group = &barrier->group[group_of(barrier, member)];
    unsigned generation = atomic_load_explicit(&group->generation, memory_order_relaxed); // own group's: cannot move on
    if (arrive(barrier, group)) {
        if (serial) {
            serial(context);
        }
        for (unsigned g = 0; g < barrier->groups; g++) {
            let_go(&barrier->group[g]);
        }
        return;
    }
    bool done = barrier->kind == EK_BARRIER_SPIN && wait_spinning(group, generation);
    done = done || (barrier->kind != EK_BARRIER_SLEEP && wait_yielding(group, generation));
    if (!done) {
        wait_sleeping(group, generation);
    }
}
