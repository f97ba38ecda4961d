// SPDX-License-Identifier: MIT
// The operation log: its losses, and spheres against a search of the graph of all pairs of operations.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/support/must.h"
#include "threads/watch/operation_log.h"

enum { OPERATIONS = 120 };

// Spheres in the order in which they were reported.
struct list {
    struct core_sphere sphere[OPERATIONS];
    unsigned count;
};

static void append(void *context, const struct core_sphere *sphere)
{
    struct list *list = context;
    cr_assert(list->count < OPERATIONS);
    list->sphere[list->count++] = *sphere;
}

static int by_all(const void *a, const void *b)
{
    const struct core_sphere *s = a;
    const struct core_sphere *t = b;
    const uint64_t left[] = {s->begin, s->end, s->operations, s->processors};
    const uint64_t right[] = {t->begin, t->end, t->operations, t->processors};
    int order = 0;
    for (unsigned i = 0; i < 4 && order == 0; i++) {
        order = (left[i] > right[i]) - (left[i] < right[i]);
    }
    return order;
}

static bool takes_part(const struct ek_topology *topology, const struct core_operation *operation, uint32_t processor)
{
    uint32_t first = topology->first[operation->invoker];
    uint32_t degree = topology->first[operation->invoker + 1] - first;
    bool in = operation->invoker == processor;
    for (uint32_t port = 0; port < degree; port++) {
        bool member = operation->members >> (port < 63 ? port : 63) & 1;
        in = in || (member && topology->neighbour[first + port] == processor);
    }
    return in;
}

static bool share(const struct ek_topology *topology, const struct core_operation *a, const struct core_operation *b)
{
    for (uint32_t p = 0; p < topology->processors; p++) {
        if (takes_part(topology, a, p) && takes_part(topology, b, p)) {
            return true;
        }
    }
    return false;
}

static struct core_sphere describe(const struct ek_topology *topology, const struct core_operation *operation,
                                   const unsigned *label, unsigned count, unsigned wanted)
{
    struct core_sphere sphere = {.begin = UINT64_MAX};
    for (unsigned i = 0; i < count; i++) {
        if (label[i] == wanted) {
            sphere.operations++;
            sphere.begin = operation[i].begin < sphere.begin ? operation[i].begin : sphere.begin;
            sphere.end = operation[i].end > sphere.end ? operation[i].end : sphere.end;
        }
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        bool in = false;
        for (unsigned i = 0; i < count; i++) {
            in = in || (label[i] == wanted && takes_part(topology, &operation[i], p));
        }
        sphere.processors += in;
    }
    return sphere;
}

