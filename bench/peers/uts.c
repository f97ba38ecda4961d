// SPDX-License-Identifier: MIT
// The tree T1 of the unbalanced tree search (Olivier et al., LCPC 2006) without evenkeel: by one thread, or by threads
// that steal. Each thread has a stack of nodes; an idle thread takes the older half of another's.
//
// usage: uts THREADS
#include <math.h>
#include <nettle/sha1.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 10, BRANCHES = 4, SEED = 19, CHILDREN_MOST = 100, ROOM = 1 << 20, THREADS_MOST = 64, KEEP = 4 };

struct node {
    uint8_t state[SHA1_DIGEST_SIZE];
    uint32_t depth;
};

// The nodes bottom .. top-1. The owner works at the top without the lock while it has more than KEEP nodes that others
// may not take: it shares nodes below `shared` only with the lock.
struct stack {
    _Alignas(128) pthread_mutex_t lock;
    struct node *node;
    size_t top;
    _Atomic size_t bottom, shared; // nodes bottom .. shared-1 can be stolen
    uint64_t nodes, leaves;
};

static struct stack stack[THREADS_MOST];
static unsigned threads;
static atomic_uint idle;

static void derive(uint8_t *state, size_t length, const uint8_t *bytes, uint32_t number)
{
    const uint8_t end[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    struct sha1_ctx sha1;
    sha1_init(&sha1);
    sha1_update(&sha1, length, bytes);
    sha1_update(&sha1, sizeof end, end);
    sha1_digest(&sha1, SHA1_DIGEST_SIZE, state);
}

static unsigned children_of(const struct node *node)
{
    const uint8_t *s = node->state + 16;
    uint32_t random = ((uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 | (uint32_t)s[2] << 8 | s[3]) & 0x7fffffff;
    static const double p = 1.0 / (1.0 + BRANCHES);
    double count = node->depth < DEPTH ? floor(log(1.0 - random / 2147483648.0) / log(1.0 - p)) : 0.0;
    return count < CHILDREN_MOST ? (unsigned)count : CHILDREN_MOST;
}

static void expand(struct stack *own)
{
    struct node node = own->node[--own->top];
    unsigned children = children_of(&node);
    own->nodes++;
    own->leaves += children == 0;
    for (unsigned k = 0; k < children; k++) {
        struct node *child = &own->node[own->top++];
        derive(child->state, sizeof node.state, node.state, k);
        child->depth = node.depth + 1;
    }
}

// Lets others take all but the KEEP newest nodes.
static void share(struct stack *own)
{
    size_t shared = atomic_load_explicit(&own->shared, memory_order_relaxed);
    if (own->top > shared + 2 * KEEP) {
        pthread_mutex_lock(&own->lock);
        atomic_store_explicit(&own->shared, own->top - KEEP, memory_order_relaxed);
        pthread_mutex_unlock(&own->lock);
    }
}

// Takes shared nodes back. Returns whether there were any.
static bool take_back(struct stack *own)
{
    pthread_mutex_lock(&own->lock);
    size_t shared = atomic_load_explicit(&own->shared, memory_order_relaxed);
    bool any = shared > own->bottom;
    size_t left = own->bottom + (shared - own->bottom) / 2;
    atomic_store_explicit(&own->shared, any ? left : shared, memory_order_relaxed);
    pthread_mutex_unlock(&own->lock);
    return any;
}

static bool steal(struct stack *own, struct stack *victim)
{
    if (atomic_load_explicit(&victim->shared, memory_order_relaxed) <= victim->bottom) {
        return false;
    }
    pthread_mutex_lock(&victim->lock);
    size_t count = (atomic_load_explicit(&victim->shared, memory_order_relaxed) - victim->bottom + 1) / 2;
    memcpy(own->node, victim->node + victim->bottom, count * sizeof *own->node);
    victim->bottom += count;
    pthread_mutex_unlock(&victim->lock);
    pthread_mutex_lock(&own->lock);
    own->bottom = 0;
    own->top = count;
    atomic_store_explicit(&own->shared, 0, memory_order_relaxed);
    pthread_mutex_unlock(&own->lock);
    return count > 0;
}

// Returns false when all threads are idle.
static bool find_work(struct stack *own)
{
    atomic_fetch_add(&idle, 1);
    while (atomic_load(&idle) < threads) {
        for (unsigned i = 0; i < threads; i++) {
            if (&stack[i] != own && atomic_load_explicit(&stack[i].shared, memory_order_relaxed) > stack[i].bottom) {
                atomic_fetch_sub(&idle, 1);
                if (steal(own, &stack[i])) {
                    return true;
                }
                atomic_fetch_add(&idle, 1);
            }
        }
    }
    return false;
}

static void *work(void *context)
{
    struct stack *own = context;
    do {
        do {
            while (own->top > atomic_load_explicit(&own->shared, memory_order_relaxed) && own->top > own->bottom) {
                expand(own);
                if (threads > 1) {
                    share(own);
                }
            }
        } while (take_back(own));
    } while (threads > 1 && find_work(own));
    return NULL;
}

int main(int argc, char **argv)
{
    static const uint8_t zeros[16];
    struct timespec began, ended;
    threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    if (threads < 1 || threads > THREADS_MOST) {
        fprintf(stderr, "uts: from 1 to %d threads\n", THREADS_MOST);
        return 2;
    }
    pthread_t thread[THREADS_MOST];
    for (unsigned i = 0; i < threads; i++) {
        pthread_mutex_init(&stack[i].lock, NULL);
        stack[i].node = malloc(ROOM * sizeof *stack[i].node);
    }
    derive(stack[0].node[0].state, sizeof zeros, zeros, SEED);
    stack[0].node[0].depth = 0;
    stack[0].top = 1;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (unsigned i = 1; i < threads; i++) {
        pthread_create(&thread[i], NULL, work, &stack[i]);
    }
    work(&stack[0]);
    for (unsigned i = 1; i < threads; i++) {
        pthread_join(thread[i], NULL);
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    uint64_t nodes = 0, leaves = 0;
    for (unsigned i = 0; i < threads; i++) {
        nodes += stack[i].nodes;
        leaves += stack[i].leaves;
    }
    printf("seconds=%.6f nodes=%llu leaves=%llu\n",
           (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec),
           (unsigned long long)nodes, (unsigned long long)leaves);
    return 0;
}
