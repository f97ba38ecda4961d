// SPDX-License-Identifier: MIT
// Foresight: steps of one phase, for rules that are mutual (core/method.h). Both ends of a link can compute what goes
// over it as soon as they know each other's load. So each processor can also compute (*foresee*) the load that it will
// hold when the parcels have arrived. It announces this load in the phase in which it sends its own parcels, and
// workers meet once a step instead of twice. A step is:
//
//   1. Receive the parcels of the step before.
//   2. Receive the announcements of the step before, and send the parcels that they imply.
//   3. Announce the load foreseen.
//
// Parcels are sent, counted and received as in two phases, but one phase later than they are known. Measurements and
// tests use the foreseen loads. What is written in a phase is read in the next, so there are two arrays of levels and
// of parcels, which swap roles (rounds_step_done). If a processor receives other load than it has foreseen, the method
// is not mutual, and that is a violation.
//
// Cost: one barrier less in each step, and the rule is computed twice for each link.
#include <math.h>

#include "threads/rounds/step.h"
#include "base/cursor.h"

// Computes the rule as each neighbour does: the neighbour's load stands for the own load, and the own load for the
// announcement.
static void foresee(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    ek_flow *flow = machine_flow(rounds->machine);
    const struct ek_link_model *links = &rounds->machine->links;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        struct ek_view view = rounds_view(rounds, p);
        uint32_t first = rounds->topology->first[p];
        double load = view.held;
        view.announced = worker->room;
        for (unsigned port = 0; port < view.degree; port++) {
            view.load = rounds->loads.level[rounds->topology->neighbour[first + port]];
            worker->room[port] = rounds->loads.level[p];
            double amount = flow(&view, port);
            amount = amount > 0.0 ? amount : 0.0;
            load += core_link_passes(links, rounds->topology->twin[first + port], amount);
        }
        rounds->loads.foreseen[p] = load;
        worker->minimum = load < worker->minimum ? load : worker->minimum;
    }
}

void rounds_foreseen_take(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    rounds_take(worker);
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        double held = rounds->loads.held[p];
        double foreseen = rounds->loads.level[p];
        if (held != foreseen && !isnan(held)) {
            struct ek_error violation;
            base_fail(&violation, EK_VIOLATION, "mutual",
                      "after step %llu processor %u holds %.17g, but %.17g follows from its neighbours' loads: %s is "
                      "not mutual",
                      (unsigned long long)rounds->now.step, p, held, foreseen, rounds->machine->method->name);
            rounds_violate(rounds, &violation);
        }
    }
}

void rounds_foreseen_step(struct rounds_worker *worker)
{
    if (worker->rounds->now.time >
        0) { // in the first step all was announced in the announce phase, and no parcels are under way
        rounds_foreseen_take(worker);
        worker->announced = rounds_active_count(&worker->now);
    }
    rounds_migrate(worker);
    foresee(worker);
}