// Finds the components by their definition: labels spread along every pair that shares a processor until nothing
// changes. Label `count` is for operations that are not open.
static void search(const struct ek_topology *topology, const struct core_operation *operation, unsigned count,
                   uint64_t t, struct list *list)
{
    static bool joined[OPERATIONS][OPERATIONS];
    unsigned label[OPERATIONS];
    for (unsigned i = 0; i < count; i++) {
        label[i] = operation[i].begin <= t && t < operation[i].end ? i : count;
        for (unsigned k = 0; k < i; k++) {
            joined[i][k] = label[i] < count && label[k] < count && share(topology, &operation[i], &operation[k]);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < count; i++) {
            for (unsigned k = 0; k < i; k++) {
                if (joined[i][k] && label[i] != label[k]) {
                    label[i] = label[k] = label[i] < label[k] ? label[i] : label[k];
                    changed = true;
                }
            }
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (label[i] == i) {
            struct core_sphere sphere = describe(topology, operation, label, count, i);
            append(list, &sphere);
        }
    }
}

// Draws an operation. Each neighbour is in it with this probability.
static struct core_operation draw_operation(struct base_random *random, const struct ek_topology *topology,
                                            double share)
{
    struct core_operation operation = {.invoker = (uint32_t)base_random_below(random, topology->processors),
                                       .begin = base_random_below(random, 1000)};
    operation.end = operation.begin + 1 + base_random_below(random, 200);
    uint32_t degree = topology->first[operation.invoker + 1] - topology->first[operation.invoker];
    for (uint32_t bit = 0; bit < degree && bit < 64; bit++) {
        operation.members |= (uint64_t)(base_random_unit(random) < share) << bit;
    }
    return operation;
}

// Compares the spheres at some instants. Notes the largest numbers found.
static void compare(const struct ek_topology *topology, uint64_t seed, unsigned *spheres, unsigned *largest)
{
    struct core_operation operation[OPERATIONS];
    const struct core_operation *pointer[OPERATIONS];
    struct core_spheres work;
    struct base_random random = base_random_start(seed, 0, BASE_STREAM_LOAD);
    unsigned count = (unsigned)base_random_below(&random, OPERATIONS + 1);
    double share = base_random_unit(&random);
    for (unsigned i = 0; i < count; i++) {
        operation[i] = draw_operation(&random, topology, share * share);
        pointer[i] = &operation[i];
    }
    struct base_arena memory = {.count = 0};
    core_spheres_plan(&work, topology->processors, &memory);
    cr_assert(base_arena_take(&memory));
    for (unsigned i = 0; i < 12; i++) {
        // These include instants at which an operation begins or ends.
        uint64_t t =
            i < count && i < 8 ? i % 2 ? operation[i].begin : operation[i].end : base_random_below(&random, 1200);
        struct list found = {.count = 0}, wanted = {.count = 0};
        core_spheres_at(&work, pointer, count, topology, t, append, &found);
        search(topology, operation, count, t, &wanted);
        qsort(found.sphere, found.count, sizeof *found.sphere, by_all);
        qsort(wanted.sphere, wanted.count, sizeof *wanted.sphere, by_all);
        cr_assert_eq(found.count, wanted.count, "%s, seed %u: %u spheres, not %u", topology->spec, (unsigned)seed,
                     found.count, wanted.count);
        for (unsigned k = 0; k < found.count; k++) {
            cr_assert_eq(by_all(&found.sphere[k], &wanted.sphere[k]), 0, "%s, seed %u: %u operations on %u processors",
                         topology->spec, (unsigned)seed, found.sphere[k].operations, found.sphere[k].processors);
            *largest = found.sphere[k].operations > *largest ? found.sphere[k].operations : *largest;
        }
        *spheres = found.count > *spheres ? found.count : *spheres;
    }
    base_arena_destroy(&memory);
}

Test(spheres, are_those_of_the_graph_of_all_pairs)
{
    static const char *const specs[] = {"chain:2",     "ring:40",     "torus:6x6", "mesh:3x4x3", "hypercube:5",
                                        "complete:70", "random:50:4", "star:100",  "star:66",    "star:65"};
    unsigned spheres = 0, largest = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        for (uint64_t seed = 0; seed < 25; seed++) {
            compare(topology, seed, &spheres, &largest);
        }
        ek_topology_destroy(topology);
    }
    cr_expect_gt(spheres, 5, "never many spheres at an instant");
    cr_expect_gt(largest, 8, "never a large sphere");
}

// A report whose fields have no useful value yet.
static struct ek_free_report blank(void)
{
    struct ek_free_report report;
    memset(&report, 0xA5, sizeof report);
    return report;
}

static void add(struct watch_operation_log *log, unsigned worker, uint64_t begin, uint64_t end, uint32_t invoker,
                uint64_t members)
{
    watch_operation_log_add(
        log, worker, &(struct core_operation){.begin = begin, .end = end, .invoker = invoker, .members = members});
}

static void create_log(struct watch_operation_log *log, unsigned workers, uint64_t records,
                       const struct ek_topology *topology, struct base_arena *memory)
{
    *memory = (struct base_arena){.count = 0};
    watch_operation_log_plan(log, workers, records, topology, memory);
    cr_assert(base_arena_take(memory));
    watch_operation_log_begin(log);
}

