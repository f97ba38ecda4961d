// SPDX-License-Identifier: MIT
// Prepares a machine from an experiment: reads every axis, makes the method's plan, and checks every limit before
// anything starts.
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sized.h"
#include "core/program.h"
#include "core/register.h"
#include "threads/api/run.h"
#include "threads/experiment/axis.h"
#include "threads/machine/budget.h"
#include "threads/machine/on_ranks.h"
#include "threads/ranks/agree.h"
#include "topologies/spectra/eigensolvers.h"
#include "topologies/topology.h"

// ARPACK keeps global state, so only one thread at a time may use it.
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

// Checks that the experiment asks nothing of switches that they cannot do. The error points at the axis to change: the
// topology or the capacities, by which there are switches, except where another value helps too.
static bool check_switches(const struct machine_plan *plan, struct ek_error *error)
{
    bool of_topology = plan->topology->hosts < plan->topology->processors;
    const char *source = of_topology ? "topology" : "capacity";
    const char *advice =
        of_topology ? "use a topology without switches, as in hypercube:4" : "give every processor a capacity above 0";
    const struct {
        bool asked;
        const char *sentence;
    } refused[] = {
        {plan->program, "a switch executes no tasks"},
        {plan->objects, "a switch holds no objects"},
        {plan->work.kind != CORE_WORKLOAD_NONE, "a switch does no work, and work is for all processors"},
    };
    for (size_t i = 0; plan->switches && i < sizeof refused / sizeof *refused; i++) {
        if (refused[i].asked) {
            return base_fail_at(error, source, 0, "%s: %s", refused[i].sentence, advice);
        }
    }
    return !plan->switches || plan->to_target ||
           base_fail_at(error, "weighting", 0,
                        "a load cannot be divided by the capacity of a switch, 0: use weighting target");
}

// Checks that the experiment asks for nothing that the method cannot do in any timing.
static bool check_method(const struct machine_plan *plan, struct ek_error *error)
{
    const struct ek_method *method = plan->method;
    if (!(method->supports.units & plan->units)) {
        return refuse_method(error,
                             plan->units == EK_REAL ? "%s balances tokens only: use units tokens"
                                                    : "%s balances real loads only: use units real",
                             method->name);
    }
    if (!(method->supports.ports & plan->ports)) {
        return refuse_method(error,
                             plan->ports == EK_ONE_PORT ? "%s needs all its ports in a step: use ports all"
                                                        : "%s needs one port in a step: use ports one",
                             method->name);
    }
    if (!check_switches(plan, error)) {
        return false;
    }
    if (plan->capacity && !plan->to_target && !method->supports.capacities) {
        return refuse_method(error, "%s balances equal capacities: use weighting target, or a method like fos or adf",
                             method->name);
    }
    bool whole = (method->supports.units & EK_REAL) == 0 || (method->supports.quotas && plan->units == EK_TOKENS);
    if (plan->to_target && whole) {
        return refuse_method(error, "targets are not whole, so %s cannot balance towards them: use capacity homo",
                             method->name);
    }
    return true;
}

// Refuses axes of tasks that a machine without them would ignore.
static bool check_without_tasks(const struct machine_plan *plan, struct ek_error *error)
{
    const char *time = plan->experiment->task_time;
    const struct {
        const char *axis;
        bool asked;
    } ignored[] = {{"give", plan->give_newest},
                   {"grain", plan->experiment->grain > 1},
                   {"task-time", time && strcmp(time, ek_axis_named("task-time")->initial) != 0}};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (ignored[i].asked) {
            return base_fail_at(error, ignored[i].axis, 0,
                                "%s is for tasks: use tasks queens:8, or another program of tasks, or leave %s out",
                                ignored[i].axis, ignored[i].axis);
        }
    }
    return plan->detect == MACHINE_DETECT_SNAPSHOT ||
           base_fail_at(error, "detect", 0,
                        "only tasks end in a way that the machine has to detect: use tasks queens:8, or another "
                        "program of tasks, or leave detect out");
}

