// SPDX-License-Identifier: MIT
// Letters in free timing: methods that place tasks write them to processors near and far (core/method.h).
//
// A turn of processor p:
//
//   1. p receives messages. The letters in them that go further are put among those that leave. The method reads the
//      others at once, and may answer. So a snapshot always finds each task in one place.
//   2. p executes tasks.
//   3. The method asks, and gives.
//   4. All letters that leave over a link leave with one message, with the number of their tasks. If the method reads
//      the neighbours' loads, p announces its own load behind it, if this has changed.
//
// The bound on messages: a processor sends neither letters nor an announcement over a port on which a message is kept.
// Behind both come a MARKER and a PROBE or TALLY at most, so four messages are kept. Letters that cannot leave yet wait
// with their sender. Their tasks count as load under way.
//
// There are no operations: a processor that waits for an answer is not engaged. While the run drains, letters that
// arrive are still read, but the method neither asks nor gives, and letters that wait for a failed link stay there. So
// they become fewer, and the run ends.
#include "threads/free/free_letters.h"

#include <math.h>

#include "base/cursor.h"
#include "threads/api/experiment.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/post.h"

bool free_letters_possible(const struct machine_plan *machine, struct ek_error *error)
{
    const char *name = machine->method->name;
    if (machine->invoke.kind != CORE_INVOKE_ALWAYS) {
        return base_fail_at(error, "method", 0,
                            "%s decides itself when a processor acts: use invoke always, or a method like ade or adf",
                            name);
    }
    return machine->experiment->operations_max == 0 ||
           base_fail_at(error, "operations", 0,
                        "%s writes letters and has no operations: limit the run with --for, or with time", name);
}

// Takes over what a call has changed.
static void note(struct free_worker *worker, uint32_t p, struct cargo_posted posted)
{
    struct free_processor *processor = &worker->run->processor[p];
    processor->held += posted.arrived - posted.left;
    worker->counts.parcels += posted.parcels;
    worker->counts.minimum = fmin(worker->counts.minimum, processor->held);
    if (free_cargo(worker)->short_of_memory) {
        free_finish(worker->run); // the report says why
    }
}

// Returns where p is, with its neighbours' loads as p received them last. An unknown load counts as 0.
static struct cargo_place place_of(struct free_worker *worker, uint32_t p)
{
    const struct free_run *run = worker->run;
    struct cargo_place place = {.worker = worker->index, .processor = p, .usable = worker->look.usable};
    if (cargo_letters_announce(run->machine)) {
        for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
            double level = run->port[port].neighbour_level;
            worker->announced[port - run->topology->first[p]] = isnan(level) ? 0.0 : level;
        }
        place.announced = worker->announced;
    }
    return place;
}

void free_letters_receive(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    struct free_run *run = worker->run;
    struct cargo_place place = place_of(worker, p);
    note(worker, p, cargo_letters_arrive(&run->letters, &place, run->topology->twin[port]));
    run->processor[p].moved += message.amount;
    if (run->received) {
        run->received[port] += message.amount;
    }
}

bool free_letters_act(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    const struct cargo_letters_processor *own = &run->letters.processor[p];
    struct cargo_place place = place_of(worker, p);
    bool awake;
    note(worker, p, cargo_letters_act(&run->letters, &place, &awake));
    worker->stays_awake = worker->stays_awake || awake;
    return awake || own->ports > 0;
}

// Sends the letters that wait at a port, and announces the load of p. Returns whether there was anything to do.
static bool leave(struct free_worker *worker, uint32_t p, uint32_t port, bool announces)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    double held = run->processor[p].held;
    bool any = false;
    if (here->kept.count == 0 && cargo_letters_wait(&run->letters, port)) {
        double tasks;
        if (!cargo_letters_leave(&run->letters, worker->index, p, port, &tasks)) {
            free_finish(run); // the report says why
            return false;
        }
        if (run->sent) {
            run->sent[port] += tasks;
        }
        free_post(worker, port, FREE_LETTERS, tasks, 0, FREE_PATH_ANY);
        any = true;
    }
    bool known = held == (isnan(here->announced) ? 0.0 : here->announced);
    if (announces && !known && here->kept.count == 0 && free_usable(worker, port)) {
        here->announced = held;
        free_post(worker, port, FREE_ANNOUNCE, held, 0, FREE_PATH_ANY);
        any = true;
    }
    return any;
}

bool free_letters_leave(struct free_worker *worker, uint32_t p, bool acts)
{
    struct free_run *run = worker->run;
    struct cargo_letters_processor *own = &run->letters.processor[p];
    bool announces = acts && cargo_letters_announce(run->machine);
    bool any = false;
    if (acts && run->letters.stopped[p].first) {
        struct cargo_place place = place_of(worker, p);
        note(worker, p, cargo_letters_retry(&run->letters, &place));
    }
    uint32_t end = own->ports > 0 || announces ? run->topology->first[p + 1] : 0;
    for (uint32_t port = run->topology->first[p]; port < end; port++) {
        any = leave(worker, p, port, announces) || any;
    }
    return any;
}
