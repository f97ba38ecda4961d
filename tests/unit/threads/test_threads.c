// SPDX-License-Identifier: MIT
// The parts of threads/ that can be seen without a race: blocks, specs of carriers, lists, limits, a mailbox by one
// hand, reports.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/runs.h"
#include "threads/machine/carrier.h"
#include "threads/machine/machine.h"
#include "threads/mail/mailbox.h"
#include "threads/host/places.h"
#include "threads/host/workers.h"

Test(carriers, cut_blocks_that_cover_all)
{
    for (uint32_t processors = 1; processors < 5000; processors = processors * 5 / 4 + 1) {
        for (unsigned workers = 1; workers <= processors && workers < 40; workers++) {
            cr_assert_eq(machine_carrier_begin(processors, workers, 0), 0);
            cr_assert_eq(machine_carrier_begin(processors, workers, workers), processors);
            for (unsigned w = 0; w < workers; w++) {
                cr_assert(machine_carrier_begin(processors, workers, w) <
                              machine_carrier_begin(processors, workers, w + 1),
                          "%u processors, %u workers: block %u is empty", processors, workers, w);
            }
        }
    }
}

Test(carriers, read_their_specs)
{
    const struct machine_carrier *carrier;
    unsigned asked;
    struct ek_error error;
    cr_assert(machine_carrier_parse("threads", &carrier, &asked, &error) && carrier == &machine_carrier_threads &&
              asked == 0);
    cr_assert(machine_carrier_parse("pool", &carrier, &asked, &error) && carrier == &machine_carrier_pool &&
              asked == 0);
    cr_assert(machine_carrier_parse("pool:3", &carrier, &asked, &error) && asked == 3);
    cr_assert_eq(machine_carrier_threads.workers(64, 512, 2, 0), 64);
    cr_assert_eq(machine_carrier_pool.workers(64, 512, 2, 3), 3);
    cr_assert_eq(machine_carrier_pool.workers(2, 512, 2, 3), 2);
    cr_assert_eq(machine_carrier_pool.workers(511, 512, 4, 0), 1);
    cr_assert_eq(machine_carrier_pool.workers(512, 512, 4, 0), 4);
    cr_assert_eq(machine_carrier_pool.workers(100000, UINT32_MAX, 4, 0), 1);
}

// How many workers a pool takes that is not told: one, or as many as there are cores.
static void expect_shared(const char *topology, const char *method, const char *units, const char *timing, bool shared)
{
    struct ek_experiment experiment = {
        .topology = topology, .method = method, .units = units, .timing = timing, .carrier = "pool"};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_expect_eq(machine->workers, shared ? machine_places_count(machine->places) : 1, "%s %s %s on %s: %u", method,
                 units, timing, topology, machine->workers);
    ek_machine_destroy(machine);
}

Test(carriers, a_pool_shares_what_takes_less_time_shared)
{
    expect_shared("ring:3071", "adf", "real", "rounds", false);
    expect_shared("ring:3072", "adf", "real", "rounds", true);
    expect_shared("ring:511", "adf", "tokens", "rounds", false);
    expect_shared("ring:512", "adf", "tokens", "rounds", true);
    expect_shared("ring:512", "sos", "real", "rounds", true);
    expect_shared("ring:9000", "adf", "real", "turns", false);
    expect_shared("ring:9000", "adf", "real", "turns:random", false);
    expect_shared("ring:63", "adf", "real", "free", false);
    expect_shared("ring:64", "adf", "real", "free", true);
}

static size_t count_choices(const char *option)
{
    const struct ek_axis *axis = ek_axis_named(option);
    size_t count = 0;
    for (; ek_axis_choice(axis, count); count++) {
        const struct ek_choice *choice = ek_axis_choice(axis, count);
        cr_assert(choice->form && *choice->form && choice->summary && *choice->summary, "%s %zu", option, count);
    }
    return count;
}

Test(choices, are_listed_by_axis)
{
    cr_assert_eq(count_choices("load"), 9);
    cr_assert_eq(count_choices("stop"), 6);
    cr_assert_eq(count_choices("carrier"), 3);
    cr_assert_eq(count_choices("mailbox"), 4);
    cr_assert_eq(count_choices("barrier"), 5);
    cr_assert_eq(count_choices("seed"), 0, "an axis of numbers");
}

static void expect_filled_and_emptied(struct mail_boxes *boxes, uint32_t from, unsigned count)
{
    const struct mail_kind *kind = boxes->kind;
    const char *name = kind->choice.form;
    uint32_t to = boxes->twin[from];
    struct mail_message message;
    cr_assert_eq(kind->room(boxes, from), boxes->capacity, "%s of %u", name, boxes->capacity);
    for (unsigned k = 0; k < count; k++) {
        kind->put(boxes, from, (struct mail_message){100.0 * from + k, k + 1u});
        cr_assert_eq(kind->room(boxes, from), boxes->capacity - k - 1);
        cr_assert_eq(kind->waiting(boxes, to), k + 1);
    }
    cr_assert_eq(kind->waiting(boxes, from), 0, "%s: another port's message", name);
    for (unsigned k = 0; k < count; k++) {
        kind->take(boxes, to, &message);
        cr_assert(message.amount == 100.0 * from + k && message.stamp == k + 1u, "%s: out of order", name);
        cr_assert_eq(kind->waiting(boxes, to), count - k - 1);
        cr_assert_eq(kind->room(boxes, from), boxes->capacity - count + k + 1);
    }
}

