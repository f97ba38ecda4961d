// SPDX-License-Identifier: MIT
// Orthogonal polynomials, and exchange direction by direction (adi(ops), de-adi): after every operation, the loads
// are the polynomials of each direction's dense matrix applied to the first loads. Here the polynomials come from
// the eigenvalues by Gram-Schmidt and the matrices from their definitions; the engine computes neither so.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/runs.h"
#include "topologies/topology.h"

static const double PI = 3.14159265358979323846;

enum { SIDE_MAX = 6, PROCESSORS_MAX = 60, DIMENSIONS_MAX = 3 };

// A direction: its matrix M, and the eigenvalues of M other than 1, each once, in opt's order.
struct direction {
    unsigned side;
    unsigned count;
    double mu[SIDE_MAX];
    double matrix[SIDE_MAX][SIDE_MAX];
};

static bool linked(unsigned side, bool ring, unsigned i, unsigned j)
{
    return i + 1 == j || j + 1 == i || (ring && i + j == side - 1 && (i == 0 || j == 0));
}

// M = I - alpha L with alpha = 2/(l2+lmax).
static struct direction diffusion(unsigned side, bool ring)
{
    struct direction direction = {.side = side, .count = ring ? side / 2 : side - 1};
    double value[SIDE_MAX] = {0.0};
    for (unsigned j = 0; j < direction.count; j++) {
        value[j] = 2.0 - 2.0 * cos(PI * (j + 1) * (ring ? 2 : 1) / side);
    }
    double alpha = 2.0 / (value[0] + value[direction.count - 1]);
    for (unsigned j = 0; j < direction.count; j++) {
        direction.mu[j] = 1.0 - alpha * value[j];
    }
    for (unsigned i = 0; i < side; i++) {
        direction.matrix[i][i] = 1.0;
        for (unsigned j = 0; j < side; j++) {
            if (linked(side, ring, i, j)) {
                direction.matrix[i][j] += alpha;
                direction.matrix[i][i] -= alpha;
            }
        }
    }
    return direction;
}

// Averages two rows, which multiplies M by a factor from the left.
static void average(struct direction *direction, unsigned i, unsigned j)
{
    for (unsigned column = 0; column < direction->side; column++) {
        double half = 0.5 * (direction->matrix[i][column] + direction->matrix[j][column]);
        direction->matrix[i][column] = direction->matrix[j][column] = half;
    }
}

// M = M_2 M_1: pairs (x, x+1) with x even, then with x odd, which include the wrap link of an even ring.
static struct direction sweep(unsigned side, bool ring, unsigned count, const double *mu)
{
    struct direction direction = {.side = side, .count = count};
    memcpy(direction.mu, mu, count * sizeof *mu);
    for (unsigned i = 0; i < side; i++) {
        direction.matrix[i][i] = 1.0;
    }
    for (unsigned parity = 0; parity < 2; parity++) {
        for (unsigned x = parity; x + 1 < side; x += 2) {
            average(&direction, x, x + 1);
        }
    }
    if (ring) {
        average(&direction, 0, side - 1);
    }
    return direction;
}

static double at(const double *coefficient, unsigned degree, double t)
{
    double value = 0.0;
    for (unsigned i = degree + 1; i-- > 0;) {
        value = value * t + coefficient[i];
    }
    return value;
}

static double inner(const struct direction *direction, const double *p, const double *q)
{
    double sum = 0.0;
    for (unsigned j = 0; j < direction->count; j++) {
        double mu = direction->mu[j];
        sum += (1.0 - mu) * at(p, SIDE_MAX - 1, mu) * at(q, SIDE_MAX - 1, mu);
    }
    return sum;
}

