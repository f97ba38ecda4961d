// SPDX-License-Identifier: MIT
// Facts and predictions about a machine's runs before they begin. An *outlook* is what the theory reads of a plan
// (core/theory/outlook.h).
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sized.h"
#include "core/theory/discrepancy.h"
#include "core/theory/facts_work.h"
#include "core/theory/operation_time.h"
#include "core/theory/potential.h"
#include "core/measure.h"
#include "threads/api/prepared.h"
#include "threads/machine/loads.h"
#include "threads/machine/machine.h"
#include "topologies/rows.h"

// Writes to `surplus` by how much each load exceeds the processor's share of all load. Returns the sum of the squares.
static double find_surplus(const struct machine_plan *plan, const double *load, double *surplus)
{
    uint32_t processors = plan->topology->processors;
    const double *capacity = plan->capacity;
    double total = core_measure_sum(load, processors);
    double each = total / (capacity ? core_measure_sum(capacity, processors) : processors);
    double squares = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        surplus[p] = load[p] - (capacity ? capacity[p] : 1.0) * each;
        squares += surplus[p] * surplus[p];
    }
    if (processors > CORE_MEASURE_IN_ORDER) {
        struct core_exact sum = {.added = 0};
        core_exact_add_squares(&sum, surplus, processors, 0.0);
        squares = core_exact_total(&sum);
    }
    return squares;
}

static enum core_timing timing_of(const struct machine_engine *engine)
{
    return engine->together ? CORE_TIMING_ROUNDS : engine->overlapping ? CORE_TIMING_FREE : CORE_TIMING_TURNS;
}

// Returns the costs, if the run shows the virtual time of an operation: always in virtual time, and in rounds if a cost
// was given. Load that is pushed is given without an operation, exclusive domains need more messages, and slow
// processors have costs of their own.
static const struct core_costs *costs_of(const struct machine_plan *plan)
{
    bool usual = !plan->pushed && !plan->slow && plan->domains != MACHINE_DOMAINS_EXCLUSIVE;
    bool shows = plan->engine->computed ? usual : plan->engine->together && plan->costs_given;
    return shows ? &plan->links.costs : NULL;
}

// Returns the outlook without the loads.
static struct ek_outlook outlook_of(const struct machine_plan *plan)
{
    return (struct ek_outlook){.topology = plan->topology,
                               .matrix = machine_matrix(plan),
                               .units = plan->units,
                               .rounding = plan->rounding,
                               .ports = plan->ports,
                               .timing = timing_of(plan->engine),
                               .capacity = plan->capacity,
                               .to_target = plan->to_target,
                               .drawn = &plan->load,
                               .stop = &plan->stop,
                               .invoke = &plan->invoke,
                               .work = &plan->work,
                               .links = &plan->links,
                               .costs = costs_of(plan),
                               .clock_steps = plan->clock_steps,
                               .objects = plan->objects != NULL,
                               .faults = plan->faults.kind != CORE_FAULTS_NONE,
                               .overlaps = plan->experiment->overlaps || (plan->engine->overlapping && !plan->pushed),
                               .link_once = plan->engine->together || plan->domains == MACHINE_DOMAINS_ONCE,
                               .operations_max = plan->experiment->operations_max,
                               .steps_max = plan->experiment->steps_max};
}

// Gives the outlook of a small machine a topology with arrays: facts read the links many times. Those of a large
// machine read them once, so it keeps its outline. Returns false if there is no memory.
static bool take_arrays(const struct ek_machine *machine, struct ek_outlook *outlook)
{
    if (outlook->topology->processors <= CORE_POTENTIAL_MAX) {
        outlook->topology = ek_machine_topology(machine);
    }
    return outlook->topology;
}

