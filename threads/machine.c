// SPDX-License-Identifier: MIT
// From an experiment to a machine that can run: every axis parsed, every limit checked before anything starts.
#include "threads/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/async/async.h"
#include "threads/limits.h"
#include "threads/rounds/turns.h"
#include "threads/workers.h"
#include "topologies/scan.h"

static const char *known_units(size_t index)
{
    static const char *const names[] = {"real", "tokens"};
    return index < 2 ? names[index] : NULL;
}

static const char *known_ports(size_t index)
{
    static const char *const names[] = {"all", "one"};
    return index < 2 ? names[index] : NULL;
}

enum { FREE = MACHINE_TURNS_RANDOM + 1 }; // the place of "free" in --timing

static const char *known_timing(size_t index)
{
    static const char *const names[] = {"rounds", "turns", "turns:random", "free"};
    return index < 4 ? names[index] : NULL;
}

static const char *known_domains(size_t index)
{
    static const char *const names[] = {"overlap", "exclusive"};
    return index < 2 ? names[index] : NULL;
}

static const char *known_clock(size_t index)
{
    static const char *const names[] = {"operation", "step"};
    return index < 2 ? names[index] : NULL;
}

static const char *known_weighting(size_t index)
{
    static const char *const names[] = {"capacity", "target"};
    return index < 2 ? names[index] : NULL;
}

static const char *known_mailbox(size_t index)
{
    const struct mail_kind *kind = mail_kind_at(index);
    return kind ? kind->name : NULL;
}

static const char *known_barrier(size_t index)
{
    const struct core_choice *kind = mail_barrier_choice(index);
    return kind ? kind->form : NULL;
}

static const char *known_method(size_t index)
{
    const struct ek_method *method = ek_method_at(index);
    return method ? method->name : NULL;
}

// Reads a spec that is one of a list of names; its index.
static bool parse_name(const char *axis, const char *what, const char *spec, const char *(*known)(size_t index),
                       size_t *index, struct ek_error *error)
{
    struct topo_scan scan = topo_scan_start(axis, spec, error);
    for (*index = 0; known(*index); ++*index) {
        if (strcmp(spec, known(*index)) == 0) {
            return true;
        }
    }
    char name[32];
    if (!topo_scan_name(&scan, name, sizeof name)) {
        return topo_scan_fail(&scan, 0, "a %s has a name, as in %s", what, known(0));
    }
    for (size_t i = 0; known(i); i++) {
        if (strcmp(name, known(i)) == 0) { // it goes on after a name that is known
            return topo_scan_end(&scan);
        }
    }
    return topo_scan_unknown(&scan, 0, what, name, known);
}

static const char *or_default(const char *spec, const char *otherwise)
{
    return spec ? spec : otherwise;
}

// NAME, or NAME:CAPACITY for those that have one. In free timing a link holds more than one message.
static bool parse_mailbox(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    enum { FREE_CAPACITY = 4 };
    char name[32];
    uint64_t capacity = machine->async ? FREE_CAPACITY : 1;
    struct topo_scan scan = topo_scan_start("mailbox", spec ? spec : machine->async ? "spsc" : "slot", error);
    topo_scan_name(&scan, name, sizeof name);
    machine->mailbox = NULL;
    for (size_t i = 0; !machine->mailbox && mail_kind_at(i); i++) {
        machine->mailbox = strcmp(name, mail_kind_at(i)->name) == 0 ? mail_kind_at(i) : NULL;
    }
    if (!machine->mailbox) {
        return *name ? topo_scan_unknown(&scan, 0, "mailbox", name, known_mailbox)
                     : topo_scan_fail(&scan, 0, "a mailbox has a name, as in spsc");
    }
    if (machine->async && !machine->mailbox->put) {
        return topo_scan_fail(&scan, 0, "%s is ordered by the barrier of rounds: use spsc, wfcq or mutex", name);
    }
    if (topo_scan_accept(&scan, ':')) {
        if (!machine->async) {
            return topo_scan_fail(
                &scan, scan.at - 1,
                "in rounds a link carries one message a phase: leave the capacity out, or use --timing "
                "free");
        }
        if (!topo_scan_whole(&scan, "the capacity", 1, MAIL_CAPACITY_MAX, &capacity)) {
            return false;
        }
    }
    machine->mailbox_capacity = (uint32_t)capacity;
    return topo_scan_end(&scan);
}

