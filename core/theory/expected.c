// SPDX-License-Identifier: MIT
// Finds expected variances without covariance matrices. At the end an impulse of step s has become a column of
// M_t ... M_s+1. The sum of the squares of all columns equals that of all rows. So row p, e_p M_t ... M_s+1, is
// followed back from the end. One pass back contains the contribution of every step. Each step's matrix is symmetric.
#include "core/theory/expected.h"
#include "topologies/topology.h"

#include <assert.h>
#include <string.h>

enum { ROWS = 8 }; // that are followed together, as vectors

uint32_t core_expected_steps(const struct core_process *process)
{
    return process->matrix == EK_MATRIX_EXCHANGE ? process->topology->colours : 1;
}

size_t core_expected_room(uint32_t processors)
{
    return 2 * ROWS * (size_t)processors;
}

double core_expected_cost(const struct core_process *process, uint64_t steps)
{
    double each = (double)process->topology->processors + process->topology->ports;
    return (double)process->topology->processors * (double)steps * each;
}

// x := (1 - lambda) x_i + lambda x_j over the links of one colour.
static void exchange(const struct core_process *process, uint32_t colour, double (*x)[ROWS])
{
    const struct ek_topology *topology = process->topology;
    for (uint32_t e = topology->colour_first[colour]; e < topology->colour_first[colour + 1]; e++) {
        uint32_t i = topology->ends[e].processor;
        uint32_t j = topology->neighbour[topology->ends[e].port];
        for (unsigned r = 0; i < j && r < ROWS; r++) {
            double flow = process->parameter * (x[i][r] - x[j][r]);
            x[i][r] -= flow;
            x[j][r] += flow;
        }
    }
}

// x := before - alpha L before
static void diffuse(const struct core_process *process, double (*before)[ROWS], double (*restrict x)[ROWS])
{
    const struct ek_topology *topology = process->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        const double degree = (double)(topology->first[p + 1] - topology->first[p]);
        double sum[ROWS] = {0.0};
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            const double *of_neighbour = before[topology->neighbour[port]];
            for (unsigned r = 0; r < ROWS; r++) {
                sum[r] += of_neighbour[r];
            }
        }
        for (unsigned r = 0; r < ROWS; r++) {
            x[p][r] = before[p][r] - process->parameter * (degree * before[p][r] - sum[r]);
        }
    }
}

// The rows that are followed: x[q][r] is the element of column q in the block's row r.
struct block {
    double (*x)[ROWS], (*spare)[ROWS];
    double squares[ROWS]; // of each row
};

static void square(struct block *block, uint32_t processors)
{
    double squares[ROWS] = {0.0};
    for (uint32_t q = 0; q < processors; q++) {
        for (unsigned r = 0; r < ROWS; r++) {
            squares[r] += block->x[q][r] * block->x[q][r];
        }
    }
    memcpy(block->squares, squares, sizeof squares);
}

static double sum_of(const double *squares)
{
    double sum = 0.0;
    for (unsigned r = 0; r < ROWS; r++) {
        sum += squares[r];
    }
    return sum;
}

// Returns whether at least one row still has something.
static bool is_left(const struct block *block)
{
    static const double NOTHING = 1e-24; // relative to a sum of squares of 1
    bool left = false;
    for (unsigned r = 0; r < ROWS; r++) {
        left = left || block->squares[r] > NOTHING;
    }
    return left;
}

// Begins with rows p, p + 1, .... Their mean is subtracted, since no step changes it. Rows past the last are 0.
static void begin(struct block *block, uint32_t p, uint32_t processors)
{
    for (uint32_t q = 0; q < processors; q++) {
        for (uint32_t r = 0; r < ROWS; r++) {
            block->x[q][r] = r < processors - p ? (q == p + r ? 1.0 : 0.0) - 1.0 / processors : 0.0;
        }
    }
    square(block, processors);
}

static void step_back(const struct core_process *process, uint64_t step, struct block *block)
{
    if (process->matrix == EK_MATRIX_EXCHANGE) {
        exchange(process, (uint32_t)((step - 1) % core_expected_steps(process)), block->x);
    } else {
        double(*before)[ROWS] = block->x;
        diffuse(process, before, block->spare);
        block->x = block->spare;
        block->spare = before;
    }
    square(block, process->topology->processors);
}

// Returns whether work comes between the steps `step` and `step` + 1, counted from 1: between operations, or between
// all steps.
static bool ticks(const struct core_process *process, uint64_t step)
{
    return process->work_by_steps || step % core_expected_steps(process) == 0;
}

// Follows the rows of a block back until nothing is left of any of them.
static void follow_back(const struct core_process *process, uint64_t steps, struct block *block,
                        struct core_expected *expected)
{
    for (uint64_t step = steps; step > 0 && is_left(block); step--) {
        expected->from_work += !process->work_first && ticks(process, step) ? sum_of(block->squares) : 0.0;
        step_back(process, step, block);
        expected->from_work += process->work_first && ticks(process, step - 1) ? sum_of(block->squares) : 0.0;
    }
    expected->from_drawn += sum_of(block->squares);
    expected->even = expected->even && !is_left(block);
}

// Adds what is expected to be left of the load: the squares of the rows' processors' surpluses.
static void add_load(const struct block *block, const double *load, uint32_t processors, struct core_expected *expected)
{
    double surplus[ROWS] = {0.0}; // expected at the end
    for (uint32_t q = 0; q < processors; q++) {
        for (unsigned r = 0; r < ROWS; r++) {
            surplus[r] += block->x[q][r] * load[q];
        }
    }
    for (unsigned r = 0; r < ROWS; r++) {
        expected->from_load += surplus[r] * surplus[r];
    }
}

void core_expected_find(const struct core_process *process, uint64_t steps, const double *load, double *room,
                        struct core_expected *expected)
{
    uint32_t processors = process->topology->processors;
    struct block block = {.x = (double(*)[ROWS])room, .spare = (double(*)[ROWS])room + processors};
    assert(process->matrix != EK_MATRIX_UNKNOWN && process->topology->links > 0);
    *expected = (struct core_expected){.even = true};
    for (uint32_t p = 0; p < processors && (load || expected->even); p += ROWS) {
        begin(&block, p, processors);
        follow_back(process, steps, &block, expected);
        if (load) {
            add_load(&block, load, processors, expected);
        }
    }
}
