// SPDX-License-Identifier: MIT
// Ranks that hold their blocks: of grids whose links are computed, and of graphs whose links they store. Their results
// are those of one process to the last bit, and each rank needs memory for its own part. The ranks are threads here
// (rank_threads.h).
#include <string.h>

#include "tests/support/rank_compare.h"
#include "threads/machine/budget.h"
#include "threads/machine/machine.h"
#include "topologies/topology.h"
#include "base/sanitizers.h"

#ifdef __SANITIZE_THREAD__
enum { UNDER_TSAN = true };
#else
enum { UNDER_TSAN = false };
#endif

// Grids whose links are computed. Each rank has either all loads, or those of its own processors and their neighbours.
// Ranks then measure parts: of the larger grids by exact sums. They reach criteria, and find that they cannot.
static void compare_grids(void)
{
    static const struct ek_experiment grids[] = {
        {.topology = "torus:30x8", .method = "adf"},
        {.topology = "torus:12x5x4", .method = "fos", .load = "stick:5000"},
        {.topology = "mesh:22x5", .method = "odf", .load = "even:700"},
        {.topology = "chain:41", .method = "diffusion:0.3", .load = "peak:41@40"},
        {.topology = "torus:300x230", .method = "adf", .steps_max = 2},
        {.topology = "mesh:300x230", .method = "diffusion:0.1", .load = "stick:1e9", .steps_max = 2},
        {.topology = "torus:300x230", .method = "diffusion:0.5", .load = "modulo:1:2", .steps_max = 9},
        {.topology = "chain:17", .method = "diffusion:0.3", .load = "even:17", .steps_max = 9},
        {.topology = "torus:30x8", .method = "adf", .units = "tokens"},
        {.topology = "mesh:300x230", .method = "odf", .units = "tokens", .load = "modulo:7919:1001", .steps_max = 2},
        {.topology = "torus:12x5x4", .method = "ade"},
        {.topology = "mesh:22x5", .method = "gde:0.9", .units = "tokens"},
        {.topology = "hypercube:8", .method = "ode", .ports = "one"},
        {.topology = "torus:301x230", .method = "ade", .load = "stick:1e9", .steps_max = 7},
        {.topology = "hypercube:13", .method = "adf", .steps_max = 3},
        {.topology = "kary:3^9", .method = "fos", .units = "tokens", .steps_max = 3},
        {.topology = "torus:13x17x3x107", .method = "adf", .load = "modulo:7919:1001", .steps_max = 2},
    };
    static const char *const stops[] = {"never", "error:9", "neighbours:90", "spread:0", "shared"};
    for (unsigned i = 0; i < sizeof grids / sizeof *grids; i++) {
        bool once = UNDER_TSAN && strstr(grids[i].topology, "x230"); // a large grid takes long
        for (unsigned ranks = once ? 2 + i % 3 : 1; ranks <= TESTS_RANKS_MAX; ranks += once ? TESTS_RANKS_MAX : 1) {
            for (unsigned block = 0; block < 2; block++) {
                struct ek_experiment experiment = grids[i];
                experiment.seed = i + 1;
                experiment.steps_max = experiment.steps_max ? experiment.steps_max : 20;
                experiment.keep_trace = true;
                experiment.keep_loads = !block;
                experiment.no_flows = ranks % 2;
                experiment.stop = block ? stops[(i + ranks) % (sizeof stops / sizeof *stops)] : NULL;
                tests_note(tests_ranks_compare(&experiment, ranks), experiment.topology, "not compared");
            }
        }
    }
}

