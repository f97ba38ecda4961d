// SPDX-License-Identifier: MIT
// The transport of a run in one process.
#include "threads/free/control/transport.h"

static void nothing(struct free_transport *transport, struct free_control *control)
{
    (void)transport;
    (void)control;
}

static void pass_alone(struct free_transport *transport, struct free_control *control, const struct rank_pass *pass)
{
    (void)transport;
    rank_pass_alone(pass, pass->ports ? pass->ports->ports : control->run.topology->processors);
}

static void measure_flows(struct free_transport *transport, struct free_control *control, double *l1, double *l2)
{
    (void)transport;
    core_measure_flows(control->run.topology, control->run.sent, 0, l1, l2);
}

static char *keep(struct free_transport *transport, struct free_control *control, char *text)
{
    (void)transport;
    (void)control;
    return text;
}

struct free_transport free_transport_local = {.gather = nothing,
                                              .count_crossing = nothing,
                                              .pass = pass_alone,
                                              .measure_flows = measure_flows,
                                              .agree = nothing,
                                              .join = keep};
