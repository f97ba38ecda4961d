// SPDX-License-Identifier: MIT
#include "lab/studies/schedule_maker.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool lab_explores_machines(const struct ek_experiment *experiment)
{
    return experiment->timing && strcmp(experiment->timing, "virtual") == 0;
}

static void log_write(void *context, const uint8_t *bytes, size_t count)
{
    struct lab_schedule_maker *maker = context;
    sha256_update(&maker->log, count, bytes);
    if (maker->stopped && maker->stopped(maker->context)) {
        ek_interrupt(maker->machine);
    }
}

struct ek_explore_log lab_schedule_maker_log(struct lab_schedule_maker *maker)
{
    return (struct ek_explore_log){.write = log_write, .context = maker};
}

bool lab_schedule_maker_begin(struct lab_schedule_maker *maker, const struct ek_experiment *experiment,
                              const char *strategy, uint64_t turns_most, struct ek_error *error)
{
    struct ek_explore_log log = lab_schedule_maker_log(maker);
    maker->machine = ek_prepare(experiment, error);
    maker->explore = maker->machine ? ek_explore_begin(maker->machine, strategy, turns_most, &log, error) : NULL;
    return maker->explore;
}

void lab_schedule_maker_end(struct lab_schedule_maker *maker)
{
    if (maker->explore) {
        ek_explore_destroy(maker->explore);
    }
    ek_machine_destroy(maker->machine);
    *maker = (struct lab_schedule_maker){0};
}

// Fills the results that a single schedule and all schedules have in common.
static void keep(struct lab_schedule_maker *maker, struct lab_made_schedule *made)
{
    struct ek_explore_met met;
    for (size_t i = 0; i < LAB_EXPLORE_MET_MAX && ek_explore_met(maker->explore, i, &met); i++) {
        made->met[i] = met.times;
    }
    sha256_digest(&maker->log, sizeof made->digest, made->digest);
}

void lab_schedule_make(struct lab_schedule_maker *maker, uint64_t number, struct lab_made_schedule *made,
                       struct ek_error *error)
{
    sha256_init(&maker->log);
    made->how = ek_explore_schedule(maker->explore, number, error);
    made->turns = ek_explore_turns(maker->explore);
    size_t processors = ek_machine_outline(maker->machine)->processors;
    made->end = XXH64(ek_explore_loads(maker->explore), processors * sizeof(double), 0);
    keep(maker, made);
}

void lab_schedule_make_all(struct lab_schedule_maker *maker, struct ek_explore_all *all, struct lab_made_schedule *made,
                           struct ek_error *error)
{
    sha256_init(&maker->log);
    made->how = ek_explore_all(maker->explore, all, error);
    made->turns = all->turns;
    keep(maker, made);
}

// ---- sums ----

void lab_schedule_sum_begin(struct lab_schedule_sum *sum, struct lab_exploration *exploration,
                            const struct lab_schedule_maker *maker)
{
    *sum = (struct lab_schedule_sum){.exploration = exploration};
    sha256_init(&sum->log);
    struct ek_explore_met met;
    while (exploration->met_count < LAB_EXPLORE_MET_MAX &&
           ek_explore_met(maker->explore, exploration->met_count, &met)) {
        met.times = 0;
        exploration->met[exploration->met_count++] = met;
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
    struct lab_exploration *exploration = sum->exploration;
    sha256_update(&sum->log, sizeof made->digest, made->digest);
    for (size_t i = 0; i < exploration->met_count; i++) {
        exploration->met[i].times += made->met[i];
    }
    exploration->cut_first =
        made->how == EK_EXPLORED_CUT && exploration->cut == 0 ? exploration->schedules : exploration->cut_first;
    exploration->cut += made->how == EK_EXPLORED_CUT;
    exploration->turns += made->turns;
    exploration->schedules++;
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
    struct lab_exploration *exploration = sum->exploration;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&sum->log, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(exploration->hash + 2 * i, 3, "%02x", digest[i]);
    }
    for (size_t i = 0; i < exploration->met_count; i++) {
        exploration->reached += exploration->met[i].times > 0;
    }
    exploration->ends = count_ends(sum);
    free(sum->end);
    sum->end = NULL;
}
