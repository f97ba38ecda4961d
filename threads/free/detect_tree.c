// SPDX-License-Identifier: MIT
// The spanning tree of a detection. By breadth, so that no processor is farther from the root than it must be.
#include <math.h>
#include <stdlib.h>

#include "threads/free/detect.h"
#include "threads/free/look.h"
#include "threads/free/post.h"

#define NO_PORT UINT32_MAX

// Finds the parents of the processors in `queue`, the root first, which has room for all. Returns their number.
static uint32_t find_parents(struct free_run *run, uint32_t *queue)
{
    const struct ek_topology *topology = run->topology;
    uint32_t count = 1;
    queue[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t port = topology->first[queue[i]]; port < topology->first[queue[i] + 1]; port++) {
            uint32_t other = topology->neighbour[port];
            if (other != 0 && run->probe[other].parent == NO_PORT) {
                run->probe[other].parent = topology->twin[port];
                queue[count++] = other;
            }
        }
    }
    return count;
}

bool free_detect_begin(struct free_run *run)
{
    uint32_t processors = run->topology->processors;
    for (uint32_t p = 0; p < processors; p++) {
        run->probe[p] = (struct free_probe){.parent = NO_PORT, .received = NAN};
    }
    uint32_t *queue = malloc(processors * sizeof *queue);
    bool all = queue && find_parents(run, queue) == processors;
    free(queue);
    return all;
}

bool free_is_child(const struct free_run *run, uint32_t port)
{
    return run->probe[run->topology->neighbour[port]].parent == run->topology->twin[port];
}

void free_detect_send(struct free_worker *worker, uint32_t port, enum free_kind kind, double sum, unsigned flag)
{
    worker->counts.probes++;
    free_post(worker, port, kind, sum, flag, FREE_PATH_ANY);
}

uint64_t free_probes(const struct free_run *run)
{
    uint64_t probes = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        probes += run->worker[w].counts.probes;
    }
    return probes;
}

void free_detected(struct free_worker *worker)
{
    struct free_run *run = worker->run;
    free_set_detected(run, run->wires ? worker->look.now : free_now(run));
}

void free_set_detected(struct free_run *run, uint64_t detected_ns)
{
    run->shared.detected_ns = detected_ns;
    // Release: pairs with the acquire of the attendant, which then sees the time.
    atomic_store_explicit(&run->shared.detected, true, memory_order_release);
}