// First in, first out, each port for itself; each end knows how many places and messages there are.
Test(mailboxes, keep_order_and_bounds)
{
    static const uint32_t twins[] = {1, 2, 0}; // what is put at a port is taken at the next
    const struct mail_kind *kind;
    for (size_t i = 0; (kind = mail_kind_at(i)) != NULL; i++) {
        for (unsigned capacity = 1; kind->put && capacity <= 5; capacity++) {
            struct base_arena memory = {.count = 0};
            struct mail_boxes boxes = {
                .kind = kind, .count = 3, .twin = twins, .capacity = capacity, .apart = capacity % 2};
            mail_boxes_plan(&boxes, &memory);
            cr_assert(base_arena_take(&memory) && mail_boxes_begin(&boxes));
            for (unsigned round = 0; round < 20; round++) {
                expect_filled_and_emptied(&boxes, round % 3, 1 + round % capacity);
            }
            kind->put(&boxes, 1, (struct mail_message){1.0, 1}); // what is left inside is freed
            mail_boxes_end(&boxes);
            base_arena_destroy(&memory);
        }
    }
}

// Where there was no memory for them, they end all the same.
Test(mailboxes, end_where_they_have_not_begun)
{
    static const uint32_t twins[] = {1, 0};
    const struct mail_kind *kind;
    for (size_t i = 0; (kind = mail_kind_at(i)) != NULL; i++) {
        struct base_arena memory = {.count = 0};
        struct mail_boxes boxes = {.kind = kind, .count = 2, .twin = twins, .capacity = 1};
        mail_boxes_plan(&boxes, &memory);
        mail_boxes_end(&boxes);
        cr_assert(base_arena_take(&memory) && mail_boxes_begin(&boxes));
        mail_boxes_end(&boxes);
        mail_boxes_end(&boxes); // twice is as good as once
        base_arena_destroy(&memory);
    }
}

Test(limits, are_sane)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    cr_assert(limits.cores >= 1 && limits.cores <= limits.cores_total);
    cr_assert(limits.memory_free <= limits.memory_total);
    cr_assert(limits.memory_total == 0 || limits.memory_total > 1u << 24);
    cr_assert(limits.threads_max == 0 || limits.threads_bound[0]);
    cr_assert_lt(strlen(limits.processor), sizeof limits.processor);
    struct machine_places *places = machine_places_find();
    cr_assert_eq(machine_places_count(places), limits.cores);
    machine_places_destroy(places);
    cr_assert_eq(machine_places_count(NULL), 1);
}

Test(limits, more_threads_than_the_system_gives_are_refused)
{
    struct ek_limits limits;
    struct ek_error error;
    ek_limits_read(&limits);
    cr_assert(machine_workers_possible(1, &error));
    if (limits.threads_max > 0 && limits.threads_max < 50000000) {
        cr_assert_not(machine_workers_possible((unsigned)limits.threads_max + 100000, &error));
        cr_assert_eq(error.status, EK_BAD_INPUT);
        cr_assert(strstr(error.sentence, "pool"), "%s", error.sentence); // what to do
    }
}

Test(reports, say_who_carried_the_processors)
{
    static const struct {
        const char *carrier, *barrier;
        unsigned workers;
    } cases[] = {{"threads", "sleep", 9},
                 {"pool:2", "spin", 2},
                 {"pool:3", "yield", 3},
                 {"pool:1", "pthread", 1},
                 {"pool:64", "sleep", 9}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tests_outcome outcome;
        tests_try(
            &(struct ek_experiment){.topology = "torus:3x3", .carrier = cases[i].carrier, .barrier = cases[i].barrier},
            0, &outcome);
        cr_assert_eq(outcome.status, EK_OK);
        cr_assert_eq(outcome.report.workers, cases[i].workers);
        cr_assert(outcome.report.elapsed_s >= 0.0 && !outcome.report.final && !outcome.report.trace);
        tests_outcome_destroy(&outcome);
    }
}

// A ring of three, one operation of alpha = 1/4, by hand.
Test(reports, count_what_happened)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "ring:3",
                                      .method = "diffusion:0.25",
                                      .load = "list:8,0,4",
                                      .stop = "never",
                                      .units = "tokens",
                                      .operations_max = 1,
                                      .keep_loads = true},
              0, &outcome);
    const struct ek_report *report = &outcome.report;
    cr_assert_eq(outcome.status, EK_OK);
    cr_assert(report->final[0] == 5 && report->final[1] == 3 && report->final[2] == 4);
    cr_assert(report->initial[0] == 8 && report->initial[1] == 0 && report->initial[2] == 4);
    cr_assert(report->operations == 1 && report->steps == 1 && report->idle == 0);
    cr_assert(report->parcels == 3 && report->messages == 9 && report->moved == 4);
    cr_assert(report->has_stayed && report->stayed == 8);
    cr_assert(report->flow_l1 == 4 && fabs(report->flow_l2 - sqrt(6)) < 1e-15);
    cr_assert(report->total_initial == 12 && report->total_final == 12 && report->minimum_ever == 0);
    cr_assert(report->variance_initial == 32 && report->variance_final == 2 && report->spread_final == 2);
    cr_assert(report->minimum == 3 && report->maximum == 5 && report->seed == 0);
    tests_outcome_destroy(&outcome);
}

Test(reports, know_the_machine)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "chain:4", .method = "gde:0.72"}, 0, &outcome);
    cr_assert_eq(ek_machine_topology(outcome.machine)->processors, 4);
    cr_assert_str_eq(ek_machine_method(outcome.machine)->name, "gde");
    cr_assert_eq(ek_machine_parameter(outcome.machine), 0.72);
    tests_outcome_destroy(&outcome);
}
