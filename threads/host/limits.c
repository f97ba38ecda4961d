// SPDX-License-Identifier: MIT
// The limits of this system, read from Linux's files. A limit whose file is absent stays unknown.
#define _GNU_SOURCE // sched_getaffinity
#include "threads/host/limits.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sized.h"
#include "threads/api/prepared.h"
#include "threads/host/cgroup.h"
#include "threads/host/places.h"
#include "threads/host/sysfile.h"
#include "threads/host/counters.h"

enum { HEAD = 8192 }; // bytes of a file that are read

// Returns the first whole number after `key` in a line that begins with `key` ("" matches any line), or `none`.
static uint64_t read_number(const char *path, const char *key, uint64_t none)
{
    char text[HEAD];
    const char *line = host_sysfile_read(path, text, sizeof text) ? text : NULL;
    for (; line; line = host_sysfile_next(line)) {
        unsigned long long number;
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), " %llu", &number) == 1) {
            return number;
        }
    }
    return none;
}

// Returns the number of threads on the whole system: the number after the slash in the fourth field of loadavg.
static uint64_t threads_alive(void)
{
    char text[HEAD];
    unsigned long long alive = 0;
    host_sysfile_read("/proc/loadavg", text, sizeof text);
    return sscanf(text, "%*s %*s %*s %*u/%llu", &alive) == 1 ? alive : 0;
}

// Considers a limit of `value`, of which `used` is in use. The limit that leaves the least binds.
static void bind(uint64_t *most, const char **bound, uint64_t value, uint64_t used, const char *name)
{
    uint64_t left = value > used ? value - used : 0;
    if (value != 0 && (!**bound || left < *most)) {
        *most = left;
        *bound = name;
    }
}

static void bind_threads(struct ek_limits *limits, uint64_t value, uint64_t used, const char *name)
{
    bind(&limits->threads_max, &limits->threads_bound, value, used, name);
}

static void bind_memory(struct ek_limits *limits, uint64_t value, uint64_t used, const char *name)
{
    bind(&limits->memory_free, &limits->memory_bound, value, used, name);
}

// A group's limit above the machine's memory binds nothing; version 1 writes such a number if there is no limit. Pages
// of files that have not been used for long count as free, because Linux reclaims them before it kills a process.
static void bind_group_memory(const char *folder, unsigned version, void *context)
{
    static const char *const names[][3] = {{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
                                           {"memory.max", "memory.current", "inactive_file"}};
    const char *const *name = names[version - 1];
    struct ek_limits *limits = context;
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name[0]);
    uint64_t most = read_number(path, "", 0);
    if (most == 0 || (limits->memory_total > 0 && most > limits->memory_total)) {
        return;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name[1]);
    uint64_t used = read_number(path, "", 0);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t files = read_number(path, name[2], 0);
    bind_memory(limits, most, used > files ? used - files : 0, "the control group's memory limit");
}

static void bind_mapped(struct ek_limits *limits, struct rlimit limit, const char *key, const char *name)
{
    if (limit.rlim_cur != RLIM_INFINITY) {
        bind_memory(limits, limit.rlim_cur, read_number("/proc/self/status", key, 0) * 1024, name);
        limits->memory_mapped = limits->memory_mapped || limits->memory_bound == name;
    }
}

void host_limits_read_memory(const char *root, struct ek_limits *limits)
{
    limits->memory_bound = "";
    limits->memory_mapped = false;
    bind_memory(limits, read_number("/proc/meminfo", "MemAvailable:", 0) * 1024, 0, "what the system has free");
    limits->memory_total = read_number("/proc/meminfo", "MemTotal:", 0) * 1024;
    host_cgroup_each(root, "memory", bind_group_memory, limits);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0) {
        bind_mapped(limits, limit, "VmSize:", "ulimit -v");
    }
    if (getrlimit(RLIMIT_DATA, &limit) == 0) {
        bind_mapped(limits, limit, "VmData:", "ulimit -d");
    }
}

// Both versions use the same file names.
static void bind_group_threads(const char *folder, unsigned version, void *limits)
{
    (void)version;
    char path[1100];
    snprintf(path, sizeof path, "%s/pids.max", folder);
    uint64_t most = read_number(path, "", 0);
    if (most > 0) {
        snprintf(path, sizeof path, "%s/pids.current", folder);
        bind_threads(limits, most, read_number(path, "", 0), "the control group's pids.max");
    }
}

void host_limits_read_threads(struct ek_limits *limits)
{
    limits->threads_bound = "";
    uint64_t alive = threads_alive();
    struct rlimit user;
    bind_threads(limits, read_number("/proc/sys/kernel/threads-max", "", 0), alive, "kernel.threads-max");
    bind_threads(limits, read_number("/proc/sys/kernel/pid_max", "", 0), alive + 301, "kernel.pid_max");
    host_cgroup_each("", "pids", bind_group_threads, limits);
    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &user) == 0 && user.rlim_cur != RLIM_INFINITY) {
        bind_threads(limits, user.rlim_cur, 1, "ulimit -u");
    }
}

uint64_t host_limits_maps(void)
{
    return read_number("/proc/sys/vm/max_map_count", "", 0);
}

static void read_cores(struct ek_limits *limits)
{
    struct host_places *places = host_places_find();
    cpu_set_t set; // used if there is no memory for hwloc
    bool counted = !places && sched_getaffinity(0, sizeof set, &set) == 0;
    limits->cores = counted ? (unsigned)CPU_COUNT(&set) : host_places_count(places);
    snprintf(limits->cores_bound, sizeof limits->cores_bound, "%s", host_places_bound(places));
    host_places_destroy(places);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    limits->cores_total = online > 0 ? (unsigned)online : limits->cores;
}

static void read_processor(struct ek_limits *limits)
{
    char text[HEAD];
    const char *line = host_sysfile_read("/proc/cpuinfo", text, sizeof text) ? text : NULL;
    for (; line; line = host_sysfile_next(line)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(limits->processor, sizeof limits->processor, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            return;
        }
    }
}

void ek_limits_read_sized(struct ek_limits *limits, size_t size)
{
    struct ek_limits found = {0};
    struct rlimit real_time;
    host_limits_read_memory("", &found);
    host_limits_read_threads(&found);
    found.maps_max = host_limits_maps();
    read_cores(&found);
    read_processor(&found);
    snprintf(found.counters, sizeof found.counters, "%s", host_counters_why());
    found.real_time = geteuid() == 0 || (getrlimit(RLIMIT_RTPRIO, &real_time) == 0 && real_time.rlim_cur > 0);
    base_sized_copy(limits, size, &found, sizeof found);
}
