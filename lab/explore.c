// SPDX-License-Identifier: MIT
// Exploring an experiment.
#include "lab/explore.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "lab/fail.h"
#include "lab/recording.h"
#include "lab/shrink.h"

struct exploring {
    const struct lab_explore_order *order;
    struct lab_explored *explored;
    struct ek_machine *machine;
    struct ek_explore *explore;
    struct sha256_ctx hash;
    struct timespec began;
    double told_s; // progress
    uint64_t *end; // [ends]: a hash of the final loads of each schedule
    size_t ends, ends_size;
};

static double elapsed(const struct exploring *exploring)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - exploring->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - exploring->began.tv_nsec);
}

static bool is_late(const struct exploring *exploring)
{
    const struct lab_explore_order *order = exploring->order;
    return (order->stopped && order->stopped()) || (order->seconds > 0.0 && elapsed(exploring) >= order->seconds);
}

// The log, as it grows. All schedules of a machine are one call, which nothing else can end.
static void log_write(void *context, const uint8_t *bytes, size_t count)
{
    struct exploring *exploring = context;
    sha256_update(&exploring->hash, count, bytes);
    if (exploring->explored->exhaustive && is_late(exploring)) {
        ek_interrupt(exploring->machine);
    }
}

static void finish_hash(struct exploring *exploring)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&exploring->hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(exploring->explored->hash + 2 * i, 3, "%02x", digest[i]);
    }
}

static bool keep_end(struct exploring *exploring)
{
    if (exploring->ends == exploring->ends_size) {
        size_t size = 2 * exploring->ends_size + 1024;
        uint64_t *more = realloc(exploring->end, size * sizeof *more);
        if (!more) {
            return false;
        }
        exploring->end = more;
        exploring->ends_size = size;
    }
    size_t processors = ek_machine_topology(exploring->machine)->processors;
    exploring->end[exploring->ends++] = XXH64(ek_explore_loads(exploring->explore), processors * sizeof(double), 0);
    return true;
}

