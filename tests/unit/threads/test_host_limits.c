// SPDX-License-Identifier: MIT
// Limits of the host: the process uses only the cores of its CPU mask, as many as its control groups give it time
// for, and only the memory that they allow.
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/runs.h"
#include "threads/host/cgroup.h"
#include "threads/host/limits.h"
#include "threads/host/places.h"
#include "threads/host/workers.h"

#define GROUPS "the control group's memory limit"

enum { WORKERS = 5 };

static cpu_set_t pinned[WORKERS];

// hwloc is asked about a mask of three units or more. Units that this machine does not have make a mask so large.
static bool has_absent_units;

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *mask)
{
    memset(mask, 0, size);
    bool good = syscall(SYS_sched_getaffinity, thread, size, mask) >= 0;
    for (size_t unit = 8 * size - 3; has_absent_units && size > sizeof *mask && unit < 8 * size; unit++) {
        CPU_SET_S(unit, size, mask);
    }
    return good ? 0 : -1;
}

static void note_pinned(void *context, unsigned worker)
{
    (void)context;
    sched_getaffinity(0, sizeof pinned[worker], &pinned[worker]);
}

Test(cores, outside_the_mask_are_left_alone)
{
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    for (unsigned unit = 0; unit < CPU_SETSIZE; unit++) {
        if (!CPU_ISSET(unit, &all)) {
            continue;
        }
        CPU_ZERO(&one);
        CPU_SET(unit, &one);
        cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
        struct host_places *places = host_places_find();
        cr_assert_eq(host_places_count(places), 1);
        struct host_job work = {.body = note_pinned};
        struct ek_error error;
        cr_assert(host_workers_run(WORKERS, places, &work, &error), "%s", error.sentence);
        for (unsigned worker = 0; worker < WORKERS; worker++) {
            cr_assert(CPU_EQUAL(&pinned[worker], &one), "worker %u is not on unit %u alone", worker, unit);
        }
        char mask[32] = "";
        struct ek_limits limits;
        ek_limits_read(&limits);
        if (limits.cores_total > 1) {
            snprintf(mask, sizeof mask, "the CPU mask (%u)", unit);
        }
        cr_assert_eq(limits.cores, 1);
        cr_assert_str_eq(limits.cores_bound, mask);
        host_places_destroy(places);
    }
}

// Each core of a mask of several has its share of the workers, whether hwloc was asked or not.
Test(cores, inside_the_mask_are_all_used)
{
    cpu_set_t all;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    for (int asked = 0; asked < 2; asked++) {
        has_absent_units = asked;
        struct host_places *places = host_places_find();
        unsigned count = host_places_count(places);
        cr_assert_eq(count, CPU_COUNT(&all));
        struct host_job work = {.body = note_pinned};
        struct ek_error error;
        cr_assert(host_workers_run(count < WORKERS ? count : WORKERS, places, &work, &error), "%s", error.sentence);
        for (unsigned worker = 1; worker < count && worker < WORKERS; worker++) {
            cr_assert(CPU_COUNT(&pinned[worker]) == 1 && !CPU_EQUAL(&pinned[worker], &pinned[worker - 1]));
        }
        host_places_destroy(places);
    }
}

static int core_of_the_caller = -1;

int sched_getcpu(void)
{
    return core_of_the_caller;
}

// A quota of one core and less: the workers are on the core of the caller, whichever it is, so that programs with
// quotas do not crowd on the first core.
Test(cores, of_a_quota_begin_where_the_caller_is)
{
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    unsigned cores = 0;
    for (unsigned unit = 0; unit < CPU_SETSIZE; unit++) {
        if (!CPU_ISSET(unit, &all)) {
            continue;
        }
        cores++;
        core_of_the_caller = (int)unit;
        struct host_places *places = host_places_within(cores % 2 ? 1.0 : 0.3);
        cr_assert_eq(host_places_count(places), 1);
        struct host_job work = {.body = note_pinned};
        struct ek_error error;
        cr_assert(host_workers_run(2, places, &work, &error), "%s", error.sentence);
        CPU_ZERO(&one);
        CPU_SET(unit, &one);
        cr_expect(CPU_EQUAL(&pinned[0], &one) && CPU_EQUAL(&pinned[1], &one), "core %u", unit);
        bool cut = CPU_COUNT(&all) > 1;
        cr_expect_eq(strstr(host_places_bound(places), cores % 2 ? "quota of 1 cores" : "quota of 0.3 cores") != NULL,
                     cut, "%s", host_places_bound(places));
        host_places_destroy(places);
    }
    struct host_places *places = host_places_within(INFINITY);
    cr_expect_eq(host_places_count(places), cores);
    cr_expect_null(strstr(host_places_bound(places), "quota"));
    host_places_destroy(places);
}

