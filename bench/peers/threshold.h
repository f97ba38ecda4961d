// SPDX-License-Identifier: MIT
// The asynchronous protocol (README.md), for the peers in C and C++: what a processor does when a message comes,
// whatever carries the messages.
#ifndef PEERS_THRESHOLD_H
#define PEERS_THRESHOLD_H

#include "torus.h"

static const double THRESHOLD = 500.0;

enum kind { ASK, TELL, GIVE, PULL, GRANT, RELEASE, DONE };

struct message {
    int port; // at which it comes in
    enum kind kind;
    double amount;
};

// At most two of an invoker and two answers are under way in one direction of a link at once.
enum { MESSAGES_MOST = 4 };

struct party {
    double load, told[PORTS];
    int tells, grants; // answers that its operation waits for
    int open;          // neighbours that may still invoke
    int done;          // it will not invoke any more
    double end;        // after which nobody begins an operation
    uint64_t operations, messages;
    void (*post)(void *context, int port, struct message message); // out by this port
    void *context;
};

static inline void party_send(struct party *party, int port, enum kind kind, double amount)
{
    struct message message = {torus_opposite(port), kind, amount};
    party->messages++;
    party->post(party->context, port, message);
}

static inline void party_send_all(struct party *party, enum kind kind)
{
    for (int port = 0; port < PORTS; port++) {
        party_send(party, port, kind, 0.0);
    }
}

// Nobody gives more than it holds.
static inline void party_give(struct party *party, int port, enum kind kind, double wanted)
{
    double amount = wanted < party->load ? wanted : party->load;
    party->load -= amount;
    party_send(party, port, kind, amount);
}

// Between two operations: begins the next, or says that there is none.
static inline void party_invoke(struct party *party)
{
    if (party->done || party->tells + party->grants > 0) {
        return;
    }
    if (torus_seconds() >= party->end) {
        party->done = 1;
        party_send_all(party, DONE);
    } else if (party->load != THRESHOLD) {
        party->operations++;
        party->tells = PORTS;
        party_send_all(party, ASK);
    }
}

// All neighbours have told their loads.
static inline void party_settle(struct party *party)
{
    double own = party->load;
    for (int port = 0; port < PORTS; port++) {
        double flow = ALPHA * (own - party->told[port]);
        if (flow > 0.0) {
            party_give(party, port, GIVE, flow);
        } else if (flow < 0.0) {
            party->grants++;
            party_send(party, port, PULL, -flow);
        } else {
            party_send(party, port, RELEASE, 0.0);
        }
    }
}

static inline void party_take(struct party *party, struct message message)
{
    switch (message.kind) {
    case ASK:
        party_send(party, message.port, TELL, party->load);
        break;
    case TELL:
        party->told[message.port] = message.amount;
        if (--party->tells == 0) {
            party_settle(party);
        }
        break;
    case PULL:
        party_give(party, message.port, GRANT, message.amount);
        break;
    case GRANT:
        party->grants--;
        party->load += message.amount;
        break;
    case GIVE:
        party->load += message.amount;
        break;
    case RELEASE:
        break;
    case DONE:
        party->open--;
    }
    party_invoke(party);
}

// Links keep their order, so when all neighbours are done, nothing is under way to this one.
static inline int party_over(const struct party *party)
{
    return party->done && party->open == 0;
}

#endif
