// SPDX-License-Identifier: MIT
// A POSIX thread a processor. Rounds: a word for each directed link and parity of rounds, and one pthread_barrier a
// round. Free: a mailbox with a mutex and a condition for each processor.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "threshold.h"

static struct torus_task task;
static pthread_barrier_t barrier;
static double *loads;

static pthread_t *start(void *(*body)(void *))
{
    size_t processors = torus_processors(task.torus);
    pthread_t *threads = torus_memory(processors, sizeof *threads);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    for (size_t p = 0; p < processors; p++) {
        if (pthread_create(&threads[p], &small, body, (void *)p) != 0) {
            torus_give_up("the system gives no more threads");
        }
    }
    return threads;
}

static void join(pthread_t *threads)
{
    for (size_t p = 0; p < torus_processors(task.torus); p++) {
        pthread_join(threads[p], NULL);
    }
    free(threads);
}

// ---- rounds ----

static double (*words[2])[PORTS]; // by parity: what has come in at each port of each processor

static void *balance(void *argument)
{
    size_t p = (size_t)argument;
    double load = torus_load(p), *to[2][PORTS];
    for (int port = 0; port < PORTS; port++) {
        size_t neighbour = torus_neighbour(task.torus, p, port);
        to[0][port] = &words[0][neighbour][torus_opposite(port)];
        to[1][port] = &words[1][neighbour][torus_opposite(port)];
    }
    pthread_barrier_wait(&barrier);
    for (uint64_t round = 0; round < task.amount; round++) {
        for (int port = 0; port < PORTS; port++) {
            *to[round % 2][port] = load;
        }
        // The words that are read after this barrier are written again two rounds later, after the next barrier.
        pthread_barrier_wait(&barrier);
        const double *in = words[round % 2][p];
        load = torus_round(load, in[NORTH], in[SOUTH], in[WEST], in[EAST]);
    }
    loads[p] = load;
    return NULL;
}

static double run_rounds(void)
{
    size_t processors = torus_processors(task.torus);
    words[0] = torus_memory(processors, sizeof *words[0]);
    words[1] = torus_memory(processors, sizeof *words[1]);
    pthread_barrier_init(&barrier, NULL, (unsigned)processors + 1);
    pthread_t *threads = start(balance);
    double began = torus_seconds();
    pthread_barrier_wait(&barrier);
    for (uint64_t round = 0; round < task.amount; round++) {
        pthread_barrier_wait(&barrier);
    }
    join(threads);
    return torus_seconds() - began;
}

// ---- free ----

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    unsigned first, count;
    struct message messages[PORTS * MESSAGES_MOST];
};

static struct mailbox *mailboxes;
static struct party *parties;

static void put(void *context, int port, struct message message)
{
    size_t p = (size_t)((struct party *)context - parties);
    struct mailbox *mailbox = &mailboxes[torus_neighbour(task.torus, p, port)];
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->messages[(mailbox->first + mailbox->count++) % (PORTS * MESSAGES_MOST)] = message;
    pthread_cond_signal(&mailbox->filled);
    pthread_mutex_unlock(&mailbox->mutex);
}

static struct message take(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    while (mailbox->count == 0) {
        pthread_cond_wait(&mailbox->filled, &mailbox->mutex);
    }
    struct message message = mailbox->messages[mailbox->first];
    mailbox->first = (mailbox->first + 1) % (PORTS * MESSAGES_MOST);
    mailbox->count--;
    pthread_mutex_unlock(&mailbox->mutex);
    return message;
}

static double end;

static void *serve(void *argument)
{
    size_t p = (size_t)argument;
    struct party *party = &parties[p];
    *party = (struct party){.load = torus_load(p), .open = PORTS, .post = put, .context = party};
    pthread_barrier_wait(&barrier);
    party->end = end;
    for (party_invoke(party); !party_over(party);) {
        party_take(party, take(&mailboxes[p]));
    }
    loads[p] = party->load;
    return NULL;
}

static double run_free(uint64_t *operations, uint64_t *messages)
{
    size_t processors = torus_processors(task.torus);
    mailboxes = torus_memory(processors, sizeof *mailboxes);
    parties = torus_memory(processors, sizeof *parties);
    for (size_t p = 0; p < processors; p++) {
        pthread_mutex_init(&mailboxes[p].mutex, NULL);
        pthread_cond_init(&mailboxes[p].filled, NULL);
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)processors + 1);
    pthread_t *threads = start(serve);
    double began = torus_seconds();
    end = began + 1e-3 * (double)task.amount;
    pthread_barrier_wait(&barrier);
    join(threads);
    double seconds = torus_seconds() - began;
    for (size_t p = 0; p < processors; p++) {
        *operations += parties[p].operations;
        *messages += parties[p].messages;
    }
    return seconds;
}

int main(int argc, char **argv)
{
    task = torus_task_read(argc, argv);
    size_t processors = torus_processors(task.torus);
    uint64_t rounds = 0, messages = 0;
    double seconds;
    loads = torus_memory(processors, sizeof *loads);
    if (task.free) {
        seconds = run_free(&rounds, &messages);
    } else {
        rounds = task.amount;
        messages = rounds * processors * PORTS;
        seconds = run_rounds();
    }
    struct torus_sums sums = {0.0, 0.0, 0};
    for (size_t p = 0; p < processors; p++) {
        torus_sums_add(&sums, p, loads[p]);
    }
    torus_say(seconds, rounds, messages, &sums);
    return 0;
}