// hwloc looks at the machine once, in the first thread that needs it. The mask of the calling thread counts.
static void *count_places(void *unit)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(*(unsigned *)unit, &one);
    sched_setaffinity(0, sizeof one, &one);
    struct host_places *places = host_places_find();
    bool good = places && host_places_count(places) == 1;
    host_places_pin(places, 0, 1);
    cpu_set_t pinned_to;
    good = good && sched_getaffinity(0, sizeof pinned_to, &pinned_to) == 0 && CPU_EQUAL(&pinned_to, &one);
    host_places_destroy(places);
    return good ? unit : NULL;
}

Test(cores, are_found_by_several_threads_at_once)
{
    enum { THREADS = 8 };
    cpu_set_t all;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    unsigned unit[THREADS], last = 0;
    pthread_t thread[THREADS];
    has_absent_units = true;
    for (unsigned i = 0; i < THREADS; i++) {
        do {
            last = (last + 1) % CPU_SETSIZE;
        } while (!CPU_ISSET(last, &all));
        unit[i] = last;
        cr_assert_eq(pthread_create(&thread[i], NULL, count_places, &unit[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *good;
        pthread_join(thread[i], &good);
        cr_expect(good, "unit %u", unit[i]);
    }
}

// The root folder of a system that the test makes up.
static char root[] = "/tmp/test_cores.XXXXXX";

static void set_up(void)
{
    cr_assert(mkdtemp(root));
}

static void tear_down(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", root);
    cr_assert_eq(system(command), 0);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "mkdir -p %s%s", root, folder);
    cr_assert_eq(system(path), 0);
    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

Test(quotas, hold_from_every_group_above, .init = set_up, .fini = tear_down)
{
    cr_expect_eq(host_cgroup_cores(root), INFINITY, "no control groups");
    write_file("/proc/self", "cgroup", "0::/job/step\n");
    cr_expect_eq(host_cgroup_cores(root), INFINITY, "no files");
    write_file("/sys/fs/cgroup/job/step", "cpu.max", "max 100000\n");
    cr_expect_eq(host_cgroup_cores(root), INFINITY, "no quota");
    write_file("/sys/fs/cgroup/job", "cpu.max", "150000 100000\n");
    cr_expect_eq(host_cgroup_cores(root), 1.5);
    write_file("/sys/fs/cgroup/job/step", "cpu.max", "200000 100000\n");
    cr_expect_eq(host_cgroup_cores(root), 1.5, "the group above allows less");
    write_file("/sys/fs/cgroup", "cpu.max", "25000 50000\n");
    cr_expect_eq(host_cgroup_cores(root), 0.5, "a container sees its own group as the root");
    write_file("/sys/fs/cgroup/other", "cpu.max", "1 100000\n");
    cr_expect_eq(host_cgroup_cores(root), 0.5, "another group's");
}

Test(quotas, are_read_from_version_1, .init = set_up, .fini = tear_down)
{
    write_file("/proc/self", "cgroup", "9:name=systemd:/\n3:cpuset:/\n2:cpuacct,cpu:/job\n0::/elsewhere\n");
    write_file("/sys/fs/cgroup/cpu/job", "cpu.cfs_period_us", "100000\n");
    write_file("/sys/fs/cgroup/cpu/job", "cpu.cfs_quota_us", "-1\n");
    cr_expect_eq(host_cgroup_cores(root), INFINITY, "no quota");
    write_file("/sys/fs/cgroup/cpu/job", "cpu.cfs_quota_us", "300000\n");
    cr_expect_eq(host_cgroup_cores(root), 3.0);
    write_file("/sys/fs/cgroup/cpuset/job", "cpu.cfs_quota_us", "1000\n");
    cr_expect_eq(host_cgroup_cores(root), 3.0, "another controller's");
}

// Reads how much memory the control groups of that system allow.
static struct ek_limits memory_of_groups(void)
{
    struct ek_limits limits = {.memory_bound = NULL};
    host_limits_read_memory(root, &limits);
    return limits;
}

Test(memory, is_bound_by_every_group_above, .init = set_up, .fini = tear_down)
{
    write_file("/proc/self", "cgroup", "0::/job/step\n");
    write_file("/sys/fs/cgroup/job/step", "memory.max", "max\n");
    write_file("/sys/fs/cgroup/job/step", "memory.current", "1000000\n");
    cr_expect_str_neq(memory_of_groups().memory_bound, GROUPS, "no limit");
    write_file("/sys/fs/cgroup/job", "memory.max", "9000000\n");
    write_file("/sys/fs/cgroup/job", "memory.current", "5000000\n");
    cr_expect_str_eq(memory_of_groups().memory_bound, GROUPS);
    cr_expect_eq(memory_of_groups().memory_free, 4000000);
    write_file("/sys/fs/cgroup/job", "memory.stat", "anon 4700000\nfile 300000\ninactive_file 200000\n");
    cr_expect_eq(memory_of_groups().memory_free, 4200000, "pages of files are given back");
    write_file("/sys/fs/cgroup/job/step", "memory.max", "3000000\n");
    cr_expect_eq(memory_of_groups().memory_free, 2000000, "the group below allows less");
    write_file("/sys/fs/cgroup/job/step", "memory.current", "3500000\n");
    cr_expect_eq(memory_of_groups().memory_free, 0, "nothing is left");
    cr_expect_str_eq(memory_of_groups().memory_bound, GROUPS);
}

Test(memory, is_bound_in_version_1, .init = set_up, .fini = tear_down)
{
    write_file("/proc/self", "cgroup", "4:memory:/job\n2:cpu:/other\n0::/\n");
    write_file("/sys/fs/cgroup/memory/job", "memory.limit_in_bytes", "9223372036854771712\n");
    write_file("/sys/fs/cgroup/memory/job", "memory.usage_in_bytes", "1000000\n");
    write_file("/sys/fs/cgroup/cpu/other", "memory.limit_in_bytes", "1000\n");
    cr_expect_str_neq(memory_of_groups().memory_bound, GROUPS, "no limit");
    write_file("/sys/fs/cgroup/memory/job", "memory.limit_in_bytes", "8000000\n");
    write_file("/sys/fs/cgroup/memory/job", "memory.stat", "inactive_file 7\ntotal_inactive_file 500000\n");
    cr_expect_eq(memory_of_groups().memory_free, 7500000);
    cr_expect_not(memory_of_groups().memory_mapped, "control groups limit the used memory");
}

Test(limits, are_sane)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    cr_assert(limits.cores >= 1 && limits.cores <= limits.cores_total);
    cr_assert(limits.memory_free <= limits.memory_total);
    cr_assert(limits.memory_total == 0 || limits.memory_total > 1u << 24);
    cr_assert(limits.threads_max == 0 || limits.threads_bound[0]);
    cr_assert_lt(strlen(limits.processor), sizeof limits.processor);
    struct host_places *places = host_places_find();
    cr_assert_eq(host_places_count(places), limits.cores);
    host_places_destroy(places);
    cr_assert_eq(host_places_count(NULL), 1);
}

Test(limits, more_threads_than_the_system_gives_are_refused)
{
    struct ek_limits limits;
    struct ek_error error;
    ek_limits_read(&limits);
    cr_assert(host_workers_possible(1, &error));
    if (limits.threads_max > 0 && limits.threads_max < 50000000) {
        cr_assert_not(host_workers_possible((unsigned)limits.threads_max + 100000, &error));
        cr_assert_eq(error.status, EK_BAD_INPUT);
        cr_assert(strstr(error.sentence, "pool"), "%s", error.sentence); // the sentence says what to do
    }
}
