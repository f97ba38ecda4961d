// SPDX-License-Identifier: MIT
// Rows that a family computes are those that its arrays would store, and runs that compute them give the same bits.
#include <criterion/criterion.h>
#include <stdio.h>

#include "core/lanes.h"
#include "tests/support/must.h"
#include "threads/machine/machine.h"
#include "topologies/rows.h"

static void expect_row(const struct ek_topology *topology, uint32_t p)
{
    struct topo_port row[TOPO_ROW_MAX];
    struct topo_port before[TOPO_ROW_MAX];
    uint32_t first = topology->first[p];
    uint32_t degree = topology->rows->row(topology, p, row);
    cr_assert_eq(degree, topology->first[p + 1] - first, "%s: %u has %u ports", topology->spec, p, degree);
    cr_assert_eq(topology->rows->first(topology, p), first, "%s: %u", topology->spec, p);
    for (uint32_t k = 0; k < degree; k++) {
        uint32_t port = first + k;
        cr_assert(row[k].neighbour == topology->neighbour[port] && row[k].colour == topology->colour[port] &&
                      row[k].dimension == topology->dimension[port] && row[k].direction == topology->direction[port],
                  "%s: port %u of %u", topology->spec, k, p);
    }
    uint32_t alike = topology->rows->alike(topology, p);
    cr_assert(alike > p && alike <= topology->processors, "%s: %u", topology->spec, p);
    for (uint32_t q = p + 1; q < alike; q++) {
        cr_assert_eq(topology->rows->row(topology, q, before), degree);
        for (uint32_t k = 0; k < degree; k++) {
            cr_assert(before[k].neighbour - q == row[k].neighbour - p && before[k].dimension == row[k].dimension &&
                          before[k].direction == row[k].direction,
                      "%s: %u and %u", topology->spec, p, q);
        }
    }
}

// Computes the partner of p over the links of a colour, or returns p.
static uint32_t partner(struct topo_pairing pairing, uint32_t p)
{
    uint32_t x = p / pairing.stride % pairing.side, from = pairing.pair_from;
    uint32_t around = (pairing.side - 1) * pairing.stride;
    if (x >= from && (x - from) % 2 == 0 && x + 1 < pairing.side) {
        return p + pairing.stride;
    }
    if (x > from && (x - from) % 2 == 1) {
        return p - pairing.stride;
    }
    return !pairing.wraps ? p : x == 0 ? p + around : x + 1 == pairing.side ? p - around : p;
}

// Checks the pairs of each colour, and that ports of one plane have one dimension and direction.
static void expect_pairings(const struct ek_topology *topology)
{
    for (uint32_t colour = 0; colour < topology->colours; colour++) {
        struct topo_pairing pairing = topology->rows->pairing(topology, colour);
        uint32_t left_alone = topology->processors;
        for (uint32_t e = topology->colour_first[colour]; e < topology->colour_first[colour + 1]; e++) {
            struct ek_end end = topology->ends[e];
            cr_assert_eq(partner(pairing, end.processor), topology->neighbour[end.port], "%s: colour %u of %u",
                         topology->spec, colour, end.processor);
            cr_assert_eq(pairing.plane, topo_plane_of(topology, topology->dimension[end.port], 1));
            left_alone--;
        }
        for (uint32_t p = 0; p < topology->processors; p++) {
            left_alone -= partner(pairing, p) == p;
        }
        cr_assert_eq(left_alone, 0, "%s: colour %u", topology->spec, colour);
    }
}

// Checks that the bundles have every port of every processor, in the order of the row.
static void expect_bundles(const struct ek_topology *topology)
{
    struct topo_bundle bundle[TOPO_BUNDLES_MAX];
    uint32_t count = topology->rows->bundles(topology, bundle);
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t port = topology->first[p];
        for (uint32_t i = 0; i < count; i++) {
            uint64_t place = p % bundle[i].period;
            if (place < bundle[i].begin || place >= bundle[i].end) {
                continue;
            }
            uint32_t d = topology->dimension[port];
            int direction = topology->direction[port];
            cr_assert_lt(port, topology->first[p + 1], "%s: %u", topology->spec, p);
            cr_assert_eq((int64_t)p + bundle[i].apart, topology->neighbour[port], "%s: bundle %u of %u", topology->spec,
                         i, p);
            cr_assert_eq(bundle[i].plane, topo_plane_of(topology, d, direction));
            port++;
        }
        cr_assert_eq(port, topology->first[p + 1], "%s: %u", topology->spec, p);
    }
}

