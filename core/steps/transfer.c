// SPDX-License-Identifier: MIT
#include "core/steps/transfer.h"
#include "core/method.h"
#include "topologies/topology.h"

#include <math.h>

struct ek_view;

static double *flow_at(const struct core_transfer *transfer, const struct ek_view *view, unsigned port)
{
    return &view->memory[port * transfer->port_doubles + transfer->flow];
}

// Notes the load that has come. Returns whether load of this dimension is still to come, or of any dimension.
static bool lacks(const struct core_transfer *transfer, const struct ek_turn *turn, bool ahead)
{
    bool lacks = false;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        double *flow = flow_at(transfer, &turn->view, port);
        *flow = turn->arrived[port] > 0.0 ? 0.0 : *flow;
        lacks = lacks || (*flow < 0.0 && (!ahead || turn->view.dimension[port] == transfer->ahead));
    }
    return lacks;
}

void core_transfer_act(const struct core_transfer *transfer, struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct ek_topology *topology = transfer->topology;
    bool lacks_any = lacks(transfer, turn, false);
    bool lacks_ahead = lacks(transfer, turn, true);
    double held = view->held;
    for (unsigned port = 0; port < view->degree; port++) {
        double *flow = flow_at(transfer, view, port);
        bool ready = view->dimension[port] == transfer->ahead ? !lacks_ahead : !lacks_any;
        uint32_t colour = topology->colour[topology->first[view->processor] + port];
        bool in_step = colour >= view->step->colour_from && colour < view->step->colour_end;
        if (*flow > 0.0 && ready && in_step) {
            amounts[port] = fmin(*flow, held); // rounding may have left a little less
            held -= amounts[port];
            *flow = 0.0;
        } else if (*flow > 0.0) {
            turn->waits = true;
            turn->awake = turn->awake || ready; // otherwise the arrival of load wakes it
        }
    }
}
