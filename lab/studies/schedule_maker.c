// SPDX-License-Identifier: MIT
// Explorers, and sums of what they make.
#include "lab/studies/schedule_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static void log_write(void *context, const uint8_t *bytes, size_t count)
{
    struct lab_schedule_maker *explorer = context;
    sha256_update(&explorer->log, count, bytes);
    if (explorer->stopped && explorer->stopped(explorer->context)) {
        ek_interrupt(explorer->machine);
    }
}

struct ek_explore_log lab_schedule_maker_log(struct lab_schedule_maker *explorer)
{
    return (struct ek_explore_log){.write = log_write, .context = explorer};
}

bool lab_schedule_maker_begin(struct lab_schedule_maker *explorer, const struct ek_experiment *experiment,
                              const char *strategy, uint64_t turns_most, struct ek_error *error)
{
    struct ek_explore_log log = lab_schedule_maker_log(explorer);
    explorer->machine = ek_prepare(experiment, error);
    explorer->explore =
        explorer->machine ? ek_explore_begin(explorer->machine, strategy, turns_most, &log, error) : NULL;
    return explorer->explore;
}

void lab_schedule_maker_end(struct lab_schedule_maker *explorer)
{
    if (explorer->explore) {
        ek_explore_destroy(explorer->explore);
    }
    if (explorer->machine) {
        ek_machine_destroy(explorer->machine);
    }
    *explorer = (struct lab_schedule_maker){0};
}

// What is kept of what was made.
static void keep(struct lab_schedule_maker *explorer, struct lab_made_schedule *made)
{
    struct ek_explore_met met;
    for (size_t i = 0; i < LAB_EXPLORE_MET_MAX && ek_explore_met(explorer->explore, i, &met); i++) {
        made->met[i] = met.times;
    }
    sha256_digest(&explorer->log, sizeof made->digest, made->digest);
}

void lab_schedule_make(struct lab_schedule_maker *explorer, uint64_t number, struct lab_made_schedule *made,
                       struct ek_error *error)
{
    sha256_init(&explorer->log);
    made->how = ek_explore_schedule(explorer->explore, number, error);
    made->turns = ek_explore_turns(explorer->explore);
    size_t processors = ek_machine_topology(explorer->machine)->processors;
    made->end = XXH64(ek_explore_loads(explorer->explore), processors * sizeof(double), 0);
    keep(explorer, made);
}

void lab_schedule_make_all(struct lab_schedule_maker *explorer, struct ek_explore_all *all,
                           struct lab_made_schedule *made, struct ek_error *error)
{
    sha256_init(&explorer->log);
    made->how = ek_explore_all(explorer->explore, all, error);
    made->turns = all->turns;
    keep(explorer, made);
}

// ---- sums ----

void lab_schedule_sum_begin(struct lab_schedule_sum *sum, struct lab_exploration *explored,
                            const struct lab_schedule_maker *explorer)
{
    *sum = (struct lab_schedule_sum){.explored = explored};
    sha256_init(&sum->log);
    struct ek_explore_met met;
    while (explored->met_count < LAB_EXPLORE_MET_MAX && ek_explore_met(explorer->explore, explored->met_count, &met)) {
        met.times = 0;
        explored->met[explored->met_count++] = met;
    }
}

static bool keep_end(struct lab_schedule_sum *sum, uint64_t end)
{
    if (sum->ends == sum->size) {
        size_t size = 2 * sum->size + 1024;
        uint64_t *more = realloc(sum->end, size * sizeof *more);
        if (!more) {
            return false;
        }
        sum->end = more;
        sum->size = size;
    }
    sum->end[sum->ends++] = end;
    return true;
}

bool lab_schedule_sum_add(struct lab_schedule_sum *sum, const struct lab_made_schedule *made)
{
    struct lab_exploration *explored = sum->explored;
    sha256_update(&sum->log, sizeof made->digest, made->digest);
    for (size_t i = 0; i < explored->met_count; i++) {
        explored->met[i].times += made->met[i];
    }
    explored->cut_first =
        made->how == EK_EXPLORED_CUT && explored->cut == 0 ? explored->schedules : explored->cut_first;
    explored->cut += made->how == EK_EXPLORED_CUT;
    explored->turns += made->turns;
    explored->schedules++;
    return made->how == EK_EXPLORED_FAILS || keep_end(sum, made->end);
}

static int by_value(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static uint64_t count_ends(struct lab_schedule_sum *sum)
{
    uint64_t count = 0;
    if (sum->ends > 0) { // else there is no array
        qsort(sum->end, sum->ends, sizeof *sum->end, by_value);
    }
    for (size_t i = 0; i < sum->ends; i++) {
        count += i == 0 || sum->end[i] != sum->end[i - 1];
    }
    return count;
}

void lab_schedule_sum_end(struct lab_schedule_sum *sum)
{
    struct lab_exploration *explored = sum->explored;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&sum->log, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(explored->hash + 2 * i, 3, "%02x", digest[i]);
    }
    for (size_t i = 0; i < explored->met_count; i++) {
        explored->reached += explored->met[i].times > 0;
    }
    explored->ends = count_ends(sum);
    free(sum->end);
    sum->end = NULL;
}
