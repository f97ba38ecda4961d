// SPDX-License-Identifier: MIT
// What a run says of its tasks.
#include <math.h>

#include "core/program.h"
#include "threads/api/report.h"
#include "threads/cargo/tasks.h"

static double capacity_of(const struct cargo_tasks *tasks, uint32_t p)
{
    return tasks->capacity ? tasks->capacity[p] : 1.0;
}

static double whole_capacity(const struct cargo_tasks *tasks)
{
    double capacity = 0.0;
    for (uint32_t p = 0; p < tasks->processors; p++) {
        capacity += capacity_of(tasks, p);
    }
    return capacity;
}

// Returns the least time that any schedule takes, in units of the time of a unit of cost: the machine executes at most
// its capacity, and the tasks of a path follow one another on the fastest processor at best.
static double bound_of(const struct cargo_tasks *tasks, const struct cargo_worker *sum)
{
    double fastest = 0.0;
    for (uint32_t p = 0; p < tasks->processors; p++) {
        fastest = fmax(fastest, capacity_of(tasks, p));
    }
    return fmax((double)sum->cost / whole_capacity(tasks), (double)sum->longest / fastest);
}

static struct ek_tasks_report counts_of(const struct cargo_tasks *tasks, const struct cargo_worker *sum)
{
    bool sums = tasks->program->result == EK_RESULT_SUM;
    return (struct ek_tasks_report){.executed = sum->executed,
                                    .nodes = sum->nodes,
                                    .has_result = sums || sum->best != EK_NO_VALUE,
                                    .result = sums ? sum->result : (uint64_t)sum->best,
                                    .cost = sum->cost,
                                    .native_fraction = (double)sum->native / (double)sum->executed,
                                    .most_held = sum->most_held};
}

// The time in which processors do not work.
struct idle {
    double mean, most;
};

// Returns the idle time of a run that takes `time`. The unit is that of the processors' busy time.
static struct idle idle_of(const struct cargo_tasks *tasks, double time)
{
    struct idle idle = {0};
    for (uint32_t p = 0; p < tasks->processors; p++) {
        double of_processor = time - tasks->busy[p];
        idle.mean += of_processor / tasks->processors;
        idle.most = fmax(idle.most, of_processor);
    }
    return idle;
}

void cargo_report_ticks(const struct cargo_tasks *tasks, struct ek_tasks_report *report)
{
    struct cargo_worker sum = cargo_sum(tasks);
    struct idle idle = idle_of(tasks, (double)tasks->ticks);
    double grain = (double)tasks->grain;
    *report = counts_of(tasks, &sum);
    report->has_ticks = true;
    report->ticks = tasks->ticks;
    report->speedup = (double)sum.cost / ((double)tasks->ticks * grain);
    report->efficiency = report->speedup / whole_capacity(tasks);
    report->bound_ticks = ceil(bound_of(tasks, &sum) / grain);
    report->idle_ticks = idle.mean;
    report->idle_ticks_most = idle.most;
    report->has_shared = tasks->shared_tick > 0;
    report->shared_tick = tasks->shared_tick;
}

void cargo_report_times(const struct cargo_tasks *tasks, const struct cargo_times *times,
                        struct ek_tasks_report *report)
{
    struct cargo_worker sum = cargo_sum(tasks);
    *report = counts_of(tasks, &sum);
    report->has_times = true;
    report->work_s = 1e-9 * sum.work_ns;
    report->done_s = times->done ? 1e-9 * (double)sum.done_ns : times->end_s;
    report->detection_s = times->done ? times->detection_s : NAN;
    if (times->cores > 0.0) {
        report->speedup = report->work_s / report->done_s;
        report->efficiency = report->speedup / times->cores;
        return;
    }
    struct idle idle = idle_of(tasks, 1e9 * report->done_s);
    report->speedup = (double)sum.cost * times->task_s / report->done_s;
    report->efficiency = report->speedup / whole_capacity(tasks);
    report->has_bound = true;
    report->bound_s = times->task_s * bound_of(tasks, &sum);
    report->idle_s = 1e-9 * idle.mean;
    report->idle_most_s = 1e-9 * idle.most;
}

void cargo_profile_report(struct cargo_tasks *tasks, double end_ns, struct base_arena *memory, struct ek_report *report)
{
    uint64_t end = (uint64_t)llround(end_ns);
    watch_profile_settle(&tasks->profile, end);
    watch_profile_give(&tasks->profile, end, 1e-9, memory, report);
}