Test(operation_log, shows_what_is_open)
{
    // Two operations share a processor during the whole run. A third one stays away from them during its second
    // half.
    struct ek_topology *topology = must_build("ring:12");
    struct watch_operation_log logged, *log = &logged;
    struct base_arena memory;
    create_log(log, 3, 300, topology, &memory);
    add(log, 0, 1000, 9000, 3, 3);
    add(log, 1, 2000, 9500, 5, 3);
    add(log, 2, 6000, 9999, 9, 1);
    struct ek_free_report report = blank();
    watch_operation_log_spheres(log, 3000, 9000, 1, &report);
    cr_expect_eq(report.logged, 3);
    cr_expect_eq(report.log_lost, 0);
    cr_expect_eq(report.spheres_sampled, WATCH_OPERATION_LOG_INSTANTS);
    cr_expect_eq(report.spheres, 1.5, "half of the instants are after 6000, in spite of jitter: %g", report.spheres);
    cr_expect_eq(report.sphere_operations.count, 384);
    cr_expect_eq(report.sphere_operations.mean, (2 * 256 + 128) / 384.0);
    cr_expect_eq(report.sphere_operations.maximum, 2.0);
    cr_expect_eq(report.sphere_processors.mean, (5 * 256 + 2 * 128) / 384.0);
    cr_expect_eq(report.sphere_processors.median, 5.0);
    cr_expect_float_eq(report.sphere_time.maximum, 8500e-9, 1e-15);
    cr_expect_float_eq(report.sphere_time.mean, (8500e-9 * 256 + 3999e-9 * 128) / 384.0, 7e-6 / 128.0);
    base_arena_destroy(&memory);
    ek_topology_destroy(topology);
}

// One worker's log lost the first 34 of 50 short operations, of which one lasted far longer than the others. Another
// worker's log lost none. Until 3500 two operations of the first may have been open at once.
static void lose(const struct ek_topology *topology, unsigned longest)
{
    enum { LOST = 34, ALL = LOST + WATCH_OPERATION_LOG_LEAST };
    struct watch_operation_log logged, *log = &logged;
    struct base_arena memory;
    create_log(log, 2, 2, topology, &memory);
    for (unsigned i = 0; i < ALL; i++) {
        add(log, 0, 100 * i, i == longest ? 3500 : 100 * i + 100, 3, 3);
    }
    add(log, 1, 0, 5000, 9, 0);
    struct ek_free_report report = blank();
    watch_operation_log_spheres(log, 0, 5000, 1, &report);
    cr_expect_eq(report.logged, WATCH_OPERATION_LOG_LEAST + 1);
    cr_expect_eq(report.log_lost, LOST);
    cr_expect_eq(report.spheres_sampled, WATCH_OPERATION_LOG_INSTANTS);
    cr_expect_eq(report.spheres, 2.0, "at each instant there are two, but %g", report.spheres);
    cr_expect_eq(report.sphere_operations.maximum, 1.0);
    cr_expect_eq(report.sphere_processors.maximum, 3.0);
    watch_operation_log_spheres(log, 0, 3500, 1, &report);
    cr_expect_eq(report.spheres_sampled, 0, "%u: nothing before 3500 is whole", longest);
    cr_expect(isnan(report.spheres) && isnan(report.sphere_time.median));
    base_arena_destroy(&memory);
}

Test(operation_log, counts_losses_and_keeps_to_what_is_whole)
{
    struct ek_topology *topology = must_build("ring:12");
    lose(topology, 0);
    lose(topology, 20);
    lose(topology, 33);
    ek_topology_destroy(topology);
}

