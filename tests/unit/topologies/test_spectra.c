// SPDX-License-Identifier: MIT
// Spectra and exchange factors: closed forms against LAPACK on a few hundred topologies, ARPACK against both, and
// numbers that were computed elsewhere.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/spectra/spectrum.h"
#include "tests/support/must.h"

static const double PI = 3.14159265358979323846;

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

// Finds the distinct nonzero eigenvalues by LAPACK. Returns their number.
static size_t dense(const struct ek_topology *topology, double *value)
{
    struct ek_error error;
    cr_assert(topo_spectrum_dense(topology, value, &error), "%s", error.sentence);
    size_t count = 0;
    for (size_t i = 1; i < topology->processors; i++) {
        if (count == 0 || value[i] > value[count - 1] * (1.0 + 1e-9)) {
            value[count++] = value[i];
        }
    }
    return count;
}

static unsigned compared;

// Compares the family's eigenvalues, found as `how` says, to LAPACK's of the whole Laplacian.
static void compare_as(const char *spec, const char *how)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    struct ek_spectrum all, ends;
    double *value = malloc(topology->processors * sizeof *value);
    size_t count = dense(topology, value);
    cr_assert(ek_spectrum_find(topology, true, &all, &error), "%s: %s", spec, error.sentence);
    cr_assert(ek_spectrum_find(topology, false, &ends, &error), "%s: %s", spec, error.sentence);
    cr_expect_str_eq(all.how, how, "%s", spec);
    cr_expect_str_eq(ends.how, how, "%s", spec);
    cr_assert_eq(all.count, count, "%s: %zu distinct values, LAPACK has %zu", spec, all.count, count);
    for (size_t i = 0; i < count; i++) {
        cr_expect(near(all.value[i], value[i], 1e-10), "%s: value %zu is %.15g, LAPACK has %.15g", spec, i,
                  all.value[i], value[i]);
    }
    cr_expect(near(all.second, count ? value[0] : 0.0, 1e-11), "%s", spec);
    cr_expect(near(all.largest, count ? value[count - 1] : 0.0, 1e-11), "%s", spec);
    cr_expect(near(ends.second, all.second, 1e-14), "%s: %.17g, not %.17g", spec, ends.second, all.second);
    cr_expect(near(ends.largest, all.largest, 1e-14), "%s: %.17g, not %.17g", spec, ends.largest, all.largest);
    ek_spectrum_destroy(&all);
    ek_spectrum_destroy(&ends);
    free(value);
    ek_topology_destroy(topology);
    compared++;
}

static void compare(const char *spec)
{
    compare_as(spec, "closed form");
}

static void compare_sizes(const char *format, int from, int to)
{
    for (int k = from; k <= to; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, format, k);
        compare(spec);
    }
}

static void compare_pairs(const char *format, int limit)
{
    for (int k = 1; k <= limit; k++) {
        for (int j = 1; j <= limit; j++) {
            char spec[64];
            snprintf(spec, sizeof spec, format, k, j);
            compare(spec);
        }
    }
}

