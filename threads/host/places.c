// SPDX-License-Identifier: MIT
// Places in hwloc's order, in which neighbours share the most caches.
#define _GNU_SOURCE
#include "threads/host/places.h"

#include <hwloc.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads/host/cgroup.h"

enum { UNITS_MAX = 8192 }; // the most that Linux can be built for

struct host_places {
    unsigned given; // units that the mask allows
    unsigned count; // number of places, as the quota limits it
    unsigned first; // index in `unit` of the first place; the others follow cyclically
    char bound[128];
    unsigned unit[]; // [given] the system's numbers
};

// The units of this machine in hwloc's order. They are searched for until they have been found, and then kept, because
// hwloc takes some milliseconds and every prepared machine needs them.
static struct {
    pthread_mutex_t lock;
    unsigned count;
    unsigned unit[UNITS_MAX];
} hardware = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void find_hardware(void)
{
    enum { ROOM = 8 << 20 }; // hwloc takes less, and aborts if it cannot allocate
    void *room = malloc(ROOM);
    free(room);
    hwloc_topology_t topology;
    if (!room || hwloc_topology_init(&topology) != 0) {
        return;
    }
    // The system knows the order. CPUID on each core repeats it, and takes long in a virtual machine.
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    hwloc_obj_t object = NULL;
    bool loaded = hwloc_topology_load(topology) == 0;
    while (loaded && hardware.count < UNITS_MAX &&
           (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, object)) != NULL) {
        hardware.unit[hardware.count++] = object->os_index;
    }
    hwloc_topology_destroy(topology);
}

static unsigned count_hardware(void)
{
    pthread_mutex_lock(&hardware.lock);
    if (hardware.count == 0) {
        find_hardware();
    }
    unsigned count = hardware.count;
    pthread_mutex_unlock(&hardware.lock);
    return count;
}

// Lists the units that the calling thread may run on, in hwloc's order. One or two units have the same neighbours in
// any order, so hwloc is not asked about them.
static struct host_places *list_given(void)
{
    cpu_set_t mask[UNITS_MAX / CPU_SETSIZE];
    bool known = sched_getaffinity(0, sizeof mask, mask) == 0;
    bool ordered = known && CPU_COUNT_S(sizeof mask, mask) <= 2;
    unsigned count = ordered ? UNITS_MAX : count_hardware();
    struct host_places *places = calloc(1, sizeof *places + (ordered ? 2 : count) * sizeof places->unit[0]);
    for (unsigned i = 0; places && i < count; i++) {
        unsigned unit = ordered ? i : hardware.unit[i];
        if (!known || CPU_ISSET_S(unit, sizeof mask, mask)) {
            places->unit[places->given++] = unit;
        }
    }
    return places;
}

// Limits the places to the quota. A quota limits time, not cores: other programs with quotas may use the same cores,
// and all would crowd on the first ones. So the places begin at the core on which the caller is running.
static void cut_to_quota(struct host_places *places, double quota)
{
    places->count = quota < places->given ? (unsigned)ceil(quota) : places->given;
    int here = places->count < places->given ? sched_getcpu() : -1;
    for (unsigned i = 0; i < places->given; i++) {
        places->first = (int)places->unit[i] == here ? i : places->first;
    }
}

// Writes the units that the mask allows, such as 0-3,8.
static void write_mask(const struct host_places *places, char *text, size_t size)
{
    hwloc_bitmap_t given = hwloc_bitmap_alloc();
    if (!given) {
        return;
    }
    for (unsigned i = 0; i < places->given; i++) {
        hwloc_bitmap_set(given, places->unit[i]);
    }
    hwloc_bitmap_list_snprintf(text, size, given);
    hwloc_bitmap_free(given);
}

static void explain(struct host_places *places, double quota)
{
    char mask[48] = "", time[48] = "";
    bool masked = places->given < (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
    bool cut = places->count < places->given;
    if (masked) {
        write_mask(places, mask, sizeof mask);
    }
    snprintf(time, sizeof time, "the control group's quota of %g cores", quota);
    snprintf(places->bound, sizeof places->bound, "%s%s%s%s%s", masked ? "the CPU mask (" : "", mask, masked ? ")" : "",
             masked && cut ? " and " : "", cut ? time : "");
}

struct host_places *host_places_find(void)
{
    return host_places_within(host_cgroup_cores(""));
}

struct host_places *host_places_within(double quota)
{
    struct host_places *places = list_given();
    if (!places || places->given == 0) {
        free(places);
        return NULL;
    }
    cut_to_quota(places, quota);
    explain(places, quota);
    return places;
}

void host_places_destroy(struct host_places *places)
{
    free(places);
}

unsigned host_places_count(const struct host_places *places)
{
    return places ? places->count : 1;
}

const char *host_places_bound(const struct host_places *places)
{
    return places ? places->bound : "";
}

void host_places_pin(const struct host_places *places, unsigned index, unsigned workers)
{
    if (!places) {
        return;
    }
    unsigned place = (unsigned)((uint64_t)index * places->count / workers);
    unsigned unit = places->unit[(places->first + place) % places->given];
    cpu_set_t set[UNITS_MAX / CPU_SETSIZE];
    CPU_ZERO_S(sizeof set, set);
    CPU_SET_S(unit, sizeof set, set);
    sched_setaffinity(0, sizeof set, set);
}
