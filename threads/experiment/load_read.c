// SPDX-License-Identifier: MIT
// Readers of the axes of load: its units, its places at the start, and the work that changes it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/program.h"
#include "threads/experiment/axis.h"
#include "threads/machine/loads.h"
#include "topologies/topology.h"

const struct ek_choice experiment_units_names[] = {{"real", "loads are any amounts"},
                                                   {"tokens", "whole loads, whole transfers"},
                                                   {"tasks", "work that runs"},
                                                   {"objects", "indivisible objects with weights"},
                                                   {NULL, NULL}};

const struct ek_choice experiment_demand_names[] = {
    {"bounded", "work consumes at most what a processor holds"},
    {"owed", "real loads in rounds and turns: work consumes all of its demand, and loads may fall below zero"},
    {NULL, NULL}};

// In the order of enum core_working.
const struct ek_choice experiment_working_names[] = {
    {"after", "the workload of a tick comes after its balancing"},
    {"before", "the workload comes before the announcements; rounds and turns"},
    {"suspended", "it comes after the balancing, but not to processors that took part; rounds and free timing"},
    {NULL, NULL}};

// Without a spec, a program implies tasks, objects imply objects, and a method that balances only tokens implies
// tokens. Methods see a number of tasks as tokens, and objects as real loads.
bool experiment_read_units(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("units", "kind of load", spec, experiment_units_names, &index, error);
    bool tasks = experiment_has_tasks(plan->experiment);
    bool objects = experiment_has_objects(plan->experiment);
    bool implied = !plan->experiment->units && (tasks || plan->method->supports.units == EK_TOKENS);
    bool whole = plan->method->supports.units == EK_TOKENS; // objects on a method that cannot balance other loads
    plan->units = (objects ? whole : implied || index >= 1) ? EK_TOKENS : EK_REAL;
    if (good && plan->experiment->units && (index == 2) != tasks) {
        return base_fail_at(error, "units", 0,
                            tasks ? "the load of a program consists of tasks: use units tasks, or leave units out"
                                  : "the tasks need a program: use tasks queens:8, or another one of `evenkeel list`");
    }
    if (good && ((plan->experiment->units && (index == 3) != objects) || (objects && tasks))) {
        return base_fail_at(error, "units", 0,
                            tasks     ? "the load consists of tasks or of objects: leave one of them out"
                            : objects ? "the load consists of objects: use units objects, or leave units out"
                                      : "the objects need a source: use objects weights:uniform:1:9, or another one "
                                        "of `evenkeel list`");
    }
    return good;
}

bool experiment_read_tasks(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    if (!experiment_has_tasks(plan->experiment)) {
        return true;
    }
    plan->problem = ek_problem_read(spec, plan->experiment->reader, &plan->program, error);
    return plan->problem != NULL;
}

// Checks that the load places as many tasks as the program begins with, or at most as many as it may begin with.
static bool check_first_tasks(const struct machine_plan *plan, struct ek_error *error)
{
    uint64_t tasks = plan->problem->first_tasks;
    uint32_t processors = plan->topology->processors;
    double *held = calloc(processors, sizeof *held);
    double total = 0.0;
    if (!held) {
        return base_fail(error, EK_BAD_INPUT, "load", "no memory for the loads of %u processors", processors);
    }
    machine_loads_place(plan, plan->experiment->seed, held);
    for (uint32_t p = 0; p < processors; p++) {
        total += held[p];
    }
    free(held);
    if (tasks == 0) {
        return total <= EK_FIRST_TASKS_MOST ||
               base_fail_at(error, "load", 0, "this load places %.0f tasks: place at most %u", total,
                            EK_FIRST_TASKS_MOST);
    }
    return total == (double)tasks || base_fail_at(error, "load", 0,
                                                  "the program begins with %llu task%s, and this load places %.0f: "
                                                  "leave load out, or place as many",
                                                  (unsigned long long)tasks, tasks == 1 ? "" : "s", total);
}

// With objects the load is a number of objects, until these have been made (objects_read.c).
bool experiment_read_load(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    if (plan->objects) {
        return true;
    }
    const struct ek_experiment *experiment = plan->experiment;
    uint32_t hosts = plan->topology->hosts;
    bool given = experiment->loads || experiment->load;
    enum ek_units units = experiment_has_objects(experiment) ? EK_TOKENS : plan->units;
    return (experiment->loads
                ? core_load_take(&plan->load, experiment->loads, experiment->loads_count, hosts, units, error)
                : core_load_parse(&plan->load, spec, hosts, units, experiment->reader, error)) &&
           (!plan->program || (!given && plan->problem->first_tasks > 0) || check_first_tasks(plan, error));
}

bool experiment_read_work(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    if (plan->program) {
        plan->work = (struct core_workload){.kind = CORE_WORKLOAD_TASKS, .units = plan->units};
        return strcmp(spec, "none") == 0 ||
               base_fail_at(error, "work", 0, "the tasks are the work of this run: leave work out, or tasks");
    }
    return core_workload_parse(&plan->work, spec, plan->topology->processors, plan->units, plan->experiment->reader,
                               error);
}

// Without a spec, demand is owed if that is possible, as in the papers' models.
bool experiment_read_demand(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    bool free = plan->engine->overlapping;
    bool can_owe = plan->units == EK_REAL && !free;
    size_t index = can_owe;
    if (spec && !experiment_read_name("demand", "kind of demand", spec, experiment_demand_names, &index, error)) {
        return false;
    }
    plan->work.owed = index == 1;
    return !plan->work.owed || can_owe ||
           base_fail_at(
               error, "demand", 0,
               free ? "without rounds a processor consumes at most what it holds: use demand bounded, or timing rounds"
                    : "tokens cannot be owed: use demand bounded, or units real");
}

bool experiment_read_working(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("working", "time to work", spec, experiment_working_names, &index, error);
    plan->work.working = good ? (enum core_working)index : CORE_WORKING_AFTER;
    if (plan->work.working == CORE_WORKING_BEFORE && plan->engine->overlapping) {
        return base_fail_at(
            error, "working", 0,
            "without rounds each processor has its own ticks, which are not before any balancing: use working after or "
            "suspended, or timing rounds");
    }
    if (plan->work.working == CORE_WORKING_SUSPENDED && plan->engine->timing == EK_IN_TURNS) {
        return base_fail_at(error, "working", 0,
                            "in turns every processor takes part in every step, so none would ever work: use timing "
                            "rounds with invoke");
    }
    return good;
}

void experiment_write_units(const struct machine_plan *plan, char *text, size_t size)
{
    size_t index = plan->objects ? 3 : plan->program ? 2 : plan->units == EK_TOKENS;
    snprintf(text, size, "%s", experiment_units_names[index].form);
}

void experiment_write_demand(const struct machine_plan *plan, char *text, size_t size)
{
    snprintf(text, size, "%s", experiment_demand_names[plan->work.owed].form);
}
