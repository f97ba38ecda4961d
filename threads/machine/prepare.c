// SPDX-License-Identifier: MIT
// From an experiment to a machine that can run: every axis read, the method's plan made, every limit checked before
// anything starts.
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/machine/axis.h"
#include "threads/machine/budget.h"
#include "threads/ranks/agree.h"
#include "threads/machine/on_ranks.h"
#include "threads/host/workers.h"
#include "topologies/spectra/eigensolvers.h"
#include "base/cursor.h"

// Several threads may look for eigenvalues at once, but ARPACK cannot.
static pthread_mutex_t arpack = PTHREAD_MUTEX_INITIALIZER;

void topo_linear_enter(void)
{
    pthread_mutex_lock(&arpack);
}

void topo_linear_leave(void)
{
    pthread_mutex_unlock(&arpack);
}

static bool refuse_method(struct ek_error *error, const char *format, const char *name)
{
    return base_fail_at(error, "method", 0, format, name);
}

// What the method cannot do in any timing, with the nearest that works.
static bool check_method(const struct ek_machine *machine, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    if (!(method->supports.units & machine->units)) {
        return refuse_method(error,
                             machine->units == EK_REAL ? "%s balances tokens only: use --units tokens"
                                                       : "%s balances real loads only: use --units real",
                             method->name);
    }
    if (!(method->supports.ports & machine->ports)) {
        return refuse_method(error,
                             machine->ports == EK_ONE_PORT ? "%s needs all its ports in a step: use --ports all"
                                                           : "%s needs one port in a step: use --ports one",
                             method->name);
    }
    if (machine->capacity && !machine->to_target && !method->supports.capacities) {
        return refuse_method(error, "%s balances equal capacities: use --weighting target, or a method like fos or adf",
                             method->name);
    }
    if (machine->to_target && (method->supports.units & EK_REAL) == 0) {
        return refuse_method(error, "targets are not whole: %s cannot balance towards them; use --capacity homo",
                             method->name);
    }
    return true;
}

// What no engine can do.
static bool check_axes(const struct ek_machine *machine, struct ek_error *error)
{
    return check_method(machine, error) && machine->engine->check(machine, error) &&
           machine_ranks_check(machine, error);
}

// Finds the method's parameter, the text behind `name:` or in the parentheses of `name(...)`, and leaves the cursor
// there. *copy becomes a copy of the spec that ends with the parameter, NULL if there is none; the caller frees it.
static bool copy_parameter(struct base_cursor *cursor, char **copy)
{
    *copy = NULL;
    bool inner = base_cursor_accept(cursor, '(');
    if (!inner && !base_cursor_accept(cursor, ':')) {
        return base_cursor_end(cursor);
    }
    const char *text = cursor->text + cursor->at;
    size_t length = strlen(text);
    if (inner && (length == 0 || text[length - 1] != ')')) {
        return base_cursor_fail(cursor, cursor->at + length, "expected ')' at the end");
    }
    *copy = malloc(cursor->at + length + 1);
    if (!*copy) {
        return base_cursor_fail(cursor, cursor->at, "no memory for a parameter");
    }
    memcpy(*copy, cursor->text, cursor->at + length + 1);
    (*copy)[cursor->at + length - inner] = '\0';
    return true;
}

// A method that lets its processors sleep must know by itself whom something has come for.
static bool check_sleeping(const struct ek_machine *machine, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    return !machine->plan.sleeps ||
           (method->rounds->announce && method->rounds->act && !method->supports.delays &&
            !method->rounds->reads_invokes) ||
           refuse_method(error,
                         "%s lets its processors sleep, so it needs `announce` and `act`, and neither `delays` nor "
                         "`reads_invokes`",
                         method->name);
}

// In rounds and turns only a rule that keeps nothing, and has no end that it must reach, goes on with the links that
// are left: for it a neighbour that cannot be heard is as one with the same load. A free operation is with whoever
// answers.
static bool check_faults(const struct ek_machine *machine, struct ek_error *error)
{
    bool rule = !machine->method->rounds->act && machine->plan.port_doubles == 0;
    bool goes_on = machine->engine->overlapping || (rule && !ek_machine_direct(machine));
    return machine->faults.kind == CORE_FAULTS_NONE || goes_on ||
           refuse_method(error, "%s needs all its links: use --faults none, or a method like ade, adf or sender",
                         machine->method->name);
}

// After all axes: the plan depends on them.
static bool plan_method(struct ek_machine *machine, struct ek_error *error)
{
    struct ek_setting setting = {.topology = machine->topology,
                                 .units = machine->units,
                                 .ports = machine->ports,
                                 .capacity = machine->capacity,
                                 .to_target = machine->to_target,
                                 .reader = machine->experiment.reader,
                                 .stop_error = machine->stop.kind == CORE_STOP_ERROR ? machine->stop.limit : 0.01,
                                 .order = machine->order,
                                 .free = machine->engine->overlapping,
                                 .flows = machine->experiment.keep_links};
    const char *spec = machine->experiment.method ? machine->experiment.method : ek_axis_named("method")->initial;
    struct base_cursor cursor = base_cursor_start("method", spec, error);
    cursor.at = machine->method_end;
    char *copy;
    if (!copy_parameter(&cursor, &copy)) {
        return false;
    }
    machine->plan.parameter = NAN;
    const char *parameter = copy ? copy + cursor.at : NULL;
    bool good = machine->method->prepare(&machine->plan, parameter, (int)cursor.at, &setting, error);
    free(copy);
    return good && check_sleeping(machine, error) && check_faults(machine, error);
}