// Draws the loads of run 0, or only their distance from balance. Returns false if there is no memory. Otherwise the
// caller must free outlook->load.
static bool draw_loads(const struct machine_plan *plan, struct ek_outlook *outlook)
{
    uint32_t processors = plan->topology->processors;
    if (machine_loads_need_distance_only(plan)) {
        outlook->distance = plan->distance;
        return plan->ranks || machine_loads_distance(plan, plan->experiment->seed, &outlook->distance);
    }
    double *load = malloc(2 * (size_t)processors * sizeof *load);
    if (!load) {
        return false;
    }
    machine_loads_place(plan, plan->experiment->seed, load);
    outlook->load = load;
    outlook->surplus = load + processors;
    outlook->distance = find_surplus(plan, load, load + processors);
    return true;
}

bool machine_has(const struct machine_plan *plan, unsigned needs)
{
    struct ek_outlook outlook = outlook_of(plan);
    return core_outlook_has(&outlook, needs);
}

size_t ek_facts_find(const struct ek_machine *machine, struct ek_fact *facts, size_t room)
{
    const struct machine_plan *plan = &machine->plan;
    struct ek_outlook outlook = outlook_of(plan);
    struct ek_facts found = {.outlook = &outlook, .at = facts, .room = room};
    int before = errno;
    errno = 0;
    if (take_arrays(machine, &outlook) && draw_loads(plan, &outlook)) {
        core_facts_gather(plan->method, &plan->method_plan, &outlook, &found);
        core_facts_add_discrepancy(&plan->method_plan, &outlook, &found);
        core_facts_add_work(plan->method, &plan->method_plan, &outlook, &found);
        core_facts_add_time(plan->method, &outlook, &found);
        free(outlook.load);
    }
    if (errno == ENOMEM) { // in any of the functions called
        core_facts_add(&found, CORE_NEEDS_NOTHING, "facts_missing", NAN, NULL,
                       "There was no memory to find all that is known beforehand.");
    } else {
        errno = before; // a caller may test errno once, after several calls
    }
    return found.count;
}

static void predict(const struct machine_plan *plan, const struct ek_outlook *outlook, struct ek_theory *theory)
{
    struct core_factor factor;
    core_factor_find(plan->topology, outlook->matrix, plan->method_plan.parameter, plan->method->in_table_1, &factor);
    theory->gamma_exact = factor.exact;
    theory->gamma_closed = factor.closed;
    theory->has_exact = !isnan(factor.exact);
    theory->has_closed = !isnan(factor.closed);
    theory->parameter_best = factor.best;
    snprintf(theory->note, sizeof theory->note, "%s", factor.note);
    double limit;
    if (theory->has_exact && core_outlook_has(outlook, CORE_NEEDS_REAL) && core_outlook_goal(outlook, &limit)) {
        bool by_colour = outlook->matrix == EK_MATRIX_EXCHANGE || plan->ports == EK_ONE_PORT;
        theory->operations = core_factor_operations(factor.exact, outlook->distance, limit);
        theory->steps = theory->operations * (by_colour ? plan->topology->colours : 1);
    }
}

bool ek_theory_soon(const struct ek_machine *machine)
{
    const struct machine_plan *plan = &machine->plan;
    enum ek_matrix matrix = machine_matrix(plan);
    return matrix == EK_MATRIX_UNKNOWN || core_factor_quick(plan->topology, matrix);
}

void ek_theory_find_sized(const struct ek_machine *machine, struct ek_theory *theory, size_t size)
{
    const struct machine_plan *plan = &machine->plan;
    struct ek_theory found = {.gamma_exact = NAN,
                              .gamma_closed = NAN,
                              .parameter = plan->method_plan.parameter,
                              .parameter_best = NAN,
                              .operations = NAN,
                              .steps = NAN};
    struct ek_outlook outlook = outlook_of(plan);
    int before = errno;
    errno = 0;
    if (outlook.matrix != EK_MATRIX_UNKNOWN && core_outlook_has(&outlook, CORE_NEEDS_PLAIN) &&
        draw_loads(plan, &outlook)) {
        predict(plan, &outlook, &found);
        free(outlook.load);
    }
    if (errno == ENOMEM) { // in any of the functions called
        snprintf(found.note, sizeof found.note, "There was no memory to find all of the theory.");
        found.incomplete = true;
    } else {
        errno = before;
    }
    base_sized_copy(theory, size, &found, sizeof found);
}
