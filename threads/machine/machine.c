// SPDX-License-Identifier: MIT
// What a machine says of itself.
#include "threads/machine/machine.h"

#include <math.h>

const struct ek_topology *ek_machine_topology(const struct ek_machine *machine)
{
    return machine->topology;
}

const struct ek_method *ek_machine_method(const struct ek_machine *machine)
{
    return machine->method;
}

bool ek_machine_direct(const struct ek_machine *machine)
{
    return machine->method->direct || machine->plan.operations > 0;
}

const char *ek_machine_warning(const struct ek_machine *machine)
{
    return machine->plan.warning;
}

bool ek_machine_drawn(const struct ek_machine *machine)
{
    return machine->topology->drawn || machine->capacities_drawn;
}

bool ek_machine_reseed(struct ek_machine *machine, uint64_t seed)
{
    if (ek_machine_drawn(machine)) {
        return false;
    }
    machine->experiment.seed = seed;
    return true;
}

double ek_machine_parameter(const struct ek_machine *machine)
{
    return machine->plan.parameter;
}

const char *ek_machine_axis(const struct ek_machine *machine, size_t index)
{
    return machine->said[index];
}

bool ek_machine_given(const struct ek_machine *machine, size_t index)
{
    return machine->given[index];
}

void ek_interrupt(struct ek_machine *machine)
{
    atomic_fetch_add_explicit(&machine->interrupts, 1, memory_order_relaxed); // a lone count; no data goes with it
}

unsigned long machine_interrupts(const struct ek_machine *machine)
{
    return atomic_load_explicit(&machine->interrupts, memory_order_relaxed);
}

bool machine_limited(const struct ek_machine *machine)
{
    const struct ek_experiment *experiment = &machine->experiment;
    return experiment->steps_max || experiment->operations_max || experiment->seconds_max > 0.0;
}

enum ek_matrix machine_matrix(const struct ek_machine *machine)
{
    bool alike = !machine->capacity || machine->to_target;
    bool same = !machine->engine->overlapping || (!machine->method->free->operate && !machine->pushed);
    return alike && same && !isnan(machine->plan.parameter) ? machine->method->matrix : EK_MATRIX_UNKNOWN;
}

unsigned machine_workers_for(const struct ek_machine *machine, uint32_t processors)
{
    return machine->carrier->workers(processors, machine->engine->shared(machine),
                                     machine_places_count(machine->places), machine->workers_asked);
}
