// SPDX-License-Identifier: MIT
// From an experiment to a machine that can run: every axis parsed, every limit checked before anything starts.
#include "threads/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/theory.h"
#include "threads/limits.h"
#include "threads/rounds.h"
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

static const char *known_mailbox(size_t index)
{
    const struct ek_mailbox_kind *kind = ek_mailbox_at(index);
    return kind ? kind->name : NULL;
}

static const char *known_barrier(size_t index)
{
    const struct ek_choice *kind = ek_barrier_choice(index);
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
    struct ek_scan scan = ek_scan_start(axis, spec, error);
    char name[32];
    if (!ek_scan_name(&scan, name, sizeof name)) {
        return ek_scan_fail(&scan, 0, "a %s has a name, as in %s", what, known(0));
    }
    for (*index = 0; known(*index); ++*index) {
        if (strcmp(name, known(*index)) == 0) {
            return ek_scan_end(&scan);
        }
    }
    return ek_scan_unknown(&scan, 0, what, name, known);
}

static const char *or_default(const char *spec, const char *otherwise)
{
    return spec ? spec : otherwise;
}

static bool parse_kinds(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    size_t units, ports, mailbox, barrier;
    unsigned asked;
    if (!parse_name("units", "kind of load", or_default(experiment->units, "real"), known_units, &units, error) ||
        !parse_name("ports", "port model", or_default(experiment->ports, "all"), known_ports, &ports, error) ||
        !parse_name("mailbox", "mailbox", or_default(experiment->mailbox, "slot"), known_mailbox, &mailbox, error) ||
        !parse_name("barrier", "barrier", or_default(experiment->barrier, "auto"), known_barrier, &barrier, error) ||
        !ek_carrier_parse(or_default(experiment->carrier, "threads"), &machine->carrier, &asked, error)) {
        return false;
    }
    machine->units = units == 0 ? EK_REAL : EK_TOKENS;
    machine->ports = ports == 0 ? EK_ALL_PORTS : EK_ONE_PORT;
    machine->mailbox = ek_mailbox_at(mailbox);
    machine->barrier = (enum ek_barrier_kind)barrier;
    machine->workers = machine->carrier->workers(machine->topology->processors, ek_places_count(machine->places), asked);
    return true;
}

static bool parse_method(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    struct ek_scan scan = ek_scan_start("method", spec, error);
    char name[64];
    if (!ek_scan_name(&scan, name, sizeof name)) {
        return ek_scan_fail(&scan, 0, "a method begins with its name, as in ade");
    }
    machine->method = ek_method_find(name);
    if (!machine->method) {
        return ek_scan_unknown(&scan, 0, "method", name, known_method);
    }
    if (!(machine->method->units & machine->units)) {
        return ek_scan_fail(&scan, 0, "%s balances %s only: use --units %s", name,
                            machine->units == EK_REAL ? "tokens" : "real loads", machine->units == EK_REAL ? "tokens" : "real");
    }
    if (!(machine->method->ports & machine->ports)) {
        return ek_scan_fail(&scan, 0, "%s needs %s: use --ports %s", name,
                            machine->ports == EK_ONE_PORT ? "all ports" : "one port", machine->ports == EK_ONE_PORT ? "all" : "one");
    }
    const char *parameter = ek_scan_accept(&scan, ':') ? spec + scan.at : NULL;
    if (!parameter && !ek_scan_end(&scan)) {
        return false;
    }
    struct ek_setting setting = {.topology = machine->topology, .units = machine->units, .ports = machine->ports};
    machine->plan.parameter = NAN;
    return machine->method->prepare(&machine->plan, parameter, (int)scan.at, &setting, error);
}