// Checks that the experiment asks for nothing that a machine with tasks cannot do.
static bool check_tasks(const struct machine_plan *plan, struct ek_error *error)
{
    bool clocked = plan->engine->by_clock;
    const struct {
        const char *axis;
        bool asked;
        const char *sentence;
    } refused[] = {
        {"stop", plan->experiment->stop != NULL, "a run with tasks ends when no task is left: leave stop out"},
        {"weighting", plan->to_target, "tasks do not divide, so no target can be reached: leave weighting out"},
        {"delay", plan->links.delay.kind != CORE_DELAY_NONE && !clocked,
         "in rounds and turns parcels of tasks are not delayed: use timing free or virtual, or delay none"},
        {"delay-load", core_links_delay(&plan->links) && !clocked,
         "in rounds and turns parcels of tasks are not delayed: use timing free or virtual, or delay-load same"},
        {"faults", plan->faults.kind != CORE_FAULTS_NONE && !clocked,
         "in rounds and turns the links of a machine with tasks do not fail: use timing free or virtual, or faults "
         "none"},
        {"faults", plan->faults.kind != CORE_FAULTS_NONE && plan->topology->processors == 1,
         "a processor works while it has a link that is up, and this machine has no links: use faults none"},
        {"tick", plan->experiment->tick_s > 0.0, "a turn executes tasks whenever it has some: leave tick out"},
        {"detect", plan->detect != MACHINE_DETECT_SNAPSHOT && plan->faults.kind != CORE_FAULTS_NONE,
         "the messages of this detection cannot cross failed links: use detect snapshot"},
    };
    if (!plan->program && !check_without_tasks(plan, error)) {
        return false;
    }
    if (!plan->program && plan->method->letters) {
        return refuse_method(error, "%s moves tasks: use tasks queens:8, or another program of tasks",
                             plan->method->name);
    }
    if (plan->method->letters && (!core_links_carry_all(&plan->links) || (plan->experiment->keep_links && !clocked))) {
        return refuse_method(error,
                             clocked ? "a link carries any number of letters of %s: leave link-limit out, or use a "
                                       "method like adf"
                                     : "%s writes letters, which no link counts in rounds and turns: leave link-limit "
                                       "and links out, or use a method like adf",
                             plan->method->name);
    }
    if (plan->experiment->hops > 1 && !(plan->method->letters && plan->method->letters->walks)) {
        return base_fail_at(error, "hops", 0,
                            "only new tasks that a method places walk: leave hops out, or use "
                            "method place:random");
    }
    if (plan->experiment->profile > 0 && !plan->program) {
        return base_fail_at(error, "profile", 0,
                            "a profile shows how processors execute tasks: use tasks queens:8, or another program of "
                            "tasks, or leave profile out");
    }
    if (plan->program && plan->method->direct) {
        return refuse_method(error, "%s ends by itself, before the tasks do: use a method like ade, adf or liquid:c4",
                             plan->method->name);
    }
    if (plan->experiment->keep_picture && (!plan->program || plan->problem->picture_width == 0)) {
        return base_fail_at(error, "tasks", 0,
                            "these tasks compute no picture: use tasks mandelbrot:600x400:8, or leave picture out");
    }
    for (size_t i = 0; plan->program && i < sizeof refused / sizeof *refused; i++) {
        if (refused[i].asked) {
            return base_fail_at(error, refused[i].axis, 0, "%s", refused[i].sentence);
        }
    }
    return true;
}

static bool check_axes(const struct machine_plan *plan, struct ek_error *error)
{
    return check_method(plan, error) && check_tasks(plan, error) && experiment_check_objects(plan, error) &&
           plan->engine->check(plan, error) && machine_ranks_check(plan, error);
}

// Finds the method's parameter, the text behind `name:` or in the parentheses of `name(...)`, and leaves the cursor
// there. *copy becomes a copy of the spec that ends with the parameter, or NULL if there is none; the caller frees it.
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

// Checks that a method whose processors sleep has a program, and needs neither delays nor invitations.
static bool check_sleeping(const struct machine_plan *plan, struct ek_error *error)
{
    const struct ek_method *method = plan->method;
    return !plan->method_plan.sleeps ||
           (method->rounds->announce && method->rounds->act && !method->supports.delays &&
            !method->rounds->reads_invokes) ||
           refuse_method(error,
                         "%s lets its processors sleep, so it needs `announce` and `act`, and neither `delays` nor "
                         "`reads_invokes`",
                         method->name);
}

// Checks that the method can go on when links fail. In rounds and turns, the method must be a rule that keeps no memory
// and does not end by itself. For such a rule, a neighbour that cannot be reached counts as one with the same load. In
// free timing, an operation includes only the neighbours that answer.
static bool check_faults(const struct machine_plan *plan, struct ek_error *error)
{
    bool rule = !plan->method->rounds->act && plan->method_plan.port_doubles == 0;
    bool goes_on = plan->engine->overlapping || (rule && !machine_direct(plan));
    return plan->faults.kind == CORE_FAULTS_NONE || goes_on ||
           refuse_method(error, "%s needs all its links: use faults none, or a method like ade, adf or sender",
                         plan->method->name);
}

