// SPDX-License-Identifier: MIT
// Facts about work while processors balance: the cut condition (Muthukrishnan & Rajaraman; Anshelevich, Kempe &
// Kleinberg), the distance from the mean under constant work, the expected variance under random work (Xu, Monien,
// Lüling & Lau 1995, section 5).
#include "core/theory/facts_work.h"

#include <math.h>
#include <stdlib.h>

#include "core/theory/cut.h"
#include "core/theory/expected.h"
#include "core/theory/potential.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

// The conditions under which every operation is the method's matrix, and only work comes between operations.
enum {
    EVERY_OPERATION = CORE_NEEDS_ROUNDS | CORE_NEEDS_ALL_INVOKE | CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_LIMIT |
                      CORE_NEEDS_NO_FAULTS | CORE_NEEDS_REAL | CORE_NEEDS_EQUAL_CAPACITIES | CORE_NEEDS_ALL_WORK
};

static bool work_first(const struct ek_outlook *outlook)
{
    return outlook->work->working == CORE_WORKING_BEFORE;
}

// Finds the work of a tick minus its mean, which is the part that has to be balanced.
static void change_of(const struct core_workload *work, uint64_t tick, double *change)
{
    const double *changes = work->changes + tick * work->processors;
    double mean = 0.0;
    for (uint32_t p = 0; p < work->processors; p++) {
        mean += changes[p] / work->processors;
    }
    for (uint32_t p = 0; p < work->processors; p++) {
        change[p] = changes[p] - mean;
    }
}

// Returns whether a link carries at most its limit in a tick, each way, so that any excess stays behind. A method with
// its own schedule or choice of links may use a link more often.
static bool links_once_a_tick(const struct ek_method *method, const struct ek_outlook *outlook)
{
    return method->links != EK_LINKS_SCHEDULED && method->links != EK_LINKS_CHOSEN &&
           outlook->timing != CORE_TIMING_FREE;
}

static const char *what_a_cut_means(const struct ek_method *method, const struct ek_outlook *outlook, double ratio)
{
    if (outlook->work->kind != CORE_WORKLOAD_CONSTANT) {
        return "the largest of all ticks in the file (cut condition: at most 1)";
    }
    double most = core_links_narrowest(outlook->links, outlook->topology->ports);
    if (!links_once_a_tick(method, outlook) || most == INFINITY) {
        return "the load that has to cross each link of a cut in every tick (cut condition: at most 1, if a link "
               "carries 1 in a tick)";
    }
    return ratio > most
               ? "it is above the link limit, so the distance from balance grows for ever while no processor runs empty"
               : "it is not above the link limit, so no cut is too narrow";
}

// The conditions under which all of the work has to cross a cut, over all of its links.
enum { OF_ALL_WORK = CORE_NEEDS_NO_FAULTS | CORE_NEEDS_ALL_WORK };

// Tries all sets of processors for every tick of the work.
static void add_cut(const struct ek_method *method, const struct ek_outlook *outlook, double *change,
                    struct ek_facts *facts)
{
    static const double SETS_MAX = 1 << 24; // some tenths of a second
    const struct core_workload *work = outlook->work;
    uint32_t processors = outlook->topology->processors;
    if (processors > CORE_CUT_PROCESSORS_MAX || ldexp((double)work->ticks, (int)processors) > SETS_MAX) {
        core_facts_add(facts, OF_ALL_WORK, "cut_ratio", NAN, NULL,
                       "Left out: the cut condition is tried on all sets of processors only on topologies of at most "
                       "%d processors, or fewer if the file has many ticks.",
                       CORE_CUT_PROCESSORS_MAX);
        return;
    }
    double ratio = 0.0;
    for (uint64_t tick = 0; tick < work->ticks; tick++) {
        change_of(work, tick, change);
        ratio = fmax(ratio, core_cut_ratio(outlook->topology, change));
    }
    core_facts_add(facts, OF_ALL_WORK, "cut_ratio", ratio, NULL,
                   "The largest |d(S)|/e(S) over all sets S of processors, with d the work of a tick minus its mean "
                   "and e(S) the number of links that leave S: %s.",
                   what_a_cut_means(method, outlook, ratio));
}