static bool parse_kinds(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    size_t units, ports, barrier, timing, clock, weighting, domains;
    unsigned asked;
    if (!parse_name("units", "kind of load", or_default(experiment->units, "real"), known_units, &units, error) ||
        !parse_name("ports", "port model", or_default(experiment->ports, "all"), known_ports, &ports, error) ||
        !parse_name("barrier", "barrier", or_default(experiment->barrier, "auto"), known_barrier, &barrier, error) ||
        !parse_name("timing", "timing", or_default(experiment->timing, "rounds"), known_timing, &timing, error) ||
        !parse_name("domains", "kind of domains", or_default(experiment->domains, "overlap"), known_domains, &domains,
                    error) ||
        !parse_name("clock", "clock", or_default(experiment->clock, "operation"), known_clock, &clock, error) ||
        !parse_name("weighting", "weighting", or_default(experiment->weighting, "capacity"), known_weighting,
                    &weighting, error) ||
        !machine_carrier_parse(or_default(experiment->carrier, "threads"), &machine->carrier, &asked, error)) {
        return false;
    }
    machine->units = units == 0 ? EK_REAL : EK_TOKENS;
    machine->ports = ports == 0 ? EK_ALL_PORTS : EK_ONE_PORT;
    machine->async = timing == FREE;
    machine->turns = machine->async ? MACHINE_TURNS_NONE : (enum machine_turns)timing;
    machine->exclusive = domains == 1;
    machine->clock_steps = clock == 1;
    machine->to_target = weighting == 1;
    machine->barrier = (enum mail_barrier_kind)barrier;
    machine->workers =
        machine->carrier->workers(machine->topology->processors, machine_places_count(machine->places), asked);
    return parse_mailbox(machine, experiment->mailbox, error);
}

// What free timing cannot do.
static bool check_free(const struct ek_machine *machine, struct topo_scan *scan)
{
    if (!machine->method->async) {
        return topo_scan_fail(scan, 0, "%s works in rounds only: use --timing rounds, or a method like adf or ade",
                              machine->method->name);
    }
    if (machine->clock_steps) {
        return topo_fail(scan->error, EK_BAD_INPUT, "clock", 0,
                         "in free timing the workload has a clock of its own: leave --clock out, and use --tick");
    }
    return true;
}

// What the method cannot do in rounds and turns.
static bool check_rounds(const struct ek_machine *machine, struct topo_scan *scan)
{
    const struct ek_method *method = machine->method;
    if (machine->turns != MACHINE_TURNS_NONE && !method->turns) {
        return topo_scan_fail(scan, 0, "%s has no turns: use --timing rounds, or a method like sender, adf or odf",
                              method->name);
    }
    if (machine->turns != MACHINE_TURNS_NONE && machine->ports == EK_ONE_PORT) {
        return topo_fail(scan->error, EK_BAD_INPUT, "ports", 0,
                         "a processor's turn uses all its ports: use --ports all, or --timing rounds");
    }
    if (machine->turns != MACHINE_TURNS_NONE && machine->capacity) {
        return topo_fail(
            scan->error, EK_BAD_INPUT, "capacity", 0,
            "in turns processors compare the loads that they hold: use --capacity homo, or --timing rounds");
    }
    if (machine->invoke.kind == CORE_INVOKE_GRADIENT) {
        return topo_fail(scan->error, EK_BAD_INPUT, "invoke", 0,
                         "gradient is for --timing free: use --invoke outside:L:H, or --timing free");
    }
    if (machine->invoke.kind != CORE_INVOKE_ALWAYS &&
        ((method->act && !method->invoked) || machine->turns != MACHINE_TURNS_NONE)) {
        return topo_scan_fail(scan, 0,
                              "%s is invoked by everybody at once: use --invoke always, or a method like ade or adf",
                              method->name);
    }
    if (machine->delay.kind != CORE_DELAY_NONE && !method->delays) {
        return topo_scan_fail(scan, 0, "%s needs the present loads: use --delay none, or a method like sender or adf",
                              method->name);
    }
    bool worked = machine->work.kind != CORE_WORKLOAD_NONE && machine->clock_steps;
    if (method->direct && method->act &&
        (machine->link_limit < INFINITY || worked)) { // it would wait for load that never comes
        return topo_scan_fail(
            scan, 0,
            "%s settles its transfers beforehand: use --link-limit none and --clock operation, or a method like gde",
            method->name);
    }
    return true;
}