// The same topology without its arrays; its spec and sides belong to the given one.
static struct ek_topology without_arrays(const struct ek_topology *topology)
{
    struct ek_topology outline = *topology;
    outline.first = outline.neighbour = outline.twin = outline.colour = outline.colour_first = NULL;
    outline.dimension = NULL;
    outline.direction = NULL;
    outline.ends = NULL;
    return outline;
}

static const char *const grids[] = {
    "chain:1",     "chain:2",   "chain:3",     "chain:17",    "ring:1",      "ring:2",      "ring:3",
    "ring:16",     "ring:17",   "mesh:1x1",    "mesh:4x5",    "mesh:2x7",    "mesh:3x1x4",  "mesh:2x3x4x2",
    "torus:2x2",   "torus:4x3", "torus:3x2x4", "torus:5x1x3", "torus:1x2x3", "torus:6x5x4", "torus:3x3x3x3",
    "hypercube:1", "kary:3^3",  "hypercube:6", "kary:2^5",    "kary:1^2",    "torus:33x2",  "mesh:40x3x2"};

Test(rows, are_those_of_the_arrays)
{
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct ek_topology *topology = must_build(grids[i]);
        struct ek_topology outline = without_arrays(topology);
        struct topo_neighbours neighbours = {0};
        for (uint32_t p = 0; p < topology->processors; p++) {
            expect_row(topology, p);
            topo_find_neighbours(&outline, p, &neighbours);
            cr_assert_eq(neighbours.degree, topology->first[p + 1] - topology->first[p]);
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                uint32_t k = port - topology->first[p];
                cr_assert_eq(neighbours.of[k], topology->neighbour[port], "%s", grids[i]);
                cr_assert_eq(topo_twin(&outline, p, k, neighbours.of[k]), topology->twin[port], "%s", grids[i]);
            }
        }
        cr_expect_eq(topology->rows->first(topology, topology->processors), topology->ports, "%s", grids[i]);
        expect_pairings(topology);
        expect_bundles(topology);
        ek_topology_destroy(topology);
    }
}

