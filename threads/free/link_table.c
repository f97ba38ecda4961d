// SPDX-License-Identifier: MIT
// The link table. A change copies the current table into the spare one, applies the fault to the copy, publishes the
// copy, and waits for a grace period. Then no thread reads the old table, which becomes the spare one.
#include "threads/free/link_table.h"
#include "base/sanitizers.h"
#include "topologies/topology.h"

#include <string.h>
#include <urcu/urcu-qsbr.h>

// ThreadSanitizer does not know grace periods. These calls describe only grace periods to it: a reader's accesses
// before it is quiet happen before the accesses of a change after its wait.
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

static char grace; // stands for all readers and changes: liburcu has one domain

void free_links_plan(struct free_links *links, const struct ek_topology *topology, struct base_arena *memory)
{
    *links = (struct free_links){.topology = topology};
    base_arena_plan(memory, &links->tables, 2 * (uint64_t)topology->ports, sizeof *links->tables);
    core_outages_plan(&links->outages, topology, memory);
}

void free_links_begin(struct free_links *links)
{
    uint32_t ports = links->topology->ports;
    if (ports > 0) {
        memset(links->tables, 1, ports);
        atomic_store_explicit(&links->table, links->tables, memory_order_relaxed); // no threads yet
        links->spare = links->tables + ports;
    }
}

void free_links_register(void)
{
    urcu_qsbr_register_thread();
}

void free_links_unregister(void)
{
    __tsan_release(&grace);
    urcu_qsbr_unregister_thread();
}

void free_links_offline(void)
{
    __tsan_release(&grace);
    urcu_qsbr_thread_offline();
}

void free_links_online(void)
{
    urcu_qsbr_thread_online();
}

void free_links_quiet(void)
{
    __tsan_release(&grace);
    urcu_qsbr_quiescent_state();
}

const uint8_t *free_links_read(const struct free_links *links)
{
    // Acquire: pairs with the release in free_links_change. The table is filled before it is published.
    return atomic_load_explicit(&links->table, memory_order_acquire);
}

static void fill(const struct free_links *links, uint8_t *table, const struct core_fault *fault)
{
    const struct ek_topology *topology = links->topology;
    struct core_fault_ports touched = core_fault_ports(fault, topology);
    for (uint32_t port = touched.begin; port < touched.end; port++) {
        table[port] = table[topology->twin[port]] = core_outages_usable(&links->outages, port);
    }
}

void free_links_change(struct free_links *links, const struct core_fault *fault)
{
    core_outages_change(&links->outages, fault);
    uint8_t *old = atomic_load_explicit(&links->table, memory_order_relaxed); // this thread alone writes it
    uint8_t *table = links->spare;
    if (links->topology->ports > 0) {
        memcpy(table, old, links->topology->ports);
        fill(links, table, fault);
    }
    links->version[table != links->tables] = free_links_version(links, old) + 1;
    // Release: pairs with the acquire in free_links_read.
    atomic_store_explicit(&links->table, table, memory_order_release);
    urcu_qsbr_synchronize_rcu();
    __tsan_acquire(&grace);
    links->spare = old;
}

uint32_t free_links_version(const struct free_links *links, const uint8_t *table)
{
    return links->version[table != links->tables];
}
