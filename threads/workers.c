// SPDX-License-Identifier: MIT
// Worker threads. One reserved arena with pthread_attr_setstack takes one mapping in all where glibc's own stacks take
// two each, and creates a thread in 11 us instead of 20 to 70. A guard page per stack is kept while vm.max_map_count
// allows.
#define _GNU_SOURCE
#include "threads/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "threads/limits.h"
#include "topologies/scan.h"

// A processor's frames are small. The sanitizers' are not: ThreadSanitizer needs 1 MB.
#if defined(__SANITIZE_THREAD__)
static const size_t STACK = 1024 * 1024;
#elif defined(__SANITIZE_ADDRESS__)
static const size_t STACK = 256 * 1024;
#else
static const size_t STACK = 64 * 1024;
#endif

// What a thread was measured to take in all: touched stack, and the kernel's share.
static const uint64_t THREAD_BYTES = 32 * 1024;

// Threads wait at the gate until all exist; `abandoned` sends them home.
struct team {
    const struct machine_work *work;
    const struct machine_places *places;
    unsigned workers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    bool abandoned;
    unsigned finished;
    unsigned entered; // gives each thread its number
};

static bool pass_gate(struct team *team, unsigned *worker)
{
    pthread_mutex_lock(&team->lock);
    *worker = team->entered++;
    while (!team->open) {
        pthread_cond_wait(&team->changed, &team->lock);
    }
    bool go = !team->abandoned;
    pthread_mutex_unlock(&team->lock);
    return go;
}

static void *thread_main(void *argument)
{
    struct team *team = argument;
    unsigned worker;
    if (pass_gate(team, &worker)) {
        machine_places_pin(team->places, worker, team->workers);
        team->work->body(team->work->context, worker);
    }
    pthread_mutex_lock(&team->lock);
    if (++team->finished == team->workers) {
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static void open_gate(struct team *team, bool abandoned)
{
    pthread_mutex_lock(&team->lock);
    team->abandoned = abandoned;
    team->open = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

// Waits for the end and ticks meanwhile.
static void attend(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    while (team->finished < team->workers) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += team->work->period_ns > 0 ? (long)team->work->period_ns : 100 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&team->changed, &team->lock, &until) == ETIMEDOUT && team->work->tick) {
            pthread_mutex_unlock(&team->lock);
            team->work->tick(team->work->tick_context);
            pthread_mutex_lock(&team->lock);
        }
    }
    pthread_mutex_unlock(&team->lock);
}

static bool team_start(struct team *team)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool good = pthread_mutex_init(&team->lock, NULL) == 0 && pthread_cond_init(&team->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return good;
}

// The limit that most likely refused, for the user.
static bool refuse(unsigned workers, unsigned created, struct ek_error *error)
{
    struct ek_limits limits;
    machine_limits_read_system(&limits);
    return topo_fail(
        error, EK_BAD_INPUT, "carrier", -1,
        "the system gave %u of %u threads (%s allows %llu): raise it, use a smaller topology, or --carrier pool",
        created, workers, limits.threads_bound, (unsigned long long)limits.threads_max);
}

bool machine_workers_possible(unsigned workers, struct ek_error *error)
{
    struct ek_limits limits;
    machine_limits_read_system(&limits);
    if (limits.threads_max > 0 && workers > limits.threads_max) {
        return topo_fail(
            error, EK_BAD_INPUT, "carrier", -1,
            "%u threads are needed and %s allows %llu: raise it, use a smaller topology, or --carrier pool", workers,
            limits.threads_bound, (unsigned long long)limits.threads_max);
    }
    if (limits.memory_free > 0 && workers * THREAD_BYTES > limits.memory_free) {
        return topo_fail(
            error, EK_BAD_INPUT, "carrier", -1,
            "%u threads take some %llu MB and %llu MB of memory are free: use a smaller topology, or --carrier pool",
            workers, (unsigned long long)(workers * THREAD_BYTES >> 20),
            (unsigned long long)(limits.memory_free >> 20));
    }
    return true;
}

// Stacks side by side; each begins with its guard page where `guarded`.
static bool create_threads(struct team *team, char *arena, bool guarded, pthread_t *thread, unsigned *created)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    bool good = true;
    for (*created = 0; good && *created < team->workers;) {
        char *stack = arena + *created * STACK;
        size_t guard = guarded && mprotect(stack, page, PROT_NONE) == 0 ? page : 0;
        good = pthread_attr_setstack(&attributes, stack + guard, STACK - guard) == 0 &&
               pthread_create(&thread[*created], &attributes, thread_main, team) == 0;
        *created += good;
    }
    pthread_attr_destroy(&attributes);
    return good;
}

static bool run_team(struct team *team, char *arena, pthread_t *thread, struct ek_error *error)
{
    struct ek_limits limits;
    machine_limits_read_system(&limits);
    bool guarded = 2ull * team->workers + 4096 < limits.maps_max;
    unsigned created;
    bool good = create_threads(team, arena, guarded, thread, &created);
    open_gate(team, !good);
    if (good) {
        attend(team);
    }
    for (unsigned i = 0; i < created; i++) {
        pthread_join(thread[i], NULL);
    }
    return good || refuse(team->workers, created, error);
}

bool machine_workers_run(unsigned workers, const struct machine_places *places, const struct machine_work *work,
                         struct ek_error *error)
{
    struct team team = {.work = work, .places = places, .workers = workers};
    size_t size = (size_t)workers * STACK;
    pthread_t *thread = malloc(workers * sizeof *thread);
    char *arena =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    bool good = false;
    if (!thread || arena == MAP_FAILED || !team_start(&team)) {
        topo_fail(error, EK_BAD_INPUT, "carrier", -1, "no memory for the stacks of %u threads: use --carrier pool",
                  workers);
    } else {
        good = run_team(&team, arena, thread, error);
        pthread_cond_destroy(&team.changed);
        pthread_mutex_destroy(&team.lock);
    }
    if (arena != MAP_FAILED) {
        munmap(arena, size);
    }
    free(thread);
    return good;
}
