// SPDX-License-Identifier: MIT
// Bounds on the discrepancy, the difference between the largest and the smallest load. Rabani, Sinclair & Wanka 1998:
// if each rounding is off by at most c, a load differs from that of real amounts by at most c times the local
// divergence, the sum over all steps t and links (i, j) of |P^t(k, i) - P^t(k, j)| for the worst processor k. Where a
// paper has an order of growth only, the fact has a sentence and no number.
#include "core/theory/discrepancy.h"

#include <math.h>
#include <stdlib.h>

#include "core/theory/convergence.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

enum { EVEN = CORE_NEEDS_PLAIN | CORE_NEEDS_EQUAL_CAPACITIES | CORE_NEEDS_HELD };

// Steps of all walks, times ports: about a twentieth of a second.
static const double BUDGET = 2e7;

// Returns the sum of the differences over all links.
static double differences(const struct ek_topology *topology, const double *x)
{
    double sum = 0.0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        sum += fabs(x[topology->neighbour[port]] - x[topology->neighbour[topology->twin[port]]]);
    }
    return sum / 2.0; // each link has two ports
}

// y := (I - alpha L) x
static void step(const struct ek_topology *topology, double alpha, const double *x, double *y)
{
    for (uint32_t p = 0; p < topology->processors; p++) {
        double sum = 0.0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            sum += x[topology->neighbour[port]] - x[p];
        }
        y[p] = x[p] + alpha * sum;
    }
}

// Returns the sum for a walk that begins at processor p. `x` and `y` are room for a number of each processor.
static double divergence_at(const struct ek_topology *topology, double alpha, uint64_t steps, uint32_t p, double *x,
                            double *y)
{
    double sum = 0.0;
    for (uint32_t q = 0; q < topology->processors; q++) {
        x[q] = q == p;
    }
    for (uint64_t t = 0; t < steps; t++) {
        sum += differences(topology, x);
        step(topology, alpha, x, y);
        double *swapped = x;
        x = y;
        y = swapped;
    }
    return sum;
}

// In step t the differences of a walk add up to at most gamma^t * sqrt(links * lmax), and lmax is at most twice the
// largest degree. So the steps that are left out add at most 1 % of 1.
double core_local_divergence(const struct ek_topology *topology, double alpha, double gamma)
{
    static const double LEFT_OUT = 0.01;
    double first = sqrt(2.0 * topology->links * topology->degree_max);
    if (!(gamma < 1.0) || topology->links == 0) {
        return NAN;
    }
    double steps = gamma > 0.0 ? fmax(1.0, ceil(log(LEFT_OUT * (1.0 - gamma) / first) / log(gamma))) : 1.0;
    double *room = NULL;
    if (!(steps * topology->processors * topology->ports <= BUDGET) ||
        !(room = malloc(2 * topology->processors * sizeof *room))) {
        return NAN;
    }
    double most = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        most = fmax(most, divergence_at(topology, alpha, (uint64_t)steps, p, room, room + topology->processors));
    }
    free(room);
    return most + (gamma > 0.0 ? LEFT_OUT : 0.0);
}

// Returns the factor by which I - alpha L shrinks the slowest mode. NaN: it is not worth finding, because walks of some
// steps already take too long.
static double gamma_of(const struct ek_topology *topology, double alpha)
{
    struct ek_spectrum spectrum;
    struct ek_error ignored;
    enum { FEW = 16 };
    bool small = (double)FEW * topology->processors * topology->ports <= BUDGET;
    if (topology->links == 0 || !small || !topo_spectrum_quick(topology) ||
        !topo_spectrum_find_weighted(topology, NULL, false, &spectrum, &ignored)) {
        return NAN;
    }
    double gamma = fmax(fabs(1.0 - alpha * spectrum.second), fabs(1.0 - alpha * spectrum.largest));
    ek_spectrum_destroy(&spectrum);
    return gamma;
}