// In the long run alpha L x = d, where x includes the work of the tick. If work comes first, x - d is the load after
// balancing.
static void add_deviation(const struct ek_outlook *outlook, double alpha, double *change, struct ek_facts *facts)
{
    uint32_t processors = outlook->topology->processors;
    double *x = change + processors;
    struct ek_error error;
    double largest = 0.0;
    change_of(outlook->work, 0, change);
    if (!core_potential_find(outlook->topology, change, x, &error)) {
        core_facts_add(facts, EVERY_OPERATION, "deviation_work", NAN, NULL,
                       "The distance from the mean in the long run: %s.", error.sentence);
        return;
    }
    for (uint32_t p = 0; p < processors; p++) {
        largest = fmax(largest, fabs(x[p] / alpha - (work_first(outlook) ? change[p] : 0.0)));
    }
    core_facts_add(facts, EVERY_OPERATION, "deviation_work", largest, NULL,
                   "The largest distance of a load from the mean in the long run, %s, while no processor runs empty.",
                   work_first(outlook) ? "max |L^+ d / alpha - d|, since work precedes balancing"
                                       : "max |L^+ d| / alpha");
}

// Returns whether diffusion converges: its parameter is below 2/lmax.
static bool settles(const struct ek_topology *topology, double alpha)
{
    struct ek_spectrum spectrum;
    struct ek_error ignored;
    if (!(alpha > 0.0) || !topo_spectrum_quick(topology) || !ek_spectrum_find(topology, false, &spectrum, &ignored)) {
        return false;
    }
    bool below = alpha < 2.0 / spectrum.largest;
    ek_spectrum_destroy(&spectrum);
    return below;
}

// Returns the steps until the run's limit, or 0 if there is none. A limit of steps may cut an operation of an exchange.
// It must not cut an operation of diffusion over one port: a part of such an operation is not its matrix.
static uint64_t steps_until_limit(const struct core_process *process, const struct ek_outlook *outlook)
{
    uint32_t each = core_expected_steps(process);
    uint64_t by_operations = outlook->operations_max * each;
    bool steps_count = process->matrix == EK_MATRIX_EXCHANGE || outlook->ports == EK_ALL_PORTS;
    if (outlook->steps_max == 0 || (by_operations > 0 && by_operations < outlook->steps_max)) {
        return by_operations;
    }
    return steps_count ? outlook->steps_max : 0;
}

static const double COST_MAX = 5e8; // simple operations: about a second

static void add_expected_end(const struct core_process *process, const struct ek_outlook *outlook, double variance,
                             double *room, struct ek_facts *facts)
{
    uint64_t steps = steps_until_limit(process, outlook);
    const struct core_load *drawn = outlook->drawn;
    struct core_expected expected;
    if (steps == 0 || core_expected_cost(process, steps) > COST_MAX) {
        return;
    }
    core_expected_find(process, steps, outlook->load, room, &expected);
    core_facts_add(
        facts, EVERY_OPERATION, "variance_expected", expected.from_load + variance * expected.from_work,
        outlook->stop->kind == CORE_STOP_NEVER ? "variance_final" : NULL,
        "The expected variance at the run's limit, from the load of run 0. The covariances follow C := %s, if no drawn "
        "work is cut off (Xu et al. 1995, section 5; Eqs. (27) and (29) hold for one operation only).",
        process->work_first ? "M (C + sigma^2 I) M'" : "M C M' + sigma^2 I");
    if (drawn->kind == CORE_LOAD_UNIFORM) {
        double width = drawn->high - drawn->low;
        core_facts_add(facts, EVERY_OPERATION, "variance_expected_drawn",
                       width * width / 12.0 * expected.from_drawn + variance * expected.from_work, NULL,
                       "The same variance as a mean over runs, whose loads are drawn independently.");
    }
}

