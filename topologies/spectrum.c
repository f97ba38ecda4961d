// SPDX-License-Identifier: MIT
// Spectra of the Laplacian. Products of paths and rings: all sums of one eigenvalue a dimension. OTIS networks: from
// their group's eigenvalues, l_a for each a and 1 + (l_a+l_b)/2 +- sqrt(1 + ((l_a-l_b)/2)^2) for each pair. Complete
// graphs and stars: known. All other graphs: LAPACK, and beyond its reach the extremes from ARPACK.
#include "topologies/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "topologies/linear.h"
#include "topologies/scan.h"

static const double PI = 3.14159265358979323846;
static const double EQUAL = 1e-9;    // relative: such eigenvalues count once
static const double ROUNDED = 1e-12; // relative: the same sum, added up in another order

enum { VALUES_MAX = 1 << 22 };

// Distinct eigenvalues ascending, and how often each occurs.
struct eigenvalue {
    double value;
    uint64_t times;
};

struct eigenvalues {
    size_t count;
    struct eigenvalue *at;
    const char *how;
};

static bool no_memory(struct ek_error *error)
{
    return topo_fail(error, EK_BAD_INPUT, "", -1, "there is not enough memory for the eigenvalues of this topology");
}

static bool too_many(struct ek_error *error)
{
    return topo_fail(error, EK_BAD_INPUT, "method", -1,
                     "this topology has more than %d distinct eigenvalues to go through; choose a smaller one, or a "
                     "method that needs only the extremes",
                     VALUES_MAX);
}

static bool allocate(struct eigenvalues *values, size_t count, struct ek_error *error)
{
    if (count > VALUES_MAX) {
        return too_many(error);
    }
    values->count = 0;
    values->how = "closed form";
    values->at = malloc(count * sizeof *values->at);
    return values->at || no_memory(error);
}

static void add(struct eigenvalues *values, double value, uint64_t times)
{
    if (times > 0) {
        values->at[values->count++] = (struct eigenvalue){value, times};
    }
}

static int ascending(const void *left, const void *right)
{
    double a = ((const struct eigenvalue *)left)->value;
    double b = ((const struct eigenvalue *)right)->value;
    return (a > b) - (a < b);
}

// Sorts, and makes one of those that differ by less than `tolerance` from the smallest among them.
static void merge(struct eigenvalues *values, double tolerance)
{
    qsort(values->at, values->count, sizeof *values->at, ascending);
    size_t kept = 0;
    for (size_t i = 1; i < values->count; i++) {
        struct eigenvalue next = values->at[i];
        if (next.value <= values->at[kept].value * (1.0 + tolerance)) {
            values->at[kept].times += next.times;
        } else {
            values->at[++kept] = next;
        }
    }
    values->count = kept + 1;
}

// Eigenvalue j of a path of k processors is 4 sin^2(pi j/(2k)), of a ring 4 sin^2(pi j/k).
static double side_eigenvalue(uint32_t k, bool ring, uint32_t j)
{
    double sine = sin(PI * j / (ring ? k : 2.0 * k));
    return 4.0 * sine * sine;
}

static bool is_ring(const struct ek_topology *topology, uint32_t dimension)
{
    return topology->wraps && topology->side[dimension] >= 3;
}

static bool side_eigenvalues(uint32_t k, bool ring, struct eigenvalues *values, struct ek_error *error)
{
    uint32_t last = ring ? k / 2 : k - 1;
    if (!allocate(values, last + 1, error)) {
        return false;
    }
    for (uint32_t j = 0; j <= last; j++) {
        add(values, side_eigenvalue(k, ring, j), ring && j > 0 && 2 * j != k ? 2 : 1);
    }
    return true;
}

// Replaces `values` by all sums of one of them and one of `side`.
static bool add_side(struct eigenvalues *values, const struct eigenvalues *side, struct ek_error *error)
{
    struct eigenvalues sums;
    if (!allocate(&sums, values->count * side->count, error)) {
        return false;
    }
    for (size_t i = 0; i < values->count; i++) {
        for (size_t j = 0; j < side->count; j++) {
            add(&sums, values->at[i].value + side->at[j].value, values->at[i].times * side->at[j].times);
        }
    }
    merge(&sums, ROUNDED);
    free(values->at);
    *values = sums;
    return true;
}

static bool product_eigenvalues(const struct ek_topology *topology, struct eigenvalues *values, struct ek_error *error)
{
    if (!allocate(values, 1, error)) {
        return false;
    }
    add(values, 0.0, 1);
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        struct eigenvalues side = {0};
        bool done =
            side_eigenvalues(topology->side[d], is_ring(topology, d), &side, error) && add_side(values, &side, error);
        free(side.at);
        if (!done) {
            return false;
        }
    }
    return true;
}