// Without --stop: what the method is made for; whole loads as near as the method can bring two ends of a link, or real
// loads near balance. Where capacities differ the variance cannot fall.
static void settle_stop(struct ek_machine *machine)
{
    bool by_link = machine->units == EK_TOKENS && machine->method->rule && !machine->capacity;
    char *spec = machine->stop_spec;
    size_t size = sizeof machine->stop_spec;
    struct ek_error error;
    if (*machine->plan.stop) {
        snprintf(spec, size, "%s", machine->plan.stop);
    } else if (by_link && machine->plan.parameter > 0.0) {
        snprintf(spec, size, "neighbours:%.0f", core_difference_kept(machine->plan.parameter));
    } else {
        snprintf(spec, size, "%s",
                 machine->units == EK_TOKENS ? "spread:1"
                 : machine->capacity         ? "error:0.01"
                                             : "variance:1");
    }
    core_stop_parse(&machine->stop, spec, &error);
}

// What was not asked for. A direct method stops by its own end, also one that is direct only with this parameter, as
// adi(opt).
static void settle(struct ek_machine *machine)
{
    struct ek_experiment *experiment = &machine->experiment;
    experiment->every = experiment->every > 0 ? experiment->every : 1;
    if (!experiment->stop && (ek_machine_direct(machine) || machine->plan.ends_at_rest)) {
        machine->stop.kind = CORE_STOP_ITSELF;
        snprintf(machine->stop_spec, sizeof machine->stop_spec, "its own end");
    } else if (!experiment->stop) {
        settle_stop(machine);
    }
    if (machine->engine->settle) {
        machine->engine->settle(machine);
    }
}

// Every run ends.
static bool check_end(const struct ek_machine *machine, struct ek_error *error)
{
    bool endless = core_workload_continues(&machine->work, UINT64_MAX);
    if (machine_limited(machine) || ek_machine_direct(machine)) {
        return true;
    }
    if (endless && machine->stop.kind != CORE_STOP_NEVER) {
        return base_fail_at(error, "work", 0,
                            "this work goes on for ever, and so may the run: add --steps, --operations or --for");
    }
    return machine->stop.kind != CORE_STOP_NEVER ||
           base_fail_at(error, "stop", 0, "a run that never stops by itself needs --steps, --operations or --for");
}

// What the run will take, before it is taken: more is known now than before the topology was made.
static bool check_limits(const struct ek_machine *machine, struct ek_error *error)
{
    struct machine_budget budget = machine_budget_of(machine);
    return machine_budget_fits(&budget, BASE_NOWHERE, error);
}

// The domains of free timing where they are not asked for. Two neighbours that both move a part alpha over their link
// give away more than they hold where alpha is above 1/(1+d), and may swap loads for ever.
static const char *domains_of(const struct ek_machine *machine)
{
    double most = 1.0 / (1.0 + machine->topology->degree_max);
    bool swaps = machine->method->matrix == EK_MATRIX_DIFFUSION && machine->plan.parameter > most;
    bool engages = machine->engine->overlapping && !machine->pushed;
    return engages && !*machine->plan.domains && swaps ? "once" : machine->plan.domains;
}

static bool prepare(struct ek_machine *machine, struct ek_error *error)
{
    errno = 0;
    machine->places = machine_places_find();
    if (!machine->places && errno == ENOMEM) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory to look for this computer's cores");
    }
    if (!machine_axes_read(machine, error) || !check_axes(machine, error) || !plan_method(machine, error)) {
        return false;
    }
    if (!machine_axis_settle(machine, "invoke", machine->plan.invoke, error) ||
        !machine_axis_settle(machine, "domains", domains_of(machine), error)) {
        return false;
    }
    settle(machine);
    return check_end(machine, error) && machine_ranks_place(machine, error) && check_limits(machine, error) &&
           machine_axes_write(machine, error);
}

// What stands in the place of a spec is called something in reports.
static void name_arrays(struct ek_experiment *experiment)
{
    experiment->topology = experiment->graph && !experiment->topology ? "graph" : experiment->topology;
    experiment->load = experiment->loads && !experiment->load ? "array" : experiment->load;
}

// Adds the excerpt to an error in an axis of text: a method may blame the topology, whose text it does not have.
static void show_error(const struct ek_experiment *experiment, struct ek_error *error)
{
    const struct ek_axis *axis = ek_axis_named(error->axis);
    if (axis && axis->kind == EK_AXIS_TEXT) {
        const char *spec = *(const char *const *)((const char *)experiment + axis->place);
        base_error_show(error, spec ? spec : axis->initial);
    }
}

struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error)
{
    memset(error, 0, sizeof *error);
    struct ek_machine *machine = calloc(1, sizeof *machine);
    bool good = machine || base_fail(error, EK_BAD_INPUT, "", "no memory for a machine");
    if (good) {
        machine->experiment = *experiment;
        name_arrays(&machine->experiment);
        good = prepare(machine, error);
    }
    if (!good) {
        show_error(experiment, error);
    }
    if (!rank_agree(experiment->ranks, good, good ? machine_ranks_print(machine) : 0, error)) {
        ek_machine_destroy(machine);
        return NULL;
    }
    return machine;
}

void ek_machine_destroy(struct ek_machine *machine)
{
    if (!machine) {
        return;
    }
    if (machine->method && machine->method->destroy) {
        machine->method->destroy(&machine->plan);
    }
    core_invoke_destroy(&machine->invoke);
    core_load_destroy(&machine->load);
    core_workload_destroy(&machine->work);
    core_delay_destroy(&machine->links.delay);
    core_faults_destroy(&machine->faults);
    free(machine->order);
    free(machine->slow);
    free(machine->capacity);
    ek_topology_destroy(machine->topology);
    machine_places_destroy(machine->places);
    rank_placement_destroy(&machine->placement);
    machine_axes_destroy(machine);
    free(machine);
}
