// SPDX-License-Identifier: MIT
// Instruments of free timing: histograms beside exact quantiles, the log's losses, spheres beside a search of the graph
// of all pairs of operations, counters of a thread.
#define _GNU_SOURCE // RUSAGE_THREAD
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "threads/watch/counters.h"
#include "threads/watch/histogram.h"
#include "threads/watch/operation_log.h"
#include "base/random.h"

enum { VALUES = 20000, OPERATIONS = 120 };

static int ascending(const void *a, const void *b)
{
    const uint64_t *first = a;
    const uint64_t *second = b;
    return (*first > *second) - (*first < *second);
}

// Log-uniform below 2^bits: every octave is met alike.
static uint64_t draw_value(struct base_random *random, double bits)
{
    return (uint64_t)exp2(bits * base_random_unit(random));
}

Test(histogram, buckets_are_in_order_and_narrow)
{
    uint32_t last = 0;
    uint64_t lowest = 0;
    double widest = 0.0;
    for (uint64_t value = 1; value < UINT64_C(1) << 20; value++) {
        uint32_t bucket = watch_histogram_bucket(value);
        cr_assert(bucket == last || bucket == last + 1, "%llu is in bucket %u after %u", (unsigned long long)value,
                  bucket, last);
        cr_assert(value >= 128 || bucket == value, "%llu has no bucket of its own", (unsigned long long)value);
        lowest = bucket == last ? lowest : value;
        widest = value < 64 ? 0.0 : fmax(widest, (double)(value + 1 - lowest) / (double)lowest);
        last = bucket;
    }
    cr_expect_eq(widest, 1.0 / 64.0, "the widest is %g of its lowest value", widest);
    cr_expect_eq(watch_histogram_bucket((UINT64_C(1) << 40) - 1), WATCH_HISTOGRAM_BUCKETS - 2);
    cr_expect_eq(watch_histogram_bucket(UINT64_C(1) << 40), WATCH_HISTOGRAM_BUCKETS - 1);
    cr_expect_eq(watch_histogram_bucket(UINT64_MAX), WATCH_HISTOGRAM_BUCKETS - 1);
}

Test(histogram, quantiles_are_within_the_bound)
{
    static uint64_t value[VALUES];
    double worst = 0.0;
    for (unsigned trial = 0; trial < 40; trial++) {
        struct base_random random = base_random_start(trial, 0, BASE_STREAM_LOAD);
        size_t count = trial < 8 ? trial + 1 : 1 + base_random_below(&random, VALUES);
        struct watch_histogram histogram = {0};
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            value[i] = draw_value(&random, 1.0 + trial);
            sum += value[i];
            watch_histogram_add(&histogram, value[i]);
        }
        qsort(value, count, sizeof *value, ascending);
        for (unsigned permille = 0; permille <= 1000; permille++) {
            double q = permille / 1000.0;
            double rank = fmax(ceil(q * (double)count), 1.0);
            double exact = (double)value[(size_t)rank - 1];
            double found = watch_histogram_quantile(&histogram, q);
            worst = fmax(worst, exact > 0.0 ? fabs(found / exact - 1.0) : found);
            cr_assert(exact >= 128.0 || found == exact, "%g for %g", found, exact);
            cr_assert_leq(found, (double)value[count - 1]);
        }
        struct ek_quantiles seen = watch_histogram_quantiles(&histogram, 0.5);
        cr_expect_eq(seen.count, count);
        cr_expect_float_eq(seen.mean, 0.5 * ((double)sum / (double)count), 0.5 * (double)sum / (double)count / 128.0);
        cr_expect_eq(seen.maximum, 0.5 * (double)value[count - 1]);
        cr_expect_eq(seen.median, 0.5 * watch_histogram_quantile(&histogram, 0.5));
        cr_expect_eq(seen.p90, 0.5 * watch_histogram_quantile(&histogram, 0.9));
        cr_expect_eq(seen.p99, 0.5 * watch_histogram_quantile(&histogram, 0.99));
    }
    cr_expect_lt(worst, 1.0 / 128.0, "%g", worst);
    cr_expect_gt(worst, 0.9 / 128.0, "so many values come near the bound, but %g", worst);
}

Test(histogram, merged_are_as_one)
{
    enum { WORKERS = 7 };
    static struct watch_histogram worker[WORKERS], whole, merged;
    struct base_random random = base_random_start(1, 0, BASE_STREAM_LOAD);
    for (unsigned i = 0; i < VALUES; i++) {
        uint64_t value = draw_value(&random, 44.0);
        watch_histogram_add(&whole, value);
        watch_histogram_add(&worker[1 + i % (WORKERS - 1)], value); // the first has none
    }
    for (unsigned w = 0; w < WORKERS; w++) {
        watch_histogram_merge(&merged, &worker[w]);
    }
    cr_expect_arr_eq(&merged, &whole, sizeof whole);
}

Test(histogram, says_when_it_is_empty_or_beyond)
{
    static struct watch_histogram empty, beyond;
    struct ek_quantiles none = watch_histogram_quantiles(&empty, 1.0);
    cr_expect(none.count == 0 && isnan(none.mean) && isnan(none.median) && isnan(none.p90) && isnan(none.p99) &&
              isnan(none.maximum));
    watch_histogram_add(&beyond, UINT64_C(1) << 50);
    watch_histogram_add(&beyond, UINT64_C(1) << 45);
    cr_expect_eq(watch_histogram_quantile(&beyond, 0.5), 0x1p50);
}