static void add_expected_limit(const struct core_process *process, double variance, double *room,
                               struct ek_facts *facts)
{
    uint32_t each = core_expected_steps(process);
    uint64_t steps = (uint64_t)(COST_MAX / core_expected_cost(process, each)) * each;
    struct core_expected expected;
    core_expected_find(process, steps, NULL, room, &expected);
    if (expected.even) {
        core_facts_add(facts, EVERY_OPERATION, "variance_limit", variance * expected.from_work, NULL,
                       "The expected variance in the long run, after a complete operation.");
    }
}

static void add_expected(const struct core_process *process, const struct ek_outlook *outlook, double variance,
                         struct ek_facts *facts)
{
    double *room = core_expected_cost(process, 1) <= COST_MAX
                       ? malloc(core_expected_room(process->topology->processors) * sizeof *room)
                       : NULL;
    if (room) {
        add_expected_end(process, outlook, variance, room, facts);
        add_expected_limit(process, variance, room, facts);
    }
    free(room);
}

// Returns whether work comes between operations only. An operation over one port takes several steps, and work that
// comes by steps comes during the operation.
static bool work_between_operations(const struct ek_outlook *outlook)
{
    return outlook->matrix == EK_MATRIX_EXCHANGE || outlook->ports == EK_ALL_PORTS || !outlook->clock_steps;
}

static void add_matrix_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, double *room,
                             struct ek_facts *facts)
{
    struct core_process process = {.topology = outlook->topology,
                                   .matrix = outlook->matrix,
                                   .parameter = plan->parameter,
                                   .work_by_steps = outlook->clock_steps,
                                   .work_first = work_first(outlook)};
    if (outlook->matrix == EK_MATRIX_UNKNOWN || !core_outlook_has(outlook, EVERY_OPERATION) ||
        !work_between_operations(outlook)) {
        return;
    }
    const double variance = core_workload_variance(outlook->work);
    if (isfinite(variance)) {
        add_expected(&process, outlook, variance, facts);
    } else if (outlook->work->kind == CORE_WORKLOAD_CONSTANT && outlook->matrix == EK_MATRIX_DIFFUSION &&
               settles(outlook->topology, plan->parameter)) {
        add_deviation(outlook, plan->parameter, room, facts);
    }
}

// Says what pareto draws on average, or that it has no mean or no variance.
static void add_pareto(const struct core_workload *work, struct ek_facts *facts)
{
    const double mean = core_workload_mean(work), variance = core_workload_variance(work);
    if (isnan(mean)) {
        core_facts_add(facts, 0, "work_mean", NAN, NULL,
                       "Warning: a shape of at most 1 gives no mean. The largest amount so far decides how much is "
                       "generated, so means over ticks or runs do not settle: compare medians.");
        return;
    }
    core_facts_add(facts, 0, "work_mean", mean, NULL,
                   "The mean of what a processor generates in a tick, before rounding to tokens: about "
                   "SHAPE*LEAST/(SHAPE-1).");
    if (isnan(variance)) {
        core_facts_add(facts, 0, "work_variance", NAN, NULL,
                       "A shape of at most 2 gives no variance, so the means of few runs differ much.");
    } else {
        core_facts_add(facts, 0, "work_variance", variance, NULL,
                       "The variance of what a processor generates in a tick.");
    }
}

void core_facts_add_work(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                         struct ek_facts *facts)
{
    if (outlook->work->kind == CORE_WORKLOAD_PARETO) {
        add_pareto(outlook->work, facts);
    }
    if (outlook->work->kind == CORE_WORKLOAD_NONE || outlook->topology->links == 0 || plan->overlay) {
        return;
    }
    double *room = malloc(2 * (size_t)outlook->topology->processors * sizeof *room);
    if (room && outlook->work->changes) {
        add_cut(method, outlook, room, facts);
    }
    if (room) {
        add_matrix_facts(plan, outlook, room, facts);
    }
    free(room);
}
