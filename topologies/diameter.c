// SPDX-License-Identifier: MIT
// Finds the diameter of a general graph by breadth-first searches from every processor. 64 searches run at once, one
// bit each (Then et al. 2014, "The More the Merrier"). The searches stop if they would take more than some seconds. If
// all processors are alike, the search from one of them suffices.
#include <assert.h>
#include <stdlib.h>

#include "topologies/family.h"
#include "topologies/topology.h"

enum { SOURCES = 64 };

static const uint64_t VISITS_MAX = 1000000000; // of ports

struct search {
    const struct ek_topology *topology;
    uint64_t *seen;    // by processor: the searches that have reached it
    uint64_t *reached; // by processor: the searches that reached it in the last level
    uint64_t *next;    // by processor: the searches that reach it in this level
    uint32_t *level;   // processors with searches in `reached`
    uint32_t *level_next;
    uint64_t visits;
};

// Advances all searches by one level. Returns the number of processors that some search reached for the first time.
static uint32_t advance(struct search *search, uint32_t count)
{
    const struct ek_topology *topology = search->topology;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = search->level[i];
        uint64_t bits = search->reached[p];
        search->reached[p] = 0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            uint64_t fresh = bits & ~search->seen[q];
            if (fresh && !search->next[q]) {
                search->level_next[found++] = q;
            }
            search->next[q] |= fresh;
        }
        search->visits += topology->first[p + 1] - topology->first[p];
    }
    for (uint32_t i = 0; i < found; i++) {
        search->seen[search->level_next[i]] |= search->next[search->level_next[i]];
    }
    uint64_t *reached = search->reached;
    search->reached = search->next;
    search->next = reached;
    uint32_t *level = search->level;
    search->level = search->level_next;
    search->level_next = level;
    return found;
}

// Returns the largest distance from any of the processors first .. end-1, at most SOURCES, or -1 if it takes too long.
static int64_t search_from(struct search *search, uint32_t first, uint32_t end)
{
    uint32_t processors = search->topology->processors;
    for (uint32_t p = 0; p < processors; p++) {
        search->seen[p] = 0;
    }
    uint32_t count = 0;
    for (; count < SOURCES && count < end - first; count++) {
        search->seen[first + count] = search->reached[first + count] = (uint64_t)1 << count;
        search->level[count] = first + count;
    }
    int64_t distance = -1;
    while (count > 0) {
        if (search->visits > VISITS_MAX) {
            return -1;
        }
        count = advance(search, count);
        distance++;
    }
    return distance;
}

// The first searches visit each port at least once, and all searches are assumed to take as long as they.
bool topo_diameter_is_dear(uint32_t processors, uint32_t ports)
{
    return (uint64_t)ports * (processors / SOURCES) > VISITS_MAX;
}

uint64_t topo_diameter_bytes(uint64_t processors)
{
    const struct search *sizes;
    return processors * (3 * sizeof *sizes->seen + sizeof *sizes->level + sizeof *sizes->level_next);
}

bool topo_diameter_search(struct ek_topology *topology, uint32_t sources)
{
    size_t n = topology->processors;
    assert(n > 0);
    struct search search = {.topology = topology,
                            .seen = malloc(n * sizeof *search.seen),
                            .reached = calloc(n, sizeof *search.reached),
                            .next = calloc(n, sizeof *search.next),
                            .level = malloc(n * sizeof *search.level),
                            .level_next = malloc(n * sizeof *search.level_next)};
    bool good = search.seen && search.reached && search.next && search.level && search.level_next;
    int64_t diameter = good ? 0 : -1;
    for (uint32_t first = 0; diameter >= 0 && first < sources; first += SOURCES) {
        int64_t distance = search_from(&search, first, sources);
        // All searches are assumed to take as long as the first.
        bool dear = first == 0 && search.visits * (sources / SOURCES) > VISITS_MAX;
        diameter = distance < 0 || dear ? -1 : distance > diameter ? distance : diameter;
    }
    free(search.seen);
    free(search.reached);
    free(search.next);
    free(search.level);
    free(search.level_next);
    topology->diameter = diameter;
    return good;
}

// All processors are alike, so each has as many ports.
bool topo_diameter_by_rows(const struct topo_draft *draft)
{
    struct ek_topology *topology = draft->topology;
    uint32_t processors = topology->processors, degree = topology->ports / processors;
    bool *seen = calloc(processors, sizeof *seen);
    uint32_t *queue = malloc(processors * sizeof *queue); // the processors reached so far
    bool good = seen && queue;
    int64_t distance = -1;
    uint32_t found = 0;
    if (good) {
        seen[0] = true;
        queue[found++] = 0;
    }
    uint64_t visits = 0;
    for (uint32_t next = 0, end; next < found && visits <= VISITS_MAX; distance++) {
        for (end = found; next < end; next++) {
            uint32_t count = draft->find_row(draft, queue[next], draft->row);
            for (uint32_t i = 0; i < count; i++) {
                uint32_t other = draft->row[i].processor;
                if (!seen[other]) {
                    seen[other] = true;
                    queue[found++] = other;
                }
            }
            visits += degree;
        }
    }
    topology->diameter = visits <= VISITS_MAX ? distance : -1;
    free(seen);
    free(queue);
    return good;
}