// Gives each port memory for the error that its link carries. A method that rounds its amounts itself moves whole ones,
// which the machine leaves as they are.
static bool plan_rounding(struct machine_plan *plan, struct ek_error *error)
{
    if (plan->method_plan.rounds_itself) {
        plan->method_plan.rounding = plan->rounding;
        plan->rounding = CORE_ROUNDING_DOWN;
        return true;
    }
    if (plan->rounding != CORE_ROUNDING_DOWN && plan->method_plan.port_doubles > 0) {
        return base_fail_at(error, "rounding", 0,
                            "%s keeps memory, so its amounts are not linear in the loads: use rounding down",
                            plan->method->name);
    }
    plan->method_plan.port_doubles += machine_carries(plan);
    return true;
}

// Finds the distances over which letters go, if there is memory for them and for the run.
static bool find_distances(struct machine_plan *plan, struct ek_error *error)
{
    struct machine_budget budget = machine_budget_of(plan);
    budget.distances = topo_distances_bytes(plan->topology);
    return machine_budget_fits(&budget, BASE_NOWHERE, error) &&
           topo_distances_find(&plan->distances, plan->topology, error);
}

// Lets the method prepare its plan, which depends on all axes. `spec` is the method's, with its name.
static bool plan_method(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    struct ek_setting setting = {.topology = plan->topology,
                                 .units = plan->units,
                                 .ports = plan->ports,
                                 .capacity = plan->capacity,
                                 .to_target = plan->to_target,
                                 .reader = plan->experiment->reader,
                                 .stop_error = plan->stop.kind == CORE_STOP_ERROR ? plan->stop.limit : 0.01,
                                 .order = plan->order,
                                 .free = plan->engine->overlapping,
                                 .flows = plan->experiment->keep_links,
                                 .hops = plan->experiment->hops > 0 ? plan->experiment->hops : 1,
                                 .objects = plan->objects};
    struct base_cursor cursor = base_cursor_start("method", spec, error);
    char name[64];
    char *copy;
    base_cursor_name(&cursor, name, sizeof name);
    if (!copy_parameter(&cursor, &copy)) {
        return false;
    }
    plan->method_plan.parameter = NAN;
    const char *parameter = copy ? copy + cursor.at : NULL;
    bool good = plan->method->prepare(&plan->method_plan, parameter, (int)cursor.at, &setting, error);
    free(copy);
    if (good && plan->method_plan.letters_far) {
        good = find_distances(plan, error);
    }
    return good && check_sleeping(plan, error) && check_faults(plan, error) && plan_rounding(plan, error) &&
           experiment_check_objects_method(plan, error);
}

// Settles the stop criterion that the user left open. If the method's plan names a criterion, that one is used. For
// tokens it is otherwise the smallest difference over a link that the method can reach, for real loads a state near
// balance. If capacities differ, the variance cannot fall to 0, so the error is tested.
static void settle_stop(struct machine_plan *plan)
{
    bool by_link = plan->units == EK_TOKENS && plan->method->rule && !plan->capacity;
    char *spec = plan->stop_spec;
    size_t size = sizeof plan->stop_spec;
    struct ek_error error;
    if (plan->objects) { // the scale of their weights is any
        snprintf(spec, size, "imbalance:1e-06");
    } else if (*plan->method_plan.stop) {
        snprintf(spec, size, "%s", plan->method_plan.stop);
    } else if (by_link && plan->method_plan.parameter > 0.0) {
        snprintf(spec, size, "neighbours:%.0f", core_difference_kept(plan->method_plan.parameter));
    } else {
        snprintf(spec, size, "%s",
                 plan->units == EK_TOKENS ? "spread:1"
                 : plan->capacity         ? "error:0.01"
                                          : "variance:1");
    }
    core_stop_parse(&plan->stop, spec, &error);
}

// If objects move at the end, they come less near to balance than numbers. So numbers are balanced further than the
// user asks of objects.
static void settle_migration(struct machine_plan *plan)
{
    static const double NEAR = 1e-6;
    bool asked = plan->experiment->stop && plan->stop.kind == CORE_STOP_IMBALANCE;
    plan->imbalance_most = asked ? plan->stop.limit : INFINITY;
    plan->stop.limit = asked ? fmin(plan->stop.limit, NEAR) : plan->stop.limit;
}