// What the method cannot do, with the nearest that works.
static bool check_method(const struct ek_machine *machine, struct topo_scan *scan)
{
    const struct ek_method *method = machine->method;
    if (!(method->units & machine->units)) {
        return topo_scan_fail(scan, 0, "%s balances %s only: use --units %s", method->name,
                              machine->units == EK_REAL ? "tokens" : "real loads",
                              machine->units == EK_REAL ? "tokens" : "real");
    }
    if (!(method->ports & machine->ports)) {
        return topo_scan_fail(scan, 0, "%s needs %s in a step: use --ports %s", method->name,
                              machine->ports == EK_ONE_PORT ? "all its ports" : "one port",
                              machine->ports == EK_ONE_PORT ? "all" : "one");
    }
    if (!(machine->async ? check_free(machine, scan) : check_rounds(machine, scan))) {
        return false;
    }
    if (machine->capacity && !machine->to_target && !method->capacities) {
        return topo_scan_fail(
            scan, 0, "%s balances equal capacities: use --weighting target, or a method like fos or adf", method->name);
    }
    if (machine->units == EK_TOKENS && machine->link_limit != floor(machine->link_limit)) {
        return topo_fail(scan->error, EK_BAD_INPUT, "link-limit", 0,
                         "tokens move whole: use a whole --link-limit, or --units real");
    }
    if (machine->to_target && (method->units & EK_REAL) == 0) {
        return topo_scan_fail(scan, 0, "targets are not whole: %s cannot balance towards them; use --capacity homo",
                              method->name);
    }
    return true;
}

static struct ek_setting setting_of(const struct ek_machine *machine, struct ek_reader reader)
{
    return (struct ek_setting){.topology = machine->topology,
                               .units = machine->units,
                               .ports = machine->ports,
                               .capacity = machine->capacity,
                               .to_target = machine->to_target,
                               .reader = reader,
                               .stop_error = machine->stop.kind == CORE_STOP_ERROR ? machine->stop.limit : 0.01,
                               .async = machine->async};
}

// The text behind `name:`, or in the parentheses of `name(...)`, copied; *parameter is NULL where there is neither.
static bool parse_parameter(struct topo_scan *scan, char **parameter)
{
    *parameter = NULL;
    bool inner = topo_scan_accept(scan, '(');
    if (!inner && !topo_scan_accept(scan, ':')) {
        return topo_scan_end(scan);
    }
    const char *text = scan->text + scan->at;
    size_t length = strlen(text);
    if (inner && (length == 0 || text[length - 1] != ')')) {
        return topo_scan_fail(scan, scan->at + length, "expected ')' at the end");
    }
    *parameter = malloc(length + 1);
    if (!*parameter) {
        return topo_scan_fail(scan, scan->at, "no memory for a parameter");
    }
    memcpy(*parameter, text, length + 1);
    (*parameter)[length - inner] = '\0';
    return true;
}

// Finds the method. Token methods imply tokens.
static bool find_method(struct ek_machine *machine, const struct ek_experiment *experiment, struct topo_scan *scan)
{
    char name[64];
    if (!topo_scan_name(scan, name, sizeof name)) {
        return topo_scan_fail(scan, 0, "a method begins with its name, as in ade");
    }
    machine->method = ek_method_find(name);
    if (!machine->method) {
        return topo_scan_unknown(scan, 0, "method", name, known_method);
    }
    if (machine->method->units == EK_TOKENS && !experiment->units) {
        machine->units = EK_TOKENS;
    }
    return true;
}

// After all other axes: the plan depends on them.
// What a method that lets its processors sleep must have, and cannot.
static bool check_sleeping(const struct ek_machine *machine, struct topo_scan *scan)
{
    const struct ek_method *method = machine->method;
    return !machine->plan.sleeps || (method->say && method->act && !method->delays && !method->invoked) ||
           topo_scan_fail(
               scan, 0, "%s lets its processors sleep, so it needs `say` and `act`, and neither `delays` nor `invoked`",
               method->name);
}

static bool prepare_method(struct ek_machine *machine, struct ek_reader reader, struct topo_scan *scan)
{
    struct ek_setting setting = setting_of(machine, reader);
    char *parameter;
    bool good = check_method(machine, scan) && parse_parameter(scan, &parameter);
    if (good) {
        machine->plan.parameter = NAN;
        good = machine->method->prepare(&machine->plan, parameter, (int)scan->at, &setting, scan->error);
        free(parameter);
    }
    return good && check_sleeping(machine, scan);
}

static bool parse_link_limit(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    machine->link_limit = INFINITY;
    struct topo_scan scan = topo_scan_start("link-limit", spec, error);
    return strcmp(spec, "none") == 0 ||
           (topo_scan_real(&scan, "the limit", 0.0, 0x1p53, &machine->link_limit) && topo_scan_end(&scan));
}