// The eigenvalues of OTIS-G for a pair of G's are those of the matrix (1+a, -1; -1, 1+b).
static double pair_largest(double a, double b)
{
    return 1.0 + (a + b) / 2.0 + hypot(1.0, (a - b) / 2.0);
}

// Their product over the larger one: the formula's difference would cancel.
static double pair_smallest(double a, double b)
{
    return (a + b + a * b) / pair_largest(a, b);
}

static bool general_eigenvalues(const struct ek_topology *topology, struct eigenvalues *values, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (n > TOPO_SPECTRUM_DENSE_MAX) {
        return topo_fail(
            error, EK_BAD_INPUT, "method", -1,
            "all eigenvalues of a graph without closed form can be had up to %d processors, and this one has "
            "%u; use a method that needs only the extremes or has a parameter",
            TOPO_SPECTRUM_DENSE_MAX, n);
    }
    double *value = malloc(n * sizeof *value);
    bool done =
        allocate(values, n, error) && (value || no_memory(error)) && topo_spectrum_dense(topology, value, error);
    if (done) {
        value[0] = 0.0; // the graph is connected; what LAPACK has here is rounding
        for (uint32_t i = 0; i < n; i++) {
            add(values, value[i], 1);
        }
        merge(values, EQUAL);
        values->how = "LAPACK";
    }
    free(value);
    return done;
}

static bool otis_eigenvalues(const struct ek_topology *topology, struct eigenvalues *values, struct ek_error *error);

static bool find_eigenvalues(const struct ek_topology *topology, struct eigenvalues *values, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (topology->dimensions) {
        return product_eigenvalues(topology, values, error);
    }
    if (topology->group) {
        return otis_eigenvalues(topology, values, error);
    }
    if (!topology->complete && !topology->star) {
        return general_eigenvalues(topology, values, error);
    }
    if (!allocate(values, 3, error)) {
        return false;
    }
    add(values, 0.0, 1);
    if (n > 1) {
        add(values, topology->star ? 1.0 : n, n - 2);
        add(values, n, 1);
    }
    merge(values, EQUAL);
    return true;
}

static bool otis_eigenvalues(const struct ek_topology *topology, struct eigenvalues *values, struct ek_error *error)
{
    struct eigenvalues group = {0};
    bool done =
        find_eigenvalues(topology->group, &group, error) && allocate(values, group.count * (group.count + 2), error);
    for (size_t i = 0; i < group.count && done; i++) {
        struct eigenvalue a = group.at[i];
        add(values, a.value, a.times);
        add(values, pair_smallest(a.value, a.value), a.times * (a.times - 1) / 2);
        add(values, pair_largest(a.value, a.value), a.times * (a.times - 1) / 2);
        for (size_t j = i + 1; j < group.count; j++) {
            struct eigenvalue b = group.at[j];
            add(values, pair_smallest(a.value, b.value), a.times * b.times);
            add(values, pair_largest(a.value, b.value), a.times * b.times);
        }
    }
    if (done) {
        merge(values, ROUNDED);
        values->how = group.how;
    }
    free(group.at);
    return done;
}

static bool find_all(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    struct eigenvalues values = {0};
    bool done = find_eigenvalues(topology, &values, error);
    if (done) {
        merge(&values, EQUAL);
        spectrum->how = values.how;
        spectrum->count = values.count - 1;
        spectrum->value = malloc(values.count * sizeof *spectrum->value);
        done = spectrum->value || no_memory(error);
    }
    uint64_t total = 0;
    for (size_t i = 0; i < values.count && done; i++) {
        total += values.at[i].times;
        if (i > 0) {
            spectrum->value[i - 1] = values.at[i].value;
        }
    }
    free(values.at);
    if (done && spectrum->count > 0) {
        assert(total == topology->processors && spectrum->value[0] > 0.0);
        spectrum->second = spectrum->value[0];
        spectrum->largest = spectrum->value[spectrum->count - 1];
    }
    return done;
}

static void product_extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum)
{
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t k = topology->side[d];
        bool ring = is_ring(topology, d);
        if (k == 1) {
            continue;
        }
        double second = side_eigenvalue(k, ring, 1);
        spectrum->second = spectrum->largest > 0.0 ? fmin(spectrum->second, second) : second;
        spectrum->largest += side_eigenvalue(k, ring, ring ? k / 2 : k - 1);
    }
    spectrum->how = "closed form";
}