// The polynomial of `degree` that is orthogonal to all lower ones for sum (1-mu) p q, and 1 at 1. After all
// eigenvalues are used, the last one.
static void orthogonal(const struct direction *direction, unsigned degree, double *p)
{
    double basis[SIDE_MAX][SIDE_MAX] = {{0}};
    degree = degree < direction->count ? degree : direction->count;
    for (unsigned k = 0; k <= degree; k++) {
        basis[k][k] = 1.0;
        for (unsigned twice = 0; twice < 2; twice++) {
            for (unsigned i = 0; i < k; i++) {
                double part = inner(direction, basis[k], basis[i]) / inner(direction, basis[i], basis[i]);
                for (unsigned c = 0; c < SIDE_MAX; c++) {
                    basis[k][c] -= part * basis[i][c];
                }
            }
        }
    }
    double one = at(basis[degree], SIDE_MAX - 1, 1.0);
    for (unsigned c = 0; c < SIDE_MAX; c++) {
        p[c] = basis[degree][c] / one;
    }
}

// prod (t - mu_j)/(1 - mu_j) over the first `degree` eigenvalues.
static void optimal(const struct direction *direction, unsigned degree, double *p)
{
    memset(p, 0, SIDE_MAX * sizeof *p);
    p[0] = 1.0;
    for (unsigned j = 0; j < degree && j < direction->count; j++) {
        double mu = direction->mu[j];
        for (unsigned c = SIDE_MAX; c-- > 0;) {
            p[c] = ((c > 0 ? p[c - 1] : 0.0) - mu * p[c]) / (1.0 - mu);
        }
    }
}

// Applies p(M) along a line of `load` by Horner's rule.
static void apply(const struct direction *direction, const double *p, double *load, unsigned stride)
{
    double sum[SIDE_MAX] = {0};
    for (unsigned degree = SIDE_MAX; degree-- > 0;) {
        double next[SIDE_MAX];
        for (unsigned i = 0; i < direction->side; i++) {
            next[i] = p[degree] * load[i * stride];
            for (unsigned j = 0; j < direction->side; j++) {
                next[i] += direction->matrix[i][j] * sum[j];
            }
        }
        memcpy(sum, next, sizeof next);
    }
    for (unsigned i = 0; i < direction->side; i++) {
        load[i * stride] = sum[i];
    }
}

typedef void polynomial(const struct direction *direction, unsigned degree, double *p);

static void expect_loads(const char *topology, const char *method, unsigned operations,
                         const struct direction *direction, unsigned dimensions, polynomial *make)
{
    static const char *const carriers[] = {"threads", "pool:3"};
    for (unsigned c = 0; c < 2; c++) {
        struct ek_experiment experiment = {.topology = topology,
                                           .method = method,
                                           .load = "modulo:7919:1001",
                                           .ports = operations % 2 ? "one" : "all",
                                           .carrier = carriers[c],
                                           .operations_max = operations,
                                           .keep_loads = true};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_assert(outcome.machine, "%s %s: %s", topology, method, outcome.error.sentence);
        uint32_t processors = ek_machine_topology(outcome.machine)->processors;
        double load[PROCESSORS_MAX];
        memcpy(load, outcome.report.initial, processors * sizeof *load);
        unsigned stride = 1;
        for (unsigned d = 0; d < dimensions; d++) {
            double p[SIDE_MAX];
            make(&direction[d], operations, p);
            for (unsigned i = 0; i < processors; i++) {
                if (i / stride % direction[d].side == 0) {
                    apply(&direction[d], p, load + i, stride);
                }
            }
            stride *= direction[d].side;
        }
        cr_assert_eq(outcome.report.operations, operations);
        for (unsigned i = 0; i < processors; i++) {
            cr_expect_float_eq(outcome.report.final[i], load[i], 1e-9,
                               "%s %s, operation %u, processor %u: %.12g, not %.12g", topology, method, operations, i,
                               outcome.report.final[i], load[i]);
        }
        tests_outcome_destroy(&outcome);
    }
}

Test(directions, adi_ops_is_each_direction_s_polynomial)
{
    const struct direction mesh[] = {diffusion(5, false), diffusion(3, false), diffusion(4, false)};
    const struct direction torus[] = {diffusion(6, true), diffusion(5, true)};
    for (unsigned operations = 1; operations <= 4; operations++) {
        expect_loads("mesh:5x3x4", "adi(ops)", operations, mesh, 3, orthogonal);
    }
    for (unsigned operations = 1; operations <= 3; operations++) {
        expect_loads("torus:6x5", "adi(ops)", operations, torus, 2, orthogonal);
    }
}

