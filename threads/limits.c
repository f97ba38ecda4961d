// SPDX-License-Identifier: MIT
// What this system allows, read from where Linux says it. What is not there stays unknown.
#define _GNU_SOURCE // sched_getaffinity
#include "threads/limits.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "threads/cgroup.h"
#include "threads/places.h"
#include "threads/sysfile.h"
#include "threads/watch/counters.h"

enum { HEAD = 8192 }; // bytes of a file that are looked at

// The first whole number after `key` at the start of a line ("" means any); `none` where there is none.
static uint64_t read_number(const char *path, const char *key, uint64_t none)
{
    char text[HEAD];
    const char *line = machine_sysfile_read(path, text, sizeof text) ? text : NULL;
    for (; line; line = machine_sysfile_next(line)) {
        unsigned long long number;
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), " %llu", &number) == 1) {
            return number;
        }
    }
    return none;
}

// Threads that exist on the whole system: the part after the slash in the fourth field of loadavg.
static uint64_t threads_alive(void)
{
    char text[HEAD];
    unsigned long long alive = 0;
    machine_sysfile_read("/proc/loadavg", text, sizeof text);
    return sscanf(text, "%*s %*s %*s %*u/%llu", &alive) == 1 ? alive : 0;
}

static void bind_threads(struct ek_limits *limits, uint64_t value, uint64_t used, const char *name)
{
    uint64_t left = value > used ? value - used : 0;
    if (value != 0 && (limits->threads_max == 0 || left < limits->threads_max)) {
        limits->threads_max = left;
        limits->threads_bound = name;
    }
}

static void look_for_threads(const char *folder, void *limits)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/pids.max", folder);
    uint64_t most = read_number(path, "", 0);
    snprintf(path, sizeof path, "%s/pids.current", folder);
    bind_threads(limits, most, read_number(path, "", 0), "the control group's pids.max");
}

static void read_threads(struct ek_limits *limits)
{
    uint64_t alive = threads_alive();
    struct rlimit user;
    bind_threads(limits, read_number("/proc/sys/kernel/threads-max", "", 0), alive, "kernel.threads-max");
    bind_threads(limits, read_number("/proc/sys/kernel/pid_max", "", 0), alive + 301, "kernel.pid_max");
    machine_cgroup_each("", "pids", look_for_threads, limits);
    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &user) == 0 && user.rlim_cur != RLIM_INFINITY) {
        bind_threads(limits, user.rlim_cur, 1, "ulimit -u");
    }
}

static void read_cores(struct ek_limits *limits)
{
    struct machine_places *places = machine_places_find();
    cpu_set_t set; // where there is no memory to ask hwloc
    bool counted = !places && sched_getaffinity(0, sizeof set, &set) == 0;
    limits->cores = counted ? (unsigned)CPU_COUNT(&set) : machine_places_count(places);
    snprintf(limits->cores_bound, sizeof limits->cores_bound, "%s", machine_places_bound(places));
    machine_places_destroy(places);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    limits->cores_total = online > 0 ? (unsigned)online : limits->cores;
}

static void read_processor(struct ek_limits *limits)
{
    char text[HEAD];
    const char *line = machine_sysfile_read("/proc/cpuinfo", text, sizeof text) ? text : NULL;
    for (; line; line = machine_sysfile_next(line)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(limits->processor, sizeof limits->processor, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            return;
        }
    }
}

void machine_limits_read_system(struct ek_limits *limits)
{
    memset(limits, 0, sizeof *limits);
    limits->threads_bound = "";
    limits->memory_free = read_number("/proc/meminfo", "MemAvailable:", 0) * 1024;
    limits->memory_total = read_number("/proc/meminfo", "MemTotal:", 0) * 1024;
    limits->maps_max = read_number("/proc/sys/vm/max_map_count", "", 0);
    read_threads(limits);
}

void ek_limits_read(struct ek_limits *limits)
{
    machine_limits_read_system(limits);
    read_cores(limits);
    read_processor(limits);
    struct rlimit real_time;
    snprintf(limits->counters, sizeof limits->counters, "%s", watch_counters_why());
    limits->real_time = geteuid() == 0 || (getrlimit(RLIMIT_RTPRIO, &real_time) == 0 && real_time.rlim_cur > 0);
}
