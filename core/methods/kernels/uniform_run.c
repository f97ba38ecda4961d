// SPDX-License-Identifier: MIT
// Finds uniform runs: groups of EK_LANES processors are compared one after the other.
#include "core/methods/kernels/uniform_run.h"

#include <string.h>

#include "topologies/rows.h"

// Adds mirrors in the planes that the processor does not use.
static void set_mirrors(struct ek_vicinity *vicinity, uint32_t planes, size_t apart)
{
    unsigned used = 0;
    for (uint32_t port = 0; port < vicinity->degree; port++) {
        used |= 1u << vicinity->put[port];
    }
    for (uint32_t port = vicinity->degree, plane = 0; port < planes; port++, plane++) {
        while (used & 1u << plane) {
            plane++;
        }
        vicinity->put[port] = (uint8_t)plane;
        vicinity->found[port] = (int64_t)(plane * apart);
    }
}

// Returns the vicinity of a processor whose planes are numbered by dimension and direction. The link to a neighbour has
// the opposite direction at the neighbour's end.
static struct ek_vicinity computed_vicinity(const struct ek_topology *topology, uint32_t p, size_t apart)
{
    struct topo_port row[TOPO_ROW_MAX];
    struct ek_vicinity vicinity = {.degree = (uint16_t)topology->rows->row(topology, p, row)};
    for (uint32_t port = 0; port < vicinity.degree; port++) {
        const struct topo_port *to = &row[port];
        vicinity.neighbour[port] = (int32_t)(to->neighbour - p);
        vicinity.put[port] = (uint8_t)core_plane_of(to->dimension, to->direction);
        vicinity.found[port] =
            (int64_t)(core_plane_of(to->dimension, -to->direction) * apart) + vicinity.neighbour[port];
    }
    set_mirrors(&vicinity, core_planes(topology), apart);
    return vicinity;
}

static struct ek_vicinity vicinity_of(const struct ek_topology *topology, uint32_t p, size_t apart)
{
    if (topology->rows) {
        return computed_vicinity(topology, p, apart);
    }
    uint32_t first = topology->first[p];
    struct ek_vicinity vicinity = {.degree = (uint16_t)(topology->first[p + 1] - first)};
    for (uint32_t port = 0; port < vicinity.degree; port++) {
        uint32_t neighbour = topology->neighbour[first + port];
        uint32_t twin = topology->twin[first + port];
        vicinity.neighbour[port] = (int32_t)(neighbour - p);
        vicinity.put[port] = (uint8_t)core_plane(topology, p, first + port);
        vicinity.found[port] = (int64_t)(core_plane(topology, neighbour, twin) * apart) + vicinity.neighbour[port];
    }
    set_mirrors(&vicinity, core_planes(topology), apart);
    return vicinity;
}

_Static_assert(sizeof(struct ek_vicinity) == EK_VICINITY_PORTS * (8 + 4 + 1) + 2,
               "vicinities are compared byte by byte, so there must be no padding");
_Static_assert(CORE_VICINITIES_MAX <= 1u << EK_LANE_BITS, "the number of a vicinity fits");

static unsigned find(const struct ek_vicinity *sought, const struct ek_vicinity *vicinity, unsigned count)
{
    unsigned i = 0;
    while (i < count && memcmp(&vicinity[i], sought, sizeof *sought) != 0) {
        i++;
    }
    return i;
}

// A topology's vicinities found so far.
struct scan {
    const struct ek_topology *topology;
    size_t apart;
    struct ek_vicinity *vicinity;
    unsigned vicinities, last; // the number of vicinities found, and the last one found
};

// Returns the number of a processor's vicinity, or CORE_VICINITIES_MAX if there is no room for it.
static unsigned scan_at(struct scan *scan, uint32_t p)
{
    struct ek_vicinity here = vicinity_of(scan->topology, p, scan->apart);
    if (scan->last >= scan->vicinities || memcmp(&here, &scan->vicinity[scan->last], sizeof here) != 0) {
        scan->last = find(&here, scan->vicinity, scan->vicinities);
    }
    if (scan->last == scan->vicinities && scan->last < CORE_VICINITIES_MAX) {
        scan->vicinity[scan->vicinities++] = here;
    }
    return scan->last;
}

// Finds the usual vicinity of a run's lanes, and the odd lanes.
static void find_odd(struct ek_uniform_run *run)
{
    unsigned most = 0;
    for (unsigned usual = 0; usual < EK_LANES; usual++) {
        uint32_t odd = 0;
        unsigned alike = 0;
        for (unsigned lane = 0; lane < EK_LANES; lane++) {
            bool same = ek_uniform_run_lane(run, lane) == ek_uniform_run_lane(run, usual);
            odd |= (uint32_t)!same << lane;
            alike += same;
        }
        if (alike > most) {
            most = alike;
            run->usual = usual & 3;
            run->odd = odd & ((1u << EK_LANES) - 1);
        }
    }
}

// Writes the run of the processors p .. end-1. A lane without a processor takes the vicinity of the next or the last
// processor. Returns false if there are too many vicinities.
static bool scan_lanes(struct scan *scan, uint32_t p, uint32_t end, struct ek_uniform_run *run)
{
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        uint32_t here = lane < ek_lane(p) ? p : p + lane - ek_lane(p);
        unsigned at = scan_at(scan, here < end ? here : end - 1);
        lanes |= at << lane * EK_LANE_BITS;
        if (at == CORE_VICINITIES_MAX) {
            return false;
        }
    }
    *run = (struct ek_uniform_run){.begin = p, .lanes = lanes & ((1u << EK_LANES_BITS) - 1)};
    find_odd(run);
    return true;
}

// Returns whether runs are faster than ports. A group with odd lanes takes three times as long as a group without odd
// lanes. It takes as long as a group processed port by port on a regular topology (bench/README.md).
static bool pays(const struct ek_topology *topology, uint32_t odd, uint32_t fours)
{
    return topology->degree_min < topology->degree_max || 3 * odd <= fours;
}

size_t core_uniform_runs(const struct ek_topology *topology, size_t apart, struct ek_uniform_run *run,
                         struct ek_vicinity vicinity[CORE_VICINITIES_MAX], unsigned *vicinities)
{
    struct scan scan = {.topology = topology, .apart = apart, .vicinity = vicinity};
    uint32_t processors = topology->processors, fours = 0, odd = 0, before = UINT32_MAX;
    size_t count = 0;
    *vicinities = 0;
    if (core_planes(topology) > EK_VICINITY_PORTS || topology->links == 0) {
        return 0;
    }
    for (uint32_t p = 0, end; p < processors; p = end) {
        struct ek_uniform_run here;
        end = p + EK_LANES - ek_lane(p) < processors ? p + EK_LANES - ek_lane(p) : processors;
        if (!scan_lanes(&scan, p, end, &here)) {
            return 0;
        }
        if (end - p == EK_LANES && topology->rows) { // the groups that follow up to a multiple of lanes are alike
            uint32_t alike = topology->rows->alike(topology, p);
            uint32_t groups = alike - p >= EK_LANES ? (alike - p) / EK_LANES : 1;
            end = p + groups * EK_LANES;
        }
        uint32_t whole = (end - p) / EK_LANES;
        fours += whole;
        odd += here.odd != 0 ? whole : 0;
        if (here.lanes != before) {
            before = here.lanes;
            if (run) {
                run[count] = here;
            }
            count++;
        }
    }
    if (run) {
        run[count] = (struct ek_uniform_run){.begin = processors};
    }
    *vicinities = scan.vicinities;
    return pays(topology, odd, fours) ? count + 1 : 0;
}
