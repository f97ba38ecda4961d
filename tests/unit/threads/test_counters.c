// SPDX-License-Identifier: MIT
// Counters of a thread against the system's own counts.
#define _GNU_SOURCE // RUSAGE_THREAD
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "threads/api/run.h"
#include "threads/host/counters.h"

static void nap(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

static struct rusage usage_of_thread(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage;
}

// Returns how often the system has moved this thread to another core, or 0 if the system does not count this.
static long moves_of_thread(void)
{
    FILE *file = fopen("/proc/thread-self/sched", "r");
    char line[256];
    long moves = 0;
    while (file && fgets(line, sizeof line, file)) {
        (void)sscanf(line, "se.nr_migrations : %ld", &moves);
    }
    if (file) {
        fclose(file);
    }
    return moves;
}

// Returns whether the count is at least what the system counted within the measured time, and at most what it
// counted around it.
static bool between(uint64_t counted, const long inside[2], const long outside[2])
{
    return counted >= (uint64_t)(inside[1] - inside[0]) && counted <= (uint64_t)(outside[1] - outside[0]);
}

Test(counters, count_switches)
{
    uint64_t switches = 0;
    for (unsigned workers = 1; workers < 4096; workers *= 2) {
        struct host_counters one, total = {0};
        nap(5);
        struct rusage before = usage_of_thread();
        long moves_before = moves_of_thread();
        host_counters_begin(&one, workers);
        struct rusage first = usage_of_thread();
        long moves_first = moves_of_thread();
        nap(5);
        host_counters_sample(&one);
        struct rusage last = usage_of_thread();
        long moves_last = moves_of_thread();
        host_counters_end(&one);
        struct rusage after = usage_of_thread();
        long moves_after = moves_of_thread();
        cr_expect(between(one.voluntary, (const long[]){first.ru_nvcsw, last.ru_nvcsw},
                          (const long[]){before.ru_nvcsw, after.ru_nvcsw}));
        cr_expect(between(one.forced, (const long[]){first.ru_nivcsw, last.ru_nivcsw},
                          (const long[]){before.ru_nivcsw, after.ru_nivcsw}));
        cr_expect(one.sampled ? one.migrations <= 2
                              : between(one.migrations, (const long[]){moves_first, moves_last},
                                        (const long[]){moves_before, moves_after}),
                  "%lu moves", one.migrations);
        cr_expect(!one.has_hardware || (workers <= HOST_COUNTERS_HARDWARE_MAX && host_counters_why()[0] == '\0'));
        cr_expect(!one.has_hardware || one.cycles > 0);
        host_counters_add(&total, &one);
        host_counters_add(&total, &one);
        cr_expect_eq(total.voluntary, 2 * one.voluntary);
        cr_expect_eq(total.threads, 2);
        cr_expect_eq(total.has_hardware, one.has_hardware);
        switches += total.voluntary + total.forced;
    }
    cr_expect_gt(switches, 0, "no switch was counted");
}

Test(counters, a_total_has_what_all_have)
{
    struct host_counters total = {0};
    host_counters_add(&total, &(struct host_counters){.threads = 1, .has_hardware = true, .cycles = 5});
    cr_expect(total.has_hardware);
    host_counters_add(&total, &(struct host_counters){.threads = 1});
    cr_expect(!total.has_hardware);
    host_counters_add(&total, &(struct host_counters){.threads = 1, .has_hardware = true, .cycles = 5});
    cr_expect(!total.has_hardware);
}

Test(counters, limits_say_why_there_are_none)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    cr_expect_str_eq(limits.counters, host_counters_why());
    cr_expect_lt(strlen(host_counters_why()), sizeof limits.counters);
}
