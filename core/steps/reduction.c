// SPDX-License-Identifier: MIT
#include "core/steps/reduction.h"
#include "core/method.h"

#include <math.h>

struct ek_view;

static double *sum_at(const struct core_reduction *reduction, const struct ek_view *view, unsigned port)
{
    return &view->memory[port * reduction->port_doubles + reduction->below];
}

// Returns the sum over a processor and all processors below it.
static double sum_below(const struct core_reduction *reduction, const struct ek_view *view)
{
    double sum = reduction->own;
    for (unsigned port = 0; port < view->degree; port++) {
        sum += port == reduction->forest->parent[view->processor] ? 0.0 : *sum_at(reduction, view, port);
    }
    return sum;
}

// Return whether a processor announces its sum to its parent, or the total to its children, in this step.
static bool announces_sum(const struct core_reduction *reduction, const struct ek_view *view, uint64_t step)
{
    return step == reduction->forest->below[view->processor] && reduction->forest->depth[view->processor] > 0;
}

static bool announces_total(const struct core_reduction *reduction, const struct ek_view *view, uint64_t step)
{
    return step == (uint64_t)reduction->forest->height + reduction->forest->depth[view->processor];
}

void core_reduction_announce(const struct core_reduction *reduction, const struct ek_turn *turn, double total,
                             double *values)
{
    const struct ek_view *view = &turn->view;
    uint32_t parent = reduction->forest->parent[view->processor];
    if (announces_sum(reduction, view, reduction->step)) {
        values[parent] = sum_below(reduction, view);
    } else if (announces_total(reduction, view, reduction->step)) {
        bool root = reduction->forest->depth[view->processor] == 0;
        double value = root ? sum_below(reduction, view) : total;
        for (unsigned port = 0; port < view->degree; port++) {
            values[port] = port == parent ? NAN : value;
        }
    }
}

static void receive_sums(const struct core_reduction *reduction, const struct ek_view *view)
{
    for (unsigned port = 0; port < view->degree; port++) {
        if (!isnan(view->announced[port])) {
            *sum_at(reduction, view, port) = view->announced[port];
        }
    }
}

void core_reduction_act(const struct core_reduction *reduction, struct ek_turn *turn, double *total)
{
    const struct ek_view *view = &turn->view;
    const struct core_forest *forest = reduction->forest;
    uint32_t depth = forest->depth[view->processor];
    uint64_t next = reduction->step + 1; // with one port this step may have more colours to come
    turn->awake = announces_sum(reduction, view, next - 1) || announces_sum(reduction, view, next) ||
                  announces_total(reduction, view, next - 1) || announces_total(reduction, view, next);
    if (reduction->step < forest->height) {
        receive_sums(reduction, view);
        return;
    }
    uint64_t reached = reduction->step - forest->height;
    uint32_t parent = forest->parent[view->processor];
    if (depth == 0) {
        *total = sum_below(reduction, view);
    } else if (depth == reached + 1 && !isnan(view->announced[parent])) {
        *total = view->announced[parent];
    }
}
