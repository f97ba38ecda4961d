// SPDX-License-Identifier: MIT
// Worker threads. All stacks lie in one reservation of memory that pthread_attr_setstack divides. That needs one
// mapping in all and creates threads quickly; glibc's own stacks need two mappings for each thread. A guard page below
// each stack is kept if vm.max_map_count allows it, because each guard page splits a mapping.
//
// The start:
//
//   1. The caller blocks signals, closes the gate (locks it for writing) and creates all threads.
//   2. Each thread takes its number from `entered` and waits at the gate (locks it for reading).
//   3. The caller opens the gate. If a thread could not be created, `abandoned` makes the others end at once.
//   4. Each thread runs its function and counts itself in `finished`. The last one wakes the caller.
//
// A read-write lock releases all threads at once. The mutex of a condition variable would release them one by one, each
// behind all threads that already yield to each other.
//
// Memory order: the lock of the gate orders `abandoned` and all that the caller wrote before the start. `entered` only
// numbers the threads, so it is relaxed.
#define _GNU_SOURCE
#include "threads/host/workers.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "threads/api/prepared.h"
#include "threads/host/limits.h"
#include "base/cursor.h"
#include "base/sanitizers.h"

// The room on a stack for the stack frames of a processor's code. These frames are small. With sanitizers they are
// larger: ThreadSanitizer needs 1 MB.
#if defined(__SANITIZE_THREAD__)
static const size_t FRAMES = 1024 * 1024;
#elif defined(__SANITIZE_ADDRESS__)
static const size_t FRAMES = 256 * 1024;
#else
static const size_t FRAMES = 64 * 1024;
#endif

static const size_t USUAL_STACK = 8 << 20;

// Memory that a thread occupies: the touched part of its stack, and the kernel's share.
static const uint64_t THREAD_BYTES = 32 * 1024;

static int add_thread_local(struct dl_phdr_info *object, size_t size, void *sum)
{
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type == PT_TLS) {
            *(size_t *)sum += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
        }
    }
    return 0;
}

// Returns an upper bound of the size of the thread-local variables of the program and its libraries. glibc puts them on
// the stack.
static size_t thread_local_bytes(void)
{
    size_t sum = 0;
    dl_iterate_phdr(add_thread_local, &sum);
    return sum;
}

static size_t stack_bytes(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return FRAMES + (thread_local_bytes() + page - 1) / page * page;
}

struct team {
    const struct host_job *job;
    const struct host_places *places;
    unsigned workers;
    unsigned threads; // the workers, and the helper if there is one
    pthread_rwlock_t gate;
    bool abandoned;      // written only while the gate is closed
    atomic_uint entered; // threads that have taken a number
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned finished;
};

static bool pass_gate(struct team *team)
{
    pthread_rwlock_rdlock(&team->gate);
    bool go = !team->abandoned;
    pthread_rwlock_unlock(&team->gate);
    return go;
}

static void *thread_main(void *argument)
{
    struct team *team = argument;
    unsigned thread = atomic_fetch_add_explicit(&team->entered, 1, memory_order_relaxed); // see above
    bool go = pass_gate(team);
    if (go && thread < team->workers) {
        host_places_pin(team->places, thread, team->workers);
        team->job->body(team->job->context, thread);
    } else if (go) {
        team->job->help(team->job->context);
    }
    pthread_mutex_lock(&team->lock);
    if (++team->finished == team->threads) {
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

// Waits until all threads have finished, and calls `tick` meanwhile.
static void attend(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    while (team->finished < team->threads) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += team->job->period_ns > 0 ? (long)team->job->period_ns : 100 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&team->changed, &team->lock, &until) == ETIMEDOUT && team->job->tick) {
            pthread_mutex_unlock(&team->lock);
            team->job->tick(team->job->tick_context);
            pthread_mutex_lock(&team->lock);
        }
    }
    pthread_mutex_unlock(&team->lock);
}

static bool begin_changed(struct team *team)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool good = pthread_cond_init(&team->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return good;
}