static int by_value(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static uint64_t count_ends(struct exploring *exploring)
{
    uint64_t count = 0;
    if (exploring->ends > 0) { // else there is no array
        qsort(exploring->end, exploring->ends, sizeof *exploring->end, by_value);
    }
    for (size_t i = 0; i < exploring->ends; i++) {
        count += i == 0 || exploring->end[i] != exploring->end[i - 1];
    }
    return count;
}

static void show_progress(struct exploring *exploring)
{
    static const double EVERY_S = 0.1;
    const struct lab_explore_order *order = exploring->order;
    double now_s = elapsed(exploring);
    if (order->progress && now_s - exploring->told_s >= EVERY_S) {
        exploring->told_s = now_s;
        order->progress(order->context, exploring->explored->schedules, exploring->explored->turns, now_s);
    }
}

// One schedule after the other. What the last one came to.
static enum ek_explored make_schedules(struct exploring *exploring, struct ek_error *error)
{
    struct lab_explored *explored = exploring->explored;
    while (explored->schedules < exploring->order->schedules && !is_late(exploring)) {
        enum ek_explored how = ek_explore_schedule(exploring->explore, explored->schedules, error);
        if (how == EK_EXPLORED_REFUSED) {
            return how;
        }
        explored->schedules++;
        explored->turns += ek_explore_turns(exploring->explore);
        explored->cut += how == EK_EXPLORED_CUT;
        if (how == EK_EXPLORED_FAILS) {
            explored->failure.schedule = explored->schedules - 1;
            return how;
        }
        if (!keep_end(exploring)) {
            lab_fail(error, "there is no memory for so many schedules: ask for fewer");
            return EK_EXPLORED_REFUSED;
        }
        show_progress(exploring);
    }
    return EK_EXPLORED_ENDS;
}

static enum ek_explored make_all(struct exploring *exploring, struct ek_error *error)
{
    struct lab_explored *explored = exploring->explored;
    enum ek_explored how = ek_explore_all(exploring->explore, &explored->all, error);
    explored->turns = explored->all.turns;
    explored->ends = explored->all.ends;
    return how;
}

static void list_met(struct exploring *exploring)
{
    struct lab_explored *explored = exploring->explored;
    while (explored->met_count < LAB_EXPLORE_MET_MAX &&
           ek_explore_met(exploring->explore, explored->met_count, &explored->met[explored->met_count])) {
        explored->reached += explored->met[explored->met_count].times > 0;
        explored->met_count++;
    }
}

// ---- what fails ----

// Makes the schedule once more on a machine that is recorded, up to its report.
static bool make_recorded(const struct lab_shrunk *shrunk, uint64_t turns_most, struct ek_machine *machine,
                          const char *command, struct lab_record *record, struct ek_error *error)
{
    struct ek_explore *explore = ek_explore_begin(machine, "round-robin", turns_most, NULL, error);
    if (!explore) {
        return false;
    }
    struct ek_report report;
    struct ek_error violation;
    ek_explore_follow(explore, shrunk->step, shrunk->count, &violation);
    ek_explore_report(explore, &report, &violation);
    ek_explore_destroy(explore);
    if (!lab_record_begin(record, machine, command, 1, false, error)) {
        ek_report_destroy(&report);
        return false;
    }
    if (!lab_record_add(record, &report, error)) {
        ek_report_destroy(&report);
        lab_record_destroy(record);
        return false;
    }
    return true;
}

static bool record(const struct exploring *exploring, const struct lab_shrunk *shrunk, struct ek_error *error)
{
    const struct lab_explore_order *order = exploring->order;
    struct ek_experiment experiment = shrunk->experiment;
    experiment.keep_loads = true;
    struct lab_recording *recording = lab_recording_create(order->recording, order->command, &experiment, error);
    if (!recording) {
        return false;
    }
    struct lab_record made = {0};
    struct ek_machine *machine = ek_prepare(&experiment, error);
    bool good = machine && lab_recording_begin(recording, machine, error) &&
                make_recorded(shrunk, order->turns_most, machine, order->command, &made, error);
    struct ek_error other = {.at = -1};
    if (!lab_recording_end(recording, good ? &made : NULL, &other) && good) {
        *error = other;
        good = false;
    }
    if (made.count > 0) {
        lab_record_destroy(&made);
    }
    if (machine) {
        ek_machine_destroy(machine);
    }
    return good;
}

// Makes what failed small, and records it.
static bool pursue(struct exploring *exploring, const struct ek_error *what, struct ek_error *error)
{
    struct lab_explored *explored = exploring->explored;
    struct lab_explore_failure *failure = &explored->failure;
    struct lab_shrunk shrunk = {
        .experiment = exploring->order->experiment, .turns = ek_explore_turns(exploring->explore), .what = *what};
    const struct ek_scheduled *step = ek_explore_steps(exploring->explore, &shrunk.count);
    explored->failed = true;
    failure->what = *what;
    failure->turns = shrunk.turns;
    shrunk.step = malloc((shrunk.count + 1) * sizeof *shrunk.step);
    if (!shrunk.step) {
        return lab_fail(error, "there is no memory to make the schedule smaller: %.300s", what->sentence);
    }
    memcpy(shrunk.step, step, shrunk.count * sizeof *shrunk.step);
    lab_shrink(&shrunk, exploring->order->strategy, exploring->order->turns_most);
    failure->topology = shrunk.topology;
    failure->load = shrunk.load;
    failure->small_turns = shrunk.turns;
    failure->small_what = shrunk.what;
    failure->tried = shrunk.tried;
    failure->recorded = record(exploring, &shrunk, &failure->unrecorded);
    free(shrunk.step);
    return true;
}

static enum ek_status explore(struct exploring *exploring, struct ek_error *error)
{
    struct lab_explored *explored = exploring->explored;
    explored->exhaustive = strncmp(exploring->order->strategy, "exhaustive", strlen("exhaustive")) == 0;
    enum ek_explored how = explored->exhaustive ? make_all(exploring, error) : make_schedules(exploring, error);
    explored->elapsed_s = elapsed(exploring);
    if (how == EK_EXPLORED_REFUSED) {
        return EK_BAD_INPUT;
    }
    finish_hash(exploring);
    list_met(exploring);
    explored->ends = explored->exhaustive ? explored->ends : count_ends(exploring);
    if (how == EK_EXPLORED_FAILS) {
        struct ek_error what = *error;
        return pursue(exploring, &what, error) ? EK_VIOLATION : EK_BAD_INPUT;
    }
    return exploring->order->stopped && exploring->order->stopped() ? EK_UNREACHED : EK_OK;
}

enum ek_status lab_explore(const struct lab_explore_order *order, struct lab_explored *explored, struct ek_error *error)
{
    struct exploring exploring = {.order = order, .explored = explored};
    struct ek_explore_log log = {.write = log_write, .context = &exploring};
    *explored = (struct lab_explored){0};
    clock_gettime(CLOCK_MONOTONIC, &exploring.began);
    sha256_init(&exploring.hash);
    exploring.machine = ek_prepare(&order->experiment, error);
    exploring.explore =
        exploring.machine ? ek_explore_begin(exploring.machine, order->strategy, order->turns_most, &log, error) : NULL;
    enum ek_status status = exploring.explore ? explore(&exploring, error) : EK_BAD_INPUT;
    if (exploring.explore) {
        ek_explore_destroy(exploring.explore);
    }
    if (exploring.machine) {
        ek_machine_destroy(exploring.machine);
    }
    free(exploring.end);
    return status;
}

void lab_explored_destroy(struct lab_explored *explored)
{
    free(explored->failure.topology);
    free(explored->failure.load);
}
