// SPDX-License-Identifier: MIT
// Checks of the amounts that a method computes (core/promises.h). In the steps that are checked, the machine's own
// loop replaces the method's loop. It calls the rule or the program through a function that checks every amount. A rule
// that is mutual is also computed at the other end of each link.
#include <math.h>
#include <stdio.h>

#include "core/promises.h"
#include "threads/rounds/step.h"

// The method that this thread runs. A rule receives only its view, so checked_flow finds the run here.
struct checked {
    struct rounds_run *rounds;
    ek_flow *flow;
    ek_act *act;
};
static _Thread_local struct checked checked;

enum { WHEN = 40 };

static const char *when_of(const struct rounds_run *rounds, char when[WHEN])
{
    snprintf(when, WHEN, "in step %llu", (unsigned long long)rounds->now.step);
    return when;
}

void rounds_check_amount(struct rounds_run *rounds, const struct ek_view *view, unsigned port, double amount)
{
    struct ek_error violation;
    char when[WHEN];
    double load = fmax(fabs(view->load), fabs(view->announced[port])); // NaN, no announcement, counts as none
    if (!core_amount_good(amount, machine_flow_units(rounds->machine), load)) {
        core_amount_refuse(&violation, rounds->machine->method->name, when_of(rounds, when), view->processor, port,
                           amount);
        rounds_violate(rounds, &violation);
    }
}

bool rounds_checks_mutual(const struct machine_plan *machine)
{
    const struct ek_rule *rule = machine->method->rule;
    return machine->checked && rule && rule->mutual && machine->method_plan.port_doubles == 0;
}

static double checked_flow(const struct ek_view *view, unsigned port)
{
    double amount = checked.flow(view, port);
    rounds_check_amount(checked.rounds, view, port, amount);
    return amount;
}

// Compares the amounts of a program that is a rule with those of the rule, on the ports that take part in the step.
static void check_rule(const struct ek_view *view, const double *amounts)
{
    struct rounds_run *rounds = checked.rounds;
    const uint32_t *colour = rounds->topology->colour + rounds->topology->first[view->processor];
    for (unsigned port = 0; port < view->degree; port++) {
        bool used = colour[port] >= rounds->now.colour_from && colour[port] < rounds->now.colour_end;
        double flow = used ? fmax(machine_flow(rounds->machine)(view, port), 0.0) : 0.0;
        if (used && fmax(amounts[port], 0.0) != flow) {
            struct ek_error violation;
            char when[WHEN];
            core_rule_refuse(&violation, rounds->machine->method->name, when_of(rounds, when), view->processor, port,
                             amounts[port], flow);
            rounds_violate(rounds, &violation);
        }
    }
}

static void checked_act(struct ek_turn *turn, double *amounts)
{
    checked.act(turn, amounts);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        rounds_check_amount(checked.rounds, &turn->view, port, amounts[port]);
    }
    if (checked.rounds->machine->method_plan.flow) {
        check_rule(&turn->view, amounts);
    }
}

// Computes the rule for the processor at the other end of the link. All data that a mutual rule must not read are NaN.
static double flow_at_twin(const struct rounds_worker *worker, const struct ek_block *block, uint32_t port, double own,
                           double other)
{
    const struct ek_topology *topology = worker->rounds->topology;
    uint32_t twin = topology->twin[port], q = topology->neighbour[port];
    struct ek_view view = ek_block_view(block, q);
    for (unsigned k = 0; k < view.degree; k++) {
        worker->mirror[k] = NAN;
    }
    worker->mirror[twin - topology->first[q]] = other;
    view.announced = worker->mirror;
    view.load = own;
    view.held = view.capacity = NAN;
    return checked.flow(&view, twin - topology->first[q]);
}

// Compares the two ends of the links of processor p, whose ports are `slice`.
static void check_mutual(struct rounds_worker *worker, const struct ek_block *block, uint32_t p,
                         const struct ek_slice *slice)
{
    struct rounds_run *rounds = worker->rounds;
    double *announced = worker->mirror + rounds->topology->degree_max;
    struct ek_view view = ek_block_view(block, p);
    uint32_t first = block->first[p];
    for (unsigned k = 0; k < view.degree; k++) {
        announced[k] = block->announced ? block->announced[first + k] : block->level[block->neighbour[first + k]];
    }
    view.announced = announced;
    for (unsigned i = 0; i < slice->count; i++) {
        uint32_t port = ek_slice_port(slice, i);
        double own = checked_flow(&view, port - first);
        double mirrored = flow_at_twin(worker, block, port, view.load, announced[port - first]);
        if (fmax(own, 0.0) != fmax(mirrored, 0.0) || isnan(own) != isnan(mirrored)) {
            struct ek_error violation;
            char when[WHEN];
            core_mutual_refuse(&violation, rounds->machine->method->name, when_of(rounds, when), p, port - first, own,
                               mirrored);
            rounds_violate(rounds, &violation);
        }
    }
}

bool rounds_run_checked(struct rounds_worker *worker, struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_method *method = rounds->machine->method;
    checked = (struct checked){.rounds = rounds, .act = rounds_runs_program(rounds) ? method->rounds->act : NULL};
    if (checked.act) {
        ek_block_program(block, method->rounds->announce, checked_act);
        return true;
    }
    checked.flow = machine_flow(rounds->machine);
    size_t at = 0;
    for (uint32_t p = block->begin; rounds_checks_mutual(rounds->machine) && p < block->end; p++) {
        struct ek_slice slice = ek_block_slice(block, p, &at);
        check_mutual(worker, block, p, &slice);
    }
    if (rounds->machine->rounding != CORE_ROUNDING_DOWN) {
        rounds_run_rounded(worker, block, checked_flow);
    } else if (!rounds->one_pass) {
        ek_block_flows(block, checked_flow);
    }
    return !rounds->one_pass;
}