static bool team_start(struct team *team)
{
    if (pthread_rwlock_init(&team->gate, NULL) != 0) {
        return false;
    }
    if (pthread_mutex_init(&team->lock, NULL) == 0) {
        if (begin_changed(team)) {
            return true;
        }
        pthread_mutex_destroy(&team->lock);
    }
    pthread_rwlock_destroy(&team->gate);
    return false;
}

// Writes an error with the limit that most likely prevented the creation.
static bool refuse(unsigned threads, unsigned created, struct ek_error *error)
{
    struct ek_limits limits;
    host_limits_read_threads(&limits);
    return base_fail(error, EK_BAD_INPUT, "carrier",
                     "the system gave %u of %u threads (%s allows %llu): raise this limit, use a smaller topology, or "
                     "choose carrier pool",
                     created, threads, limits.threads_bound, (unsigned long long)limits.threads_max);
}

// Returns the size of a stack.
static size_t stack_of(bool large)
{
    return stack_bytes() + (large ? USUAL_STACK : 0);
}

uint64_t host_workers_bytes(unsigned workers, bool large, bool mapped)
{
    return workers * (mapped ? stack_of(large) : THREAD_BYTES + thread_local_bytes());
}

bool host_workers_possible(unsigned workers, struct ek_error *error)
{
    struct ek_limits limits;
    host_limits_read_threads(&limits);
    return !*limits.threads_bound || workers <= limits.threads_max ||
           base_fail(error, EK_BAD_INPUT, "carrier",
                     "%u threads are needed and %s allows %llu: raise this limit, use a smaller topology, or choose "
                     "carrier pool",
                     workers, limits.threads_bound, (unsigned long long)limits.threads_max);
}

// Creates threads with adjacent stacks of `size` bytes. Each stack begins with its guard page if `guarded`.
static bool create_threads(struct team *team, char *arena, size_t size, bool guarded, pthread_t *thread,
                           unsigned *created)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    bool good = true;
    for (*created = 0; good && *created < team->threads;) {
        char *stack = arena + *created * size;
        size_t guard = guarded && mprotect(stack, page, PROT_NONE) == 0 ? page : 0;
        good = pthread_attr_setstack(&attributes, stack + guard, size - guard) == 0 &&
               pthread_create(&thread[*created], &attributes, thread_main, team) == 0;
        *created += good;
    }
    pthread_attr_destroy(&attributes);
    return good;
}

// A worker's stack is too small for many signal handlers, and its processors would stop meanwhile. Only signals that a
// thread's own fault raises stay unblocked.
void host_workers_block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigdelset(&blocked, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

static bool run_team(struct team *team, char *arena, size_t stack, pthread_t *thread, struct ek_error *error)
{
    bool guarded = 2ull * team->threads + 4096 < host_limits_maps();
    unsigned created;
    sigset_t before;
    host_workers_block_signals(&before);
    pthread_rwlock_wrlock(&team->gate);
    bool good = create_threads(team, arena, stack, guarded, thread, &created);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    team->abandoned = !good;
    pthread_rwlock_unlock(&team->gate);
    if (good) {
        attend(team);
    }
    for (unsigned i = 0; i < created; i++) {
        pthread_join(thread[i], NULL);
    }
    return good || refuse(team->threads, created, error);
}

bool host_workers_run(unsigned workers, const struct host_places *places, const struct host_job *job,
                      struct ek_error *error)
{
    struct team team = {.job = job, .places = places, .workers = workers, .threads = workers + (job->help ? 1 : 0)};
    size_t stack = stack_of(job->large_stack);
    size_t size = team.threads * stack;
    pthread_t *thread = malloc(team.threads * sizeof *thread);
    char *arena =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    bool good = false;
    if (!thread || arena == MAP_FAILED || !team_start(&team)) {
        base_fail(error, EK_BAD_INPUT, "carrier", "no memory for the stacks of %u threads: choose carrier pool",
                  team.threads);
    } else {
        good = run_team(&team, arena, stack, thread, error);
        pthread_cond_destroy(&team.changed);
        pthread_mutex_destroy(&team.lock);
        pthread_rwlock_destroy(&team.gate);
    }
    if (arena != MAP_FAILED) {
        munmap(arena, size);
    }
    free(thread);
    return good;
}
