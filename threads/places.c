// SPDX-License-Identifier: MIT
// Cores in hwloc's order, in which neighbours share the most.
#define _GNU_SOURCE
#include "threads/places.h"

#include <hwloc.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads/cgroup.h"

enum { UNITS_MAX = 8192 }; // that Linux can be built for

struct machine_places {
    unsigned given; // by the mask
    unsigned count; // of them those that the quota has time for
    unsigned first; // of those: places are taken in turn, from this one on
    char bound[128];
    unsigned unit[]; // [given] by place: the system's number
};

// The units of this machine that the calling thread may run on.
static hwloc_bitmap_t find_given(hwloc_topology_t hardware)
{
    hwloc_bitmap_t given = hwloc_bitmap_alloc();
    if (given && hwloc_get_cpubind(hardware, given, HWLOC_CPUBIND_THREAD) != 0) {
        hwloc_bitmap_copy(given, hwloc_topology_get_topology_cpuset(hardware));
    }
    if (given) {
        hwloc_bitmap_and(given, given, hwloc_topology_get_topology_cpuset(hardware));
    }
    return given;
}

static struct machine_places *list_given(hwloc_topology_t hardware, hwloc_const_bitmap_t given)
{
    int count = hwloc_bitmap_weight(given);
    struct machine_places *places =
        count > 0 ? calloc(1, sizeof *places + (size_t)count * sizeof places->unit[0]) : NULL;
    hwloc_obj_t object = NULL;
    while (places && (object = hwloc_get_next_obj_by_type(hardware, HWLOC_OBJ_PU, object)) != NULL) {
        if (hwloc_bitmap_isset(given, object->os_index)) {
            places->unit[places->given++] = object->os_index;
        }
    }
    return places;
}

// A quota gives time, but no cores: other programs have theirs on the same ones, and would crowd on the first. So its
// places begin where the caller happens to be.
static void cut_to_quota(struct machine_places *places, double quota)
{
    places->count = quota < places->given ? (unsigned)ceil(quota) : places->given;
    int here = places->count < places->given ? sched_getcpu() : -1;
    for (unsigned i = 0; i < places->given; i++) {
        places->first = (int)places->unit[i] == here ? i : places->first;
    }
}

static void explain(struct machine_places *places, hwloc_const_bitmap_t given, double quota)
{
    char mask[48] = "", time[48] = "";
    bool masked = places->given < (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
    bool cut = places->count < places->given;
    hwloc_bitmap_list_snprintf(mask, sizeof mask, given);
    snprintf(time, sizeof time, "the control group's quota of %g cores", quota);
    snprintf(places->bound, sizeof places->bound, "%s%s%s%s%s", masked ? "the CPU mask (" : "", masked ? mask : "",
             masked ? ")" : "", masked && cut ? " and " : "", cut ? time : "");
}

struct machine_places *machine_places_find(void)
{
    enum { ROOM = 8 << 20 }; // hwloc takes less, and dies where it gets none
    void *room = malloc(ROOM);
    free(room);
    hwloc_topology_t hardware;
    if (!room || hwloc_topology_init(&hardware) != 0) {
        return NULL;
    }
    struct machine_places *places = NULL;
    if (hwloc_topology_load(hardware) == 0) {
        hwloc_bitmap_t given = find_given(hardware);
        places = given ? list_given(hardware, given) : NULL;
        if (places) {
            double quota = machine_cgroup_cores("");
            cut_to_quota(places, quota);
            explain(places, given, quota);
        }
        hwloc_bitmap_free(given);
    }
    hwloc_topology_destroy(hardware);
    return places;
}

void machine_places_destroy(struct machine_places *places)
{
    free(places);
}

unsigned machine_places_count(const struct machine_places *places)
{
    return places ? places->count : 1;
}

const char *machine_places_bound(const struct machine_places *places)
{
    return places ? places->bound : "";
}

void machine_places_pin(const struct machine_places *places, unsigned index, unsigned workers)
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
