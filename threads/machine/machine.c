// SPDX-License-Identifier: MIT
// Functions by which the owner of a machine reads and interrupts it.
#include "threads/machine/machine.h"

#include "threads/api/prepared.h"
#include "topologies/rows.h"

const struct ek_topology *ek_machine_outline(const struct ek_machine *machine)
{
    return machine->plan.topology;
}

// A topology whose rows are computed reads no files and draws nothing.
const struct ek_topology *ek_machine_topology(const struct ek_machine *machine)
{
    const struct ek_topology *outline = machine->plan.topology;
    struct machine_stored *stored = machine->plan.stored;
    if (topo_is_stored(outline)) {
        return outline->window ? NULL : outline;
    }
    pthread_mutex_lock(&stored->lock);
    if (!stored->topology) {
        struct ek_error error;
        stored->topology = ek_topology_create(outline->spec, 0, (struct ek_reader){0}, &error);
    }
    const struct ek_topology *topology = stored->topology;
    pthread_mutex_unlock(&stored->lock);
    return topology;
}

const struct ek_method *ek_machine_method(const struct ek_machine *machine)
{
    return machine->plan.method;
}

bool ek_machine_direct(const struct ek_machine *machine)
{
    return machine_direct(&machine->plan);
}

const char *ek_machine_warning(const struct ek_machine *machine)
{
    return machine->plan.method_plan.warning;
}

bool ek_machine_drawn(const struct ek_machine *machine)
{
    return machine->plan.topology->drawn || machine->plan.capacities_drawn || machine->plan.objects_drawn;
}

bool ek_machine_reseed(struct ek_machine *machine, uint64_t seed)
{
    if (ek_machine_drawn(machine)) {
        return false;
    }
    machine->plan.experiment->seed = seed;
    return true;
}

double ek_machine_parameter(const struct ek_machine *machine)
{
    return machine->plan.method_plan.parameter;
}

const char *ek_machine_axis(const struct ek_machine *machine, size_t index)
{
    return machine->value[index];
}

bool ek_machine_given(const struct ek_machine *machine, size_t index)
{
    return machine->given[index];
}

void ek_interrupt(struct ek_machine *machine)
{
    atomic_fetch_add_explicit(&machine->interrupts, 1, memory_order_relaxed); // no other data depends on the count
}