Test(spectra, closed_forms_are_lapacks)
{
    static const char *const more[] = {"mesh:4x4x4",
                                       "torus:2x3x2x5",
                                       "torus:3x4x5",
                                       "mesh:1x6",
                                       "torus:1x9",
                                       "mesh:2x3x4x5",
                                       "torus:4x4x4x2",
                                       "slimfly:3",
                                       "slimfly:4",
                                       "slimfly:5",
                                       "slimfly:7",
                                       "slimfly:8",
                                       "slimfly:9",
                                       "slimfly:11",
                                       "slimfly:13",
                                       "slimfly:16",
                                       "kary:3^4",
                                       "kary:5^2",
                                       "kary:2^6",
                                       "mesh:16x16",
                                       "torus:16x16",
                                       "torus:15x17",
                                       "mesh:1x1",
                                       "chain:300",
                                       "ring:301",
                                       "otis(mesh:2x4)",
                                       "otis(torus:3x4)",
                                       "otis(hypercube:3)",
                                       "otis(hypercube:4)",
                                       "otis(mesh:4x4)",
                                       "otis(torus:4x4)",
                                       "otis(otis(chain:2))",
                                       "otis(otis(chain:3))",
                                       "otis(otis(ring:4))",
                                       "otis(otis(star:4))",
                                       "otis(otis(complete:3))",
                                       "otis(otis(otis(chain:2)))"};
    compare_sizes("chain:%d", 1, 20);
    compare_sizes("ring:%d", 3, 20);
    compare_sizes("complete:%d", 2, 20);
    compare_sizes("star:%d", 2, 20);
    compare_sizes("hypercube:%d", 1, 7);
    compare_sizes("otis(chain:%d)", 2, 12);
    compare_sizes("otis(ring:%d)", 3, 12);
    compare_sizes("otis(complete:%d)", 2, 10);
    compare_sizes("otis(star:%d)", 2, 10);
    compare_pairs("mesh:%dx%d", 9);
    compare_pairs("torus:%dx%d", 9);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        compare(more[i]);
    }
    cr_expect_gt(compared, 300);
}

Test(spectra, closed_forms_of_families_are_lapacks)
{
    static const char *const more[] = {"circulant:12:1,5",
                                       "circulant:13:2,3,6",
                                       "circulant:40:4,5,20",
                                       "circulant:2:1",
                                       "product(complete:4,complete:5)",
                                       "product(ring:5,chain:4)",
                                       "product(star:5,foldedcube:3,complete:3)",
                                       "product(otis(ring:4),chain:3)",
                                       "product(product(ring:4,star:3),complete:1)",
                                       "otis(product(ring:4,complete:3))",
                                       "otis(foldedcube:3)",
                                       "hsn(2,ring:5)",
                                       "hsn(2,cayley:star:3)"};
    compare_sizes("foldedcube:%d", 1, 9);
    compare_sizes("butterfly:%d", 1, 6);
    compare_sizes("cayley:star:%d", 1, 6);
    compare_sizes("circulant:%d:1,2", 4, 24);
    compare_sizes("circulant:%d:3,4", 8, 28);
    compare_sizes("product(ring:%d,complete:4)", 3, 22);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        compare(more[i]);
    }
    cr_expect_eq(compared, 9 + 6 + 6 + 21 + 21 + 20 + sizeof more / sizeof *more);
}

// Families whose spectra LAPACK finds in small matrices, and products of graphs without closed form.
Test(spectra, small_matrices_are_lapacks)
{
    static const char *const specs[] = {"tree:2:0",
                                        "tree:2:1",
                                        "tree:2:2",
                                        "tree:2:7",
                                        "tree:3:1",
                                        "tree:3:4",
                                        "tree:4:3",
                                        "tree:7:3",
                                        "tree:60:1",
                                        "tree:25:2",
                                        "ccc:1",
                                        "ccc:2",
                                        "ccc:3",
                                        "ccc:4",
                                        "ccc:5",
                                        "ccc:6",
                                        "product(tree:2:3,ring:6)",
                                        "product(random:10:3,ring:6)",
                                        "product(shuffle:4,debruijn:2:3)",
                                        "otis(tree:3:2)"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        compare_as(specs[i], "LAPACK");
    }
}

// Returns the topology that `context` points to, as an edge list.
static char *tell_edges(void *context, const char *path, size_t *length, struct ek_error *error)
{
    (void)path;
    (void)error;
    const struct ek_topology *topology = context;
    char *text = malloc(24 * (size_t)topology->links + 1);
    *length = 0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (p < topology->neighbour[port]) {
                *length += (size_t)sprintf(text + *length, "%u %u\n", p, topology->neighbour[port]);
            }
        }
    }
    text[*length] = '\0';
    return text;
}

