// SPDX-License-Identifier: MIT
// A step in one phase, where a rule is mutual (core/method.h). Both ends of a link know what goes over it as soon as
// they know each other's load, so each also knows what it will hold when the parcels have come. It says that in the
// phase in which it puts its own parcels, and all meet once a step instead of twice:
//
//   step   take in the parcels of the step before, hear what was said, put the parcels, say the load foreseen
//
// Parcels are sent, counted and taken in as ever, a phase later than they are known of; what is measured and tested in
// between is what was foreseen. What is written in a phase is read in the next: hence two arrays of each, which change
// places (rounds_step_done). Whoever takes in something else than it foresaw has a wrong method.
#include <math.h>

#include "threads/rounds/step.h"
#include "base/cursor.h"

// Asks the rule as each neighbour does: with its load for the own, and told the own.
static void foresee(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_method *method = rounds->machine->method;
    ek_flow *flow = rounds->machine->units == EK_TOKENS ? method->rule->flow_tokens : method->rule->flow;
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
            base_fail(
                &violation, EK_VIOLATION, "method",
                "after step %llu processor %u holds %.17g where its neighbours' loads let it foresee %.17g: %s is "
                "not mutual",
                (unsigned long long)rounds->now.step, p, held, foreseen, rounds->machine->method->name);
            rounds_violate(rounds, &violation);
        }
    }
}

void rounds_foreseen_step(struct rounds_worker *worker)
{
    if (worker->rounds->now.time > 0) { // else all was said in the announce phase, and nothing is under way
        rounds_foreseen_take(worker);
        worker->announced = rounds_active_count(&worker->now);
    }
    rounds_migrate(worker);
    foresee(worker);
}
