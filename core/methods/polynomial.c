// SPDX-License-Identifier: MIT
// The rule of the polynomial schemes and its schedule. With tokens each flow is rounded, and the flow of the step
// before is the rounded one (Akbari, Berenbrink, Elsässer & Kaaser 2015). Both ends of a link round alike: what one end
// computes is the other's with the opposite sign, and a draw depends on the link and the operation.
#include "core/methods/polynomial.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "core/cargo/rounding.h"
#include "core/methods/kernels/block.h"
#include "core/theory/convergence.h"
#include "topologies/spectra/spectrum.h"

enum { CARRIED, LEFT, TOKEN_DOUBLES }; // the memory of a port

// The memory of a port is the flow of the last step.
static inline double polynomial_flow(const struct ek_view *view, unsigned port)
{
    double *carried = &view->memory[port];
    *carried = view->step->gain * (view->load - view->announced[port]) + view->step->memory * *carried;
    return *carried;
}

// Returns the number of the link: that of its port at the lower end.
static uint32_t link_of(const struct ek_topology *topology, uint32_t port)
{
    return port < topology->twin[port] ? port : topology->twin[port];
}

static double polynomial_flow_tokens(const struct ek_view *view, unsigned port)
{
    const struct method_polynomial *data = view->plan->data;
    double *memory = &view->memory[(size_t)port * TOKEN_DOUBLES];
    double flow = view->step->gain * (view->load - view->announced[port]) + view->step->memory * memory[CARRIED];
    uint32_t link = link_of(data->topology, data->topology->first[view->processor] + port);
    struct core_due due = core_rounding_due((enum core_rounding)view->plan->rounding, flow, memory[LEFT], view->seed,
                                            link, view->step->number);
    memory[LEFT] = view->plan->rounding == CORE_ROUNDING_CARRY ? due.amount - due.whole : 0.0;
    memory[CARRIED] = due.whole;
    return due.whole;
}

static void polynomial_block(struct ek_block *block)
{
    ek_block_flows(block, polynomial_flow);
}

static void polynomial_block_tokens(struct ek_block *block)
{
    ek_block_flows(block, polynomial_flow_tokens);
}

static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct method_polynomial *data = plan->data;
    if (moment->index > 0) {
        return EK_NEXT_OPERATION_ENDS;
    }
    bool first_order = data->switch_at > 0 && moment->operation >= data->switch_at;
    struct core_coefficients at = core_polynomial_step(&data->polynomial, first_order ? 0 : moment->operation);
    step->gain = at.gain;
    step->memory = at.memory;
    step->number = moment->operation;
    step->colour_end = data->topology->colours;
    return EK_NEXT_STEP;
}

const struct ek_rule method_polynomial_rule = {.flow = polynomial_flow, .flow_tokens = polynomial_flow_tokens};

const struct ek_rounds_part method_polynomial_rounds = {
    .next = next, .block = polynomial_block, .block_tokens = polynomial_block_tokens};

static bool find_polynomial(const struct core_scheme *scheme, const struct ek_spectrum *bounds,
                            const struct ek_setting *setting, struct core_polynomial *polynomial,
                            struct ek_error *error)
{
    if (bounds) {
        return core_polynomial_create(polynomial, scheme, bounds, error);
    }
    struct ek_spectrum spectrum;
    const double *capacity = setting->to_target ? NULL : setting->capacity;
    if (!topo_spectrum_find_weighted(setting->topology, capacity, core_scheme_finite(scheme), &spectrum, error)) {
        return false;
    }
    bool done = core_polynomial_create(polynomial, scheme, &spectrum, error);
    ek_spectrum_destroy(&spectrum);
    return done;
}

// With tokens the method rounds its amounts itself. Without capacities the usual stop criterion is the largest
// difference over a link that first order leaves if amounts are rounded down.
static void settle_tokens(struct ek_plan *plan, const struct method_polynomial *data, const struct ek_setting *setting)
{
    double alpha = data->polynomial.at[0].gain;
    plan->port_doubles = TOKEN_DOUBLES;
    plan->rounds_itself = true;
    if (!setting->capacity && alpha > 0.0) {
        snprintf(plan->stop, sizeof plan->stop, "neighbours:%.0f", core_difference_kept(alpha));
    }
}

// A finite scheme ends after its last step. If there are no links it ends after one idle step.
bool method_polynomial_prepare(struct ek_plan *plan, const struct core_scheme *scheme, const struct ek_spectrum *bounds,
                               const struct ek_setting *setting, struct ek_error *error)
{
    struct method_polynomial *data = malloc(sizeof *data);
    if (!data) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    *data = (struct method_polynomial){.topology = setting->topology};
    if (!find_polynomial(scheme, bounds, setting, &data->polynomial, error)) {
        free(data);
        return false;
    }
    plan->data = data;
    plan->port_doubles = 1;
    if (setting->units == EK_TOKENS) {
        settle_tokens(plan, data, setting);
    }
    if (data->polynomial.finite) {
        plan->operations = data->polynomial.count > 0 ? data->polynomial.count : 1;
        plan->inexact = core_scheme_inexact(scheme);
    }
    if (data->polynomial.rounding > CORE_ROUNDING_MOST) {
        snprintf(plan->warning, sizeof plan->warning,
                 "rounding may leave about %.1g of the initial distance after these %zu steps: use ops or sos",
                 data->polynomial.rounding, data->polynomial.count);
    }
    return true;
}

void method_polynomial_release(struct ek_plan *plan)
{
    struct method_polynomial *data = (struct method_polynomial *)plan->data;
    if (data) {
        core_polynomial_destroy(&data->polynomial);
        free(data);
    }
}