// Compares a graph without closed form to the same graph with one: LAPACK's spectrum must be the closed form's, also
// as the group of an OTIS network.
static void compare_formless(const char *spec, const char *formless)
{
    struct ek_error error;
    struct ek_spectrum known, found;
    const char *group = strncmp(formless, "otis", 4) == 0 ? "mesh:3x4" : spec;
    struct ek_topology *edges = must_build(group);
    struct ek_topology *closed = must_build(spec);
    struct ek_topology *graph = ek_topology_create(formless, 1, (struct ek_reader){tell_edges, edges}, &error);
    cr_assert(graph, "%s: %s", formless, error.sentence);
    cr_assert(ek_spectrum_find(closed, true, &known, &error), "%s", error.sentence);
    cr_assert(ek_spectrum_find(graph, true, &found, &error), "%s", error.sentence);
    cr_expect_str_eq(found.how, "LAPACK");
    cr_assert_eq(found.count, known.count, "%s: %zu, not %zu", spec, found.count, known.count);
    for (size_t i = 0; i < known.count; i++) {
        cr_expect(near(found.value[i], known.value[i], 1e-11), "%s: value %zu", spec, i);
    }
    ek_spectrum_destroy(&known);
    ek_spectrum_destroy(&found);
    ek_topology_destroy(graph);
    ek_topology_destroy(closed);
    ek_topology_destroy(edges);
}

Test(spectra, lapack_takes_graphs_without_form)
{
    compare_formless("ring:12", "file:graph");
    compare_formless("torus:6x6", "file:graph");
    compare_formless("mesh:3x4x5", "file:graph");
    compare_formless("complete:9", "file:graph");
    compare_formless("star:30", "file:graph");
    compare_formless("otis(mesh:3x4)", "otis(file:graph)");
}

// Returns the closed form of a family, for topologies that have too many links to be built.
static const struct ek_closed_form *form_of(const char *small)
{
    struct ek_topology *topology = must_build(small);
    const struct ek_closed_form *form = topology->closed_form;
    ek_topology_destroy(topology);
    return form;
}

Test(spectra, small_eigenvalues_keep_their_digits)
{
    // The error is relative to the exact values: cosines lose half of the digits.
    uint32_t side[] = {1000000};
    struct ek_topology chain = {
        .dimensions = 1, .side = side, .processors = 1000000, .closed_form = form_of("chain:2")};
    struct ek_spectrum spectrum;
    struct ek_error error;
    cr_assert(ek_spectrum_find(&chain, false, &spectrum, &error));
    double x = PI / 1e6;
    double exact = x * x * (1.0 - x * x / 12.0);
    cr_expect_lt(fabs(spectrum.second / exact - 1.0), 1e-14);

    uint32_t group_side[] = {2000};
    struct ek_topology group = {
        .dimensions = 1, .side = group_side, .processors = 2000, .closed_form = form_of("chain:2")};
    struct ek_topology otis = {.group = &group, .processors = 4000000, .closed_form = form_of("otis(chain:2)")};
    cr_assert(ek_spectrum_find(&otis, false, &spectrum, &error));
    double half = 2.0 * sin(PI / 4000.0) * sin(PI / 4000.0); // of the group's smallest eigenvalue
    exact = half - half * half / 2.0;                        // 1 + x - sqrt(1 + x^2)
    cr_expect_lt(fabs(spectrum.second / exact - 1.0), 1e-12);
}

Test(spectra, what_is_too_much_is_refused)
{
    struct ek_spectrum spectrum;
    struct ek_error error = {0};
    struct ek_topology mesh = {
        .dimensions = 2, .side = (uint32_t[]){4000, 4001}, .processors = 16004000, .closed_form = form_of("mesh:2x2")};
    cr_expect_not(ek_spectrum_find(&mesh, true, &spectrum, &error));
    cr_expect_str_eq(error.axis, "method");
    cr_expect(strstr(error.sentence, "distinct eigenvalues"), "%s", error.sentence);
    cr_expect(ek_spectrum_find(&mesh, false, &spectrum, &error));

    struct ek_topology *random = must_build("random:2001:4");
    cr_expect_not(ek_spectrum_find(random, true, &spectrum, &error));
    cr_expect_str_eq(error.axis, "method");
    ek_topology_destroy(random);
}

