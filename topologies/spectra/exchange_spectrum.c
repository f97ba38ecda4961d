// SPDX-License-Identifier: MIT
// The eigenvalues of (I-M)/a for an operation M = M_c ... M_1 of dimension exchange with a = 1/2 (Arndt 2003): closed
// forms for paths and even rings, sums and products of these for products of graphs, LAPACK for all others.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "topologies/spectra/eigenvalues.h"
#include "topologies/spectra/eigensolvers.h"
#include "base/cursor.h"
#include "topologies/product.h"
#include "topologies/spectra/spectrum.h"

static const double PI = 3.14159265358979323846;
static const double REAL = 1e-7; // imaginary parts below this are rounding

enum { VALUES_MAX = 1 << 22 };

// The values nu = 1 - mu, where mu are the eigenvalues of M.
struct values {
    size_t count;
    double *at;
};

static bool allocate(struct values *values, size_t count, struct ek_error *error)
{
    if (count > VALUES_MAX) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "this topology has too many eigenvalues: use de(fos), or a smaller topology");
    }
    values->at = malloc((count + 1) * sizeof *values->at);
    values->count = 0;
    return values->at || topo_eigenvalues_no_memory(error);
}

// An operation averages pairs, so M is a product of two projections. The angles between their ranges are 2 pi j/m on an
// even ring of m, and pi j/k on a path of k, which is half a ring of 2k. The eigenvalues mu are the squares of their
// cosines, and 0.
static bool alternating_values(uint32_t m, struct values *values, struct ek_error *error)
{
    assert(m >= 4 && m % 2 == 0);
    if (!allocate(values, m / 4 + 2, error)) {
        return false;
    }
    for (uint32_t j = 0; j <= m / 4; j++) {
        double sine = sin(2.0 * PI * j / m);
        values->at[values->count++] = sine * sine;
    }
    values->at[values->count++] = 1.0;
    return true;
}

// Applies M to a vector: averages the pairs of one colour after the other.
static void average_pairs(const struct ek_topology *topology, double *x)
{
    for (uint32_t e = 0; e < topology->ports; e++) {
        uint32_t a = topology->ends[e].processor;
        uint32_t b = topology->neighbour[topology->ends[e].port];
        if (a < b) {
            x[a] = x[b] = 0.5 * (x[a] + x[b]);
        }
    }
}

static bool dense_parts(const struct ek_topology *topology, double *matrix, double *real, double *imaginary,
                        struct ek_error *error)
{
    size_t n = topology->processors;
    for (size_t column = 0; column < n; column++) {
        matrix[column * n + column] = 1.0;
        average_pairs(topology, matrix + column * n);
    }
    enum topo_linear result = topo_linear_general(matrix, topology->processors, real, imaginary);
    if (result != TOPO_LINEAR_DONE) {
        return result == TOPO_LINEAR_NO_MEMORY
                   ? topo_eigenvalues_no_memory(error)
                   : base_fail(error, EK_BAD_INPUT, "method",
                               "the eigenvalues of dimension exchange on this topology were not found: use de(fos)");
    }
    for (size_t i = 0; i < n; i++) {
        if (fabs(imaginary[i]) > REAL) {
            return base_fail(error, EK_BAD_INPUT, "method",
                             "dimension exchange on this topology has the eigenvalue %.3g%+.3gi, and the schemes opt "
                             "and ops need real ones: use de(fos), or a product without odd rings above 3",
                             real[i], imaginary[i]);
        }
    }
    return true;
}

