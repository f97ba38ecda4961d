// SPDX-License-Identifier: MIT
// Finds expected variances without covariance matrices. What remains at the end of an impulse at step s is a column of
// M_t ... M_s+1. The sum of the squares of all columns equals that of all rows. So row p, e_p M_t ... M_s+1, is
// followed back from the end. One pass back contains the contribution of every step. Each step's matrix is symmetric.
#include "core/theory/expected.h"
#include "topologies/topology.h"

#include <assert.h>

uint32_t core_expected_steps(const struct core_process *process)
{
    return process->matrix == EK_MATRIX_EXCHANGE ? process->topology->colours : 1;
}

double core_expected_cost(const struct core_process *process, uint64_t steps)
{
    double each = (double)process->topology->processors + process->topology->ports;
    return (double)process->topology->processors * (double)steps * each;
}

// x := (1 - lambda) x_i + lambda x_j over the links of one colour.
static void exchange(const struct core_process *process, uint32_t colour, double *x)
{
    const struct ek_topology *topology = process->topology;
    for (uint32_t e = topology->colour_first[colour]; e < topology->colour_first[colour + 1]; e++) {
        uint32_t i = topology->ends[e].processor;
        uint32_t j = topology->neighbour[topology->ends[e].port];
        if (i < j) {
            double flow = process->parameter * (x[i] - x[j]);
            x[i] -= flow;
            x[j] += flow;
        }
    }
}

// x := x - alpha L x
static void diffuse(const struct core_process *process, double *x, double *before)
{
    const struct ek_topology *topology = process->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        before[p] = x[p];
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            x[p] -= process->parameter * (before[p] - before[topology->neighbour[port]]);
        }
    }
}

static double squares_of(const double *x, uint32_t count)
{
    double squares = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        squares += x[i] * x[i];
    }
    return squares;
}

// Returns whether work comes between the steps `step` and `step` + 1, counted from 1: between operations, or between
// all steps.
static bool ticks(const struct core_process *process, uint64_t step)
{
    return process->work_by_steps || step % core_expected_steps(process) == 0;
}

// Follows row p back. Its mean is subtracted at the start, since no step changes it.
static void follow_back(const struct core_process *process, uint64_t steps, uint32_t p, double *x, double *before,
                        struct core_expected *expected)
{
    static const double NOTHING = 1e-24; // relative to a sum of squares of 1
    uint32_t processors = process->topology->processors;
    uint32_t each = core_expected_steps(process);
    for (uint32_t q = 0; q < processors; q++) {
        x[q] = (q == p ? 1.0 : 0.0) - 1.0 / processors;
    }
    double squares = squares_of(x, processors);
    for (uint64_t step = steps; step > 0 && squares > NOTHING; step--) {
        expected->from_work += !process->work_first && ticks(process, step) ? squares : 0.0;
        if (process->matrix == EK_MATRIX_EXCHANGE) {
            exchange(process, (uint32_t)((step - 1) % each), x);
        } else {
            diffuse(process, x, before);
        }
        squares = squares_of(x, processors);
        expected->from_work += process->work_first && ticks(process, step - 1) ? squares : 0.0;
    }
    expected->from_drawn += squares;
    expected->even = expected->even && squares <= NOTHING;
}

void core_expected_find(const struct core_process *process, uint64_t steps, const double *load, double *room,
                        struct core_expected *expected)
{
    uint32_t processors = process->topology->processors;
    assert(process->matrix != EK_MATRIX_UNKNOWN && process->topology->links > 0);
    *expected = (struct core_expected){.even = true};
    for (uint32_t p = 0; p < processors && (load || expected->even); p++) {
        double surplus = 0.0; // the expected surplus of processor p at the end
        follow_back(process, steps, p, room, room + processors, expected);
        for (uint32_t q = 0; load && q < processors; q++) {
            surplus += room[q] * load[q];
        }
        expected->from_load += surplus * surplus;
    }
}
