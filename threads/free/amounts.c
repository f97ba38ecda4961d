// SPDX-License-Identifier: MIT
// A method may compute amounts from the load at the operation's start. Other operations can have taken load meanwhile,
// so the protocol sends at most what is held. If the amounts add up to more than the load from which they were
// computed, the method has broken its promise.
#include "threads/free/amounts.h"

#include <math.h>
#include <stdio.h>

#include "core/promises.h"
#include "threads/free/finish.h"

void free_amounts_check(struct free_worker *worker, const struct ek_view *view)
{
    const struct machine_plan *machine = worker->run->machine;
    struct ek_error violation;
    char when[40];
    double out = 0.0;
    snprintf(when, sizeof when, "in operation %llu", (unsigned long long)view->step->number);
    for (unsigned k = 0; k < view->degree; k++) {
        double amount = worker->amounts[k];
        if (!core_amount_good(fabs(amount), machine->units, 0.0)) { // a negative amount is requested
            core_amount_refuse(&violation, machine->method->name, when, view->processor, k, amount);
            free_violate_with(worker->run, &violation);
            worker->amounts[k] = 0.0;
        }
        out += fmax(worker->amounts[k], 0.0);
    }
    bool bounded = !machine->method->supports.overdraws && machine->rounding == CORE_ROUNDING_DOWN;
    if (bounded && view->load == view->held &&
        !core_bounds_check(&violation, machine->method->name, when, machine->units, view->held - out, view->held)) {
        free_violate_with(worker->run, &violation);
    }
}
