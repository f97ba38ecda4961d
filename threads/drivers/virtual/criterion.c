// SPDX-License-Identifier: MIT
// A quick test of the stop criterion.
//
// The criterion is tested at the end of every window, and measuring all loads would cost more than a window with few
// turns. So the loads are searched for a proof that the criterion does not hold, from the place on at which the last
// search has found one. Most searches then end after a few processors.
#include "threads/drivers/virtual/criterion.h"

#include <math.h>

// A search over all processors, which ends when it has found a proof.
struct search {
    const struct free_run *run;
    double share; // the load of a processor of capacity 1 in balance
    double most;  // no sum up to this value is a proof
    double sum, minimum, maximum;
};

static double held(const struct search *search, uint32_t p)
{
    return search->run->processor[p].held;
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
    search->minimum = fmin(search->minimum, held(search, p));
    search->maximum = fmax(search->maximum, held(search, p));
    return search->maximum - search->minimum > search->run->machine->stop.limit;
}

static bool proves_idle(struct search *search, uint32_t p)
{
    return held(search, p) <= 0.0;
}

static bool proves_neighbours(struct search *search, uint32_t p)
{
    const struct ek_topology *topology = search->run->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (fabs(held(search, p) - held(search, topology->neighbour[port])) > search->run->machine->stop.limit) {
            return true;
        }
    }
    return false;
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
        return proves_spread;
    case CORE_STOP_SHARED:
        return proves_idle;
    case CORE_STOP_NEIGHBOURS:
        return proves_neighbours;
    case CORE_STOP_NEVER:
    case CORE_STOP_ITSELF:
        break;
    }
    return NULL;
}

// Returns the load of the whole machine by the ledger. It differs from the measured load by rounding errors only.
static double load_of(const struct free_run *run)
{
    double load = run->start.total;
    bool works = core_workload_continues(&run->machine->work, 0);
    for (uint32_t p = 0; works && p < run->topology->processors; p++) {
        load += run->processor[p].generated - run->processor[p].consumed;
    }
    return load;
}

// Prepares a search for a distance above the criterion's limit. The share is known up to rounding errors, which could
// pretend a distance. They are far smaller than the millionth that is added to the limit.
static void aim(struct search *search)
{
    const struct machine_plan *machine = search->run->machine;
    uint32_t processors = search->run->topology->processors;
    double load = load_of(search->run);
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

bool virtual_criterion_fails(struct virtual_machine *machine)
{
    const struct free_run *run = machine->run;
    proves *prove = proves_of(run->machine->stop.kind);
    uint32_t processors = run->topology->processors;
    if (!prove) {
        return true;
    }
    struct search search = {.run = run, .minimum = INFINITY, .maximum = -INFINITY};
    if (prove == proves_distance) {
        aim(&search);
    }
    uint32_t begin = machine->witness;
    for (uint32_t i = 0, p = begin; i < processors; i++, p = p + 1 < processors ? p + 1 : 0) {
        if (prove(&search, p)) {
            machine->witness = prove == proves_distance || prove == proves_spread ? begin : p;
            return true;
        }
    }
    return false;
}
