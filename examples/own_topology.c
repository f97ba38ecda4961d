// SPDX-License-Identifier: MIT
// A topology of one's own from an array of links, and loads from an array, against the installed library:
//     cc own_topology.c $(pkg-config --cflags --libs evenkeel) -o own_topology
//
// Two rings of a cluster, and what it costs that only one link joins them: the same with a second one.
#include <evenkeel.h>
#include <stdio.h>

enum { SIDE = 8, PROCESSORS = 2 * SIDE };

// Both rings, joined by so many links.
static void join_rings(struct ek_link *link, unsigned joints)
{
    for (uint32_t i = 0; i < SIDE; i++) {
        link[i] = (struct ek_link){i, (i + 1) % SIDE};
        link[SIDE + i] = (struct ek_link){SIDE + i, SIDE + (i + 1) % SIDE};
    }
    for (uint32_t i = 0; i < joints; i++) {
        link[PROCESSORS + i] = (struct ek_link){i * SIDE / 2, SIDE + i * SIDE / 2};
    }
}

int main(void)
{
    struct ek_link link[PROCESSORS + 2];
    double loads[PROCESSORS] = {0};
    for (unsigned i = 0; i < SIDE; i++) {
        loads[i] = 100.0; // all of it in the first ring
    }
    for (unsigned joints = 1; joints <= 2; joints++) {
        join_rings(link, joints);
        struct ek_graph graph = {.processors = PROCESSORS, .links = PROCESSORS + joints, .link = link};
        struct ek_experiment experiment = {
            .graph = &graph, .loads = loads, .loads_count = PROCESSORS, .method = "odf", .carrier = "pool"};
        struct ek_error error;
        struct ek_report report = {0};
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        enum ek_status status = machine ? ek_run(machine, 0, &report, NULL, NULL, &error) : error.status;
        if (status != EK_OK) {
            fprintf(stderr, "own_topology: %s\n", error.sentence);
            return 1;
        }
        printf("%u joint%s: diameter %d, balanced after %llu steps\n", joints, joints == 1 ? " " : "s",
               (int)ek_machine_topology(machine)->diameter, (unsigned long long)report.steps);
        ek_report_destroy(&report);
        ek_machine_destroy(machine);
    }
    return 0;
}
