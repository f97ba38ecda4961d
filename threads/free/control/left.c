// SPDX-License-Identifier: MIT
#include "threads/free/control/left.h"

#include <string.h>

#include "threads/free/control/transport.h"
#include "threads/free/post.h"

void free_left_plan(struct free_control *control, struct base_arena *memory)
{
    const struct free_run *run = &control->run;
    bool counted_again = run->machine->engine->computed && !control->transport->separate;
    if (!counted_again) {
        machine_block_plan_ports(&run->block, memory, &control->attendant.left, 1, sizeof *control->attendant.left);
    }
}

typedef void visitor(void *context, const struct mail_message *message);

// Returns whether a port is in this process's block. No message is left at the ports of other ranks in the block.
static bool is_in_block(const struct free_run *run, uint32_t port)
{
    return port >= run->block.ports.begin && port < run->block.ports.end;
}

// Calls `visit` for the messages to a port that are on their wire, kept, or delayed.
static void visit_left(const struct free_run *run, uint32_t port, visitor *visit, void *context)
{
    bool here = is_in_block(run, port);
    if (here && run->wires) {
        run->wires->each(run, port, visit, context);
    }
    if (is_in_block(run, run->topology->twin[port])) {
        free_post_each_kept(run, run->topology->twin[port], visit, context);
    }
    const struct free_shelf *delayed = here && run->delayed ? &run->delayed[port].shelf : NULL;
    for (unsigned k = 0; delayed && k < delayed->count; k++) {
        visit(context, &run->delayed_message[(size_t)port * FREE_SHELF + (delayed->first + k) % FREE_SHELF]);
    }
}

// Calls `visit` for the messages in a port's mailbox, and removes them.
static void take_left(struct free_run *run, uint32_t port, visitor *visit, void *context)
{
    struct mail_message message;
    for (uint32_t waiting = run->boxes.kind->waiting(&run->boxes, port); waiting > 0; waiting--) {
        run->boxes.kind->take(&run->boxes, port, &message);
        visit(context, &message);
    }
}

static double load_of(const struct mail_message *message)
{
    return free_message_carries(message) ? message->amount : 0.0;
}

// Counts a message to a port. The load of a RETURN was sent over the link in the other direction.
static void count_message(void *context, const struct mail_message *message)
{
    struct free_left *left = context;
    left->load += free_message_kind(message) == FREE_RETURN ? 0.0 : load_of(message);
    left->messages++;
}

static void count_returned(void *context, const struct mail_message *message)
{
    struct free_left *left = context;
    left->load += free_message_kind(message) == FREE_RETURN ? load_of(message) : 0.0;
}

// The counts of both ends of a link. The messages are under way to the one here.
struct left_to {
    struct free_left *here, *there;
};

static void count_both(void *context, const struct mail_message *message)
{
    const struct left_to *to = context;
    count_message(to->here, message);
    count_returned(to->there, message);
}

void free_left_count_at(struct free_run *run, uint32_t port, struct free_left *here, struct free_left *there)
{
    struct left_to to = {here, there};
    visit_left(run, port, count_both, &to);
    if (!run->wires) {
        take_left(run, port, count_both, &to);
    }
}

struct free_left free_left_at(const struct free_control *control, uint32_t port)
{
    const struct free_run *run = &control->run;
    uint32_t twin = run->topology->twin[port];
    struct free_left left = {0};
    if (control->attendant.left) {
        return control->attendant.left[port];
    }
    if (twin < port) { // loads are added in the order of the ports to which they are under way
        visit_left(run, twin, count_returned, &left);
    }
    visit_left(run, port, count_message, &left);
    if (port < twin) {
        visit_left(run, twin, count_returned, &left);
    }
    return left;
}

// Returns whether the processor of a port belongs to this process.
static bool is_here(const struct free_control *control, uint32_t port)
{
    const struct ek_topology *topology = control->run.topology;
    return free_has_here(control, topology->neighbour[topology->twin[port]]);
}

// Counts the messages on the links between processors of this process.
static void count_here(struct free_control *control)
{
    struct free_run *run = &control->run;
    struct free_left *left = control->attendant.left;
    for (uint64_t at = run->block.ports.begin; left && at < run->block.ports.end; at++) {
        uint32_t port = (uint32_t)at, twin = run->topology->twin[port];
        if (is_here(control, port) && is_here(control, twin)) {
            free_left_count_at(run, port, &left[port], &left[twin]);
        }
    }
}

RANK_PASSES(struct free_left);

struct left_sums {
    const struct free_control *control;
    double load;
    uint64_t messages;
};

static void put_left(void *context, uint32_t port, double *words)
{
    struct free_left left = free_left_at(((const struct left_sums *)context)->control, port);
    memcpy(words, &left, sizeof left);
}

static void add_left(void *context, uint32_t port, const double *words)
{
    struct left_sums *sums = context;
    struct free_left left;
    (void)port;
    memcpy(&left, words, sizeof left);
    sums->load += left.load;
    sums->messages += left.messages;
}

double free_left_count(struct free_control *control, uint64_t *messages)
{
    struct left_sums sums = {.control = control};
    count_here(control);
    control->transport->count_crossing(control->transport, control);
    control->transport->pass(control->transport, control,
                             &(struct rank_pass){.context = &sums,
                                                 .ports = control->run.topology,
                                                 .words = sizeof(struct free_left) / sizeof(double),
                                                 .put = put_left,
                                                 .take = add_left});
    *messages += sums.messages;
    return sums.load;
}