// Settles the values that the user left open. A direct method ends by itself. Some methods, such as adi(opt), are
// direct only with a certain parameter.
static void settle(struct machine_plan *plan)
{
    struct ek_experiment *experiment = plan->experiment;
    experiment->every = experiment->every > 0 ? experiment->every : 1;
    experiment->grain = experiment->grain > 0 ? experiment->grain : 1;
    experiment->hops = experiment->hops > 0 ? experiment->hops : 1;
    if (plan->program) {
        plan->stop.kind = CORE_STOP_NEVER;
        snprintf(plan->stop_spec, sizeof plan->stop_spec, "done");
    } else if (!experiment->stop && machine_moves_objects(plan)) {
        plan->stop.kind = CORE_STOP_ITSELF;
        snprintf(plan->stop_spec, sizeof plan->stop_spec, "rest");
    } else if (!experiment->stop && (machine_direct(plan) || plan->method_plan.ends_at_rest)) {
        plan->stop.kind = CORE_STOP_ITSELF;
        snprintf(plan->stop_spec, sizeof plan->stop_spec, "its own end");
    } else if (!experiment->stop) {
        settle_stop(plan);
    }
    if (plan->migrates_last) {
        settle_migration(plan);
    }
    if (machine_moves_objects(plan)) { // the load of a parcel on a link is the bytes of its objects
        plan->links.costs.of[CORE_COST_LOAD_BYTES] = 1.0;
    }
    if (plan->engine->settle) {
        plan->engine->settle(plan);
    }
}

// Checks that every run will end.
static bool check_end(const struct machine_plan *plan, struct ek_error *error)
{
    bool endless = core_workload_continues(&plan->work, UINT64_MAX);
    if (machine_limited(plan) || machine_direct(plan)) {
        return true;
    }
    if (plan->program) {
        return plan->work.working != CORE_WORKING_SUSPENDED ||
               base_fail_at(error, "working", 0,
                            "a processor that always takes part in operations would never execute its tasks: set a "
                            "limit (steps, operations or for), or use working after");
    }
    if (endless && plan->stop.kind != CORE_STOP_NEVER) {
        return base_fail_at(error, "work", 0,
                            "this workload has no end, so the run may have none: set a limit (steps, operations or "
                            "for)");
    }
    // Pushed tokens come to rest, and if not the run is given up. In free timing only a snapshot would show that.
    bool rests = plan->engine->computed && plan->pushed && plan->units == EK_TOKENS;
    return plan->stop.kind != CORE_STOP_NEVER || rests ||
           base_fail_at(error, "stop", 0,
                        "a run that never stops by itself needs a limit: set one of steps, operations and for");
}

// Checks that the system has the memory and the threads for a run. More is known now than before the topology was made.
static bool check_limits(const struct machine_plan *plan, struct ek_error *error)
{
    struct machine_budget budget = machine_budget_of(plan);
    return machine_budget_fits(&budget, BASE_NOWHERE, error);
}

// Returns the domains of free timing to use if the user left them open, or "" for the default. If two neighbours each
// move a share alpha of their difference above 1/(1+d) over their link, they give away more than they hold, and may
// swap loads for ever. Objects would go to and fro for the same reason.
static const char *domains_of(const struct machine_plan *plan)
{
    double most = 1.0 / (1.0 + plan->topology->degree_max);
    bool swaps = plan->method->matrix == EK_MATRIX_DIFFUSION && plan->method_plan.parameter > most;
    bool engages = plan->engine->overlapping && !plan->pushed;
    bool apart = swaps || (plan->objects && plan->ports == EK_ALL_PORTS);
    const char *usual = plan->pushed ? "" : plan->method_plan.domains; // pushed load has no domains
    return engages && !*usual && apart ? "once" : usual;
}

// Places the first tasks where the user did not: the root of a search on processor 0, and independent tasks in equal
// parts, in their order.
static bool settle_first_tasks(struct ek_machine *machine, struct ek_error *error)
{
    struct machine_plan *plan = &machine->plan;
    uint64_t tasks = plan->program ? plan->problem->first_tasks : 0;
    if (tasks > 0) {
        snprintf(plan->load_spec, sizeof plan->load_spec, "%s:%llu", tasks == 1 ? "peak" : "even",
                 (unsigned long long)tasks);
    }
    return experiment_axis_settle(machine, "load", plan->load_spec, error);
}

