// SPDX-License-Identifier: MIT
#include "lab/studies/host_limits.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab/record/clock.h"
#include "threads/api/prepared.h"

enum { THREADS_MAX = 512, BATCH = 64, LINE = 128, BLOCK_BYTES = 64 << 20 };

const char *const lab_host_limit_names[LAB_HOST_LIMITS] = {[LAB_HOST_YIELDS] = "yields_per_s",
                                                           [LAB_HOST_TRANSFER] = "line_transfer_s",
                                                           [LAB_HOST_MEMORY] = "memory_bytes_per_s"};

static double now_s(void)
{
    return 1e-9 * (double)lab_clock_ns();
}

struct yielding {
    double until_s;
    atomic_uint_fast64_t yields;
};

static void *give_way(void *context)
{
    struct yielding *yielding = context;
    uint64_t yields = 0;
    do { // at least once, even if the thread starts late
        for (int i = 0; i < BATCH; i++) {
            sched_yield();
        }
        yields += BATCH;
    } while (now_s() < yielding->until_s);
    atomic_fetch_add_explicit(&yielding->yields, yields, memory_order_relaxed); // read after all joined
    return NULL;
}

static double measure_yields(unsigned cores, double seconds)
{
    pthread_t thread[THREADS_MAX];
    unsigned wanted = cores < THREADS_MAX / 2 ? 2 * cores : THREADS_MAX;
    unsigned started = 0;
    double began = now_s();
    struct yielding yielding = {.until_s = began + seconds};
    while (started < wanted && pthread_create(&thread[started], NULL, give_way, &yielding) == 0) {
        started++;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
    return started == wanted ? (double)yielding.yields / (now_s() - began) : NAN;
}

// Two threads write `turn` alternately: one writes odd numbers, the other even ones.
struct passing {
    _Alignas(LINE) atomic_uint_fast64_t turn;
    _Alignas(LINE) double until_s;
};

// Waits until the turn is `wanted`. Returns false when the time is up, since the other thread may not run if both share
// a core.
static bool wait_for(struct passing *passing, uint64_t wanted)
{
    // The acquire pairs with the release in the other thread; only the number itself is communicated.
    for (uint64_t looks = 1; atomic_load_explicit(&passing->turn, memory_order_acquire) != wanted; looks++) {
        if (looks % (64 * BATCH) == 0 && now_s() >= passing->until_s) {
            return false;
        }
    }
    return true;
}

static void *pass_back(void *context)
{
    struct passing *passing = context;
    for (uint64_t turn = 1; wait_for(passing, turn); turn += 2) {
        atomic_store_explicit(&passing->turn, turn + 1, memory_order_release); // pairs with wait_for's acquire
    }
    return NULL;
}

// Returns the minimum over all batches, which other programs disturbed least.
static double measure_transfer(double seconds)
{
    struct passing passing = {.until_s = now_s() + seconds};
    pthread_t other;
    if (pthread_create(&other, NULL, pass_back, &passing) != 0) {
        return NAN;
    }
    double least = NAN;
    bool going = true;
    uint64_t turn = 0;
    while (going && now_s() < passing.until_s) {
        double began = now_s();
        for (int i = 0; going && i < BATCH; i++, turn += 2) {
            atomic_store_explicit(&passing.turn, turn + 1, memory_order_release); // pairs with wait_for's acquire
            going = wait_for(&passing, turn + 2);
        }
        least = going ? fmin(least, (now_s() - began) / (2.0 * BATCH)) : least; // fmin ignores NaN
    }
    pthread_join(other, NULL);
    return least;
}

static double measure_memory(double seconds)
{
    char *from = malloc(BLOCK_BYTES);
    char *to = malloc(BLOCK_BYTES);
    double rate = NAN;
    if (from && to) {
        memset(from, 1, BLOCK_BYTES); // makes the system map the pages
        memset(to, 2, BLOCK_BYTES);
        double began = now_s();
        double bytes = 0.0;
        do {
            memcpy(to, from, BLOCK_BYTES);
            from[0] = (char)(to[BLOCK_BYTES - 1] + 1); // keeps the compiler from removing the copy
            bytes += 2.0 * BLOCK_BYTES;
        } while (now_s() < began + seconds);
        rate = bytes / (now_s() - began);
    }
    free(from);
    free(to);
    return rate;
}

void lab_host_limits_measure(double seconds, double limit[LAB_HOST_LIMITS])
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    limit[LAB_HOST_YIELDS] = measure_yields(limits.cores > 0 ? limits.cores : 1, seconds);
    limit[LAB_HOST_TRANSFER] = limits.cores > 1 ? measure_transfer(seconds) : NAN;
    limit[LAB_HOST_MEMORY] = measure_memory(seconds);
}

bool lab_cpu_ticks_read(const char *line, struct lab_cpu_ticks *ticks)
{
    enum { COLUMNS = 8, IDLE = 3, IOWAIT = 4 }; // user nice system idle iowait irq softirq steal; guests are in user
    uint64_t column[COLUMNS];
    if (sscanf(line, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
               &column[0], &column[1], &column[2], &column[3], &column[4], &column[5], &column[6],
               &column[7]) != COLUMNS) {
        return false;
    }
    *ticks = (struct lab_cpu_ticks){0};
    for (int i = 0; i < COLUMNS; i++) {
        ticks->all += column[i];
        ticks->working += i == IDLE || i == IOWAIT ? 0 : column[i];
    }
    return true;
}

static bool read_now(struct lab_cpu_ticks *ticks)
{
    FILE *file = fopen("/proc/stat", "r");
    char line[256];
    bool good = file && fgets(line, sizeof line, file) && lab_cpu_ticks_read(line, ticks);
    if (file) {
        fclose(file);
    }
    return good;
}

static double own_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void lab_other_programs_begin(struct lab_other_programs *others)
{
    others->own_before_s = own_s();
    others->known = read_now(&others->before);
}

double lab_other_programs_end(const struct lab_other_programs *others)
{
    struct lab_cpu_ticks now;
    if (!others->known || !read_now(&now) || now.all <= others->before.all) {
        return NAN;
    }
    double own = (own_s() - others->own_before_s) * (double)sysconf(_SC_CLK_TCK);
    double working = (double)(now.working - others->before.working);
    return fmin(fmax((working - own) / (double)(now.all - others->before.all), 0.0), 1.0);
}
