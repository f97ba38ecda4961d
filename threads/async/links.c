// SPDX-License-Identifier: MIT
// The link table. A change copies it, publishes the copy, waits for a grace period and frees the old one.
#include "threads/async/links.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/urcu-qsbr.h>

// ThreadSanitizer does not see a grace period. It is told what one is, and nothing else: what a reader did before it
// was quiet comes before what a change does after its wait.
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#else
static inline void __tsan_release(void *grace)
{
    (void)grace;
}

static inline void __tsan_acquire(void *grace)
{
    (void)grace;
}
#endif

static char grace; // all readers and all changes: liburcu knows one domain only

struct async_link_table {
    const struct ek_topology *topology;
    _Atomic(uint8_t *) table; // by port
    bool *down;               // by place (core_fault_place): by its own fault
    uint32_t down_count;
};

static uint8_t *table_create(const struct ek_topology *topology)
{
    return malloc(topology->ports > 0 ? topology->ports : 1);
}

struct async_link_table *async_links_create(const struct ek_topology *topology)
{
    struct async_link_table *links = malloc(sizeof *links);
    uint8_t *table = table_create(topology);
    bool *down = calloc((size_t)topology->links + topology->processors, sizeof *down);
    if (!links || !table || !down) {
        free(links);
        free(table);
        free(down);
        return NULL;
    }
    memset(table, 1, topology->ports);
    *links = (struct async_link_table){.topology = topology, .down = down};
    atomic_init(&links->table, table);
    return links;
}

void async_links_destroy(struct async_link_table *links)
{
    if (links) {
        free(atomic_load_explicit(&links->table, memory_order_relaxed)); // nobody else is there any more
        free(links->down);
        free(links);
    }
}

void async_links_register(void)
{
    urcu_qsbr_register_thread();
}

void async_links_unregister(void)
{
    __tsan_release(&grace);
    urcu_qsbr_unregister_thread();
}

void async_links_offline(void)
{
    __tsan_release(&grace);
    urcu_qsbr_thread_offline();
}

void async_links_online(void)
{
    urcu_qsbr_thread_online();
}

void async_links_quiet(void)
{
    __tsan_release(&grace);
    urcu_qsbr_quiescent_state();
}

const uint8_t *async_links_read(struct async_link_table *links)
{
    // Acquire: pairs with the release in async_links_change. The table is filled before it can be seen.
    return atomic_load_explicit(&links->table, memory_order_acquire);
}

static bool is_up(const struct async_link_table *links, const struct core_fault *what)
{
    return !links->down[core_fault_place(what, links->topology)];
}

static void fill_port(const struct async_link_table *links, uint8_t *table, uint32_t port)
{
    const struct ek_topology *topology = links->topology;
    uint32_t twin = topology->twin[port];
    const struct core_fault near = {.processor = true, .which = topology->neighbour[twin]};
    const struct core_fault far = {.processor = true, .which = topology->neighbour[port]};
    const struct core_fault link = {.which = port};
    table[port] = table[twin] = is_up(links, &link) && is_up(links, &near) && is_up(links, &far);
}

// What the fault touches: a link, or all links of a processor.
static void fill(const struct async_link_table *links, uint8_t *table, const struct core_fault *fault)
{
    const struct ek_topology *topology = links->topology;
    if (!fault->processor) {
        fill_port(links, table, fault->which);
        return;
    }
    for (uint32_t port = topology->first[fault->which]; port < topology->first[fault->which + 1]; port++) {
        fill_port(links, table, port);
    }
}

bool async_links_change(struct async_link_table *links, const struct core_fault *fault)
{
    uint8_t *table = table_create(links->topology);
    if (!table) {
        return false;
    }
    bool *down = &links->down[core_fault_place(fault, links->topology)];
    assert(*down == fault->repair);
    *down = !fault->repair;
    links->down_count = fault->repair ? links->down_count - 1 : links->down_count + 1;
    uint8_t *old = atomic_load_explicit(&links->table, memory_order_relaxed); // only this thread writes it
    memcpy(table, old, links->topology->ports);
    fill(links, table, fault);
    // Release: pairs with the acquire in async_links_read.
    atomic_store_explicit(&links->table, table, memory_order_release);
    urcu_qsbr_synchronize_rcu();
    __tsan_acquire(&grace);
    free(old);
    return true;
}

uint32_t async_links_down(const struct async_link_table *links)
{
    return links->down_count;
}