Test(spectra, large_products_stay_within_bounds)
{
    struct ek_spectrum spectrum;
    struct ek_error error;
    struct ek_topology torus = {.dimensions = 2,
                                .side = (uint32_t[]){1448, 1448},
                                .wraps = true,
                                .processors = 1448 * 1448,
                                .closed_form = form_of("torus:3x3")};
    cr_assert(ek_spectrum_find(&torus, true, &spectrum, &error), "%s", error.sentence);
    cr_expect_leq(spectrum.count, 725 * 726 / 2);
    cr_expect_gt(spectrum.count, 240000);
    ek_spectrum_destroy(&spectrum);

    uint32_t two[26];
    for (int d = 0; d < 26; d++) {
        two[d] = 2;
    }
    struct ek_topology hypercube = {
        .dimensions = 26, .side = two, .processors = 1u << 26, .closed_form = form_of("hypercube:1")};
    cr_assert(ek_spectrum_find(&hypercube, true, &spectrum, &error), "%s", error.sentence);
    cr_expect_eq(spectrum.count, 26);
    cr_expect(near(spectrum.value[25], 52.0, 1e-14));
    ek_spectrum_destroy(&spectrum);
}

static void compare_iterated(const char *spec, double tolerance)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    struct ek_spectrum spectrum;
    double second, largest, second_again, largest_again;
    cr_assert(ek_spectrum_find(topology, false, &spectrum, &error), "%s: %s", spec, error.sentence);
    cr_assert(topo_spectrum_iterated(topology, &second, &largest, &error), "%s: %s", spec, error.sentence);
    cr_assert(topo_spectrum_iterated(topology, &second_again, &largest_again, &error));
    cr_expect_lt(fabs(second / spectrum.second - 1.0), tolerance, "%s: %.15g, not %.15g", spec, second,
                 spectrum.second);
    cr_expect_lt(fabs(largest / spectrum.largest - 1.0), tolerance, "%s: %.15g, not %.15g", spec, largest,
                 spectrum.largest);
    cr_expect(second == second_again && largest == largest_again, "%s: two calls differ", spec);
    ek_spectrum_destroy(&spectrum);
    ek_topology_destroy(topology);
}

Test(spectra, arpack_agrees)
{
    compare_iterated("torus:60x70", 1e-9);
    compare_iterated("mesh:50x40", 1e-9);
    compare_iterated("hypercube:12", 1e-9);
    compare_iterated("chain:200", 1e-9);
    compare_iterated("complete:60", 1e-9);
    compare_iterated("star:500", 1e-9);
    compare_iterated("otis(torus:6x6)", 1e-9);
    compare_iterated("random:1000:3", 1e-9);
    compare_iterated("random:1000:8", 1e-9);
    compare_iterated("ccc:9", 1e-9);
    compare_iterated("tree:2:9", 1e-9);
    compare_iterated("butterfly:9", 1e-9);
    compare_iterated("circulant:3000:1,57", 1e-9);
    compare_iterated("cayley:star:7", 1e-9);
    compare_iterated("foldedcube:12", 1e-9);
    compare_iterated("product(random:60:3,complete:40)", 1e-9);
}