// The eigenvalues of an exchange operation are cos^2(pi j/k) on a path of k, cos^2(2 pi j/k) on an even ring, and 0.
Test(directions, de_adi_is_each_sweep_s_polynomial)
{
    static const double path5[] = {0.654508497187473712, 0.095491502812526288, 0.0};
    static const double path4[] = {0.5, 0.0};
    static const double ring6[] = {0.25, 0.0};
    const struct direction mesh[] = {sweep(5, false, 3, path5), sweep(4, false, 2, path4)};
    const struct direction torus[] = {sweep(6, true, 2, ring6), sweep(6, true, 2, ring6)};
    for (unsigned operations = 1; operations <= 3; operations++) {
        expect_loads("mesh:5x4", "de-adi(ops)", operations, mesh, 2, orthogonal);
        expect_loads("mesh:5x4", "de-adi(opt:ascending)", operations, mesh, 2, optimal);
    }
    for (unsigned operations = 1; operations <= 2; operations++) {
        expect_loads("torus:6x6", "de-adi(ops)", operations, torus, 2, orthogonal);
        expect_loads("torus:6x6", "de-adi(opt:ascending)", operations, torus, 2, optimal);
    }
}

static void expect_end(const char *topology, const char *method, uint64_t operations, uint64_t steps, uint64_t apart)
{
    struct ek_experiment experiment = {
        .topology = topology, .method = method, .load = "uniform:0:1000", .carrier = "pool:1", .keep_loads = true};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect(outcome.status == EK_OK && report->ended == EK_ENDED_ITSELF, "%s %s: %s", topology, method,
              outcome.error.sentence);
    cr_expect_leq(report->variance_final, 1e-15, "%s %s", topology, method);
    cr_expect(report->operations == operations && report->steps == steps && report->reduction_steps == apart,
              "%s %s: %u operations, %u steps and %u apart", topology, method, (unsigned)report->operations,
              (unsigned)report->steps, (unsigned)report->reduction_steps);
    tests_outcome_destroy(&outcome);
}

// A direction has steps until its eigenvalues are used up. With n directions of more than one processor, a message
// of a step has 2^(n-1) numbers.
Test(directions, counts)
{
    expect_end("mesh:8x8", "adi(ops)", 7, 14, 14);
    expect_end("mesh:3x4x5", "adi(ops)", 4, 2 + 3 + 4, 3 * (2 + 3 + 4));
    expect_end("torus:8x8", "adi(ops)", 4, 8, 8);
    expect_end("hypercube:5", "adi(ops)", 1, 5, 0);
    expect_end("chain:9", "adi(ops)", 8, 8, 0);
    expect_end("mesh:8x8", "de-adi(opt)", 4, 16, 0);
    expect_end("mesh:8x8", "de-adi(ops)", 4, 16, 16);
    expect_end("torus:8x8", "de-adi(ops)", 2, 8, 8);
    expect_end("hypercube:5", "de-adi(ops)", 1, 5, 0);
}

Test(directions, refusals)
{
    static const struct {
        const char *topology, *method, *sentence;
    } refused[] = {
        {"star:5", "adi(ops)", "adi balances a product direction by direction"},
        {"star:5", "de-adi(opt)", "de-adi balances a product direction by direction"},
        {"ring:5", "de-adi(ops)", "the schemes opt and ops need real ones"},
        {"mesh:4x4", "de-adi(fos)", "de-adi does not work with fos: use de-adi(ops) or de-adi(opt)"},
        {"mesh:4x4", "de-adi", "de-adi needs a scheme in parentheses"},
        {"mesh:4x4", "mdi(ops)", "mdi does not work with ops: use mdi(fos) or mdi(opt)"},
        {"mesh:3x3x3x3x3x3x3x3x3x3x3x3", "adi(ops)", "the polynomials of 12 directions need 2^12 numbers"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ek_experiment experiment = {.topology = refused[i].topology, .method = refused[i].method};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect(outcome.status == EK_BAD_INPUT && strstr(outcome.error.sentence, refused[i].sentence), "%s %s: %s",
                  refused[i].topology, refused[i].method, outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}
