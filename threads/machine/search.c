// SPDX-License-Identifier: MIT
#include "threads/machine/search.h"

#include <math.h>

#include "core/program.h"
#include "core/programs/program.h"
#include "threads/api/report.h"

struct ek_tasks_report;

// The search takes about a second at most, and of a program with long tasks not much longer than the run's own tasks.
enum { TASKS_MOST = 1000000, TIMES_THE_RUN = 2, BYTES_MOST = 1 << 26 };

static uint64_t tasks_most(const struct ek_tasks_report *tasks)
{
    uint64_t most = TIMES_THE_RUN * tasks->executed;
    return most < TASKS_MOST ? most : TASKS_MOST;
}

// Searches on one processor, unless that has been done before.
static void find(struct machine_search *search, const struct machine_plan *plan, uint64_t first, uint64_t most)
{
    struct ek_serial serial;
    struct ek_error error;
    if (search->found || search->tried >= most) {
        return;
    }
    search->found = core_program_serial(plan->program, plan->problem, first, BYTES_MOST, most, &serial, &error);
    search->tried = most;
    search->executed = serial.executed;
    search->nodes = serial.nodes;
}

void machine_search_report(const struct machine_plan *plan, struct ek_report *report)
{
    struct ek_tasks_report *tasks = &report->tasks;
    struct machine_search *search = plan->search;
    tasks->has_search =
        plan->program && plan->program->result == EK_RESULT_LEAST && report->ended == EK_ENDED_DONE && search;
    if (!tasks->has_search) {
        return;
    }
    tasks->serial_most = tasks_most(tasks);
    pthread_mutex_lock(&search->lock);
    find(search, plan, (uint64_t)report->total_initial, tasks->serial_most);
    tasks->serial_unknown = !search->found || search->executed > tasks->serial_most;
    tasks->nodes_serial = tasks->serial_unknown ? 0 : search->nodes;
    pthread_mutex_unlock(&search->lock);
    tasks->search_overhead = tasks->serial_unknown ? NAN : (double)tasks->nodes / (double)tasks->nodes_serial;
}
