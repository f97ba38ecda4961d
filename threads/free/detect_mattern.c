// SPDX-License-Identifier: MIT
// Detection by counting (Mattern, Algorithms for distributed termination detection, Distributed Computing 2, 1987: the
// four-counter method). A wave goes from the root to the leaves, and its answers come back. A processor answers when it
// is passive and all its children have answered. Waves count the parcels received and the parcels sent, in turn. The
// end had come before a wave counted as many parcels sent as the wave before it had counted parcels received.
#include <math.h>

#include "threads/free/detect.h"
#include "threads/free/post.h"

#define NO_PORT UINT32_MAX

// Lets p take part in a wave, and sends the wave to its children.
static void begin_wave(struct free_worker *worker, uint32_t p, bool sends)
{
    struct free_run *run = worker->run;
    struct free_probe *probe = &run->probe[p];
    probe->holds = true;
    probe->sends = sends;
    probe->sum = 0.0;
    probe->awaited = 0;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (free_is_child(run, port)) {
            probe->awaited++;
            free_detect_send(worker, port, FREE_PROBE, 0.0, sends);
        }
    }
}

// Evaluates a wave at the root.
static void end_wave(struct free_worker *worker, uint32_t p)
{
    struct free_probe *root = &worker->run->probe[p];
    if (root->sends && root->sum == root->received) {
        free_detected(worker);
        return;
    }
    root->received = root->sends ? NAN : root->sum;
    begin_wave(worker, p, !root->sends);
}

// Answers the wave. Returns whether p is the root, which may begin another wave.
static bool answer(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_probe *probe = &run->probe[p];
    const struct cargo_processor *cargo = &run->tasks.processor[p];
    probe->sum += (double)(probe->sends ? cargo->sent : cargo->taken);
    probe->holds = false;
    if (probe->parent != NO_PORT) {
        free_detect_send(worker, probe->parent, FREE_TALLY, probe->sum, 0);
        return false;
    }
    end_wave(worker, p);
    return true;
}

static void act(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_probe *probe = &run->probe[p];
    if (!free_is_passive(run, p)) {
        return;
    }
    if (probe->parent == NO_PORT && !probe->begun) {
        probe->begun = true;
        begin_wave(worker, p, false);
    }
    while (probe->holds && probe->awaited == 0 && answer(worker, p)) { // a lone root answers itself
    }
}

static void receive(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    (void)port;
    if (free_message_kind(&message) == FREE_PROBE) {
        begin_wave(worker, p, free_message_flag(&message) != 0);
        return;
    }
    worker->run->probe[p].sum += message.amount;
    worker->run->probe[p].awaited--;
}

const struct free_detector free_detect_mattern = {.receive = receive, .act = act};