// Without a spec: whole loads within one of each other, or real loads near balance. Where capacities differ the
// variance cannot fall.
static bool parse_stop(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    const char *otherwise = machine->units == EK_TOKENS ? "spread:1" : machine->capacity ? "error:0.01" : "variance:1";
    snprintf(machine->stop_spec, sizeof machine->stop_spec, "%s", or_default(spec, otherwise));
    return core_stop_parse(&machine->stop, or_default(spec, otherwise), error);
}

static bool parse_axes(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    uint32_t processors = machine->topology->processors;
    return core_capacity_parse(or_default(experiment->capacity, "homo"), processors, experiment->seed,
                               experiment->reader, &machine->capacity, &machine->capacities_drawn, error) &&
           parse_link_limit(machine, or_default(experiment->link_limit, "none"), error) &&
           core_delay_parse(&machine->delay, or_default(experiment->delay, "none"), machine->topology, machine->async,
                            experiment->reader, error) &&
           core_invoke_parse(&machine->invoke, or_default(experiment->invoke, "always"), error) &&
           core_workload_parse(&machine->work, or_default(experiment->work, "none"), processors, machine->units,
                               experiment->reader, error) &&
           core_load_parse(&machine->load, or_default(experiment->load, "uniform:0:1000"), processors, machine->units,
                           experiment->reader, error) &&
           core_slow_parse(or_default(experiment->slow, "none"), processors, &machine->slow, error) &&
           core_faults_parse(&machine->faults, or_default(experiment->faults, "none"), machine->topology,
                             experiment->reader, error) &&
           parse_stop(machine, experiment->stop, error);
}

// Whether work goes on for ever.
static bool works_without_end(const struct ek_machine *machine)
{
    return machine->work.kind == CORE_WORKLOAD_NORMAL || machine->work.kind == CORE_WORKLOAD_CONSTANT;
}

// Who invokes by its load stops by itself. Without a criterion a free-running machine then ends when it is quiet; where
// work goes on for ever, it is not.
static void stop_when_quiet(struct ek_machine *machine)
{
    bool endless = works_without_end(machine);
    bool by_load = machine->invoke.kind != CORE_INVOKE_ALWAYS && machine->invoke.kind != CORE_INVOKE_PROBABILITY;
    if (endless || by_load) {
        machine->stop.kind = endless ? CORE_STOP_NEVER : CORE_STOP_ITSELF;
        snprintf(machine->stop_spec, sizeof machine->stop_spec, "%s", endless ? "never" : "nobody invokes");
    }
}

static bool take_free(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    machine->tick_s = experiment->tick_s;
    machine->watchdog_s = experiment->watchdog_s > 0.0 ? experiment->watchdog_s : 10.0;
    machine->audit_s = experiment->audit_s > 0.0 ? experiment->audit_s : fmin(0.01, machine->watchdog_s / 2);
    machine->perturb = experiment->perturb;
    machine->unpinned = experiment->unpinned;
    if (!(machine->perturb >= 0.0 && machine->perturb <= 1.0)) {
        return topo_fail(error, EK_BAD_INPUT, "perturb", 0, "a probability is a number from 0 to 1");
    }
    const char *only = machine->exclusive                         ? "domains"
                       : machine->tick_s > 0.0                    ? "tick"
                       : machine->slow                            ? "slow"
                       : machine->perturb > 0.0                   ? "perturb"
                       : machine->faults.kind != CORE_FAULTS_NONE ? "faults"
                       : experiment->keep_links                   ? "links"
                       : experiment->audit_s > 0.0                ? "audit"
                       : experiment->watchdog_s > 0.0             ? "watchdog"
                                                                  : NULL;
    if (!machine->async && only) {
        return topo_fail(error, EK_BAD_INPUT, only, 0, "--%s is for free-running processors: add --timing free", only);
    }
    if (machine->async && experiment->barrier) {
        return topo_fail(error, EK_BAD_INPUT, "barrier", 0, "without rounds there is no barrier: leave --barrier out");
    }
    if (machine->async && experiment->steps_max) {
        return topo_fail(error, EK_BAD_INPUT, "steps", 0,
                         "without rounds there are no steps: use --operations or --for");
    }
    return true;
}

