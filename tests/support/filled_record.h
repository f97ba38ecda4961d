// SPDX-License-Identifier: MIT
// A record in which every field of a report has a number of its own, to be found under the field's name. The names are
// repeated here, to check the tables of lab/record/fields.c.
#ifndef TESTS_FILLED_RECORD_H
#define TESTS_FILLED_RECORD_H

#include <criterion/criterion.h>

#include <stdlib.h>

#include "lab/record/record.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/api/run.h"

enum kind { WHOLE, UNSIGNED, REAL };

struct named {
    const char *name; // in JSON and CSV
    enum kind kind;
    size_t offset;
};

#define RUN(type, field)                                                                                               \
    {                                                                                                                  \
#field, type, offsetof(struct ek_report, field)                                                                \
    }
#define FAULTS(type, field)                                                                                            \
    {                                                                                                                  \
#field, type, offsetof(struct ek_report, faults.field)                                                         \
    }
#define FREE(type, field)                                                                                              \
    {                                                                                                                  \
        "free." #field, type, offsetof(struct ek_report, free.field)                                                   \
    }
#define QUANTILES(field)                                                                                               \
    FREE(WHOLE, field.count), FREE(REAL, field.mean), FREE(REAL, field.median), FREE(REAL, field.p90),                 \
        FREE(REAL, field.p99), FREE(REAL, field.maximum)
#define EFFECT(field)                                                                                                  \
    RUN(WHOLE, effects.field.count), RUN(REAL, effects.field.before), RUN(REAL, effects.field.after),                  \
        RUN(REAL, effects.field.left), RUN(REAL, effects.field.left_error)
#define INDEXED(type, name, field)                                                                                     \
    {                                                                                                                  \
        "free." name, type, offsetof(struct ek_report, free.field)                                                     \
    }

static const struct named values[] = {
    RUN(WHOLE, seed),
    RUN(WHOLE, operations),
    RUN(REAL, variance_initial),
    RUN(REAL, variance_final),
    RUN(REAL, error_initial),
    RUN(REAL, error_final),
    RUN(REAL, held_final),
    RUN(REAL, mean_final),
    RUN(REAL, factor),
    RUN(REAL, unmet),
    RUN(WHOLE, invocations),
    RUN(REAL, spread_final),
    RUN(REAL, discrepancy_final),
    RUN(REAL, estimate_mean),
    RUN(REAL, estimate_spread),
    RUN(REAL, estimate_error),
    RUN(REAL, minimum),
    RUN(REAL, maximum),
    RUN(REAL, total_initial),
    RUN(REAL, total_final),
    RUN(REAL, generated),
    RUN(REAL, consumed),
    RUN(REAL, in_flight),
    RUN(REAL, minimum_ever),
    RUN(WHOLE, parcels),
    RUN(REAL, moved),
    RUN(REAL, stayed),
    RUN(REAL, flow_l1),
    RUN(REAL, flow_l2),
    RUN(WHOLE, messages),
    RUN(WHOLE, idle),
    RUN(WHOLE, exchange_steps),
    RUN(WHOLE, scan_steps),
    RUN(WHOLE, reduction_steps),
    RUN(REAL, shifts),
    RUN(WHOLE, cycle),
    EFFECT(alone),
    EFFECT(overlapped),
    EFFECT(adjacent),
    EFFECT(one_shared),
    EFFECT(two_shared),
    EFFECT(many),
    RUN(WHOLE, effects.unknown),
    RUN(WHOLE, window_moments),
    RUN(REAL, bound),
    RUN(REAL, variance_mean),
    RUN(REAL, variance_most),
    FAULTS(WHOLE, link_failures),
    FAULTS(WHOLE, processor_failures),
    FAULTS(WHOLE, repairs),
    FAULTS(WHOLE, returned),
    FAULTS(REAL, load_returned),
    RUN(REAL, elapsed_s),
    RUN(UNSIGNED, workers),
    FREE(WHOLE, audits),
    FREE(REAL, audit_interval),
    FREE(REAL, reached_s),
    FREE(REAL, reached_window_s),
    FREE(REAL, reached_operations),
    QUANTILES(latency),
    QUANTILES(operation_time),
    FREE(REAL, longest_wait),
    FREE(WHOLE, refusals),
    FREE(WHOLE, abandoned),
    FREE(WHOLE, engagements),
    FREE(WHOLE, overlaps),
    FREE(WHOLE, overlap_most),
    FREE(REAL, asked),
    FREE(REAL, got),
    FREE(WHOLE, stale),
    QUANTILES(stale_age),
    QUANTILES(announced_age),
    FREE(WHOLE, logged),
    FREE(WHOLE, log_lost),
    FREE(WHOLE, spheres_sampled),
    FREE(REAL, spheres),
    QUANTILES(sphere_operations),
    QUANTILES(sphere_processors),
    QUANTILES(sphere_time),
    QUANTILES(delay_asked),
    QUANTILES(delay_realised),
    FREE(UNSIGNED, mailbox_capacity),
    FREE(WHOLE, depth_most),
    FREE(WHOLE, stalls),
    FREE(WHOLE, turns),
    FREE(WHOLE, empty_turns),
    FREE(WHOLE, sleeps),
    FREE(WHOLE, wakes),
    FREE(WHOLE, switches_voluntary),
    FREE(WHOLE, switches_forced),
    FREE(WHOLE, migrations),
    INDEXED(REAL, "waited.answer", waited[EK_WAIT_ANSWER]),
    INDEXED(REAL, "waited.peer", waited[EK_WAIT_PEER]),
    INDEXED(REAL, "waited.room", waited[EK_WAIT_ROOM]),
    INDEXED(REAL, "waited.turned", waited[EK_WAIT_TURNED]),
    INDEXED(REAL, "waited.idle", waited[EK_WAIT_IDLE]),
    INDEXED(WHOLE, "link_failures", faults.link_failures),
    INDEXED(WHOLE, "processor_failures", faults.processor_failures),
    INDEXED(WHOLE, "repairs", faults.repairs),
    FREE(REAL, fault_lag),
    INDEXED(WHOLE, "returned", faults.returned),
    INDEXED(REAL, "load_returned", faults.load_returned),
    FREE(WHOLE, cycles),
    FREE(WHOLE, instructions),
    FREE(WHOLE, cache_misses),
    FREE(WHOLE, recorder_waits),
    FREE(REAL, recorder_waited),
};
enum { VALUES = sizeof values / sizeof *values };

