// SPDX-License-Identifier: MIT
// Finds the potential of the flow with the least 2-norm. In general, conjugate gradients solve L x = b. Along a chain
// or a ring conjugate gradients would take as many iterations as there are processors, so the flows are summed one
// after the other.
#include "core/theory/potential.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/measure.h"
#include "topologies/rows.h"
#include "base/cursor.h"

static const double WORK_MAX = 2e9;  // iterations times (ports and processors): about a second
static const double RESIDUAL = 1e-9; // relative; the norm of the flow then has some twelve digits

static bool no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "", "there is no memory for the flow of least norm");
}

// Finds the potential of a chain or ring. The flow over a link of a chain is the sum of all b before it. On a ring the
// mean of these flows is subtracted. Otherwise the potential would not return to its first value.
static void along_line(const struct ek_topology *topology, const double *b, double *x)
{
    uint32_t n = topology->processors;
    double flow = 0.0;
    double flows = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        flow += b[p];
        flows += flow;
    }
    double around = topology->wraps && n >= 3 ? flows / n : 0.0;
    flow = -around;
    x[0] = 0.0;
    for (uint32_t p = 0; p + 1 < n; p++) {
        flow += b[p];
        x[p + 1] = x[p] - flow;
    }
}

static void centre(double *x, uint32_t n)
{
    double mean = core_measure_sum(x, n) / n;
    for (uint32_t p = 0; p < n; p++) {
        x[p] -= mean;
    }
}

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        sum += a[p] * b[p];
    }
    return sum;
}

// Computes y = L x.
static void apply_laplacian(const struct ek_topology *topology, const double *x, double *y)
{
    for (uint32_t p = 0; p < topology->processors; p++) {
        double sum = 0.0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            sum += x[p] - x[topology->neighbour[port]];
        }
        y[p] = sum;
    }
}

// Solves L x = b from x = 0 and r = d = b; ld is room for L d. Returns whether the residual r became small enough.
static bool conjugate_gradients(const struct ek_topology *topology, double *x, double *r, double *d, double *ld)
{
    uint32_t n = topology->processors;
    double squares = dot(r, r, n);
    double enough = RESIDUAL * RESIDUAL * squares;
    double iterations = fmin(10.0 * n + 100.0, WORK_MAX / ((double)topology->ports + 5.0 * n));
    for (double k = 0.0; k < iterations && squares > enough; k++) {
        apply_laplacian(topology, d, ld);
        double along = dot(d, ld, n);
        if (!(along > 0.0)) {
            return false;
        }
        double step = squares / along;
        double before = squares;
        for (uint32_t p = 0; p < n; p++) {
            x[p] += step * d[p];
            r[p] -= step * ld[p];
        }
        squares = dot(r, r, n);
        for (uint32_t p = 0; p < n; p++) {
            d[p] = r[p] + squares / before * d[p];
        }
    }
    return squares <= enough;
}

static bool solve(const struct ek_topology *topology, const double *b, double *x, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (n > CORE_POTENTIAL_MAX) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "it is found for up to %d processors, and this topology has %u", CORE_POTENTIAL_MAX, n);
    }
    double *work = calloc(3 * (size_t)n, sizeof *work);
    if (!work) {
        return no_memory(error);
    }
    for (uint32_t p = 0; p < n; p++) {
        x[p] = 0.0;
        work[p] = b[p];
    }
    centre(work, n); // b sums to 0 up to rounding
    for (uint32_t p = 0; p < n; p++) {
        work[n + p] = work[p];
    }
    bool found = conjugate_gradients(topology, x, work, work + n, work + 2 * (size_t)n);
    free(work);
    return found || base_fail(error, EK_BAD_INPUT, "topology",
                              "conjugate gradients would take more than about a second on this topology");
}

bool core_potential_find(const struct ek_topology *topology, const double *b, double *x, struct ek_error *error)
{
    assert(topology->processors > 0);
    if (topology->dimensions == 1) {
        along_line(topology, b, x);
    } else if (!solve(topology, b, x, error)) {
        return false;
    }
    centre(x, topology->processors);
    return true;
}

double core_potential_flow(const struct ek_topology *topology, const double *x)
{
    double squares = 0.0;
    struct topo_neighbours neighbours = {0};
    for (uint32_t p = 0; p < topology->processors; p++) {
        topo_find_neighbours(topology, p, &neighbours);
        for (uint32_t port = 0; port < neighbours.degree; port++) {
            double flow = x[p] - x[neighbours.of[port]];
            squares += flow * flow;
        }
    }
    return sqrt(squares / 2.0); // each link was visited at both ends
}
