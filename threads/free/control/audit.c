// SPDX-License-Identifier: MIT
// The attendant's part in snapshots: when one begins, and when it is complete.
#include "threads/free/control/audit.h"

#include "threads/api/experiment.h"
#include "threads/free/control/survey.h"
#include "threads/free/control/transport.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/load_sums.h"

enum {
    REST = 9, // the pause after a snapshot, as a multiple of its duration: snapshots take a tenth of the time
    REST_MAX_NS = 200 * 1000 * 1000, // the longest pause: the first snapshot may wait for threads that have not begun
    GROWTH = 4                       // an interval is the GROWTH-th part of the run so far, up to --audit
};

static void begin(struct free_control *control, uint64_t now_ns)
{
    struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    // Acquire: pairs with the release in fault_injection.c. If no repair is pending, the processors in the snapshot
    // have seen all repairs.
    attendant->repairs_pending =
        atomic_load_explicit(&control->faults.repairs_pending, memory_order_acquire) || attendant->repairs_elsewhere;
    attendant->auditing = true;
    attendant->audit_began_ns = now_ns;
    // Relaxed: before the epoch, whose release orders it.
    atomic_store_explicit(&run->shared.complete, 0, memory_order_relaxed);
    if (run->perturbed) {
        free_perturb_at_random(run, &attendant->random);
    }
    // Release: pairs with the acquire of the epoch in a look.
    atomic_fetch_add_explicit(&run->shared.epoch, 1, memory_order_release);
    free_ring_all(run);
}

// Plans the next snapshot: after a rest if the workers' sums show that the criterion may hold, else also after an
// interval, which is short at first and grows with the run. An interrupted run does not rest, because its process may
// be ended soon.
static void plan_next(struct free_control *control, uint64_t now_ns)
{
    struct free_attendant *attendant = &control->attendant;
    uint64_t longest_ns = (uint64_t)(1e9 * control->run.machine->experiment->audit_s);
    uint64_t growing_ns = attendant->audit_began_ns / GROWTH;
    uint64_t interval_ns = attendant->stopping ? 0 : growing_ns < longest_ns ? growing_ns : longest_ns;
    bool interrupted = attendant->stopping && attendant->ended == EK_ENDED_INTERRUPT;
    uint64_t rest_ns = interrupted ? 0 : REST * (now_ns - attendant->audit_began_ns);
    uint64_t due_ns = attendant->audit_began_ns + interval_ns;
    attendant->audit_rested_ns = now_ns + (rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS);
    attendant->audit_next_ns = due_ns > attendant->audit_rested_ns ? due_ns : attendant->audit_rested_ns;
}

static bool is_time(const struct free_control *control, uint64_t now_ns)
{
    const struct free_attendant *attendant = &control->attendant;
    return now_ns >= attendant->audit_next_ns ||
           (now_ns >= attendant->audit_rested_ns && free_sums_reach_criterion(&control->run));
}

// Returns whether the parts of the snapshot are complete; with several processes, whether these have added them up.
static bool is_complete(const struct free_control *control)
{
    const struct free_shared *shared = &control->run.shared;
    if (control->transport->separate) { // relaxed: this thread begins snapshots
        return control->attendant.added_epoch == atomic_load_explicit(&shared->epoch, memory_order_relaxed);
    }
    // Acquire: pairs with the release of each processor that counted its part.
    return atomic_load_explicit(&shared->complete, memory_order_acquire) == control->run.topology->processors;
}

uint64_t free_audit_next_ns(const struct free_control *control)
{
    return control->attendant.auditing ? UINT64_MAX : control->attendant.audit_next_ns;
}

bool free_audit_due(const struct free_control *control, uint64_t now_ns)
{
    return control->attendant.auditing ? is_complete(control) : is_time(control, now_ns);
}

static struct free_snapshot part_of(void *context, uint32_t p)
{
    const struct free_control *control = context;
    return control->run.snapshot[p];
}

void free_audit_add(struct free_control *control)
{
    struct free_attendant *attendant = &control->attendant;
    attendant->added_epoch = atomic_load_explicit(&control->run.shared.epoch, memory_order_relaxed);
    attendant->totals = free_survey_add(control, part_of, control);
    free_survey_measure(control, &attendant->totals, &attendant->measure);
}

void free_audit(struct free_control *control, uint64_t now_ns)
{
    struct free_attendant *attendant = &control->attendant;
    if (!attendant->auditing) {
        if (is_time(control, now_ns)) {
            begin(control, now_ns);
        }
        return;
    }
    if (!is_complete(control)) {
        return;
    }
    attendant->auditing = false;
    attendant->audits++;
    if (!attendant->stopping) {
        attendant->audits_before_end = attendant->audits;
        attendant->audited_until_ns = attendant->audit_began_ns;
    }
    plan_next(control, now_ns);
    if (!control->transport->separate) { // otherwise the processes have added it up together
        free_audit_add(control);
    }
    free_survey_record(control, &attendant->totals, &attendant->measure);
    free_survey_judge(control, &attendant->totals, &attendant->measure);
}
