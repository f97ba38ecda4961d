// SPDX-License-Identifier: MIT
// Facts that several methods share: the least flow (Diekmann, Frommer & Monien 1999), factors and the operations that
// follow from them, domain variances (Xu, Monien, Lüling & Lau 1995, Eqs. (9) to (21)).
#include "core/theory/facts.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/theory/domain_variance.h"
#include "core/theory/potential.h"
#include "core/theory/convergence.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

void core_facts_add(struct ek_facts *facts, unsigned needs, const char *name, double value, const char *beside,
                    const char *format, ...)
{
    if (facts->count == facts->room || !core_outlook_has(facts->outlook, needs & ~CORE_AT_END)) {
        return;
    }
    struct ek_fact *fact = &facts->at[facts->count++];
    *fact = (struct ek_fact){.value = value, .at_end = needs & CORE_AT_END};
    snprintf(fact->name, sizeof fact->name, "%s", name);
    snprintf(fact->beside, sizeof fact->beside, "%s", beside ? beside : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fact->text, sizeof fact->text, format, arguments);
    va_end(arguments);
}

bool core_facts_quick(const struct ek_topology *topology, const double *capacity)
{
    enum { WEIGHTED_MAX = 1000 }; // processors, with capacities
    return capacity ? topology->processors <= WEIGHTED_MAX : topo_spectrum_quick(topology);
}

bool core_facts_extremes(struct ek_facts *facts, unsigned needs, const char *name, const struct ek_topology *topology,
                         const double *capacity, struct ek_spectrum *spectrum)
{
    struct ek_error ignored;
    bool quick = core_facts_quick(topology, capacity);
    if (!quick) {
        core_facts_add(facts, needs, name, NAN, NULL,
                       "Left out: finding the spectrum of this topology takes longer than a second.");
    }
    return quick && topology->links > 0 && topo_spectrum_find_weighted(topology, capacity, false, spectrum, &ignored);
}

double core_facts_operations(double gamma, double slope, double from, double to)
{
    if (from <= to || !(gamma > 1e-12) || slope == 0.0) {
        return core_factor_operations(gamma, from, to);
    }
    if (!(gamma < 1.0) || !(to > 0.0) || !isfinite(from)) {
        return NAN;
    }
    double needed = 0.5 * log(to / from);
    double low = 0.0; // too few operations
    double high = 1.0;
    while (log1p(high * slope) + high * log(gamma) > needed) {
        low = high;
        high *= 2.0;
    }
    while (high - low > 1.0) {
        double middle = floor((low + high) / 2.0);
        bool enough = log1p(middle * slope) + middle * log(gamma) <= needed;
        *(enough ? &high : &low) = middle;
    }
    return high;
}

// Returns the squared distance from balance, or a bound on it whose root shrinks by gamma. With capacities, the vector
// that shrinks is the error divided by the roots of the capacities. The norm of the error is at most the largest root
// times the norm of this vector.
static double shrinking_distance(const struct ek_outlook *outlook)
{
    if (!outlook->capacity || outlook->to_target) {
        return outlook->distance;
    }
    double largest = 0.0;
    double squares = 0.0;
    for (uint32_t p = 0; p < outlook->topology->processors; p++) {
        largest = fmax(largest, outlook->capacity[p]);
        squares += outlook->surplus[p] * outlook->surplus[p] / outlook->capacity[p];
    }
    return largest * squares;
}

// Adds the facts of a scheme whose error after k operations is at most constant * (1 + k * slope) gamma^k of the first.
static void add_shrinking(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double constant,
                          double slope, const char *what)
{
    double limit;
    core_facts_add(facts, CORE_NEEDS_PLAIN & ~CORE_NEEDS_NO_WORK, "gamma", gamma, NULL,
                   "The factor by which an operation shrinks the distance from balance in the long run: %s.", what);
    if (!(gamma < 1.0) || !core_outlook_goal(outlook, &limit)) {
        return;
    }
    const char *error = slope > 0.0 ? "(1 + k*sqrt(1-g^2)) gamma^k" : constant > 1.0 ? "2 gamma^k" : "gamma^k";
    double from = shrinking_distance(outlook);
    from = from > limit ? constant * constant * from : from;
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_NEEDS_REAL, "operations_most",
                   core_facts_operations(gamma, slope, from, limit), "operations",
                   "The most operations that the load of run 0 can need: after k operations the distance from balance "
                   "is at most %s of the initial distance.",
                   error);
}