static bool take_limits(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    if (!experiment->stop && ek_machine_direct(machine)) { // also one that is only with this parameter, as adi(opt)
        machine->stop.kind = CORE_STOP_ITSELF;
        snprintf(machine->stop_spec, sizeof machine->stop_spec, "its own end");
    }
    if (!experiment->stop && machine->async) {
        stop_when_quiet(machine);
    }
    machine->steps_max = experiment->steps_max;
    machine->operations_max = experiment->operations_max;
    machine->seconds_max = experiment->seconds_max;
    machine->seed = experiment->seed;
    machine->every = experiment->every ? experiment->every : 1;
    machine->trace_rows = experiment->trace_rows;
    machine->keep_loads = experiment->keep_loads;
    machine->keep_trace = experiment->keep_trace;
    machine->keep_flows = !experiment->no_flows;
    machine->keep_links = experiment->keep_links;
    if (!(experiment->seconds_max >= 0.0)) {
        return topo_fail(error, EK_BAD_INPUT, "for", 0, "a time limit is a number of seconds above 0");
    }
    bool limited = experiment->steps_max || experiment->operations_max || experiment->seconds_max > 0.0;
    if (!machine->async && works_without_end(machine) && !ek_machine_direct(machine) && !limited) {
        return topo_fail(error, EK_BAD_INPUT, "work", 0,
                         "this work goes on for ever, and so may the run: add --steps, --operations or --for");
    }
    if (machine->stop.kind == CORE_STOP_NEVER && !ek_machine_direct(machine) && !limited) {
        return topo_fail(error, EK_BAD_INPUT, "stop", 0,
                         "a run that never stops by itself needs --steps, --operations or --for");
    }
    return true;
}

// What the run will take, before it is taken.
static bool check_limits(const struct ek_machine *machine, struct ek_error *error)
{
    struct ek_limits limits;
    machine_limits_read_system(&limits);
    uint64_t bytes = machine->async ? async_bytes(machine) : rounds_bytes(machine);
    if (limits.memory_free > 0 && bytes > limits.memory_free) {
        return topo_fail(
            error, EK_BAD_INPUT, "topology", -1,
            "a run of %u processors takes some %llu MB and %llu MB of memory are free: use a smaller topology",
            machine->topology->processors, (unsigned long long)(bytes >> 20),
            (unsigned long long)(limits.memory_free >> 20));
    }
    return machine_workers_possible(machine->workers, error);
}

static bool prepare(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    machine->places = machine_places_find();
    struct ek_limits limits;
    machine_limits_read_system(&limits);
    machine->topology =
        ek_topology_create_within(or_default(experiment->topology, "torus:8x8"), experiment->seed, experiment->reader,
                                  limits.memory_free > 0 ? limits.memory_free : UINT64_MAX, error);
    const char *method = or_default(experiment->method, "ade");
    struct topo_scan scan = topo_scan_start("method", method, error);
    return machine->topology && parse_kinds(machine, experiment, error) && find_method(machine, experiment, &scan) &&
           parse_axes(machine, experiment, error) && prepare_method(machine, experiment->reader, &scan) &&
           take_limits(machine, experiment, error) && take_free(machine, experiment, error) &&
           check_limits(machine, error);
}

struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error)
{
    memset(error, 0, sizeof *error);
    struct ek_machine *machine = calloc(1, sizeof *machine);
    if (!machine) {
        topo_fail(error, EK_BAD_INPUT, "", -1, "no memory for a machine");
        return NULL;
    }
    if (!prepare(machine, experiment, error)) {
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
    core_load_destroy(&machine->load);
    core_workload_destroy(&machine->work);
    core_delay_destroy(&machine->delay);
    core_faults_destroy(&machine->faults);
    free(machine->slow);
    free(machine->capacity);
    ek_topology_destroy(machine->topology);
    machine_places_destroy(machine->places);
    free(machine);
}

const struct ek_topology *ek_machine_topology(const struct ek_machine *machine)
{
    return machine->topology;
}

const struct ek_method *ek_machine_method(const struct ek_machine *machine)
{
    return machine->method;
}

bool ek_machine_direct(const struct ek_machine *machine)
{
    return machine->method->direct || machine->plan.operations > 0;
}

const char *ek_machine_stop(const struct ek_machine *machine)
{
    return machine->stop_spec;
}

bool ek_machine_drawn(const struct ek_machine *machine)
{
    return machine->topology->drawn || machine->capacities_drawn;
}

double ek_machine_parameter(const struct ek_machine *machine)
{
    return machine->plan.parameter;
}

enum ek_matrix machine_matrix(const struct ek_machine *machine)
{
    bool alike = !machine->capacity || machine->to_target;
    return alike && !isnan(machine->plan.parameter) ? machine->method->matrix : EK_MATRIX_UNKNOWN;
}