// The largest load of real amounts is above the mean by at most the 2-norm of their distance from balance, and the
// smallest is as little below.
static void add_operations(const struct ek_outlook *outlook, double gamma, struct ek_facts *facts)
{
    double distance = 2.0 * sqrt(outlook->distance);
    core_facts_add(
        facts, EVEN, "discrepancy_operations", core_factor_operations(gamma, distance * distance, 1.0), NULL,
        "After so many operations real amounts leave no two loads more than 1 apart, so tokens leave them at "
        "most 1 more than discrepancy_limit apart (Rabani, Sinclair & Wanka 1998: O(log(K n)/m) operations, "
        "K the first discrepancy, m the spectral gap).");
}

// The bound holds for amounts that are rounded down, which may overdraw. Nearest amounts are off by half as much, but
// they are also cut to what a processor holds.
static void add_divergence(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    double gamma = gamma_of(outlook->topology, plan->parameter);
    double divergence = core_local_divergence(outlook->topology, plan->parameter, gamma);
    if (isnan(divergence)) {
        return;
    }
    add_operations(outlook, gamma, facts);
    if (outlook->rounding == CORE_ROUNDING_DOWN) {
        core_facts_add(facts, EVEN, "discrepancy_limit", 2.0 * divergence, "spread_final",
                       "In the long run no two loads differ by more: twice the local divergence, the most by which "
                       "rounding down moves a load away from that of real amounts (Rabani, Sinclair & Wanka 1998).");
    } else {
        core_facts_add(facts, EVEN, "discrepancy_limit", divergence, "spread_final",
                       "In the long run no two loads differ by more, as long as no processor lacks the tokens to "
                       "send: the local divergence, twice the most by which rounding to nearest moves a load away from "
                       "that of real amounts (Rabani, Sinclair & Wanka 1998).");
    }
}

static void add_diffusion(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    switch (outlook->rounding) {
    case CORE_ROUNDING_DOWN:
    case CORE_ROUNDING_NEAREST:
        add_divergence(plan, outlook, facts);
        break;
    case CORE_ROUNDING_RANDOM:
        core_facts_add(facts, EVEN, "discrepancy_order", NAN, "spread_final",
                       "On tori loads can differ from those of real amounts by a power of log n, with n processors: a "
                       "lower bound (Friedrich, Gairing & Sauerwald 2012, on the method of Friedrich & Sauerwald "
                       "2009). The paper has no constant.");
        break;
    case CORE_ROUNDING_CARRY:
        core_facts_add(facts, EVEN, "discrepancy_order", NAN, "spread_final",
                       "Loads differ from those of real amounts by O(1) on tori of few dimensions and by O((log "
                       "n)^1.5) on hypercubes, with n processors (Friedrich, Gairing & Sauerwald 2012). The paper "
                       "has no constant.");
        break;
    }
}

// With lambda = 1/2 a random rounding gives the odd token of a pair to either with the same probability.
void core_facts_add_pairs(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    if (outlook->units == EK_TOKENS && outlook->rounding == CORE_ROUNDING_RANDOM && plan->parameter == 0.5) {
        core_facts_add(facts, EVEN, "discrepancy_likely", 3.0, "spread_final",
                       "With high probability loads differ by at most 3 after as many steps as real amounts take, up "
                       "to a constant factor (Sauerwald & Sun 2012 for some constant on regular graphs; Berenbrink, "
                       "Elsässer, Friedetzky, Hosseinpour, Kaaser, Kling & "
                       "Sauerwald, (Almost) perfect discrete iterative load balancing, 2025).");
    }
}

void core_facts_add_discrepancy(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    if (outlook->units != EK_TOKENS || !core_outlook_has(outlook, EVEN) || isnan(plan->parameter)) {
        return;
    }
    if (outlook->matrix == EK_MATRIX_DIFFUSION) {
        add_diffusion(plan, outlook, facts);
    } else if (outlook->matrix == EK_MATRIX_EXCHANGE) {
        core_facts_add_pairs(plan, outlook, facts);
    }
}