// Four ranks need a fourth of the memory each, and a little more at the borders of their blocks.
static void share_memory(void)
{
    static const struct {
        const char *method, *units, *stop;
        bool no_flows;
        double bytes; // for each processor
    } kinds[] = {{"adf", "real", "never", true, 24},         {"adf", "real", "error:1e-9", true, 32},
                 {"adf", "real", "neighbours:1", false, 64}, {"adf", "tokens", "never", true, 32},
                 {"ade", "real", "never", true, 24},         {"ade", "tokens", "neighbours:1", false, 72}};
    double processors = UNDER_TSAN ? 160000.0 : 1000000.0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = {.topology = UNDER_TSAN ? "torus:400x400" : "torus:1000x1000",
                                           .method = kinds[i].method,
                                           .units = kinds[i].units,
                                           .stop = kinds[i].stop,
                                           .steps_max = 1,
                                           .no_flows = kinds[i].no_flows};
        struct tests_room room = {.count = 4, .deaf_after = UINT32_MAX};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < 4; r++) {
            seat[r].experiment = experiment;
        }
        tests_carry(&room, seat);
        for (unsigned r = 0; r < 4; r++) {
            const struct ek_machine *machine = seat[r].outcome.machine;
            double bytes = machine ? (double)machine_budget_of(&machine->plan).run : 0.0;
            bool wide = machine && !ek_machine_outline(machine)->first;
            double fourth = 0.25 * kinds[i].bytes * processors, most = wide ? 1.15 * fourth : 40.0 * processors;
            tests_note(bytes > fourth && bytes < most, "the memory of a rank", "not that of its block");
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

// Large graphs whose links are stored: each rank has the links of its own processors. All links of the second one make
// uniform runs, but not those of a rank.
static void compare_windows(void)
{
    static const char *const stops[] = {"error:1e9", "never", "neighbours:900"};
    for (unsigned ranks = 1; ranks <= 3; ranks += 2) {
        struct ek_experiment experiment = {.topology = ranks == 1 ? "moore:363x362" : "product(ring:400,ring:330)",
                                           .method = ranks == 1 ? "adf" : "diffusion:0.1",
                                           .seed = ranks,
                                           .steps_max = 3,
                                           .keep_trace = ranks > 1,
                                           .no_flows = ranks == 1,
                                           .stop = stops[ranks - 1]};
        tests_note(tests_ranks_compare(&experiment, ranks), experiment.topology, "not compared");
    }
}

// Four ranks have a fourth of the links each. An experiment that shows all loads, or whose method needs all links,
// needs all rows in each rank.
static void share_links(void)
{
    enum { PROCESSORS = 363 * 362, PORTS = 2 * (362 * 362 + 363 * 361 + 2 * 362 * 361) };
    static const struct {
        const char *method;
        bool keeps, part;
    } kinds[] = {{"adf", false, true}, {"adf", true, false}, {"metropolis", false, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 4, .deaf_after = UINT32_MAX};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < 4; r++) {
            seat[r].experiment = (struct ek_experiment){.topology = "moore:363x362",
                                                        .method = kinds[i].method,
                                                        .stop = "never",
                                                        .steps_max = 1,
                                                        .no_flows = true,
                                                        .keep_loads = kinds[i].keeps};
        }
        tests_carry(&room, seat);
        for (unsigned r = 0; r < 4; r++) {
            const struct ek_machine *machine = seat[r].outcome.machine;
            const struct ek_topology *outline = machine ? ek_machine_outline(machine) : NULL;
            double links = outline ? (double)ek_topology_bytes(outline) : 0.0;
            double run = machine ? (double)machine_budget_of(&machine->plan).run : 0.0;
            double fourth = 4.0 * PROCESSORS + 2.5 * PORTS, loads = 6.0 * PROCESSORS + 2.0 * PORTS;
            bool few = links < 1.02 * fourth && run > loads && run < 2.0 * loads && !outline->colour;
            bool all = links > 20.0 * PORTS && outline->colour;
            tests_note(kinds[i].part ? few : all, kinds[i].method, "not the memory of its links");
            tests_note(machine && !ek_machine_topology(machine) == kinds[i].part, "the topology", "not as a whole");
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

int main(void)
{
    compare_grids();
    share_memory();
    compare_windows();
    share_links();
    return tests_result();
}
