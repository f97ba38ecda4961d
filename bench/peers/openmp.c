// SPDX-License-Identifier: MIT
// OpenMP over the graph as compressed sparse rows: no messages, neighbours' loads are read where they lie. Rounds only.
#define _POSIX_C_SOURCE 200809L
#include "torus.h"

static void one_round(size_t processors, const uint32_t *first, const uint32_t *neighbour, const double *from,
                      double *to)
{
#pragma omp for schedule(static)
    for (size_t p = 0; p < processors; p++) {
        double sum = 0.0;
        for (uint32_t port = first[p]; port < first[p + 1]; port++) {
            sum += from[neighbour[port]] - from[p];
        }
        to[p] = from[p] + ALPHA * sum;
    }
}

int main(int argc, char **argv)
{
    struct torus_task task = torus_task_read(argc, argv);
    size_t processors = torus_processors(task.torus);
    if (task.free) {
        torus_give_up("OpenMP has no messages: rounds only");
    }
    uint32_t *first = torus_memory(processors + 1, sizeof *first);
    uint32_t *neighbour = torus_memory(processors * PORTS, sizeof *neighbour);
    double *loads[2] = {torus_memory(processors, sizeof **loads), torus_memory(processors, sizeof **loads)};
    // Each thread touches first what it works on later.
#pragma omp parallel for schedule(static)
    for (size_t p = 0; p < processors; p++) {
        first[p + 1] = (uint32_t)(p + 1) * PORTS;
        for (int port = 0; port < PORTS; port++) {
            neighbour[p * PORTS + (size_t)port] = (uint32_t)torus_neighbour(task.torus, p, port);
        }
        loads[0][p] = loads[1][p] = torus_load(p);
    }
    double began = torus_seconds();
#pragma omp parallel
    for (uint64_t round = 0; round < task.amount; round++) {
        one_round(processors, first, neighbour, loads[round % 2], loads[(round + 1) % 2]);
    }
    double seconds = torus_seconds() - began;
    struct torus_sums sums = {0.0, 0.0, 0};
    for (size_t p = 0; p < processors; p++) {
        torus_sums_add(&sums, p, loads[task.amount % 2][p]);
    }
    torus_say(seconds, task.amount, 0, &sums);
    return 0;
}
