// SPDX-License-Identifier: MIT
// The transport of a run in one process.
#include "threads/free/control/transport.h"

static void nothing(struct free_transport *transport, struct free_control *control)
{
    (void)transport;
    (void)control;
}

struct free_transport free_transport_local = {.gather = nothing, .gather_left = nothing};
