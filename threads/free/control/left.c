// SPDX-License-Identifier: MIT
#include "threads/free/control/left.h"

#include "threads/free/control/transport.h"
#include "threads/free/post.h"

void free_left_plan(struct free_control *control, struct base_arena *memory)
{
    const struct free_run *run = &control->run;
    bool counted_again = run->machine->engine->computed && !control->transport->separate;
    base_arena_plan(memory, &control->attendant.left, counted_again ? 0 : run->topology->ports,
                    sizeof *control->attendant.left);
}

typedef void visitor(void *context, const struct mail_message *message);

// Calls `visit` for the messages to a port that are on their wire, kept, or delayed.
static void visit_left(const struct free_run *run, uint32_t port, visitor *visit, void *context)
{
    if (run->wires) {
        run->wires->each(run, port, visit, context);
    }
    free_post_each_kept(run, run->topology->twin[port], visit, context);
    const struct free_shelf *delayed = run->delayed ? &run->delayed[port].shelf : NULL;
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

// A port to which messages are left under way.
struct left_to {
    struct free_left *left; // by port
    uint32_t port, twin;
};

static void count_both(void *context, const struct mail_message *message)
{
    const struct left_to *to = context;
    count_message(&to->left[to->port], message);
    count_returned(&to->left[to->twin], message);
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

double free_left_count(struct free_control *control, uint64_t *messages)
{
    struct free_run *run = &control->run;
    struct left_to to = {.left = control->attendant.left};
    double amount = 0.0;
    for (; to.left && to.port < run->topology->ports; to.port++) {
        to.twin = run->topology->twin[to.port];
        visit_left(run, to.port, count_both, &to);
        if (!run->wires) {
            take_left(run, to.port, count_both, &to);
        }
    }
    control->transport->gather_left(control->transport, control);
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        struct free_left left = free_left_at(control, port);
        amount += left.load;
        *messages += left.messages;
    }
    return amount;
}