// The extremes of a product are those of its factors, so each factor may be as large as ARPACK allows.
Test(spectra, factors_are_solved_one_by_one)
{
    struct ek_spectrum factor, product;
    struct ek_error error;
    struct ek_topology *random = must_build("random:5000:4");
    struct ek_topology *ring = must_build("product(random:5000:4,ring:4)");
    cr_assert(ek_spectrum_find(random, false, &factor, &error), "%s", error.sentence);
    cr_assert(ek_spectrum_find(ring, false, &product, &error), "%s", error.sentence);
    cr_expect_str_eq(product.how, "ARPACK");
    cr_expect(near(product.second, factor.second, 1e-12));
    cr_expect(near(product.largest, factor.largest + 4.0, 1e-12));
    cr_expect_not(ek_spectrum_find(ring, true, &product, &error));
    cr_expect_not(topo_spectrum_quick(ring));
    ek_topology_destroy(ring);
    ek_topology_destroy(random);
}

Test(spectra, arpack_takes_over)
{
    struct ek_topology *topology = must_build("random:5000:4");
    struct ek_spectrum spectrum;
    struct ek_error error;
    cr_assert(ek_spectrum_find(topology, false, &spectrum, &error), "%s", error.sentence);
    cr_expect_str_eq(spectrum.how, "ARPACK");
    cr_expect_eq(spectrum.count, 0);
    // Random regular graphs are nearly Ramanujan (Friedman 2008).
    cr_expect(near(spectrum.second, 4.0 - 2.0 * sqrt(3.0), 0.02), "%g", spectrum.second);
    cr_expect(near(spectrum.largest, 4.0 + 2.0 * sqrt(3.0), 0.02), "%g", spectrum.largest);
    ek_topology_destroy(topology);
}

static double factor(const char *spec, double lambda)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    double gamma = -1.0;
    cr_assert(ek_exchange_factor(topology, lambda, &gamma, &error), "%s: %s", spec, error.sentence);
    ek_topology_destroy(topology);
    return gamma;
}

// LAPACK finds the eigenvalues of a matrix that is defective to order m to about 1e-16^(1/m) only.
static double defect(double gamma)
{
    return gamma < 1e-3 ? 5e-3 : 2e-7;
}

static void compare_sweep(const char *spec, double lambda)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    double gamma, dense_gamma;
    cr_assert(ek_exchange_factor(topology, lambda, &gamma, &error), "%s: %s", spec, error.sentence);
    cr_assert(topo_exchange_factor_dense(topology, lambda, &dense_gamma, &error), "%s: %s", spec, error.sentence);
    cr_expect_lt(fabs(gamma - dense_gamma), defect(gamma), "%s, lambda %g: %.12g, LAPACK has %.12g", spec, lambda,
                 gamma, dense_gamma);
    ek_topology_destroy(topology);
}

Test(sweeps, closed_forms_are_lapacks)
{
    static const char *const specs[] = {"chain:1",
                                        "chain:2",
                                        "chain:3",
                                        "chain:4",
                                        "chain:5",
                                        "chain:8",
                                        "chain:17",
                                        "chain:64",
                                        "ring:3",
                                        "ring:4",
                                        "ring:5",
                                        "ring:6",
                                        "ring:7",
                                        "ring:8",
                                        "ring:10",
                                        "ring:14",
                                        "ring:15",
                                        "ring:64",
                                        "ring:66",
                                        "mesh:3x4",
                                        "mesh:8x8",
                                        "mesh:2x7",
                                        "mesh:3x4x5",
                                        "torus:4x4",
                                        "torus:3x4",
                                        "torus:8x8",
                                        "torus:5x5",
                                        "torus:2x6",
                                        "torus:3x4x5",
                                        "torus:2x3x2x5",
                                        "hypercube:4",
                                        "kary:3^3",
                                        "mesh:1x6",
                                        "product(ring:4,chain:3)",
                                        "product(complete:4,ring:5)",
                                        "product(star:4,chain:1,hypercube:2)"};
    static const double lambdas[] = {0.05, 0.3, 0.5, 0.55, 0.6, 0.7, 0.723, 0.8, 0.9, 0.95, 1.0};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (size_t j = 0; j < sizeof lambdas / sizeof *lambdas; j++) {
            compare_sweep(specs[i], lambdas[j]);
        }
    }
}

