// SPDX-License-Identifier: MIT
// Finds uniform runs: groups of EK_LANES processors are compared one after the other.
#include "core/methods/kernels/uniform_run.h"

#include <string.h>

#include "topologies/rows.h"

static struct ek_vicinity vicinity_of(const struct ek_topology *topology, uint32_t p)
{
    struct topo_port row[TOPO_ROW_MAX];
    struct ek_vicinity vicinity = {.degree = topo_first(topology, p + 1) - topo_first(topology, p)};
    if (topology->rows) {
        topology->rows->row(topology, p, row);
    }
    for (uint32_t port = 0; port < vicinity.degree; port++) {
        uint32_t neighbour = topology->rows ? row[port].neighbour : topology->neighbour[topology->first[p] + port];
        vicinity.neighbour[port] = (int32_t)(neighbour - p);
    }
    return vicinity;
}

_Static_assert(sizeof(struct ek_vicinity) == EK_VICINITY_PORTS * 4 + 8,
               "vicinities are compared byte by byte, so there must be no padding");
_Static_assert(CORE_VICINITIES_MAX <= UINT8_MAX, "the number of a vicinity fits");

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
    struct ek_vicinity *vicinity;
    unsigned vicinities, last; // the number of vicinities found, and the last one found
};

// Returns the number of a processor's vicinity, or CORE_VICINITIES_MAX if there is no room for it.
static unsigned scan_at(struct scan *scan, uint32_t p)
{
    struct ek_vicinity here = vicinity_of(scan->topology, p);
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
        unsigned odd = 0, alike = 0;
        for (unsigned lane = 0; lane < EK_LANES; lane++) {
            bool same = run->vicinity[lane] == run->vicinity[usual];
            odd |= (unsigned)!same << lane;
            alike += same;
        }
        if (alike > most) {
            most = alike;
            run->usual = run->vicinity[usual];
            run->odd = (uint8_t)odd;
        }
    }
}

// Writes the run of the processors p .. end-1. A lane without a processor takes the vicinity of the next or the last
// processor. Returns false if there are too many vicinities.
static bool scan_lanes(struct scan *scan, uint32_t p, uint32_t end, struct ek_uniform_run *run)
{
    *run = (struct ek_uniform_run){.begin = p};
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        uint32_t here = lane < ek_lane(p) ? p : p + lane - ek_lane(p);
        unsigned at = scan_at(scan, here < end ? here : end - 1);
        run->vicinity[lane] = (uint8_t)at;
        if (at == CORE_VICINITIES_MAX) {
            return false;
        }
    }
    find_odd(run);
    return true;
}

size_t core_uniform_runs(const struct ek_topology *topology, struct ek_uniform_run *run,
                         struct ek_vicinity vicinity[CORE_VICINITIES_MAX], unsigned *vicinities)
{
    struct scan scan = {.topology = topology, .vicinity = vicinity};
    uint32_t processors = topology->processors;
    struct ek_uniform_run before;
    size_t count = 0;
    *vicinities = 0;
    if (core_vicinity_ports(topology) > EK_VICINITY_PORTS || topology->links == 0) {
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
        if (count == 0 || memcmp(here.vicinity, before.vicinity, sizeof here.vicinity) != 0) {
            before = here;
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
    return count + 1;
}