void core_facts_add_factor(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double slope,
                           const char *what)
{
    add_shrinking(facts, outlook, gamma, 1.0, slope, what);
}

void core_facts_add_bound(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double constant,
                          const char *what)
{
    add_shrinking(facts, outlook, gamma, constant, 0.0, what);
}

// Adds the least flow. There is none if the method uses links of its own.
static void add_least_flow(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct ek_topology *topology = outlook->topology;
    if (!core_outlook_has(outlook, CORE_NEEDS_NO_WORK) || plan->overlay || topology->links == 0) {
        return;
    }
    struct ek_error error;
    double *x = malloc(topology->processors * sizeof *x);
    if (!x) {
        return;
    }
    if (core_potential_find(topology, outlook->surplus, x, &error)) {
        core_facts_add(facts, CORE_NEEDS_NO_WORK, "flow_l2_least", core_potential_flow(topology, x), "flow_l2",
                       "The 2-norm of the least flow that balances exactly (Diekmann, Frommer & Monien 1999).");
    } else {
        core_facts_add(facts, CORE_NEEDS_NO_WORK, "flow_l2_least", NAN, "flow_l2",
                       "The 2-norm of the least flow that balances exactly: %s.", error.sentence);
    }
    free(x);
}

// The formulas for one operation from independent loads hold under these conditions. Other operations may take place
// elsewhere.
enum {
    ONE_OPERATION = CORE_NEEDS_SINGLE_INVOKERS | CORE_NEEDS_EVEN_WORK | CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_LIMIT |
                    CORE_NEEDS_NO_FAULTS | CORE_NEEDS_REAL | CORE_NEEDS_EQUAL_CAPACITIES
};

// Returns words that say what a tick's work does to a domain's variance; "" if there is nothing to say. If work comes
// before balancing, it adds to the variance of the loads that are balanced. Eqs. (1) and (7) of Xu et al. 1995 are for
// suspended work.
static const char *with_work(const struct ek_outlook *outlook)
{
    if (core_outlook_has(outlook, CORE_NEEDS_NO_WORK) || !core_outlook_has(outlook, CORE_NEEDS_ALL_WORK)) {
        return "";
    }
    return outlook->work->working == CORE_WORKING_BEFORE
               ? "; here and below sigma0^2 is the variance of the loads after the workload's tick, which precedes the "
                 "operation"
               : "; here and below the workload adds its variance at each processor";
}

static void add_single_domain(struct core_domain domain, double alpha, double lambda, struct ek_facts *facts)
{
    double best = core_domain_diffusion_best(domain);
    core_facts_add(facts, ONE_OPERATION, "domain_diffusion", core_domain_diffusion(domain, alpha), NULL,
                   "The expected variance left in the domain of one invoker with %.0f neighbours by diffusion with "
                   "alpha = %.6g, relative to sigma0^2, from independent loads (Xu et al. 1995, Eq. (9))%s.",
                   domain.neighbours, alpha, with_work(facts->outlook));
    core_facts_add(facts, ONE_OPERATION, "domain_diffusion_best", core_domain_diffusion(domain, best), NULL,
                   "The same variance with the best alpha, 2/(d+3) = %.6g (Eq. (10)).", best);
    core_facts_add(facts, ONE_OPERATION, "domain_exchange", core_domain_exchange(domain, lambda), NULL,
                   "The same variance left by dimension exchange with lambda = %.6g over all links of the invoker "
                   "(Eqs. (12), (13)).",
                   lambda);
    core_facts_add(facts, ONE_OPERATION, "domain_exchange_step", core_domain_exchange_step(domain, lambda), NULL,
                   "The same variance after one link only, a step of dimension exchange on an all-port machine.");
    core_facts_add(facts, ONE_OPERATION, "domain_average", core_domain_average(domain), NULL,
                   "The same variance if all processors end at the domain's mean (section 4, local-average).");
}

// Returns the variance left in the union of the domains of two neighbours that invoke and diffuse.
static double adjacent_diffusion(const struct ek_outlook *outlook, struct core_domain domain, double alpha)
{
    bool once = core_outlook_has(outlook, CORE_NEEDS_LINK_ONCE);
    return (once ? core_domain_adjacent_diffusion : core_domain_adjacent_diffusion_twice)(domain, alpha);
}

