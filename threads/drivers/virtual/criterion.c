// SPDX-License-Identifier: MIT
// A quick test of the stop criterion.
//
// The criterion is tested at the end of every window, and measuring all loads would cost more than a window with few
// turns. So the loads are searched for a proof that the criterion does not hold, from the place on at which the last
// search has found one. Most searches then end after a few processors.
#include "threads/drivers/virtual/criterion.h"

#include <math.h>

#include "threads/drivers/virtual/virtual_ranks.h"

// A search over all processors, which ends when it has found a proof.
struct search {
    const struct free_run *run;
    const double *loads; // by processor; NULL: the processors have them
    uint32_t from, end;  // the processors that are searched
    double share;        // the load of a processor of capacity 1 in balance
    double most;         // no sum up to this value is a proof
    double sum, minimum, maximum;
};

static double held(const struct search *search, uint32_t p)
{
    return search->loads ? search->loads[p] : search->run->processor[p].held;
}

// Each function returns whether the processors since the begin of the search, with p the last one, are a proof.
static bool proves_distance(struct search *search, uint32_t p)
{
    const double *capacity = search->run->machine->capacity;
    bool by_capacity = capacity && search->run->machine->stop.kind == CORE_STOP_ERROR;
    double distance = held(search, p) - search->share * (by_capacity ? capacity[p] : 1.0);
    search->sum += distance * distance;
    return search->sum > search->most;
}

static bool proves_spread(struct search *search, uint32_t p)
{
    const struct machine_plan *machine = search->run->machine;
    bool divides = machine->capacity && machine->stop.kind == CORE_STOP_DISCREPANCY;
    double level = divides ? held(search, p) / machine->capacity[p] : held(search, p);
    search->minimum = fmin(search->minimum, level);
    search->maximum = fmax(search->maximum, level);
    return search->maximum - search->minimum > machine->stop.limit;
}

static bool proves_idle(struct search *search, uint32_t p)
{
    return held(search, p) <= 0.0;
}

static bool proves_neighbours(struct search *search, uint32_t p)
{
    const struct ek_topology *topology = search->run->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        uint32_t other = topology->neighbour[port];
        bool known = other >= search->from && other < search->end;
        if (known && fabs(held(search, p) - held(search, other)) > search->run->machine->stop.limit) {
            return true;
        }
    }
    return false;
}

// The share is known up to rounding errors.
static bool proves_imbalance(struct search *search, uint32_t p)
{
    static const double ROUNDINGS = 1e-6;
    return held(search, p) > search->share * (1.0 + search->run->machine->stop.limit) * (1.0 + ROUNDINGS);
}

typedef bool proves(struct search *search, uint32_t p);

// Returns the function for a criterion, NULL if it needs no search.
static proves *proves_of(enum core_stop_kind kind)
{
    switch (kind) {
    case CORE_STOP_VARIANCE:
    case CORE_STOP_ERROR:
        return proves_distance;
    case CORE_STOP_SPREAD:
    case CORE_STOP_DISCREPANCY:
        return proves_spread;
    case CORE_STOP_SHARED:
        return proves_idle;
    case CORE_STOP_NEIGHBOURS:
        return proves_neighbours;
    case CORE_STOP_IMBALANCE:
        return proves_imbalance;
    case CORE_STOP_NEVER:
    case CORE_STOP_ITSELF:
        break;
    }
    return NULL;
}

// Returns the load of the whole machine by the ledger. It differs from the measured load by rounding errors only.
static double load_of(const struct virtual_machine *machine)
{
    const struct free_run *run = machine->run;
    double made = 0.0;
    bool works = core_workload_continues(&run->machine->work, 0);
    for (uint32_t p = machine->begin; works && p < machine->end; p++) {
        made += run->processor[p].generated - run->processor[p].consumed;
    }
    return run->start.total + (works && machine->ranks ? virtual_ranks_total(machine->ranks, made) : made);
}

// Prepares a search for a distance above the criterion's limit, or for a load above the share. The share is known up to
// rounding errors, which could pretend a distance. They are far smaller than the millionth that is added to the limit.
static void aim(struct search *search, double load)
{
    const struct machine_plan *machine = search->run->machine;
    uint32_t processors = search->run->topology->processors;
    double all = processors;
    if (machine->capacity && machine->stop.kind == CORE_STOP_ERROR) {
        all = core_measure_sum(machine->capacity, processors);
    }
    search->share = load / all;
    double limit =
        machine->stop.kind == CORE_STOP_ERROR ? machine->stop.limit * machine->stop.limit : machine->stop.limit;
    double error = 1e-9 * fabs(load) / processors;
    search->most = limit * (1.0 + 1e-6) + processors * error * error;
}

// Searches all processors of the search. Returns whether there is a proof.
static bool finds(struct virtual_machine *machine, struct search *search, proves *prove)
{
    uint32_t begin =
        machine->witness >= search->from && machine->witness < search->end ? machine->witness : search->from;
    for (uint32_t i = search->from, p = begin; i < search->end; i++, p = p + 1 < search->end ? p + 1 : search->from) {
        if (prove(search, p)) {
            machine->witness = prove == proves_distance || prove == proves_spread ? begin : p;
            return true;
        }
    }
    return false;
}

bool virtual_criterion_fails(struct virtual_machine *machine)
{
    const struct free_run *run = machine->run;
    proves *prove = proves_of(run->machine->stop.kind);
    if (!prove) {
        return true;
    }
    struct search search = {
        .run = run, .minimum = INFINITY, .maximum = -INFINITY, .from = machine->begin, .end = machine->end};
    if (prove == proves_distance || prove == proves_imbalance) {
        aim(&search, load_of(machine));
    }
    bool found = finds(machine, &search, prove);
    if (!machine->ranks) {
        return found;
    }
    if (virtual_ranks_any(machine->ranks, found)) {
        return true;
    }
    search.loads = virtual_ranks_collect_loads(machine->ranks);
    search.from = 0;
    search.end = run->topology->processors;
    search.sum = 0.0;
    return finds(machine, &search, prove);
}
