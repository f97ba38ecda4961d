// SPDX-License-Identifier: MIT
// Pinning by hwloc.
#include "threads/places.h"

#include <hwloc.h>
#include <stdint.h>
#include <stdlib.h>

struct machine_places {
    hwloc_topology_t hardware;
    unsigned count;
};

struct machine_places *machine_places_find(void)
{
    struct machine_places *places = malloc(sizeof *places);
    if (!places) {
        return NULL;
    }
    if (hwloc_topology_init(&places->hardware) != 0) {
        free(places);
        return NULL;
    }
    int count = 0;
    if (hwloc_topology_load(places->hardware) == 0) {
        count = hwloc_get_nbobjs_by_type(places->hardware, HWLOC_OBJ_PU);
    }
    if (count <= 0) {
        machine_places_destroy(places);
        return NULL;
    }
    places->count = (unsigned)count;
    return places;
}

void machine_places_destroy(struct machine_places *places)
{
    if (places) {
        hwloc_topology_destroy(places->hardware);
        free(places);
    }
}

unsigned machine_places_count(const struct machine_places *places)
{
    return places ? places->count : 1;
}

void machine_places_pin(const struct machine_places *places, unsigned index, unsigned workers)
{
    if (!places) {
        return;
    }
    unsigned unit = (unsigned)((uint64_t)index * places->count / workers);
    hwloc_obj_t object = hwloc_get_obj_by_type(places->hardware, HWLOC_OBJ_PU, unit);
    if (object) {
        hwloc_set_cpubind(places->hardware, object->cpuset, HWLOC_CPUBIND_THREAD);
    }
}
