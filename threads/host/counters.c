// SPDX-License-Identifier: MIT
// Counters of a thread from getrusage, /proc/thread-self/sched and PAPI. Between begin and end the struct holds the
// values at the begin. All differences are modulo 2^64.
#define _GNU_SOURCE
#include "threads/host/counters.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef HOST_WITH_PAPI
#include <papi.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *why_not;
static int event[3]; // cycles, instructions, cache misses

static unsigned long own_thread(void)
{
    return (unsigned long)pthread_self();
}

// Debian's kernels, among others, have level 3, which forbids counting to all users but root.
static bool forbidden(void)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int level = 0;
    if (file) {
        if (fscanf(file, "%d", &level) != 1) {
            level = 0;
        }
        fclose(file);
    }
    return level > 2 && geteuid() != 0;
}

static bool find_event(const char *name, int *code)
{
    return PAPI_event_name_to_code(name, code) == PAPI_OK && PAPI_query_event(*code) == PAPI_OK;
}

static void find_events(void)
{
    bool usable = PAPI_is_initialized() != PAPI_NOT_INITED || PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT;
    bool found = usable && PAPI_thread_init(own_thread) == PAPI_OK && find_event("PAPI_TOT_CYC", &event[0]) &&
                 find_event("PAPI_TOT_INS", &event[1]) &&
                 (find_event("PAPI_L3_TCM", &event[2]) || find_event("perf::CACHE-MISSES", &event[2]) ||
                  find_event("PAPI_L2_TCM", &event[2]));
    why_not = found         ? ""
              : forbidden() ? "kernel.perf_event_paranoid forbids hardware counters"
                            : "this machine has no hardware counters";
}

const char *host_counters_why(void)
{
    pthread_once(&once, find_events);
    return why_not;
}

static void drop_events(struct host_counters *counters)
{
    PAPI_cleanup_eventset(counters->events);
    PAPI_destroy_eventset(&counters->events);
    PAPI_unregister_thread();
}

static void begin_hardware(struct host_counters *counters)
{
    counters->events = PAPI_NULL;
    if (host_counters_why()[0] != '\0' || PAPI_register_thread() != PAPI_OK) {
        return;
    }
    counters->has_hardware = PAPI_create_eventset(&counters->events) == PAPI_OK &&
                             PAPI_add_events(counters->events, event, 3) == PAPI_OK &&
                             PAPI_start(counters->events) == PAPI_OK;
    if (!counters->has_hardware) {
        drop_events(counters);
    }
}

static void end_hardware(struct host_counters *counters)
{
    long long value[3] = {0};
    counters->has_hardware = PAPI_stop(counters->events, value) == PAPI_OK;
    counters->cycles = (uint64_t)value[0];
    counters->instructions = (uint64_t)value[1];
    counters->cache_misses = (uint64_t)value[2];
    drop_events(counters);
}
#else
const char *host_counters_why(void)
{
    return "PAPI was not there when evenkeel was built";
}

static void begin_hardware(struct host_counters *counters)
{
    (void)counters;
}

static void end_hardware(struct host_counters *counters)
{
    (void)counters;
}
#endif

static void read_switches(uint64_t *voluntary, uint64_t *forced)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    *voluntary = (uint64_t)usage.ru_nvcsw;
    *forced = (uint64_t)usage.ru_nivcsw;
}

// Reads how often the system has moved this thread to another core. Returns false if the system does not report it.
static bool read_migrations(uint64_t *migrations)
{
    static const char key[] = "nr_migrations";
    char text[1024]; // the number is in one of the first lines
    int file = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *found = strstr(text, key);
    const char *colon = found ? strchr(found, ':') : NULL;
    if (colon) {
        *migrations = strtoull(colon + 1, NULL, 10);
    }
    return colon != NULL;
}

void host_counters_begin(struct host_counters *counters, unsigned workers)
{
    *counters = (struct host_counters){.threads = 1, .core = sched_getcpu()};
    if (workers <= HOST_COUNTERS_HARDWARE_MAX) {
        begin_hardware(counters);
    }
    counters->sampled = workers > HOST_COUNTERS_SYSTEM_MAX || !read_migrations(&counters->migrations);
    read_switches(&counters->voluntary, &counters->forced);
}

void host_counters_sample(struct host_counters *counters)
{
    if (counters->sampled) {
        int core = sched_getcpu();
        counters->migrations += core != counters->core;
        counters->core = core;
    }
}

void host_counters_end(struct host_counters *counters)
{
    uint64_t voluntary, forced;
    read_switches(&voluntary, &forced);
    counters->voluntary = voluntary - counters->voluntary;
    counters->forced = forced - counters->forced;
    host_counters_sample(counters);
    if (!counters->sampled) {
        uint64_t migrations;
        counters->migrations = read_migrations(&migrations) ? migrations - counters->migrations : 0;
    }
    if (counters->has_hardware) {
        end_hardware(counters);
    }
}

void host_counters_add(struct host_counters *total, const struct host_counters *one)
{
    total->has_hardware = one->has_hardware && (total->has_hardware || total->threads == 0);
    total->threads += one->threads;
    total->voluntary += one->voluntary;
    total->forced += one->forced;
    total->migrations += one->migrations;
    total->cycles += one->cycles;
    total->instructions += one->instructions;
    total->cache_misses += one->cache_misses;
}

uint64_t host_thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