static bool dense_values(const struct ek_topology *topology, struct values *values, struct ek_error *error)
{
    size_t n = topology->processors;
    if (n > TOPO_EXCHANGE_DENSE_MAX) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "on this kind of topology the eigenvalues of dimension exchange are found for up to %d "
                         "processors, and there are %zu: use de(fos)",
                         TOPO_EXCHANGE_DENSE_MAX, n);
    }
    double *matrix = calloc(n * n, sizeof *matrix);
    double *imaginary = malloc(n * sizeof *imaginary);
    bool done = allocate(values, n, error) && ((matrix && imaginary) || topo_eigenvalues_no_memory(error)) &&
                dense_parts(topology, matrix, values->at, imaginary, error);
    for (size_t i = 0; i < n && done; i++) {
        values->at[i] = 1.0 - values->at[i];
        values->count++;
    }
    if (done) {
        values->count = topo_spectrum_distinct(values->at, n);
        values->at[0] = 0.0; // the eigenvalue of the balanced load, up to rounding
    }
    free(imaginary);
    free(matrix);
    return done;
}

static bool odd_ring_values(const struct ek_topology *topology, uint32_t dimension, struct values *values,
                            struct ek_error *error)
{
    struct ek_topology *ring = topo_odd_ring(topology->side[dimension], error);
    bool done = ring && dense_values(ring, values, error);
    ek_topology_destroy(ring);
    return done;
}

static bool graph_values(const struct ek_topology *topology, struct values *values, struct ek_error *error);

static bool side_values(const struct ek_topology *topology, uint32_t dimension, struct values *values,
                        struct ek_error *error)
{
    uint32_t k = topology->side[dimension];
    enum topo_line line = topo_line_of(topology, dimension);
    bool ring = line == TOPO_RING;
    if (line == TOPO_BRANCHED) {
        return graph_values(topology->factor[dimension], values, error);
    }
    if (ring && k % 2 == 1) {
        return odd_ring_values(topology, dimension, values, error);
    }
    return alternating_values(ring ? k : 2 * k, values, error);
}

// Replaces `values` by those of the product with one more side: each mu is mu_1 mu_2.
static bool add_side(struct values *values, const struct values *side, struct ek_error *error)
{
    struct values product;
    if (!allocate(&product, values->count * side->count, error)) {
        return false;
    }
    for (size_t i = 0; i < values->count; i++) {
        for (size_t j = 0; j < side->count; j++) {
            product.at[product.count++] = values->at[i] + side->at[j] - values->at[i] * side->at[j];
        }
    }
    product.count = topo_spectrum_distinct(product.at, product.count);
    free(values->at);
    *values = product;
    return true;
}

// Colours of different dimensions commute, so M is the product of one operation in each dimension.
static bool product_values(const struct ek_topology *topology, struct values *values, struct ek_error *error)
{
    if (!allocate(values, 1, error)) {
        return false;
    }
    values->at[values->count++] = 0.0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        struct values side = {0};
        bool done =
            topology->side[d] == 1 || (side_values(topology, d, &side, error) && add_side(values, &side, error));
        free(side.at);
        if (!done) {
            return false;
        }
    }
    return true;
}

static bool graph_values(const struct ek_topology *topology, struct values *values, struct ek_error *error)
{
    return (topology->dimensions > 0 ? product_values : dense_values)(topology, values, error);
}

// Makes a spectrum of the values (1-mu)/a. Takes ownership of `values`.
static bool take_values(struct values *values, bool done, const char *how, struct ek_spectrum *spectrum,
                        struct ek_error *error)
{
    if (!done) {
        free(values->at);
        return false;
    }
    for (size_t i = 0; i < values->count; i++) {
        values->at[i] *= 2.0;
    }
    return topo_spectrum_take(values->at, values->count, how, spectrum, error);
}

bool topo_exchange_spectrum(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    struct values values = {0};
    bool done = graph_values(topology, &values, error);
    return take_values(&values, done, topo_is_grid(topology) ? "closed form" : "LAPACK", spectrum, error);
}

bool topo_exchange_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                                 struct ek_error *error)
{
    struct values values = {0};
    bool done = side_values(topology, dimension, &values, error);
    bool line = topo_line_of(topology, dimension) != TOPO_BRANCHED;
    return take_values(&values, done, line ? "closed form" : "LAPACK", spectrum, error);
}
