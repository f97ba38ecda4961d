// SPDX-License-Identifier: MIT
// The convergence factor of dimension exchange. An operation is M = M_c ... M_1, M_j = I - lambda * L_j over the links
// of colour j (Xu, Monien, Lüling & Lau 1995, section 5.1). Its factor is the largest modulus of an eigenvalue of M -
// J/N, J all ones. Paths and even rings have a closed form, derived below; other graphs take LAPACK and ARPACK.
#include "topologies/spectra/spectrum.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "topologies/family.h"
#include "topologies/product.h"
#include "topologies/spectra/eigensolvers.h"
#include "base/cursor.h"

static const double PI = 3.14159265358979323846;

static bool no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "", "there is not enough memory for the convergence factor of this topology");
}

static bool not_found(const struct ek_topology *topology, struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "method",
                     "the convergence factor of dimension exchange on %u processors was not found in a bounded number "
                     "of iterations: measure it in a run",
                     topology->processors);
}

static double mean(const double *x, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        sum += x[p];
    }
    return sum / n;
}

// Computes y = (M - J/N) x.
static void apply_exchange(const struct topo_operator *exchange, const double *x, double *y)
{
    const struct ek_topology *topology = exchange->topology;
    double balanced = mean(x, topology->processors);
    for (uint32_t p = 0; p < topology->processors; p++) {
        y[p] = x[p] - balanced;
    }
    for (uint32_t e = 0; e < topology->ports; e++) {
        uint32_t a = topology->ends[e].processor;
        uint32_t b = topology->neighbour[topology->ends[e].port];
        if (a < b) {
            double flow = exchange->parameter * (y[a] - y[b]);
            y[a] -= flow;
            y[b] += flow;
        }
    }
}

bool topo_exchange_factor_dense(const struct ek_topology *topology, double lambda, double *gamma,
                                struct ek_error *error)
{
    size_t n = topology->processors;
    double *matrix = malloc(n * n * sizeof *matrix);
    double *unit = calloc(n, sizeof *unit);
    struct topo_operator exchange = {.apply = apply_exchange, .topology = topology, .parameter = lambda};
    enum topo_linear result = TOPO_LINEAR_NO_MEMORY;
    if (matrix && unit) {
        for (size_t column = 0; column < n; column++) {
            unit[column] = 1.0;
            apply_exchange(&exchange, unit, matrix + column * n);
            unit[column] = 0.0;
        }
        result = topo_linear_modulus(matrix, topology->processors, gamma);
    }
    free(unit);
    free(matrix);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return no_memory(error);
    }
    return result == TOPO_LINEAR_DONE || not_found(topology, error);
}

bool topo_exchange_factor_iterated(const struct ek_topology *topology, double lambda, double *gamma,
                                   struct ek_error *error)
{
    struct topo_operator exchange = {.apply = apply_exchange, .topology = topology, .parameter = lambda};
    enum topo_linear result = topo_linear_modulus_iterated(&exchange, gamma);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return no_memory(error);
    }
    return result == TOPO_LINEAR_DONE || not_found(topology, error);
}

static bool general_factor(const struct ek_topology *topology, double lambda, double *gamma, struct ek_error *error)
{
    if (topology->processors <= TOPO_EXCHANGE_DENSE_MAX) {
        return topo_exchange_factor_dense(topology, lambda, gamma, error);
    }
    return topo_exchange_factor_iterated(topology, lambda, gamma, error);
}

// Returns the larger modulus of the roots of mu^2 - 2 t mu + d^2. A discriminant that is 0 up to rounding counts as a
// double root: the best lambda lies there, and the square root would turn an error of 1e-16 into 1e-8.
static double larger_root(double t, double d)
{
    double discriminant = t * t - d * d;
    return discriminant > 4.0 * DBL_EPSILON ? fabs(t) + sqrt(discriminant) : fabs(d);
}

// Returns the factor of an even ring of m processors, whose even links exchange first and whose odd links exchange
// then. In the Fourier basis of its m/2 pairs, M falls into matrices of order 2, one for each angle theta = 4 pi j/m.
// Such a matrix has the trace 2t, where t = (1-lambda)^2 + lambda^2 cos(theta), and the determinant (1-2 lambda)^2. For
// j = 0 the eigenvalues are 1, the balanced load, and (1-2 lambda)^2, which is never the largest. If m = 2k, folding
// the ring along its mirror gives the path of k processors. The modulus grows with |t|, which is largest at an end of
// the range 1 .. m/4 of j.
static double alternating_factor(double lambda, uint32_t m)
{
    assert(m >= 4 && m % 2 == 0);
    double first = (1.0 - lambda) * (1.0 - lambda) + lambda * lambda * cos(4.0 * PI / m);
    double last = (1.0 - lambda) * (1.0 - lambda) + lambda * lambda * cos(4.0 * PI * (m / 4) / m);
    double d = 1.0 - 2.0 * lambda;
    return fmax(larger_root(first, d), larger_root(last, d));
}

// Lists the links of an odd ring: two colours alternate along it, and the wrap link has the third.
static void list_odd_ring(const struct topo_draft *draft, struct topo_builder *builder)
{
    uint32_t k = draft->topology->processors;
    for (uint32_t p = 0; p + 1 < k; p++) {
        topo_builder_link(builder, p, p + 1, 0, 1, p % 2);
        if (p == 0) {
            topo_builder_link(builder, 0, k - 1, 0, -1, 2);
        }
    }
}

struct ek_topology *topo_odd_ring(uint32_t k, struct ek_error *error)
{
    return topo_overlay(NULL, k, k, 3, list_odd_ring, error);
}

static bool odd_ring_factor(uint32_t k, double lambda, double *gamma, struct ek_error *error)
{
    struct ek_topology *ring = topo_odd_ring(k, error);
    bool done = ring && general_factor(ring, lambda, gamma, error);
    ek_topology_destroy(ring);
    return done;
}

static bool side_factor(const struct ek_topology *topology, uint32_t dimension, double lambda, double *gamma,
                        struct ek_error *error)
{
    uint32_t k = topology->side[dimension];
    enum topo_line line = topo_line_of(topology, dimension);
    bool ring = line == TOPO_RING;
    if (line == TOPO_BRANCHED) {
        return ek_exchange_factor(topology->factor[dimension], lambda, gamma, error);
    }
    if (ring && k % 2 == 1) {
        return odd_ring_factor(k, lambda, gamma, error);
    }
    *gamma = k == 1 ? 0.0 : alternating_factor(lambda, ring ? k : 2 * k);
    return true;
}

bool ek_exchange_factor(const struct ek_topology *topology, double lambda, double *gamma, struct ek_error *error)
{
    if (!(lambda >= 0.0 && lambda <= 1.0)) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "dimension exchange needs a lambda from 0 to 1, as in gde:0.7, not %g", lambda);
    }
    if (!topology->dimensions) {
        return general_factor(topology, lambda, gamma, error);
    }
    *gamma = 0.0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        double side = 0.0;
        if (!side_factor(topology, d, lambda, &side, error)) {
            return false;
        }
        *gamma = fmax(*gamma, side);
    }
    return true;
}