Test(sweeps, known_numbers)
{
    cr_expect(near(factor("torus:3x4", 0.5), 0.125, 1e-12));
    cr_expect(near(factor("ring:5", 0.5), 0.1768, 5e-5));
    cr_expect(near(factor("ring:7", 0.5), 0.4040, 5e-5));
    cr_expect(near(factor("ring:9", 0.5), 0.5904, 5e-5));
    cr_expect(near(factor("ring:31", 0.5), 0.959481, 5e-7));
    static const struct {
        unsigned k;
        double gamma;
    } ode[] = {{5, 0.1708}, {7, 0.2809}, {15, 0.5273}, {31, 0.7154}, {63, 0.8398}, {127, 0.9137}};
    for (size_t i = 0; i < sizeof ode / sizeof *ode; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "ring:%u", ode[i].k);
        double gamma = factor(spec, 1.0 / (1.0 + sin(2.0 * PI / ode[i].k)));
        cr_expect(near(gamma, ode[i].gamma, 1e-4), "%s: %.6g, not %.4f", spec, gamma, ode[i].gamma);
    }
    cr_expect(near(factor("ring:64", 0.5), cos(PI / 32) * cos(PI / 32), 1e-14));
    double s = sin(PI / 32);
    cr_expect(near(factor("ring:64", 1.0 / (1.0 + s)), (1.0 - s) / (1.0 + s), 1e-14));
    s = sin(PI / 16);
    cr_expect(near(factor("mesh:16x7", 1.0 / (1.0 + s)), (1.0 - s) / (1.0 + s), 1e-14));
    cr_expect(near(factor("hypercube:10", 0.5), 0.0, 1e-15));
    cr_expect_eq(factor("chain:1", 0.7), 0.0);
    cr_expect_eq(factor("ring:8", 1.0), 1.0);
    cr_expect_eq(factor("ring:8", 0.0), 1.0);
}

Test(sweeps, arpack_agrees)
{
    static const char *const specs[] = {"torus:30x30",  "mesh:20x30", "torus:15x21", "otis(mesh:3x4)",
                                        "random:600:4", "star:50",    "complete:45"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        struct ek_error error;
        double gamma, iterated, again;
        cr_assert(ek_exchange_factor(topology, 0.5, &gamma, &error), "%s: %s", specs[i], error.sentence);
        cr_assert(topo_exchange_factor_iterated(topology, 0.5, &iterated, &error), "%s: %s", specs[i], error.sentence);
        cr_assert(topo_exchange_factor_iterated(topology, 0.5, &again, &error));
        cr_expect_lt(fabs(gamma - iterated), 1e-8, "%s: %.12g, not %.12g", specs[i], iterated, gamma);
        cr_expect(iterated == again, "%s: two calls differ", specs[i]);
        ek_topology_destroy(topology);
    }
    double gamma = factor("random:2000:4", 0.5);
    cr_expect(gamma > 0.3 && gamma < 1.0, "%g", gamma);
}

Test(sweeps, lambda_is_checked)
{
    struct ek_topology *topology = must_build("ring:8");
    struct ek_error error;
    double gamma;
    cr_expect_not(ek_exchange_factor(topology, 1.5, &gamma, &error));
    cr_expect_str_eq(error.axis, "method");
    cr_expect_not(ek_exchange_factor(topology, NAN, &gamma, &error));
    ek_topology_destroy(topology);
}

// Graphs without a closed form are quick up to 2500 processors, also as the innermost group of an OTIS network.
Test(spectra, quick_up_to_a_number_of_processors)
{
    static const struct {
        const char *topology;
        bool quick;
    } graphs[] = {{"random:2500:3", true}, {"random:2502:3", false}, {"ring:3000", true}, {"otis(random:20:3)", true}};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        struct ek_topology *topology = must_build(graphs[i].topology);
        cr_expect_eq(topo_spectrum_quick(topology), graphs[i].quick, "%s", graphs[i].topology);
        ek_topology_destroy(topology);
    }
}
