// SPDX-License-Identifier: MIT
// The link table in use: threads read it at every turn while it is replaced as fast as possible. Some of them sleep now
// and then and are offline to RCU. Every table that a thread sees is consistent: both ends of a link agree, and nothing
// changes while the thread reads. After each change the table is compared with the faults so far.
//
// With TESTS_PLANT=write the readers write to the table. With TESTS_PLANT=stale they read on after they were quiescent.
// The sanitizers must report both (tests/planted/planted_races.sh).
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/free/link_table.h"
#include "base/sanitizers.h"
#include "topologies/topology.h"

// ThreadSanitizer finds races by the order of accesses, whether or not they meet, so a slow build needs fewer.
#ifdef __SANITIZE_THREAD__
enum { CHANGES = 150 };
#else
enum { CHANGES = 400 };
#endif
enum { READERS_MAX = 64, NAP = 16 };

enum plant { PLANT_NONE, PLANT_WRITE, PLANT_STALE };

struct course {
    const struct ek_topology *topology;
    struct free_links *links;
    enum plant plant;
    atomic_uint reading; // threads that have begun
    atomic_bool over;
};

struct reader {
    struct course *course;
    unsigned index;
    unsigned wrong;
};

// Returns a number that stands for the table, or 0 if the ends of a link do not agree.
static unsigned look(const struct ek_topology *topology, const uint8_t *usable)
{
    unsigned number = 1;
    bool agree = true;
    for (uint32_t port = 0; port < topology->ports; port++) {
        agree = agree && usable[port] <= 1 && usable[port] == usable[topology->twin[port]];
        number = 31 * number + 2 * usable[port];
    }
    return agree ? number : 0; // it is odd
}

static void nap(void)
{
    free_links_offline();
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    free_links_online();
}

static void *read_on(void *argument)
{
    struct reader *reader = argument;
    struct course *course = reader->course;
    free_links_register();
    atomic_fetch_add_explicit(&course->reading, 1, memory_order_relaxed);
    for (unsigned turn = reader->index; !atomic_load_explicit(&course->over, memory_order_relaxed); turn++) {
        const uint8_t *usable = free_links_read(course->links);
        unsigned seen = look(course->topology, usable);
        sched_yield(); // while this thread holds the table, so that a change must wait
        reader->wrong += seen == 0 || look(course->topology, usable) != seen;
        if (course->plant == PLANT_WRITE) {
            ((uint8_t *)usable)[0] = 1;
        }
        if (turn % NAP == 0) {
            nap();
        } else {
            free_links_quiet();
        }
        if (course->plant == PLANT_STALE) {
            sched_yield();
            reader->wrong += look(course->topology, usable) == 0;
        }
    }
    free_links_unregister();
    return NULL;
}

// The state that the table should have.
struct state {
    bool *link;      // by port at the link's lower end: down
    bool *processor; // by processor: down
};

static uint32_t lower(const struct ek_topology *topology, uint32_t port)
{
    return port < topology->twin[port] ? port : topology->twin[port];
}

static void note(struct state *state, const struct ek_topology *topology, const struct core_fault *fault)
{
    if (fault->processor) {
        state->processor[fault->which] = !fault->repair;
    } else {
        state->link[lower(topology, fault->which)] = !fault->repair;
    }
}

static bool agrees(const struct state *state, const struct ek_topology *topology, const uint8_t *usable)
{
    bool good = true;
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            bool up = !state->link[lower(topology, port)] && !state->processor[p] &&
                      !state->processor[topology->neighbour[port]];
            good = good && usable[port] == up;
        }
    }
    return good;
}

// Makes faults as fast as possible. Returns how often the table was wrong or memory was missing.
static unsigned change_on(struct course *course, struct core_fault_source *source)
{
    const struct ek_topology *topology = course->topology;
    struct state state = {.link = calloc(topology->ports, sizeof(bool)),
                          .processor = calloc(topology->processors, sizeof(bool))};
    unsigned wrong = !state.link || !state.processor;
    uint32_t down = 0;
    struct core_fault fault;
    for (unsigned change = 0; wrong == 0 && change < CHANGES && core_fault_next(source, &fault); change++) {
        note(&state, topology, &fault);
        down = fault.repair ? down - 1 : down + 1;
        free_links_change(course->links, &fault);
        wrong += !agrees(&state, topology, free_links_read(course->links)) || course->links->outages.count != down;
    }
    free(state.link);
    free(state.processor);
    return wrong;
}

static unsigned run(struct course *course, struct core_fault_source *source, unsigned readers)
{
    struct reader reader[READERS_MAX];
    pthread_t thread[READERS_MAX];
    unsigned begun = 0;
    while (begun < readers) {
        reader[begun] = (struct reader){.course = course, .index = begun};
        if (pthread_create(&thread[begun], NULL, read_on, &reader[begun]) != 0) {
            break;
        }
        begun++;
    }
    while (atomic_load_explicit(&course->reading, memory_order_relaxed) < begun) {
        sched_yield();
    }
    unsigned wrong = (begun < readers) + change_on(course, source);
    atomic_store_explicit(&course->over, true, memory_order_relaxed);
    for (unsigned r = 0; r < begun; r++) {
        pthread_join(thread[r], NULL);
        wrong += reader[r].wrong;
    }
    return wrong;
}

static bool hold(const char *spec, const char *rates, unsigned readers, enum plant plant)
{
    struct ek_error error = {0};
    struct core_faults faults = {0};
    struct ek_topology *topology = ek_topology_create(spec, 1, (struct ek_reader){0}, &error);
    bool good = topology && core_faults_parse(&faults, rates, topology, true, (struct ek_reader){0}, &error);
    struct base_arena memory = {.count = 0};
    struct core_fault_source source;
    struct free_links links;
    struct course course = {.topology = topology, .links = &links, .plant = plant};
    if (good) {
        core_fault_source_plan(&source, &faults, topology, readers, &memory);
        free_links_plan(&links, topology, &memory);
    }
    unsigned wrong = 1;
    if (good && base_arena_take(&memory)) {
        core_fault_source_begin(&source);
        free_links_begin(&links);
        wrong = run(&course, &source, readers);
    }
    if (wrong > 0) {
        printf("%s with %u readers: %u wrong tables %s\n", spec, readers, wrong, error.sentence);
    }
    base_arena_destroy(&memory);
    core_faults_destroy(&faults);
    ek_topology_destroy(topology);
    return wrong == 0;
}

int main(void)
{
    static const struct {
        const char *topology;
        const char *rates;
        unsigned readers;
    } cases[] = {
        {"torus:6x6", "link:900,processor:300,repair:5ms", 8},
        {"star:40", "processor:1000,repair:10ms", 8},
        {"chain:2", "link:1000,processor:1000,repair:1ms", 16},
        {"hypercube:6", "link:1000,processor:500,repair:20ms", 64},
    };
    const char *planted = getenv("TESTS_PLANT");
    enum plant plant = !planted || !*planted ? PLANT_NONE : strcmp(planted, "write") == 0 ? PLANT_WRITE : PLANT_STALE;
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = hold(cases[i].topology, cases[i].rates, cases[i].readers, plant);
        passed += good;
        failed += !good;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