static void add_diffusion_pairs(struct core_domain domain, double alpha, struct ek_facts *facts)
{
    double best = core_domain_adjacent_diffusion_best(domain);
    core_facts_add(facts, ONE_OPERATION, "pair_adjacent", adjacent_diffusion(facts->outlook, domain, alpha), NULL,
                   "The variance left in the union of the domains of two invokers that are neighbours (%s).",
                   core_outlook_has(facts->outlook, CORE_NEEDS_LINK_ONCE)
                       ? "Eq. (15)"
                       : "Eq. (15) if both use the link between them");
    core_facts_add(facts, ONE_OPERATION | CORE_NEEDS_LINK_ONCE, "pair_adjacent_best",
                   core_domain_adjacent_diffusion(domain, best), NULL,
                   "The same variance with the best alpha, (2d-1)/(d^2+3d-2) = %.6g. (Eq. (18) prints half of this "
                   "alpha and omits -2d/N.)",
                   best);
    core_facts_add(facts, ONE_OPERATION, "pair_sharing_1", core_domain_sharing_diffusion(domain, 1.0, alpha), NULL,
                   "The same variance for two invokers that share one neighbour (Eq. (20), s = 1).");
    core_facts_add(facts, ONE_OPERATION, "pair_sharing_2", core_domain_sharing_diffusion(domain, 2.0, alpha), NULL,
                   "The same variance for two invokers that share two neighbours (Eq. (20), s = 2).");
}

static void add_exchange_pairs(struct core_domain domain, double lambda, struct ek_facts *facts)
{
    core_facts_add(facts, ONE_OPERATION | CORE_NEEDS_LINK_ONCE, "pair_adjacent_most",
                   core_domain_adjacent_exchange(domain, lambda), NULL,
                   "The most variance that can be left in the union of the domains of two invokers that are neighbours "
                   "(Eqs. (16), (17)).");
    core_facts_add(facts, ONE_OPERATION | CORE_NEEDS_LINK_ONCE, "pair_adjacent_step",
                   core_domain_adjacent_exchange_step(domain, lambda), NULL,
                   "The same variance after one step of an all-port machine over the link between the invokers.");
    for (int shared = 1; lambda == 0.5 && shared <= 2; shared++) {
        core_facts_add(facts, ONE_OPERATION, shared == 1 ? "pair_sharing_1_most" : "pair_sharing_2_most",
                       core_domain_sharing_exchange(domain, shared), NULL,
                       "The most variance that can be left in the union of the domains of two invokers that share %d "
                       "of their neighbours (Eq. (21)).",
                       shared);
    }
    core_facts_add(facts, ONE_OPERATION, "pair_sharing_1_step", core_domain_sharing_exchange_step(domain, 1.0, lambda),
                   NULL,
                   "The same variance for two invokers that share one neighbour, after each has used a link to another "
                   "neighbour (printed with 2d-4-s instead of 2d-2-s).");
}

// The conditions under which measured effects can be compared. A delay does not matter, since an operation acts upon
// loads that it requests.
enum {
    MEASURED = (ONE_OPERATION & ~CORE_NEEDS_NO_DELAY) | CORE_NEEDS_OVERLAPS | CORE_NEEDS_BLIND_INVOCATION |
               CORE_NEEDS_NO_WORK | CORE_NEEDS_REGULAR
};

// Returns the remaining share of the variance of `processors` processors. At first each of them has 1-1/N of the
// variance of a load.
static double share_of(double variance, double processors, struct core_domain domain)
{
    return variance / (processors * (1.0 - 1.0 / domain.processors));
}

static void add_left_pairs(struct core_domain domain, double alpha, struct ek_facts *facts)
{
    double d = domain.neighbours;
    bool once = core_outlook_has(facts->outlook, CORE_NEEDS_LINK_ONCE);
    core_facts_add(facts, MEASURED, "left_adjacent",
                   share_of(adjacent_diffusion(facts->outlook, domain, alpha), 2.0 * d, domain), NULL,
                   "The same share for two invokers that are neighbours and overlap with no other, if both act on the "
                   "loads of the same moment (%s).",
                   once ? "Eq. (15)"
                        : "Eq. (15) if both use the link between them; with domains once only one of them uses it");
    core_facts_add(facts, MEASURED, "left_one_shared",
                   share_of(core_domain_sharing_diffusion(domain, 1.0, alpha), 2.0 * d + 1.0, domain), NULL,
                   "The same share for two invokers that share one neighbour (Eq. (20)).");
    core_facts_add(facts, MEASURED, "left_two_shared",
                   share_of(core_domain_sharing_diffusion(domain, 2.0, alpha), 2.0 * d, domain), NULL,
                   "The same share for two invokers that share two neighbours.");
}