static bool prepare(struct ek_machine *machine, struct ek_error *error)
{
    struct machine_plan *plan = &machine->plan;
    errno = 0;
    plan->places = host_places_find();
    if (!plan->places && errno == ENOMEM) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory to find the cores of this computer");
    }
    if (!experiment_axes_read(machine, error) ||
        !experiment_axis_settle(machine, "weighting", plan->switches ? "target" : "", error) ||
        !check_axes(plan, error) || !plan_method(plan, experiment_axis_spec(plan, "method"), error)) {
        return false;
    }
    if (!experiment_axis_settle(machine, "invoke", plan->method_plan.invoke, error) ||
        !experiment_axis_settle(machine, "domains", domains_of(plan), error) || !settle_first_tasks(machine, error)) {
        return false;
    }
    settle(plan);
    return check_end(plan, error) && machine_ranks_place(plan, error) && check_limits(plan, error) &&
           experiment_axes_write(machine, error);
}

// Names the arrays that a program gave instead of specs, for reports.
static void name_arrays(struct ek_experiment *experiment)
{
    experiment->topology = experiment->graph && !experiment->topology ? "graph" : experiment->topology;
    experiment->load = experiment->loads && !experiment->load ? "array" : experiment->load;
}

// Adds an excerpt of the spec to an error in an axis of text. A method may report an error in the topology, but does
// not have its spec.
static void show_error(const struct ek_experiment *experiment, struct ek_error *error)
{
    const struct ek_axis *axis = ek_axis_named(error->axis);
    if (axis && axis->kind == EK_AXIS_TEXT) {
        const char *spec = *(const char *const *)((const char *)experiment + axis->place);
        base_error_show(error, spec ? spec : axis->initial);
    }
}

// Makes the machine of an experiment. On failure the machine is incomplete, or NULL if there is no memory.
static bool make(const struct ek_experiment *experiment, struct ek_machine **machine, struct ek_error *error)
{
    *machine = calloc(1, sizeof **machine);
    if (!*machine) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a machine");
    }
    (*machine)->experiment = *experiment;
    (*machine)->plan.experiment = &(*machine)->experiment;
    (*machine)->plan.interrupts = &(*machine)->interrupts;
    (*machine)->plan.search = &(*machine)->search;
    (*machine)->plan.stored = &(*machine)->stored;
    pthread_mutex_init(&(*machine)->search.lock, NULL);
    pthread_mutex_init(&(*machine)->stored.lock, NULL);
    return prepare(*machine, error);
}

struct ek_machine *ek_prepare_sized(const struct ek_experiment *experiment, size_t size, struct ek_error *error)
{
    struct ek_experiment own;
    struct ek_machine *machine = NULL;
    memset(error, 0, sizeof *error);
    bool good = base_sized_copy(&own, sizeof own, experiment, size) ||
                base_fail(error, EK_BAD_INPUT, "",
                          "the experiment sets a field that version %u of the library does not know: leave it 0, or "
                          "use a later library",
                          EK_API_VERSION);
    name_arrays(&own);
    good = good && make(&own, &machine, error);
    if (!good) {
        show_error(&own, error);
    }
    if (!rank_agree(own.ranks, good, good ? machine_ranks_print(machine) : 0, error) ||
        !machine_ranks_draw(&machine->plan, error)) {
        ek_machine_destroy(machine);
        return NULL;
    }
    experiment_axes_forget(machine->plan.experiment);
    return machine;
}

void ek_machine_destroy(struct ek_machine *machine)
{
    if (!machine) {
        return;
    }
    struct machine_plan *plan = &machine->plan;
    if (plan->method && plan->method->destroy) {
        plan->method->destroy(&plan->method_plan);
    }
    pthread_mutex_destroy(&machine->search.lock);
    pthread_mutex_destroy(&machine->stored.lock);
    ek_topology_destroy(machine->stored.topology);
    topo_distances_destroy(&plan->distances);
    core_invoke_destroy(&plan->invoke);
    core_load_destroy(&plan->load);
    core_workload_destroy(&plan->work);
    core_delay_destroy(&plan->links.delay);
    core_delay_destroy(&plan->links.delay_load);
    core_faults_destroy(&plan->faults);
    if (plan->problem) {
        ek_problem_release(plan->program, plan->problem);
    }
    experiment_objects_destroy(plan);
    free(plan->order);
    free(plan->slow);
    free(plan->capacity);
    ek_topology_destroy(plan->topology);
    host_places_destroy(plan->places);
    rank_placement_destroy(&plan->placement);
    free(machine->text);
    free(machine);
}