static bool take_limits(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    machine->steps_max = experiment->steps;
    machine->operations_max = experiment->operations;
    machine->seconds_max = experiment->seconds;
    machine->seed = experiment->seed;
    machine->every = experiment->every ? experiment->every : 1;
    machine->trace_rows = experiment->trace_rows;
    machine->keep_loads = experiment->keep_loads;
    machine->keep_trace = experiment->keep_trace;
    machine->keep_flows = !experiment->no_flows;
    if (!(experiment->seconds >= 0.0)) {
        return ek_fail(error, EK_BAD_INPUT, "for", 0, "a time limit is a number of seconds above 0");
    }
    if (machine->stop.kind == EK_STOP_NEVER && !experiment->steps && !experiment->operations && experiment->seconds == 0.0) {
        return ek_fail(error, EK_BAD_INPUT, "stop", 0,
                       "a run that never stops by itself needs --steps, --operations or --for");
    }
    return true;
}

// What the run will take, before it is taken.
static bool check_limits(const struct ek_machine *machine, struct ek_error *error)
{
    struct ek_limits limits;
    ek_limits_read_system(&limits);
    uint64_t bytes = ek_rounds_bytes(machine);
    if (limits.memory_free > 0 && bytes > limits.memory_free) {
        return ek_fail(error, EK_BAD_INPUT, "topology", -1,
                       "a run of %u processors takes some %llu MB and %llu MB of memory are free: use a smaller topology",
                       machine->topology->processors, (unsigned long long)(bytes >> 20),
                       (unsigned long long)(limits.memory_free >> 20));
    }
    return ek_workers_possible(machine->workers, error);
}

static bool prepare(struct ek_machine *machine, const struct ek_experiment *experiment, struct ek_error *error)
{
    machine->places = ek_places_find();
    struct ek_limits limits;
    ek_limits_read_system(&limits);
    machine->topology = ek_topology_create_within(or_default(experiment->topology, "torus:8x8"), experiment->seed,
                                                  experiment->reader, limits.memory_free > 0 ? limits.memory_free : UINT64_MAX,
                                                  error);
    if (!machine->topology || !parse_kinds(machine, experiment, error)) {
        return false;
    }
    const char *stop = or_default(experiment->stop, machine->units == EK_TOKENS ? "spread:1" : "variance:1");
    return parse_method(machine, or_default(experiment->method, "ade"), error) &&
           ek_load_parse(&machine->load, or_default(experiment->load, "uniform:0:1000"), machine->topology->processors,
                         machine->units, experiment->reader, error) &&
           ek_stop_parse(&machine->stop, stop, error) && take_limits(machine, experiment, error) &&
           check_limits(machine, error);
}

struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error)
{
    memset(error, 0, sizeof *error);
    struct ek_machine *machine = calloc(1, sizeof *machine);
    if (!machine) {
        ek_fail(error, EK_BAD_INPUT, "", -1, "no memory for a machine");
        return NULL;
    }
    if (!prepare(machine, experiment, error)) {
        ek_machine_free(machine);
        return NULL;
    }
    return machine;
}