// Spheres as they were handed over.
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

// The components by their definition: labels go along every pair that shares a processor until nothing changes. Label
// `count` is for operations that are not open.
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

// An operation with each neighbour in it with this probability.
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

static struct ek_topology *create_topology(const char *spec)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, 1, (struct ek_reader){0}, &error);
    cr_assert(topology, "%s: %s", spec, error.sentence);
    return topology;
}

// Compares at some instants; adds to what was seen.
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
        // Also the very instants at which an operation begins and ends.
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
        struct ek_topology *topology = create_topology(specs[i]);
        for (uint64_t seed = 0; seed < 25; seed++) {
            compare(topology, seed, &spheres, &largest);
        }
        ek_topology_destroy(topology);
    }
    cr_expect_gt(spheres, 5, "many at an instant were seen too");
    cr_expect_gt(largest, 8, "and large ones");
}

// A report into which nothing has been put.
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
    // Two that share a processor during a whole run, and one apart from them during its second half.
    struct ek_topology *topology = create_topology("ring:12");
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
    cr_expect_eq(report.spheres, 1.5, "half of the instants are after 6000, also with jitter: %g", report.spheres);
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

// A ring that lost the first 34 of 50 short operations, of which one lasted far longer than those around it; and one
// that lost none. Until 3500 two may have been open at once.
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
    struct ek_topology *topology = create_topology("ring:12");
    lose(topology, 0);
    lose(topology, 20);
    lose(topology, 33);
    ek_topology_destroy(topology);
}

Test(operation_log, agrees_with_a_search_over_all_time)
{
    struct ek_topology *topology = create_topology("torus:8x8");
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
    struct ek_topology *topology = create_topology("star:66");
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

static void nap(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

static struct rusage usage_of_thread(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage;
}

// How often the system has moved this thread, by its own account; 0 where it has none.
static long moves_of_thread(void)
{
    FILE *file = fopen("/proc/thread-self/sched", "r");
    char line[256];
    long moves = 0;
    while (file && fgets(line, sizeof line, file)) {
        (void)sscanf(line, "se.nr_migrations : %ld", &moves);
    }
    if (file) {
        fclose(file);
    }
    return moves;
}

// Whether what was counted is at least what the system counted just inside, and at most what it counted just outside.
static bool between(uint64_t counted, const long inside[2], const long outside[2])
{
    return counted >= (uint64_t)(inside[1] - inside[0]) && counted <= (uint64_t)(outside[1] - outside[0]);
}

Test(counters, count_switches)
{
    uint64_t switches = 0;
    for (unsigned workers = 1; workers < 4096; workers *= 2) {
        struct watch_counters one, total = {0};
        nap(5);
        struct rusage before = usage_of_thread();
        long moves_before = moves_of_thread();
        watch_counters_begin(&one, workers);
        struct rusage first = usage_of_thread();
        long moves_first = moves_of_thread();
        nap(5);
        watch_counters_sample(&one);
        struct rusage last = usage_of_thread();
        long moves_last = moves_of_thread();
        watch_counters_end(&one);
        struct rusage after = usage_of_thread();
        long moves_after = moves_of_thread();
        cr_expect(between(one.voluntary, (const long[]){first.ru_nvcsw, last.ru_nvcsw},
                          (const long[]){before.ru_nvcsw, after.ru_nvcsw}));
        cr_expect(between(one.forced, (const long[]){first.ru_nivcsw, last.ru_nivcsw},
                          (const long[]){before.ru_nivcsw, after.ru_nivcsw}));
        cr_expect(one.sampled ? one.migrations <= 2
                              : between(one.migrations, (const long[]){moves_first, moves_last},
                                        (const long[]){moves_before, moves_after}),
                  "%lu moves", one.migrations);
        cr_expect(!one.has_hardware || (workers <= WATCH_COUNTERS_HARDWARE_MAX && watch_counters_why()[0] == '\0'));
        cr_expect(!one.has_hardware || one.cycles > 0);
        watch_counters_add(&total, &one);
        watch_counters_add(&total, &one);
        cr_expect_eq(total.voluntary, 2 * one.voluntary);
        cr_expect_eq(total.threads, 2);
        cr_expect_eq(total.has_hardware, one.has_hardware);
        switches += total.voluntary + total.forced;
    }
    cr_expect_gt(switches, 0, "there was something to count");
}

Test(counters, a_total_has_what_all_have)
{
    struct watch_counters total = {0};
    watch_counters_add(&total, &(struct watch_counters){.threads = 1, .has_hardware = true, .cycles = 5});
    cr_expect(total.has_hardware);
    watch_counters_add(&total, &(struct watch_counters){.threads = 1});
    cr_expect(!total.has_hardware);
    watch_counters_add(&total, &(struct watch_counters){.threads = 1, .has_hardware = true, .cycles = 5});
    cr_expect(!total.has_hardware);
}

Test(counters, limits_say_why_there_are_none)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    cr_expect_str_eq(limits.counters, watch_counters_why());
    cr_expect_lt(strlen(watch_counters_why()), sizeof limits.counters);
}
