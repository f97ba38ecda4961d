// SPDX-License-Identifier: MIT
// What this machine allows, a number a call:
//   limits triad THREADS BYTES MILLISECONDS   bytes a second of a[i] = b[i] + s * c[i], over so many bytes in all
//   limits yield THREADS MILLISECONDS         times a second that a thread gives way to the next on its core
//   limits line MILLISECONDS                  seconds for a cache line to another core and back
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "torus.h"

static unsigned threads;
static double limit_s;
static pthread_barrier_t barrier;

struct worker {
    pthread_t thread;
    unsigned index;
    size_t elements; // of each array
    double done, seconds;
};

// Workers lie in blocks on the cores, as evenkeel's do.
static void pin(unsigned index)
{
    cpu_set_t allowed, own;
    sched_getaffinity(0, sizeof allowed, &allowed);
    unsigned nth = index * (unsigned)CPU_COUNT(&allowed) / threads;
    int core = 0;
    while (!CPU_ISSET(core, &allowed) || nth-- > 0) {
        core++;
    }
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    sched_setaffinity(0, sizeof own, &own);
}

static void *triad(void *argument)
{
    struct worker *worker = argument;
    size_t count = worker->elements;
    pin(worker->index);
    double *a = torus_memory(count, sizeof *a), *b = torus_memory(count, sizeof *b),
           *c = torus_memory(count, sizeof *c);
    for (size_t i = 0; i < count; i++) {
        a[i] = b[i] = c[i] = 1.0;
    }
    size_t passes = 1 + (1 << 20) / (3 * sizeof *a * count); // between two looks at the clock
    pthread_barrier_wait(&barrier);
    double began = torus_seconds();
    do {
        for (size_t pass = 0; pass < passes; pass++) {
            for (size_t i = 0; i < count; i++) {
                a[i] = b[i] + ALPHA * c[i];
            }
            atomic_signal_fence(memory_order_seq_cst); // or one pass would do for all
        }
        worker->done += (double)(passes * 3 * sizeof *a * count);
        worker->seconds = torus_seconds() - began;
    } while (worker->seconds < limit_s);
    free(a);
    free(b);
    free(c);
    return NULL;
}

static void *yield(void *argument)
{
    struct worker *worker = argument;
    pin(worker->index);
    pthread_barrier_wait(&barrier);
    double began = torus_seconds();
    do {
        for (int i = 0; i < 16; i++) {
            sched_yield();
        }
        worker->done += 16.0;
        worker->seconds = torus_seconds() - began;
    } while (worker->seconds < limit_s);
    return NULL;
}

static _Alignas(128) atomic_uint_fast64_t ball; // even: the first one's turn; UINT64_MAX: over

static void *line(void *argument)
{
    struct worker *worker = argument;
    uint64_t own = worker->index;
    pin(worker->index);
    pthread_barrier_wait(&barrier);
    double began = torus_seconds();
    for (uint64_t turn = own;; turn += 2) {
        uint64_t seen;
        while ((seen = atomic_load_explicit(&ball, memory_order_acquire)) != turn) {
            if (seen == UINT64_MAX) {
                return NULL;
            }
        }
        worker->done += 1.0;
        if (own == 0 && turn % 1024 == 0 && torus_seconds() - began >= limit_s) {
            worker->seconds = torus_seconds() - began;
            atomic_store_explicit(&ball, UINT64_MAX, memory_order_release);
            return NULL;
        }
        atomic_store_explicit(&ball, turn + 1, memory_order_release);
    }
}

static struct worker *run(void *(*body)(void *), size_t bytes)
{
    struct worker *workers = torus_memory(threads, sizeof *workers);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (struct worker){.index = i, .elements = bytes / threads / 3 / sizeof(double)};
        if (pthread_create(&workers[i].thread, &small, body, &workers[i]) != 0) {
            torus_give_up("the system gives no more threads");
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    return workers;
}

static double rate(const struct worker *workers)
{
    double sum = 0.0;
    for (unsigned i = 0; i < threads; i++) {
        sum += workers[i].done / workers[i].seconds;
    }
    return sum;
}

int main(int argc, char **argv)
{
    limit_s = argc > 2 ? 1e-3 * atof(argv[argc - 1]) : 0.0;
    if (argc == 5 && strcmp(argv[1], "triad") == 0) {
        threads = (unsigned)atoi(argv[2]);
        printf("%.6g\n", rate(run(triad, strtoull(argv[3], NULL, 10))));
    } else if (argc == 4 && strcmp(argv[1], "yield") == 0) {
        threads = (unsigned)atoi(argv[2]);
        printf("%.6g\n", rate(run(yield, 0)));
    } else if (argc == 3 && strcmp(argv[1], "line") == 0) {
        threads = 2;
        const struct worker *first = run(line, 0);
        printf("%.6g\n", first->seconds / first->done);
    } else {
        torus_give_up("usage: triad THREADS BYTES MILLISECONDS, yield THREADS MILLISECONDS, or line MILLISECONDS");
    }
    return 0;
}
