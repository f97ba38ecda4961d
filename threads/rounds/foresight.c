// SPDX-License-Identifier: MIT
// Foresight: steps of one phase, for rules that other processors can compute. If a rule is mutual, both ends of a link
// can compute what goes over it as soon as they know each other's load (core/method.h). If a program is a rule
// (plan->flow), a processor can compute what its neighbours send from the loads within two links. So each processor can
// also compute (*foresee*) the load that it will hold when the parcels have arrived. It announces this load in the
// phase in which it sends its own parcels, and workers meet once a step instead of twice. A step is:
//
//   1. Receive the parcels of the step before.
//   2. Receive the announcements of the step before, and send the parcels that they imply.
//   3. Announce the load foreseen.
//
// Parcels are sent, counted and received as in two phases, but one phase later than they are known. Measurements and
// tests use the foreseen loads (`settled`). A value written in one phase is read in the next, so there are two arrays
// of levels and of parcels, which swap roles (rounds_step_done). The levels stay as they are in an operation with one
// port, whose colours compare the loads at its start. If a processor receives other load than it has foreseen, the
// method is not what it says it is, and that is a violation.
//
// Cost: one barrier less in each step, and the rule is computed twice for each link.
#include <math.h>

#include "threads/rounds/step.h"
#include "base/cursor.h"

// Returns the amount that the rule gives for a port, at a mutual rule's other end: the neighbour's load stands for the
// own load, and the own load for the announcement.
static double mirrored(const struct rounds_worker *worker, struct ek_view view, uint32_t port)
{
    const struct rounds_run *rounds = worker->rounds;
    unsigned own = port - rounds->topology->first[view.processor];
    view.load = rounds->loads.level[rounds->topology->neighbour[port]];
    worker->room[own] = rounds->loads.level[view.processor];
    return machine_flow(rounds->machine)(&view, own);
}

// Returns the amount that the neighbour at a port sends back over it, from what the neighbour sees.
static double computed_there(const struct rounds_worker *worker, struct ek_view view, uint32_t port)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    uint32_t q = topology->neighbour[port], first = topology->first[q];
    view.processor = q;
    view.degree = topology->first[q + 1] - first;
    view.load = rounds->loads.level[q];
    view.held = NAN;
    view.dimension = topology->dimension + first;
    view.direction = topology->direction + first;
    view.memory = NULL;
    for (unsigned k = 0; k < view.degree; k++) {
        uint32_t colour = topology->colour[first + k];
        bool used = colour >= rounds->now.colour_from && colour < rounds->now.colour_end;
        worker->room[k] = used ? rounds->loads.level[topology->neighbour[first + k]] : NAN;
    }
    return machine_flow(rounds->machine)(&view, topology->twin[port] - first);
}

// Computes what the worker's processors will hold when all parcels of the step have arrived. Returns the number of
// these parcels.
static uint64_t foresee(struct rounds_worker *worker)
{
    uint64_t all = 0;
    struct rounds_run *rounds = worker->rounds;
    const struct ek_link_model *links = &rounds->machine->links;
    bool program = rounds->machine->method_plan.flow != NULL;
    const struct rounds_active *active = &worker->now;
    size_t k = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        struct ek_view view = rounds_view(rounds, p);
        uint32_t end = rounds->topology->first[p + 1], parcels = 0;
        double load = view.held;
        view.announced = worker->room;
        for (; k < rounds_active_count(active) && rounds_active_port(active, k) < end; k++) {
            uint32_t port = rounds_active_port(active, k);
            double amount = program ? computed_there(worker, view, port) : mirrored(worker, view, port);
            amount = amount > 0.0 ? amount : 0.0;
            load += core_link_passes(links, rounds->topology->twin[port], amount);
            parcels += amount > 0.0;
        }
        rounds->loads.settled[p] = load;
        rounds->loads.foreseen[p] = rounds_level_of(rounds, p, load);
        worker->minimum = load < worker->minimum ? load : worker->minimum;
        if (program) { // the clock counts these now, because they are received when the next step is under way
            worker->pace.receives = parcels > worker->pace.receives ? parcels : worker->pace.receives;
        }
        all += parcels;
    }
    return all;
}

void rounds_foreseen_take(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    rounds_take(worker);
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        double held = rounds->loads.held[p];
        double foreseen = rounds->loads.settled[p];
        if (held != foreseen && !isnan(held)) {
            struct ek_error violation;
            base_fail(&violation, EK_VIOLATION, "mutual",
                      "after step %llu processor %u holds %.17g, but %.17g follows from its neighbours' loads: %s is "
                      "not %s",
                      (unsigned long long)rounds->now.step, p, held, foreseen, rounds->machine->method->name,
                      rounds->machine->method_plan.flow ? "a rule of loads" : "mutual");
            rounds_violate(rounds, &violation);
        }
    }
}

void rounds_foreseen_step(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    bool news = rounds->rests && rounds_rest_has_news(worker);
    uint64_t sent = worker->parcels;
    if (rounds->now.time >
        0) { // in the first step all was announced in the announce phase, and no parcels are under way
        rounds_foreseen_take(worker);
        worker->now = rounds_active_ports(worker);
        rounds_check_ports(worker);
        worker->announced = rounds->rests ? 0 : rounds_active_count(&worker->now); // serial.c counts for all
    }
    rounds_migrate(worker);
    uint64_t received = foresee(worker);
    if (rounds->rests) {
        rounds_rest(worker, !news && received == 0 && worker->parcels == sent);
    }
}