// Two operations follow each other again and again, and a third one is open all the time. So there are two spheres at
// each instant; from `LAST` on, when the log has been closed, there is nothing.
Test(operation_log, a_list_that_grows_loses_nothing_until_it_is_closed)
{
    enum { MANY = WATCH_OPERATION_LOG_RECORDS + 1000, LAST = 10 * MANY };
    struct ek_topology *topology = must_build("ring:12");
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct watch_operation_log log;
        struct base_arena memory = {.count = 0};
        watch_operation_log_plan_growing(&log, workers, topology, &memory);
        cr_assert(base_arena_take(&memory));
        watch_operation_log_begin(&log);
        for (unsigned i = 0; i < MANY; i++) {
            add(&log, i % workers, 10 * i, 10 * i + 10, i % 2 ? 3 : 9, 3);
        }
        add(&log, 0, 0, LAST, 6, 0);
        watch_operation_log_close(&log, LAST);
        add(&log, 0, LAST, 2 * LAST, 1, 3);
        cr_expect_eq(watch_operation_log_count(&log), MANY + 2);
        struct ek_free_report report = blank();
        watch_operation_log_spheres(&log, 0, 2 * LAST, 1, &report);
        cr_expect_eq(report.logged, MANY + 1);
        cr_expect_eq(report.log_lost, 1);
        cr_expect_eq(report.spheres_sampled, WATCH_OPERATION_LOG_INSTANTS);
        cr_expect_eq(report.spheres, 2.0, "%u workers: %g spheres", workers, report.spheres);
        watch_operation_log_end(&log);
        base_arena_destroy(&memory);
    }
    ek_topology_destroy(topology);
}

Test(operation_log, agrees_with_a_search_over_all_time)
{
    struct ek_topology *topology = must_build("torus:8x8");
    struct watch_operation_log logged, *log = &logged;
    struct base_arena memory;
    create_log(log, 4, WATCH_OPERATION_LOG_RECORDS, topology, &memory);
    struct core_operation operation[OPERATIONS];
    struct base_random random = base_random_start(5, 0, BASE_STREAM_LOAD);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        operation[i] = draw_operation(&random, topology, 0.5);
        watch_operation_log_add(log, i % 4, &operation[i]);
    }
    double spheres = 0.0, operations = 0.0;
    for (uint64_t t = 0; t < 1200; t++) {
        struct list list = {.count = 0};
        search(topology, operation, OPERATIONS, t, &list);
        spheres += list.count;
        for (unsigned i = 0; i < list.count; i++) {
            operations += list.sphere[i].operations;
        }
    }
    struct ek_free_report report = blank();
    watch_operation_log_spheres(log, 0, 1200, 1, &report);
    cr_expect_float_eq(report.spheres, spheres / 1200.0, 0.05 * spheres / 1200.0);
    cr_expect_float_eq(report.sphere_operations.mean, operations / spheres, 0.05 * operations / spheres);
    struct ek_free_report again = blank();
    watch_operation_log_spheres(log, 0, 1200, 1, &again);
    cr_expect_eq(again.spheres, report.spheres, "the same seed, the same instants");
    base_arena_destroy(&memory);
    ek_topology_destroy(topology);
}

Test(operation_log, looks_at_fewer_instants_where_many_domains_are_large)
{
    enum { MANY = 500, SIZE = 66 };
    struct ek_topology *topology = must_build("star:66");
    struct watch_operation_log logged, *log = &logged;
    struct base_arena memory;
    create_log(log, 1, MANY, topology, &memory);
    for (unsigned i = 0; i < MANY; i++) {
        add(log, 0, 0, 1000000, 0, UINT64_MAX);
    }
    struct ek_free_report report = blank();
    watch_operation_log_spheres(log, 0, 1000000, 1, &report);
    cr_expect_eq(report.spheres_sampled, (1 << 22) / (MANY * SIZE));
    cr_expect_eq(report.spheres, 1.0);
    cr_expect_float_eq(report.sphere_operations.median, MANY, MANY / 128.0);
    cr_expect_eq(report.sphere_processors.maximum, SIZE);
    base_arena_destroy(&memory);
    ek_topology_destroy(topology);
}
