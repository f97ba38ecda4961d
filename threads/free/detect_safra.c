// SPDX-License-Identifier: MIT
// Detection by a token (Dijkstra, Shmuel Safra's version of termination detection, EWD 998, 1987). The ring of the
// paper is a walk around the spanning tree, on which a processor is visited when the token first comes from its parent.
//
//   1. Only a passive processor passes the token on. It adds the parcels that it has sent, less those that it has
//      received. If a parcel has come since the last visit, it makes the token black.
//   2. The root begins with a white token. The end has come if the token returns white, no parcel has come to the root
//      meanwhile, and the sum is 0. Otherwise the root sends the token again.
#include "threads/free/detect.h"
#include "threads/free/post.h"

#define NO_PORT UINT32_MAX

// Adds what p has counted to the token that it holds.
static void visit(struct free_run *run, uint32_t p)
{
    struct free_probe *probe = &run->probe[p];
    const struct cargo_processor *cargo = &run->tasks.processor[p];
    probe->sum += (double)cargo->sent - (double)cargo->taken;
    probe->black = probe->black || cargo->taken > probe->taken_before;
    probe->taken_before = cargo->taken;
}

// Passes the token to the next child of p, or to its parent. Returns false if p is the root, and has no next child.
static bool pass_on(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_probe *probe = &run->probe[p];
    uint32_t first = run->topology->first[p], end = run->topology->first[p + 1];
    bool visited = probe->from != NO_PORT && probe->from != probe->parent;
    uint32_t port = visited ? probe->from + 1 : first;
    while (port < end && !free_is_child(run, port)) {
        port++;
    }
    port = port < end ? port : probe->parent;
    if (port == NO_PORT) {
        return false;
    }
    probe->holds = false;
    free_detect_send(worker, port, FREE_PROBE, probe->sum, probe->black);
    return true;
}

// Ends the token's way around, or lets it begin another one.
static void act_root(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_probe *root = &run->probe[p];
    if (root->begun && pass_on(worker, p)) {
        return;
    }
    if (root->begun) {
        visit(run, p);
        if (!root->black && root->sum == 0.0) {
            root->holds = false;
            free_detected(worker);
            return;
        }
    }
    root->taken_before = run->tasks.processor[p].taken;
    root->begun = true;
    root->sum = 0.0;
    root->black = false;
    root->from = NO_PORT;
    if (!pass_on(worker, p)) { // it is alone, and passive
        root->holds = false;
        free_detected(worker);
    }
}

static void act(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_probe *probe = &run->probe[p];
    bool root = probe->parent == NO_PORT;
    if (!free_is_passive(run, p) || !(probe->holds || (root && !probe->begun))) {
        return;
    }
    if (root) {
        act_root(worker, p);
        return;
    }
    if (probe->from == probe->parent) {
        visit(run, p);
    }
    pass_on(worker, p);
}

static void receive(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    struct free_probe *probe = &worker->run->probe[p];
    probe->holds = true;
    probe->from = port;
    probe->sum = message.amount;
    probe->black = free_message_flag(&message) != 0;
}

const struct free_detector free_detect_safra = {.receive = receive, .act = act};
