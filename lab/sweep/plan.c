// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // MAP_ANONYMOUS, which POSIX does not have yet
#include "lab/sweep/plan.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/grow.h"

enum { PREDICTING = 64 }; // the number of experiments that are measured first

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory to plan so many runs: divide them into several sweeps");
}

static bool measures_time(const struct lab_experiment_spec *spec)
{
    return ek_timing_named(lab_experiment_spec_axis(spec, "timing")) == EK_IN_FREE;
}

// In rounds every carrier gives the same result bit by bit, and one worker thread costs least.
struct lab_experiment_spec lab_plan_experiment(const struct lab_plan *plan, size_t index)
{
    struct lab_experiment_spec spec = lab_grid_experiment(plan->experiment[index].grid, plan->experiment[index].index);
    size_t carrier = lab_axis_index("carrier");
    if (!spec.text[carrier] && !measures_time(&spec)) {
        spec.text[carrier] = "pool:1";
    }
    return spec;
}

// Returns whether a run needs several cores, or measures time.
static bool is_alone(const struct lab_experiment_spec *spec)
{
    const char *carrier = lab_experiment_spec_axis(spec, "carrier");
    return measures_time(spec) || !carrier || strcmp(carrier, "pool:1") != 0;
}

// Lists all experiments. An experiment whose key cannot be found, because its file cannot be read, is refused.
static bool take_experiments(struct lab_plan *plan, const struct lab_plan_request *request, struct ek_error *error)
{
    for (size_t g = 0; g < request->count; g++) {
        plan->experiments += request->grids[g].experiments;
    }
    if (plan->experiments > LAB_EXPERIMENTS_MAX) {
        return base_refuse(error, "this has more than %d combinations: divide it into several sweeps",
                           LAB_EXPERIMENTS_MAX);
    }
    plan->experiment = calloc(plan->experiments, sizeof *plan->experiment);
    void *shared = mmap(NULL, plan->experiments * sizeof *plan->outcome, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); // most of it is never touched
    plan->outcome = shared != MAP_FAILED ? shared : NULL;
    plan->expected_s = calloc(plan->experiments, sizeof *plan->expected_s);
    if (!plan->experiment || !plan->outcome || !plan->expected_s) {
        return no_memory(error);
    }
    size_t c = 0;
    for (size_t g = 0; g < request->count; g++) {
        for (size_t i = 0; i < request->grids[g].experiments; i++, c++) {
            plan->experiment[c] = (struct lab_planned_experiment){.grid = &request->grids[g], .index = i};
            struct lab_experiment_spec spec = lab_plan_experiment(plan, c);
            plan->experiment[c].alone = is_alone(&spec);
            struct ek_error refusal;
            errno = 0;
            if (!lab_experiment_spec_key(&spec, request->reader, plan->experiment[c].key, &refusal)) {
                if (errno == ENOMEM) {
                    return no_memory(error);
                }
                snprintf(plan->outcome[c].why, sizeof plan->outcome[c].why, "%s", refusal.sentence);
                plan->experiment[c].key[0] = '\0';
            }
        }
    }
    return true;
}

static int compare_keys(const void *one, const void *other)
{
    const struct lab_planned_experiment *const *a = one, *const *b = other;
    return strcmp((*a)->key, (*b)->key);
}

// Gives each experiment the parts that any grid with this experiment keeps.
static bool unite_parts(struct lab_plan *plan, struct ek_error *error)
{
    struct lab_planned_experiment **sorted = malloc((plan->experiments + 1) * sizeof(*sorted));
    if (!sorted) {
        return no_memory(error);
    }
    for (size_t c = 0; c < plan->experiments; c++) {
        sorted[c] = &plan->experiment[c];
    }
    qsort(sorted, plan->experiments, sizeof(*sorted), compare_keys);
    for (size_t from = 0, to; from < plan->experiments; from = to) {
        unsigned parts = 0;
        for (to = from; to < plan->experiments && strcmp(sorted[from]->key, sorted[to]->key) == 0; to++) {
            parts |= sorted[to]->grid->parts;
        }
        parts &= parts & LAB_KEEP_RECORD ? LAB_KEEP_EXTRACT - 1U : UINT_MAX; // a record has all fields of an extract
        for (size_t c = from; c < to; c++) {
            sorted[c]->parts = parts;
        }
    }
    free(sorted);
    return true;
}

// Counts a run, and appends it to the tasks if it is to be made.
static bool take_run(struct lab_plan *plan, const struct lab_plan_request *request, struct lab_store *store,
                     struct lab_task task, size_t *tasks, struct ek_error *error)
{
    const struct lab_planned_experiment *planned = &plan->experiment[task.experiment];
    plan->runs++;
    if (!*planned->key) {
        plan->outcome[task.experiment].refused++;
        plan->refused++;
        return true;
    }
    bool has = false;
    if (store && !request->again && !lab_store_has(store, planned->key, task.seed, &has, error)) {
        return false;
    }
    if (has) {
        plan->reused++;
        return true;
    }
    struct lab_task *larger = base_grow(plan->task, *tasks, sizeof *larger);
    if (!larger) {
        return no_memory(error);
    }
    plan->task = larger;
    plan->task[(*tasks)++] = task;
    return true;
}

