// SPDX-License-Identifier: MIT
// The attendant.
#include "threads/free/control/attend.h"

#include "threads/api/run.h"
#include "threads/free/control/audit.h"
#include "threads/free/control/end.h"
#include "threads/free/control/survey.h"
#include "threads/free/detect.h"

// Relaxed, here and below: counts, no data goes with them.
static uint64_t operations_of(const struct free_run *run)
{
    uint64_t operations = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        operations += atomic_load_explicit(&run->worker[w].operations, memory_order_relaxed);
    }
    return operations;
}

uint64_t free_advances(const struct free_run *run)
{
    uint64_t advances = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        advances += atomic_load_explicit(&run->worker[w].advances, memory_order_relaxed);
    }
    return advances;
}

void free_progress(const struct free_control *control, struct ek_progress *progress)
{
    progress->operations = operations_of(&control->run);
    progress->steps = 0;
    progress->variance = atomic_load_explicit(&control->variance, memory_order_relaxed); // a lone value
}

// Returns whether all operations that --operations allows have ended. The permits are tested first, because this test
// is cheaper.
static bool all_operations_ended(const struct free_run *run)
{
    uint64_t most = run->machine->experiment->operations_max;
    return most > 0 && atomic_load_explicit(&run->shared.permits, memory_order_relaxed) <= 0 && // a count
           operations_of(run) >= most;
}

static void end_in_time(struct free_control *control, uint64_t now_ns)
{
    const struct machine_plan *machine = control->run.machine;
    double most_s = machine->experiment->seconds_max;
    if (most_s > 0.0 && (double)now_ns >= 1e9 * most_s) {
        free_drain(control, EK_ENDED_TIME);
    } else if (machine_interrupts(machine) != control->interrupts_before) {
        free_drain(control, EK_ENDED_INTERRUPT);
    } else if (all_operations_ended(&control->run)) {
        free_drain(control, EK_ENDED_OPERATIONS);
    } else if (free_has_detected(&control->run)) {
        free_drain(control, EK_ENDED_DONE);
    }
}

bool free_attend_due(const struct free_control *control, uint64_t now_ns)
{
    bool ends = all_operations_ended(&control->run) || free_has_detected(&control->run);
    return (!control->attendant.stopping && ends) || free_audit_due(control, now_ns);
}

void free_attend_at(struct free_control *control, uint64_t now_ns)
{
    end_in_time(control, now_ns);
    free_audit(control, now_ns);
}

void free_attend_from(struct free_control *control, uint64_t now_ns, double in_flight)
{
    struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    uint32_t processors = run->topology->processors;
    uint32_t epoch = 0;
    uint32_t complete = 0;
    for (uint32_t p = 0; p < processors; p++) {
        epoch = run->processor[p].epoch > epoch ? run->processor[p].epoch : epoch;
    }
    for (uint32_t p = 0; p < processors; p++) {
        complete += run->processor[p].epoch == epoch && run->processor[p].markers == 0;
    }
    atomic_store_explicit(&run->shared.epoch, epoch, memory_order_relaxed); // no worker runs, here and below
    atomic_store_explicit(&run->shared.complete, complete, memory_order_relaxed);
    attendant->auditing = epoch > 0 && complete < processors;
    attendant->audit_began_ns = attendant->audit_next_ns = now_ns;
    struct core_measure measure;
    core_measure_loads(free_loads_held(control), run->machine->capacity, processors, in_flight, &measure);
    free_trigger(control, &measure);
}

const double *free_loads_held(struct free_control *control)
{
    for (uint32_t p = 0; p < control->run.topology->processors; p++) {
        control->attendant.held[p] = control->run.processor[p].held;
    }
    return control->attendant.held;
}