// Only runs along uniform runs read no arrays. The machine gives arrays to a caller who asks for them.
Test(rows, are_computed_where_nothing_reads_the_arrays)
{
    static const struct {
        struct ek_experiment experiment;
        bool computes;
    } cases[] = {
        {{.topology = "torus:64x5", .method = "adf"}, true},
        {{.topology = "ring:640", .method = "diffusion:0.1", .stop = "neighbours:1"}, true},
        {{.topology = "mesh:64x5", .method = "odf"}, true},
        {{.topology = "chain:640", .method = "odf", .no_flows = true}, true},
        {{.topology = "torus:64x5", .method = "fos", .load = "peak:1000"}, true},
        {{.topology = "torus:64x5", .method = "adf", .keep_links = true}, false},
        {{.topology = "torus:64x5", .method = "adf", .checks = true}, false},
        {{.topology = "torus:64x5", .method = "adf", .units = "tokens"}, true},
        {{.topology = "torus:64x5", .method = "adf", .units = "tokens", .rounding = "nearest"}, false},
        {{.topology = "torus:64x5", .method = "adf", .units = "tokens", .rounding = "random"}, false},
        {{.topology = "torus:64x5", .method = "adf", .units = "tokens", .rounding = "carry"}, false},
        {{.topology = "torus:64x5", .method = "adf", .tasks = "queens:6"}, false},
        {{.topology = "mesh:64x5", .method = "ade", .tasks = "queens:6"}, false},
        {{.topology = "torus:64x5", .method = "adf", .ports = "one"}, false},
        {{.topology = "torus:64x5", .method = "adf", .capacity = "semi"}, false},
        {{.topology = "torus:64x5", .method = "adf", .delay = "fixed:2"}, false},
        {{.topology = "torus:64x5", .method = "adf", .work = "normal:1:1:1", .steps_max = 3}, false},
        {{.topology = "torus:64x5", .method = "adf", .invoke = "probability:0.5"}, false},
        {{.topology = "torus:64x5", .method = "adf", .overlaps = true}, false},
        {{.topology = "torus:64x5", .method = "adf", .timing = "turns"}, false},
        {{.topology = "torus:64x5", .method = "adf", .mailbox = "spsc"}, false},
        {{.topology = "torus:64x5", .method = "ade"}, true},
        {{.topology = "ring:9", .method = "gde:0.7", .stop = "error:0.1"}, true},
        {{.topology = "hypercube:8", .method = "ode", .no_flows = true}, true},
        {{.topology = "kary:3^5", .method = "ade", .ports = "one"}, true},
        {{.topology = "mesh:64x5", .method = "ade", .keep_links = true}, false},
        {{.topology = "mesh:64x5", .method = "ade", .frames = 3, .frame_flows = true}, false},
        {{.topology = "mesh:64x5", .method = "ade", .checks = true}, false},
        {{.topology = "mesh:64x5", .method = "ade", .units = "tokens"}, true},
        {{.topology = "mesh:64x5", .method = "ade", .units = "tokens", .rounding = "random"}, false},
        {{.topology = "hypercube:8", .method = "dem", .units = "tokens"}, true},
        {{.topology = "mesh:64x5", .method = "ade", .capacity = "semi", .weighting = "target"}, false},
        {{.topology = "mesh:64x5", .method = "ade", .delay = "fixed:2"}, false},
        {{.topology = "mesh:64x5", .method = "ade", .timing = "free"}, false},
        {{.topology = "mesh:64x5", .method = "ade", .overlaps = true}, false},
        {{.topology = "mesh:1x1", .method = "ade"}, false},
        {{.topology = "product(ring:64,ring:5)", .method = "ade"}, false},
        {{.topology = "hypercube:12", .method = "adf"}, false},
        {{.topology = "hypercube:13", .method = "adf"}, true},
        {{.topology = "kary:4^7", .method = "fos", .stop = "neighbours:1", .no_flows = true}, true},
        {{.topology = "mesh:8x8x8x16", .method = "diffusion:0.1"}, true},
        {{.topology = "hypercube:13", .method = "adf", .keep_links = true}, false},
        {{.topology = "hypercube:13", .method = "adf", .frames = 3, .frame_flows = true}, false},
        {{.topology = "hypercube:13", .method = "adf", .units = "tokens"}, true},
        {{.topology = "hypercube:13", .method = "adf", .units = "tokens", .rounding = "carry"}, false},
        {{.topology = "hypercube:13", .method = "adf", .capacity = "semi"}, false},
        {{.topology = "hypercube:13", .method = "adf", .ports = "one"}, false},
        {{.topology = "product(ring:64,ring:5)", .method = "adf"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.carrier = "pool:1";
        struct ek_machine *machine = must_prepare(experiment);
        const struct ek_topology *outline = ek_machine_outline(machine);
        const struct ek_topology *topology = ek_machine_topology(machine);
        struct ek_error error;
        cr_expect_eq(!outline->first, cases[i].computes && ek_cpu_is_wide(), "case %zu", i);
        cr_expect(ek_topology_valid(topology, &error), "case %zu: %s", i, error.sentence);
        cr_expect(outline->degree_min == topology->degree_min && outline->degree_max == topology->degree_max &&
                      outline->links == topology->links && outline->colours == topology->colours &&
                      outline->diameter == topology->diameter,
                  "case %zu", i);
        cr_expect_eq(ek_machine_topology(machine), topology, "case %zu", i);
        ek_machine_destroy(machine);
    }
}

// Runs the experiment with computed rows, and again with the arrays of the same topology.
static void expect_same_with_arrays(struct ek_experiment experiment)
{
    struct ek_error error;
    struct ek_report computed = {0}, stored = {0};
    experiment.keep_loads = experiment.keep_trace = true;
    struct ek_machine *machine = must_prepare(experiment);
    const struct ek_topology *topology = ek_machine_topology(machine);
    struct ek_topology *outline = machine->plan.topology;
    cr_expect_eq(!outline->first, ek_cpu_is_wide(), "%s", experiment.topology);
    enum ek_status status = ek_run(machine, 0, &computed, NULL, NULL, &error);
    machine->plan.topology = (struct ek_topology *)topology;
    cr_expect_eq(ek_run(machine, 0, &stored, NULL, NULL, &error), status, "%s", experiment.topology);
    machine->plan.topology = outline;
    const char *differs = tests_report_differs(&computed, &stored, topology->processors);
    cr_expect_null(differs, "%s %s on %s%s: %s", experiment.topology, experiment.method, experiment.carrier,
                   experiment.no_flows ? " without flows" : "", differs);
    ek_report_destroy(&computed);
    ek_report_destroy(&stored);
    ek_machine_destroy(machine);
}

// Runs experiments on all topologies. With three workers, and four in an exchange, blocks begin anywhere.
static void expect_all_same(const char *const *topologies, size_t count, const char *const *methods,
                            unsigned methods_count, const char *units, bool exchange)
{
    static const char *const stops[] = {"never", "error:0.5", "neighbours:3", "spread:10"};
    static const char *const loads[] = {"uniform:0:1000", "peak:1000000", "modulo:7919:1001"};
    for (unsigned i = 0; i < count; i++) {
        for (unsigned workers = 1; workers <= (exchange ? 4 : 3); workers++) {
            char carrier[16];
            snprintf(carrier, sizeof carrier, "pool:%u", workers);
            expect_same_with_arrays((struct ek_experiment){.topology = topologies[i],
                                                           .method = methods[(i + workers) % methods_count],
                                                           .load = loads[(i / 3 + workers) % 3],
                                                           .units = units,
                                                           .stop = stops[(i / 2 + workers) % 4],
                                                           .ports = exchange && workers == 3 ? "one" : "all",
                                                           .carrier = carrier,
                                                           .barrier = "spin",
                                                           .steps_max = 40,
                                                           .no_flows = workers == 2});
        }
    }
}

#define EXPECT_ALL_SAME(topologies, methods, units, exchange)                                                          \
    expect_all_same(topologies, sizeof topologies / sizeof *topologies, methods, sizeof methods / sizeof *methods,     \
                    units, exchange)

static const char *const regular[] = {"ring:97",      "torus:29x5",  "torus:30x8",  "torus:31x17", "torus:64x2",
                                      "torus:16x5x4", "kary:18^2",   "torus:33x17", "torus:65x64", "torus:20x2x5",
                                      "chain:41",     "mesh:22x5",   "mesh:23x4",   "mesh:17x4x3", "mesh:40x3x2",
                                      "mesh:130x8",   "mesh:40x1x5", "chain:1000"};

Test(rows, change_no_bit_of_a_report)
{
    static const char *const methods[] = {"adf", "diffusion:0.1", "fos", "odf"};
    EXPECT_ALL_SAME(regular, methods, "real", false);
}

Test(rows, change_no_token)
{
    static const char *const methods[] = {"adf", "diffusion:0.1", "fos", "odf"};
    EXPECT_ALL_SAME(regular, methods, "tokens", false);
}

// Processors give more tokens than they hold. Then none of their own tokens stay, and their number is not negative.
Test(rows, change_no_token_that_stays)
{
    static const char *const topologies[] = {"torus:20x6", "mesh:17x4x3", "hypercube:13", "kary:3^9"};
    for (unsigned i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        expect_same_with_arrays((struct ek_experiment){.topology = topologies[i],
                                                       .method = "diffusion:0.4",
                                                       .load = "peak:1000@50",
                                                       .units = "tokens",
                                                       .stop = "never",
                                                       .carrier = "pool:2",
                                                       .steps_max = 2});
    }
}

// Dimension exchange: strides below and above a vector's width, sides of two, odd and even ones, and blocks that begin
// within a pair.
static const char *const coloured[] = {
    "ring:97",        "ring:96",       "chain:41",    "chain:2",    "mesh:22x5",    "torus:2x3x4x5", "torus:31x17",
    "torus:4x4",      "torus:3x3x3x3", "kary:4^4",    "torus:30x8", "mesh:2x2x2x3", "torus:65x64",   "torus:8x2",
    "mesh:1x2x3x4x5", "hypercube:1",   "torus:5x1x3", "ring:3",     "hypercube:10", "chain:3",       "mesh:130x8",
    "hypercube:2",    "torus:2x6x2x3", "kary:3^5",    "mesh:2x11x5"};

Test(rows, change_no_bit_of_an_exchange)
{
    static const char *const methods[] = {"ade", "ode", "gde:0.9"};
    EXPECT_ALL_SAME(coloured, methods, "real", true);
}

// With gde:1 a pair swaps its loads, but not if they differ by one token.
Test(rows, change_no_token_of_an_exchange)
{
    static const char *const methods[] = {"ade", "gde:1", "ode", "gde:0.9"};
    static const char *const cubes[] = {"hypercube:3", "hypercube:10", "hypercube:1"};
    static const char *const once[] = {"dem"};
    EXPECT_ALL_SAME(coloured, methods, "tokens", true);
    EXPECT_ALL_SAME(cubes, once, "tokens", true);
}

// From 2^52 on all amounts are whole, and a sum with 2^52 is rounded.
Test(rows, change_no_large_number_of_tokens)
{
    static const char *const topologies[] = {"torus:31x17", "hypercube:13", "torus:31x17"};
    static const char *const methods[] = {"diffusion:0.7", "diffusion:0.7", "gde:0.7"};
    for (unsigned i = 0; i < 3; i++) {
        expect_same_with_arrays((struct ek_experiment){.topology = topologies[i],
                                                       .method = methods[i],
                                                       .load = "peak:9007199254740991",
                                                       .units = "tokens",
                                                       .stop = "never",
                                                       .carrier = "pool:2",
                                                       .steps_max = 9});
    }
}

// Diffusion in more dimensions than uniform runs have.
Test(rows, change_no_bit_of_diffusion_in_many_dimensions)
{
    static const char *const topologies[] = {"hypercube:13",   "kary:4^7",          "mesh:8x8x8x16",
                                             "kary:2^14",      "torus:40x2x7x2x8",  "mesh:31x3x2x6x9",
                                             "torus:3x5x7x90", "torus:1x2x3x2x800", "kary:3^9"};
    static const char *const methods[] = {"adf", "diffusion:0.05", "fos", "odf"};
    EXPECT_ALL_SAME(topologies, methods, "real", false);
    EXPECT_ALL_SAME(topologies, methods, "tokens", false);
}

// Facts of a small machine read arrays, and those of a large one compute the rows.
Test(rows, change_no_fact)
{
    static const char *const topologies[] = {"torus:24x5", "ring:97", "mesh:22x5", "ring:200000", "chain:150001"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        struct ek_experiment experiment = {.topology = topologies[i], .method = "fos", .carrier = "pool:1"};
        struct ek_machine *machine = must_prepare(experiment);
        cr_expect_eq(!ek_machine_outline(machine)->first, ek_cpu_is_wide(), "%s", topologies[i]);
        double least = fact_value(machine, "flow_l2_least"), gamma = fact_value(machine, "gamma");
        experiment.keep_links = true;
        cr_expect_eq(fact_of_experiment(experiment, "flow_l2_least"), least, "%s", topologies[i]);
        cr_expect_eq(fact_of_experiment(experiment, "gamma"), gamma, "%s", topologies[i]);
        ek_machine_destroy(machine);
    }
}
