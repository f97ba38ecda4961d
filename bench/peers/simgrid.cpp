// SPDX-License-Identifier: MIT
// SimGrid's S4U: an actor a processor, all on one host. Rounds: a mailbox a directed link. Free: a mailbox a processor.
// What is measured is the time that the simulation takes, not the time that passes in it.
#define _Noreturn [[noreturn]]
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "threshold.h"

namespace s4u = simgrid::s4u;

static torus_task task;
static std::vector<double> loads;

static s4u::Mailbox *mailbox_of(size_t p, int port)
{
    return s4u::Mailbox::by_name(std::to_string(p) + ":" + std::to_string(port));
}

static void balance(size_t p)
{
    s4u::Mailbox *in[PORTS], *out[PORTS];
    for (int port = 0; port < PORTS; port++) {
        in[port] = mailbox_of(p, port);
        out[port] = mailbox_of(torus_neighbour(task.torus, p, port), torus_opposite(port));
    }
    double load = torus_load(p);
    for (uint64_t round = 0; round < task.amount; round++) {
        double seen[PORTS];
        s4u::CommPtr sent[PORTS]; // not detached: SimGrid looks for each of those in a list of all
        for (int port = 0; port < PORTS; port++) {
            sent[port] = out[port]->put_async(new double(load), 0);
        }
        for (int port = 0; port < PORTS; port++) {
            seen[port] = *in[port]->get_unique<double>();
        }
        for (const s4u::CommPtr &comm : sent) {
            comm->wait();
        }
        load = torus_round(load, seen[NORTH], seen[SOUTH], seen[WEST], seen[EAST]);
    }
    loads[p] = load;
}

// What a processor has sent by a port is kept until as much was sent after it as can be under way.
struct sent {
    s4u::CommPtr comms[MESSAGES_MOST];
    unsigned count = 0;
};

static std::vector<party> parties;
static std::vector<s4u::Mailbox *> mailboxes;
static std::vector<sent> sents; // by processor and port

static void post(void *context, int port, message message)
{
    size_t p = static_cast<size_t>(static_cast<party *>(context) - parties.data());
    sent &own = sents[p * PORTS + static_cast<size_t>(port)];
    s4u::CommPtr &comm = own.comms[own.count++ % MESSAGES_MOST];
    if (comm) {
        comm->wait();
    }
    comm = mailboxes[torus_neighbour(task.torus, p, port)]->put_async(new struct message(message), 0);
}

static void serve(size_t p)
{
    party *own = &parties[p];
    for (party_invoke(own); !party_over(own);) {
        party_take(own, *mailboxes[p]->get_unique<message>());
    }
    for (size_t port = 0; port < PORTS; port++) {
        for (s4u::CommPtr &comm : sents[p * PORTS + port].comms) {
            if (comm) {
                comm->wait();
            }
        }
    }
    loads[p] = own->load;
}

int main(int argc, char **argv)
{
    s4u::Engine engine(&argc, argv);
    task = torus_task_read(argc, argv);
    size_t processors = torus_processors(task.torus);
    // No network is simulated, whose bandwidth all would share: each message takes the same time.
    //
    s4u::Engine::set_config("contexts/stack-size:16");
    s4u::Engine::set_config("contexts/guard-size:0");
    auto *zone = s4u::create_full_zone("machine");
    auto *host = zone->create_host("host", 1e9);
    zone->seal();

    loads.resize(processors);
    parties.resize(task.free ? processors : 0);
    sents.resize(parties.size() * PORTS);
    for (size_t p = 0; p < parties.size(); p++) {
        parties[p] = party{};
        parties[p].load = torus_load(p);
        parties[p].open = PORTS;
        parties[p].post = post;
        parties[p].context = &parties[p];
        mailboxes.push_back(mailbox_of(p, 0));
    }
    for (size_t p = 0; p < processors; p++) {
        s4u::Actor::create("processor", host, task.free ? serve : balance, p);
    }
    double began = torus_seconds();
    for (party &own : parties) {
        own.end = began + 1e-3 * static_cast<double>(task.amount);
    }
    engine.run();
    double seconds = torus_seconds() - began;

    torus_sums sums{};
    for (size_t p = 0; p < processors; p++) {
        torus_sums_add(&sums, p, loads[p]);
    }
    uint64_t operations = task.amount, messages = task.amount * processors * PORTS;
    if (task.free) {
        operations = messages = 0;
        for (const party &own : parties) {
            operations += own.operations;
            messages += own.messages;
        }
    }
    torus_say(seconds, operations, messages, &sums);
    return 0;
}