static bool otis_extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    struct eigenvalues group = {0};
    bool done = find_eigenvalues(topology->group, &group, error);
    if (done && group.count > 1) {
        struct eigenvalue top = group.at[group.count - 1];
        double next = top.times > 1 ? top.value : group.at[group.count - 2].value;
        spectrum->second = pair_smallest(0.0, group.at[1].value);
        spectrum->largest = pair_largest(next, top.value);
    }
    spectrum->how = group.how;
    free(group.at);
    return done;
}

// The graph itself, or that in the innermost groups, if it has no closed form; else NULL.
static const struct ek_topology *formless(const struct ek_topology *topology)
{
    while (topology->group) {
        topology = topology->group;
    }
    return topology->dimensions || topology->complete || topology->star ? NULL : topology;
}

// ARPACK is much faster where it succeeds; LAPACK always does, within its reach.
static bool iterated_extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    spectrum->how = "ARPACK";
    if (topo_spectrum_iterated(topology, &spectrum->second, &spectrum->largest, error)) {
        return true;
    }
    return topology->processors <= TOPO_SPECTRUM_DENSE_MAX && find_all(topology, spectrum, error);
}

bool ek_spectrum_find(const struct ek_topology *topology, bool all, struct ek_spectrum *spectrum,
                      struct ek_error *error)
{
    *spectrum = (struct ek_spectrum){0};
    if (all) {
        return find_all(topology, spectrum, error);
    }
    if (topology->dimensions) {
        product_extremes(topology, spectrum);
        return true;
    }
    const struct ek_topology *graph = formless(topology);
    if (graph && graph->processors > (graph == topology ? TOPO_EXTREMES_DENSE_MAX : TOPO_SPECTRUM_DENSE_MAX)) {
        return iterated_extremes(topology, spectrum, error);
    }
    return topology->group ? otis_extremes(topology, spectrum, error) : find_all(topology, spectrum, error);
}

bool topo_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                        struct ek_error *error)
{
    assert(dimension < topology->dimensions);
    struct ek_topology side = {.processors = topology->side[dimension],
                               .dimensions = 1,
                               .side = &topology->side[dimension],
                               .wraps = topology->wraps};
    return ek_spectrum_find(&side, true, spectrum, error);
}

void ek_spectrum_destroy(struct ek_spectrum *spectrum)
{
    free(spectrum->value);
    *spectrum = (struct ek_spectrum){0};
}

bool topo_spectrum_dense(const struct ek_topology *topology, double *value, struct ek_error *error)
{
    size_t n = topology->processors;
    double *laplacian = calloc(n * n, sizeof *laplacian);
    if (!laplacian) {
        return no_memory(error);
    }
    for (size_t p = 0; p < n; p++) {
        laplacian[p * n + p] = topology->first[p + 1] - topology->first[p];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            laplacian[p * n + topology->neighbour[port]] = -1.0;
        }
    }
    enum topo_linear result = topo_linear_symmetric(laplacian, topology->processors, value);
    free(laplacian);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return no_memory(error);
    }
    return result == TOPO_LINEAR_DONE || topo_fail(error, EK_BAD_INPUT, "method", -1,
                                                   "the eigenvalues of %u processors were not found; give the method "
                                                   "its parameter, as in diffusion:0.1",
                                                   topology->processors);
}

// The Laplacian, with the eigenvalue 0 of the constant vector moved to `mean`, the mean of all others: neither end of
// the spectrum then is the constant vector's.
static void apply_laplacian(const struct topo_operator *laplacian, const double *x, double *y)
{
    const struct ek_topology *topology = laplacian->topology;
    double sum = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        sum += x[p];
    }
    double shift = laplacian->parameter * sum / topology->processors;
    for (uint32_t p = 0; p < topology->processors; p++) {
        double difference = 0.0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            difference += x[p] - x[topology->neighbour[port]];
        }
        y[p] = difference + shift;
    }
}

bool topo_spectrum_iterated(const struct ek_topology *topology, double *second, double *largest, struct ek_error *error)
{
    double mean = topology->ports / (topology->processors - 1.0);
    struct topo_operator laplacian = {.apply = apply_laplacian, .topology = topology, .parameter = mean};
    enum topo_linear result = topo_linear_extremes(&laplacian, second, largest);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return no_memory(error);
    }
    return result == TOPO_LINEAR_DONE ||
           topo_fail(error, EK_BAD_INPUT, "method", -1,
                     "the extreme eigenvalues of %u processors did not converge in a "
                     "bounded number of iterations; give the method its parameter, as in diffusion:0.1",
                     topology->processors);
}