static bool take_runs(struct lab_plan *plan, const struct lab_plan_request *request, struct lab_store *store,
                      size_t *tasks, struct ek_error *error)
{
    uint64_t number = 0;
    for (size_t c = 0; c < plan->experiments; c++) {
        const struct lab_grid *grid = plan->experiment[c].grid;
        for (size_t s = 0; s < grid->seeds; s++, number++) {
            struct lab_task task = {.experiment = (uint32_t)c, .seed = grid->seed[s]};
            if (number % request->shards == request->shard - 1 && !take_run(plan, request, store, task, tasks, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool check_size(const struct lab_plan_request *request, struct ek_error *error)
{
    uint64_t runs = 0;
    for (size_t g = 0; g < request->count; g++) {
        runs += (uint64_t)request->grids[g].experiments * request->grids[g].seeds;
    }
    return runs <= (uint64_t)LAB_TASKS_MAX * request->shards ||
           base_refuse(error, "this is more than %d runs: divide it into several sweeps", LAB_TASKS_MAX);
}

static unsigned kind_of(const struct lab_plan *plan, const struct lab_task *task, bool first)
{
    size_t distance = plan->experiments / PREDICTING + 1;
    return (plan->experiment[task->experiment].alone ? 2U : 0U) + (first && task->experiment % distance == 0 ? 0U : 1U);
}

// Copies the tasks of one kind in their order, beginning with task `start` and wrapping around. Returns their number.
static size_t copy_kind(const struct lab_plan *plan, size_t tasks, unsigned kind, uint64_t start, struct lab_task *to)
{
    size_t count = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < tasks; i++) {
            const struct lab_task *task = &plan->task[i];
            bool first = i == 0 || task[-1].experiment != task->experiment;
            if ((i >= start) == (pass == 0) && kind == kind_of(plan, task, first)) {
                to[count++] = *task;
            }
        }
    }
    return count;
}

// Sorts the tasks into their order.
static bool arrange(struct lab_plan *plan, size_t tasks, uint64_t start, struct ek_error *error)
{
    struct lab_task *arranged = malloc((tasks > 0 ? tasks : 1) * sizeof *arranged);
    if (!arranged) {
        return no_memory(error);
    }
    size_t placed = 0, counts[4];
    for (unsigned kind = 0; kind < 4; kind++) {
        counts[kind] = copy_kind(plan, tasks, kind, tasks > 0 ? start % tasks : 0, arranged + placed);
        placed += counts[kind];
    }
    free(plan->task);
    plan->task = arranged;
    plan->together_first = counts[0];
    plan->together = counts[0] + counts[1];
    plan->alone_first = counts[2];
    plan->alone = counts[2] + counts[3];
    return true;
}

bool lab_plan_make(struct lab_plan *plan, const struct lab_plan_request *request, struct lab_store *store,
                   struct ek_error *error)
{
    *plan = (struct lab_plan){0};
    size_t tasks = 0;
    if (check_size(request, error) && take_experiments(plan, request, error) && unite_parts(plan, error) &&
        take_runs(plan, request, store, &tasks, error) && arrange(plan, tasks, request->start, error)) {
        return true;
    }
    lab_plan_destroy(plan);
    return false;
}

void lab_plan_destroy(struct lab_plan *plan)
{
    if (plan->outcome) {
        munmap(plan->outcome, plan->experiments * sizeof *plan->outcome);
    }
    free(plan->expected_s);
    free(plan->experiment);
    free(plan->task);
    *plan = (struct lab_plan){0};
}

static double mean_s(const struct lab_plan *plan, size_t e)
{
    uint64_t runs = plan->outcome[e].runs;
    return runs > 0 ? 1e-9 * (double)plan->outcome[e].duration_ns / (double)runs : NAN;
}

double lab_plan_expect(struct lab_plan *plan, size_t from, size_t to)
{
    size_t e = 0;
    while (e < plan->experiments && isnan(mean_s(plan, e))) {
        e++;
    }
    double each = e < plan->experiments ? mean_s(plan, e) : NAN, sum = 0.0;
    for (e = 0; e < plan->experiments; e++) {
        each = isnan(mean_s(plan, e)) ? each : mean_s(plan, e);
        plan->expected_s[e] = each;
    }
    for (size_t i = from; i < to; i++) {
        sum += plan->expected_s[plan->task[i].experiment];
    }
    return sum;
}