static const char *const depth_names[EK_DEPTHS] = {"1", "2", "4", "8", "16", "32", "64", "more"};

// The number of field `i` in run `run`. No two fields have the same, and only real fields have a fraction.
static inline double number_of(size_t i, unsigned run)
{
    return 1000.0 * (run + 1) + (double)i + (values[i].kind == REAL ? 0.1 : 0.0);
}

static inline void fill(struct ek_report *report, unsigned run)
{
    *report = (struct ek_report){.converged = true,
                                 .ended = EK_ENDED_CRITERION,
                                 .why = "a \"why\", said",
                                 .has_stayed = true,
                                 .has_scan = true,
                                 .has_discrepancy = true,
                                 .has_estimates = true,
                                 .has_exchange = true,
                                 .has_reduction = true,
                                 .has_shifts = true,
                                 .has_cycle = true,
                                 .has_effects = true,
                                 .has_window = true,
                                 .has_faults = true,
                                 .timed = true,
                                 .free = {.has_counters = true, .has_recorder = true}};
    for (size_t i = 0; i < VALUES; i++) {
        char *place = (char *)report + values[i].offset;
        double number = number_of(i, run);
        if (values[i].kind == WHOLE) {
            *(uint64_t *)place = (uint64_t)number;
        } else if (values[i].kind == UNSIGNED) {
            *(unsigned *)place = (unsigned)number;
        } else {
            *(double *)place = number;
        }
    }
    for (unsigned k = 0; k < EK_DEPTHS; k++) {
        report->free.depth[k] = 500 + k;
    }
}

enum { PROCESSORS = 6, ROWS = 2, LINKS = 2 };

static inline void add_arrays(struct ek_report *report, unsigned run)
{
    report->initial = calloc(PROCESSORS, sizeof *report->initial);
    report->final = calloc(PROCESSORS, sizeof *report->final);
    report->trace = calloc(ROWS, sizeof *report->trace);
    report->free.link = calloc(LINKS, sizeof *report->free.link);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        report->initial[p] = 10.0 * run + p + 0.25;
        report->final[p] = 10.0 * run + p + 0.5;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        double k = 100.0 * run + 10.0 * i;
        report->trace[i] = (struct ek_trace_row){.step = (uint64_t)k + 1,
                                                 .variance = k + 2.5,
                                                 .spread = k + 3.5,
                                                 .minimum = k + 4.5,
                                                 .maximum = k + 5.5,
                                                 .moved = k + 6.5,
                                                 .invokers = (uint64_t)k + 7,
                                                 .time = k + 8.5,
                                                 .in_flight = k + 9.5,
                                                 .error = k + 0.75,
                                                 .mean = k + 1.75,
                                                 .deviation = k + 2.75,
                                                 .normalised_cost = k + 3.75,
                                                 .local_fraction = k + 4.75,
                                                 .invocations = (uint64_t)k + 6};
        report->free.link[i] = (struct ek_link_report){.from = i + 1,
                                                       .to = i + 2,
                                                       .messages = i + 3,
                                                       .stalls = i + 4,
                                                       .depth_most = i + 5,
                                                       .load = i + 6.5,
                                                       .latency = {.count = 7, .p90 = 8.5, .p99 = 9.5}};
    }
    report->trace_count = ROWS;
    report->free.link_count = LINKS;
}

// Makes a record with this many runs, each filled with the numbers.
static inline void begin(struct lab_record *record, unsigned runs)
{
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "torus:3x2",
                                       .method = "adf",
                                       .timing = "free",
                                       .carrier = "pool:1",
                                       .stop = "never",
                                       .seconds_max = 1.0};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert(lab_record_begin(record, machine, "evenkeel run", runs, false, &error));
    ek_machine_destroy(machine);
    for (unsigned run = 0; run < runs; run++) {
        struct ek_report report;
        fill(&report, run);
        add_arrays(&report, run);
        cr_assert(lab_record_add(record, &report, &error));
    }
}

#endif