static void add_left_pairs_most(struct core_domain domain, double lambda, struct ek_facts *facts)
{
    double d = domain.neighbours;
    core_facts_add(
        facts, MEASURED | CORE_NEEDS_LINK_ONCE, "left_adjacent_most",
        share_of(core_domain_adjacent_exchange(domain, lambda), 2.0 * d, domain), NULL,
        "The largest share possible for two invokers that are neighbours and overlap with no other (Eqs. (16), (17)).");
    for (int shared = 1; lambda == 0.5 && shared <= 2; shared++) {
        core_facts_add(facts, MEASURED, shared == 1 ? "left_one_shared_most" : "left_two_shared_most",
                       share_of(core_domain_sharing_exchange(domain, shared), 2.0 * d + 2.0 - shared, domain), NULL,
                       "The largest share possible for two invokers that share %d of their neighbours (Eq. (21)).",
                       shared);
    }
}

// Adds the expected effects of operations, one for each kind of overlap. They hold while the loads are independent, as
// at the start.
static void add_left(struct core_domain domain, bool diffuses, double parameter, struct ek_facts *facts)
{
    double alone = diffuses ? core_domain_diffusion(domain, parameter) : core_domain_exchange(domain, parameter);
    core_facts_add(facts, MEASURED, "left_alone", share_of(alone, domain.neighbours + 1.0, domain), NULL,
                   "The share of its domain's variance that an operation leaves if it overlaps with no other, while "
                   "the loads are independent, as at the start.");
    if (domain.neighbours >= 2.0) {
        (diffuses ? add_left_pairs : add_left_pairs_most)(domain, parameter, facts);
    }
}

// Adds the effect of an operation that one invoker or two invokers begin. The method must be exchange with lambda or
// diffusion with alpha.
static void add_domains(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    bool diffuses = outlook->matrix == EK_MATRIX_DIFFUSION;
    struct core_domain domain = {.neighbours = outlook->topology->degree_max,
                                 .processors = outlook->topology->processors};
    if (outlook->matrix == EK_MATRIX_UNKNOWN || domain.neighbours < 1.0) {
        return;
    }
    double alpha = diffuses ? plan->parameter : core_alpha_average(outlook->topology);
    double lambda = diffuses ? 0.5 : plan->parameter;
    add_single_domain(domain, alpha, lambda, facts);
    add_left(domain, diffuses, diffuses ? alpha : lambda, facts);
    if (domain.neighbours < 2.0) {
        return; // all overlapping domains are the same set
    }
    if (diffuses) {
        add_diffusion_pairs(domain, plan->parameter, facts);
    } else {
        add_exchange_pairs(domain, plan->parameter, facts);
    }
}

// Adds the largest difference between any two loads if the difference between neighbours is bounded. On a product the
// paper's bound, n(k-1) on a mesh and nk/2 on a torus, is the diameter.
static void add_difference(const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct core_stop *stop = outlook->stop;
    const struct ek_topology *topology = outlook->topology;
    if (stop->kind == CORE_STOP_NEIGHBOURS && topology->diameter > 0 && outlook->matrix == EK_MATRIX_EXCHANGE) {
        core_facts_add(facts, CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_FAULTS | CORE_AT_END, "spread_most",
                       stop->limit * (double)topology->diameter, "spread_final",
                       "The largest difference of any two loads if no two neighbours differ by more than %g: a path of "
                       "at most %lld links connects any two processors (Wu & Shu, section 1: n(k-1) on a mesh, "
                       "n*floor(k/2) on a torus, for differences of 1). A run that a limit ended may exceed it.",
                       stop->limit, (long long)topology->diameter);
    }
}

void core_facts_gather(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                       struct ek_facts *facts)
{
    assert(facts->outlook == outlook);
    if (method->facts) {
        method->facts(plan, outlook, facts);
    }
    if (!method->placement) { // no amounts flow
        add_least_flow(plan, outlook, facts);
    }
    add_domains(plan, outlook, facts);
    add_difference(outlook, facts);
}
