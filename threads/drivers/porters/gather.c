// SPDX-License-Identifier: MIT
// The exchange of results.
#include "threads/drivers/porters/gather.h"

#include "base/cursor.h"
#include "threads/drivers/porters/meeting.h"
#include "threads/free/finish.h"
#include "threads/free/over_ranks/gather.h"

// The first rank's data about the whole run.
struct porter_final {
    struct free_attendant attendant;
    uint64_t link_failures, processor_failures, repairs, lag_ns;
};

void porter_gather_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory)
{
    base_arena_plan(memory, &porter->final, ranks, sizeof *porter->final);
}

static struct porter_final final_of(const struct porter *porter)
{
    const struct free_control *control = porter->ranks.control;
    return (struct porter_final){.attendant = control->attendant,
                                 .link_failures = control->faults.link_failures,
                                 .processor_failures = control->faults.processor_failures,
                                 .repairs = control->faults.repairs,
                                 .lag_ns = control->faults.lag_ns};
}

// Takes over the first rank's attendant, which is that of the whole run; its pointers stay this rank's own.
static void apply_attendant(struct free_control *control, const struct porter_final *first)
{
    struct free_attendant own = control->attendant;
    struct free_attendant *attendant = &control->attendant;
    *attendant = first->attendant;
    attendant->slept = own.slept;
    attendant->tried = own.tried;
    attendant->held = own.held;
    attendant->trace.rows = own.trace.rows;
    attendant->trace.count = own.trace.count;
    attendant->trace.room = own.trace.room;
    attendant->frames.frame = own.frames.frame;
    attendant->frames.load = own.frames.load;
    attendant->left = own.left;
    control->faults.link_failures = first->link_failures;
    control->faults.processor_failures = first->processor_failures;
    control->faults.repairs = first->repairs;
    control->faults.lag_ns = first->lag_ns;
}

// Makes room for the first rank's rows in all ranks.
static void gather_trace(struct porter *porter)
{
    struct watch_trace *trace = &porter->ranks.control->attendant.trace;
    if (porter->ranks.lost) {
        return;
    }
    size_t count = porter->final[0].attendant.trace.count;
    struct ek_error error = {0};
    bool good =
        watch_trace_make_room(trace, count) ||
        base_fail(&error, EK_BAD_INPUT, "trace", "no memory for a trace of %zu rows: leave the trace out", count);
    if (!free_rank_agree(&porter->ranks, good, &error)) {
        free_violate_with(&porter->ranks.control->run, &error);
        return;
    }
    trace->count = count;
    free_rank_collect_parts(&porter->ranks, trace->rows, count * sizeof *trace->rows, true);
}

static void gather_frames(struct porter *porter)
{
    struct watch_frames *frames = &porter->ranks.control->attendant.frames;
    free_rank_collect_parts(&porter->ranks, frames->frame, frames->count * sizeof *frames->frame, true);
    free_rank_collect_parts(&porter->ranks, frames->load, frames->count * frames->processors * sizeof *frames->load,
                            true);
}

void porter_gather(struct free_transport *transport, struct free_control *control)
{
    struct porter *porter = (struct porter *)transport;
    while (porter_meet(porter)) { // after a violation in this rank other ranks may not know yet that the run is over
    }
    porter->final[porter->ranks.ranks->rank] = final_of(porter);
    if (!porter->ranks.lost && free_rank_bring(&porter->ranks, porter->final, sizeof *porter->final)) {
        apply_attendant(control, &porter->final[0]);
        gather_trace(porter);
        gather_frames(porter);
        free_ranks_gather(transport, control);
    }
}