void ek_machine_free(struct ek_machine *machine)
{
    if (!machine) {
        return;
    }
    if (machine->method && machine->method->release) {
        machine->method->release(&machine->plan);
    }
    ek_load_release(&machine->load);
    ek_topology_free(machine->topology);
    ek_places_free(machine->places);
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

double ek_machine_parameter(const struct ek_machine *machine)
{
    return machine->plan.parameter;
}

void ek_interrupt(struct ek_machine *machine)
{
    atomic_store_explicit(&machine->interrupted, true, memory_order_relaxed); // a lone flag; no data goes with it
}

// Forwards the workers' tick to the caller's progress function.
struct listener {
    struct ek_rounds *rounds;
    struct timespec began;
    void (*progress)(void *context, const struct ek_progress *so_far);
    void *context;
};

static void tick(void *context)
{
    struct listener *listener = context;
    struct ek_progress so_far;
    ek_rounds_progress(listener->rounds, &so_far);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    so_far.elapsed_s = (double)(now.tv_sec - listener->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - listener->began.tv_nsec);
    listener->progress(listener->context, &so_far);
}

// Whether an operation of the machine's method is one matrix that the theory knows, and of which kind.
static bool has_theory(const struct ek_machine *machine, enum ek_kind *kind)
{
    *kind = machine->method->links == EK_LINKS_ALL ? EK_KIND_DIFFUSION : EK_KIND_EXCHANGE;
    return machine->method->links == EK_LINKS_ALL || machine->method->links == EK_LINKS_COLOUR;
}

// Why the criterion was not reached, where the theory knows.
static void explain(const struct ek_machine *machine, struct ek_report *report)
{
    enum ek_kind kind;
    bool known = report->reason != EK_CRITERION && machine->stop.kind != EK_STOP_NEVER && has_theory(machine, &kind) &&
                 ek_theory_why_not(machine->topology, kind, machine->plan.parameter, machine->units, report->why_not,
                                   sizeof report->why_not);
    if (report->reason == EK_FROZEN && !known) {
        snprintf(report->why_not, sizeof report->why_not, "%s",
                 machine->units == EK_TOKENS ? "nothing moves any more: this is as far as whole tokens get with this method"
                                             : "the variance no longer falls: this is as far as the method gets");
    }
}

enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                      void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                      struct ek_error *error)
{
    memset(error, 0, sizeof *error);
    memset(report, 0, sizeof *report);
    struct ek_rounds *rounds = ek_rounds_create(machine, run, error);
    if (!rounds) {
        return error->status;
    }
    struct listener listener = {.rounds = rounds, .progress = progress, .context = context};
    clock_gettime(CLOCK_MONOTONIC, &listener.began);
    struct ek_work work = {.body = ek_rounds_work, .context = rounds, .tick = progress ? tick : NULL,
                           .tick_context = &listener};
    enum ek_status status = EK_BAD_INPUT;
    if (ek_workers_run(machine->workers, machine->places, &work, error)) {
        status = ek_rounds_report(rounds, report, error);
        explain(machine, report);
    }
    ek_rounds_free(rounds);
    return status;
}

void ek_report_free(struct ek_report *report)
{
    free(report->initial);
    free(report->final);
    free(report->trace);
    report->initial = report->final = NULL;
    report->trace = NULL;
}

// The variance of the loads that run 0 begins with and the one that it is to reach; false where the criterion is another.
static bool variance_goal(const struct ek_machine *machine, double *from, double *to)
{
    uint32_t processors = machine->topology->processors;
    double *held = malloc(processors * sizeof *held);
    if (!held) {
        return false;
    }
    struct ek_measure measure;
    ek_load_draw(&machine->load, machine->seed, processors, held);
    ek_measure_loads(held, processors, &measure);
    free(held);
    *from = measure.variance;
    *to = machine->stop.limit;
    return machine->stop.kind == EK_STOP_VARIANCE;
}

void ek_theory_find(const struct ek_machine *machine, struct ek_theory *theory)
{
    *theory = (struct ek_theory){.gamma_exact = NAN, .gamma_closed = NAN, .parameter = machine->plan.parameter,
                                 .parameter_best = NAN, .operations = NAN, .steps = NAN};
    enum ek_kind kind;
    if (!has_theory(machine, &kind)) {
        return;
    }
    struct ek_factor factor;
    ek_theory_factor(machine->topology, kind, machine->plan.parameter, &factor);
    theory->gamma_exact = factor.exact;
    theory->gamma_closed = factor.closed;
    theory->has_exact = !isnan(factor.exact);
    theory->has_closed = !isnan(factor.closed);
    theory->parameter_best = factor.best;
    snprintf(theory->note, sizeof theory->note, "%s", factor.note);
    double from, to;
    if (theory->has_exact && machine->units == EK_REAL && variance_goal(machine, &from, &to)) {
        bool by_colour = kind == EK_KIND_EXCHANGE || machine->ports == EK_ONE_PORT;
        theory->operations = ek_theory_operations(factor.exact, from, to);
        theory->steps = theory->operations * (by_colour ? machine->topology->colours : 1);
    }
}
