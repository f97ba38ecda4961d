// SPDX-License-Identifier: MIT
// Readers of the axes: from the texts of an experiment to the values of a plan. The axes of load are read in
// load_read.c, those of objects in objects_read.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/experiment/axis.h"
#include "threads/experiment/tables.h"
#include "threads/machine/budget.h"
#include "threads/machine/on_ranks.h"
#include "topologies/build.h"
#include "core/methods/methods.h"
#include "base/cursor.h"
#include "base/lines.h"
#include "topologies/topology.h"

const struct ek_choice experiment_detect_names[] = {
    {"snapshot", "snapshots of the whole machine; in virtual time the ends of windows, without messages"},
    {"safra", "a token that visits one processor after another (Dijkstra 1987)"},
    {"mattern", "waves that count parcels (Mattern 1987)"},
    {NULL, NULL}};
const struct ek_choice experiment_give_names[] = {
    {"oldest", "a parcel takes the oldest tasks"}, {"newest", "a parcel takes the newest tasks"}, {NULL, NULL}};

const struct ek_choice experiment_ports_names[] = {{"all", "a processor may use all its links in a step"},
                                                   {"one", "a processor may use one link in a step"},
                                                   {NULL, NULL}};

const struct ek_choice experiment_domains_names[] = {
    {"overlap", "a processor may be in several operations at once"},
    {"once", "the same, but overlapping operations use a shared link only once"},
    {"exclusive", "a processor in an operation refuses to take part in another"},
    {NULL, NULL}};

const struct ek_choice experiment_announce_names[] = {
    {"asked", "an operation asks its members for their loads, and moves load by the answers"},
    {"pushed", "a processor announces its load when it changes; an operation uses the loads announced last"},
    {NULL, NULL}};

const struct ek_choice experiment_clock_names[] = {{"operation", "the workload of a tick comes after each operation"},
                                                   {"step", "the workload of a tick comes after each step"},
                                                   {NULL, NULL}};

const struct ek_choice experiment_weighting_names[] = {
    {"capacity", "a method balances loads divided by capacities"},
    {"target", "a method balances the distances from each processor's share"},
    {NULL, NULL}};

const struct ek_choice experiment_order_names[] = {
    {"usual", "colours in the order of their numbers, dimensions in theirs; for adi the last dimension first"},
    {"reversed", "the other way round"},
    {"D,D,…", "all colours, or all dimensions, once each, as in 2,0,1"},
    {NULL, NULL}};

bool experiment_read_name(const char *axis, const char *what, const char *spec, const struct ek_choice *names,
                          size_t *index, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start(axis, spec, error);
    return base_cursor_choice(&cursor, what, names, index);
}

// Reads a spec that is one of the names that the function `choice` lists.
static bool read_listed(const char *axis, const char *what, const char *spec,
                        const struct ek_choice *(*choice)(size_t index), size_t *index, struct ek_error *error)
{
    struct ek_choice names[16] = {{NULL, NULL}};
    for (size_t i = 0; choice(i) && i + 1 < sizeof names / sizeof *names; i++) {
        names[i] = *choice(i);
    }
    return experiment_read_name(axis, what, spec, names, index, error);
}

bool experiment_read_topology(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    struct topo_permit permit = {machine_budget_ask, plan, machine_computes_rows, machine_stores_part};
    const struct ek_experiment *experiment = plan->experiment;
    struct base_files files = {experiment->reader, experiment->read_part};
    plan->topology = experiment->graph ? topo_create_of(spec, experiment->graph, permit, error)
                                       : topo_create_permitted(spec, experiment->seed, files, permit, error);
    if (plan->topology) {
        plan->workers = machine_workers_for(plan, plan->topology->processors);
    }
    return plan->topology != NULL;
}

static const char *known_method(size_t index)
{
    const struct ek_method *method = ek_method_at(index);
    return method ? method->name : NULL;
}

// Reads the name of the method. Its parameter is read later, when all that the parameter may depend on is known
// (prepare.c).
bool experiment_read_method(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    char name[64];
    struct base_cursor cursor = base_cursor_start("method", spec, error);
    if (!base_cursor_name(&cursor, name, sizeof name)) {
        return base_cursor_fail(&cursor, 0, "a method begins with its name, as in ade");
    }
    plan->method = ek_method_find(name);
    plan->checked = plan->experiment->checks || (plan->method && core_method_is_registered(plan->method));
    if (plan->method && plan->method->variant) {
        plan->method = plan->method->variant(spec + cursor.at);
    }
    return plan->method || base_cursor_unknown(&cursor, 0, "method", name, known_method);
}

bool experiment_read_timing(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_listed("timing", "timing", spec, experiment_engine_choice, &index, error);
    plan->engine = good ? experiment_engine_at(index) : NULL;
    return good;
}

bool experiment_read_detect(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("detect", "way to detect the end", spec, experiment_detect_names, &index, error);
    plan->detect = (enum machine_detect)index;
    return good;
}

bool experiment_read_give(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("give", "kind of task", spec, experiment_give_names, &index, error);
    plan->give_newest = index == 1;
    return good;
}

// Only a rule that also has real amounts is linear: the machine rounds these.
bool experiment_read_rounding(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    const struct ek_rule *rule = plan->method->rule;
    if (!experiment_read_name("rounding", "rounding", spec, core_rounding_names, &index, error)) {
        return false;
    }
    plan->rounding = (enum core_rounding)index;
    if (plan->rounding == CORE_ROUNDING_DOWN) {
        return true;
    }
    if (plan->units == EK_REAL) {
        return base_fail_at(error, "rounding", 0, "real loads are not rounded: use units tokens, or rounding down");
    }
    return (rule && rule->flow && rule->flow_tokens) ||
           base_fail_at(error, "rounding", 0,
                        "%s has no real amounts that could be rounded to tokens: use rounding down, or a method like "
                        "adf, gde or sender",
                        plan->method->name);
}

bool experiment_read_ports(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("ports", "port model", spec, experiment_ports_names, &index, error);
    plan->ports = index == 0 ? EK_ALL_PORTS : EK_ONE_PORT;
    return good;
}

bool experiment_read_clock(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("clock", "clock", spec, experiment_clock_names, &index, error);
    plan->clock_steps = index == 1;
    return good;
}

// Reads a list that has every colour, or every dimension, exactly once, such as 2,0,1.
static bool read_permutation(struct base_cursor *cursor, const char *what, uint32_t count, uint32_t *order, bool *taken)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t at = cursor->at;
        uint64_t next;
        char meant[48];
        snprintf(meant, sizeof meant, "a %s, of which there are more", what);
        if (i > 0 && !base_cursor_expect(cursor, ',', meant)) {
            return false;
        }
        snprintf(meant, sizeof meant, "a %s", what);
        if (!base_cursor_whole(cursor, meant, 0, count - 1, &next)) {
            return false;
        }
        if (taken[next]) {
            return base_cursor_fail(cursor, at + (i > 0), "%s %u is in this order twice", what, (unsigned)next);
        }
        taken[next] = true;
        order[i] = (uint32_t)next;
    }
    return base_cursor_end(cursor);
}

// Reads an order into order[count]. `descends`: the usual order runs from the last to the first.
static bool read_order(const char *spec, const char *what, uint32_t count, bool descends, uint32_t *order,
                       struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("order", spec, error);
    bool *taken = calloc(count + 1, sizeof *taken);
    if (!taken) {
        return base_cursor_fail(&cursor, 0, "no memory for an order of %u", count);
    }
    bool reversed = strcmp(spec, "reversed") == 0;
    for (uint32_t i = 0; reversed && i < count; i++) {
        order[i] = descends ? i : count - 1 - i;
    }
    bool good = reversed || read_permutation(&cursor, what, count, order, taken);
    free(taken);
    return good;
}

// Renumbers the colours in the order read, so that all loops over colours follow it. Dimensions keep their numbers,
// because the numbers of the processors depend on them. The method takes dimensions in the order of plan->order.
bool experiment_read_order(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    struct ek_topology *topology = plan->topology;
    const struct ek_method *method = plan->method;
    bool colours = method->links == EK_LINKS_COLOUR || method->order == EK_ORDER_COLOURS;
    uint32_t count = colours ? topology->colours : topology->dimensions;
    if (strcmp(spec, "usual") == 0) {
        return true;
    }
    if (!colours && method->order == EK_ORDER_NONE) {
        return base_fail_at(
            error, "order", 0,
            "%s does not go through colours or dimensions one after another: use a method like ade, de, "
            "dde, liquid or adi",
            method->name);
    }
    uint32_t *order = calloc(count + 1, sizeof *order);
    if (!order) {
        return base_fail(error, EK_BAD_INPUT, "order", "no memory for an order of %u", count);
    }
    bool good =
        read_order(spec, colours ? "colour" : "dimension", count, method->order == EK_ORDER_DESCENDING, order, error);
    if (good && !colours) {
        plan->order = order;
        return true;
    }
    if (good) {
        topo_recolour(topology, order);
    }
    free(order);
    return good;
}

bool experiment_read_invoke(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return core_invoke_parse(&plan->invoke, spec, plan->topology->processors, error);
}

bool experiment_read_capacity(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    const struct ek_topology *topology = plan->topology;
    bool good = core_capacity_parse(spec, topology->hosts, topology->processors, plan->experiment->seed,
                                    plan->experiment->reader, &plan->capacity, &plan->capacities_drawn, error);
    plan->switches = good && core_capacity_switches(plan->capacity, topology->processors);
    return good;
}

bool experiment_read_weighting(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("weighting", "weighting", spec, experiment_weighting_names, &index, error);
    plan->to_target = index == 1;
    return good;
}

// Reads a delay of this axis. In virtual time it can be the latency of the costs.
static bool read_delay(struct core_delay *delay, const char *axis, const char *spec, const struct machine_plan *plan,
                       struct ek_error *error)
{
    if (plan->engine->computed && strcmp(spec, "latency") == 0) {
        *delay = core_delay_fixed(core_cost_ns(&plan->links.costs, CORE_COST_LATENCY));
        return true;
    }
    return core_delay_parse(delay, axis, spec, plan->topology, plan->engine->by_clock, plan->experiment->reader, error);
}

bool experiment_read_delay(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return read_delay(&plan->links.delay, "delay", spec, plan, error);
}

bool experiment_read_host(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return core_host_read(&plan->host, "host", spec, plan->experiment->reader, error);
}

bool experiment_read_delay_load(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    plan->links.load_apart = strcmp(spec, "same") != 0;
    return !plan->links.load_apart || read_delay(&plan->links.delay_load, "delay-load", spec, plan, error);
}

bool experiment_read_within(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return core_within_parse(&plan->within, spec, error);
}

bool experiment_read_domains(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("domains", "kind of domains", spec, experiment_domains_names, &index, error);
    plan->domains = (enum machine_domains)index;
    return good;
}

bool experiment_read_announce(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("announce", "way of announcing", spec, experiment_announce_names, &index, error);
    plan->pushed = index == 1;
    return good;
}

bool experiment_read_slow(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return core_slow_parse(spec, plan->topology->processors, &plan->slow, error);
}

bool experiment_read_faults(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return core_faults_parse(&plan->faults, spec, plan->topology, plan->engine->by_clock, plan->experiment->reader,
                             error);
}

// Without a spec, the criterion is settled when the method's plan has been made (prepare.c).
bool experiment_read_stop(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    plan->stop.kind = CORE_STOP_NEVER;
    snprintf(plan->stop_spec, sizeof plan->stop_spec, "%s", spec ? spec : "");
    return !spec || core_stop_parse(&plan->stop, spec, error);
}

// Reads a step or a time. In virtual time it is that of a whole nanosecond, since rows of the trace have such times.
static bool read_moment(struct base_cursor *cursor, const char *what, const struct machine_engine *engine,
                        double *moment)
{
    uint64_t step = 0;
    if (!engine->overlapping) {
        bool good = base_cursor_whole(cursor, what, 0, UINT64_MAX, &step);
        *moment = (double)step;
        return good;
    }
    bool good = base_cursor_duration(cursor, what, moment);
    *moment = engine->computed ? 1e-9 * round(1e9 * *moment) : *moment;
    return good;
}

bool experiment_read_window(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    struct watch_window *window = &plan->window;
    const struct machine_engine *engine = plan->engine;
    struct base_cursor cursor = base_cursor_start("window", spec, error);
    *window = (struct watch_window){.asked = strcmp(spec, "none") != 0, .to = INFINITY};
    if (!window->asked) {
        return true;
    }
    return read_moment(&cursor, "the window's start", engine, &window->from) &&
           (!base_cursor_accept(&cursor, ':') || read_moment(&cursor, "the window's end", engine, &window->to)) &&
           base_cursor_end(&cursor) &&
           (window->from <= window->to || base_cursor_fail(&cursor, 0, "the window ends before it begins"));
}

// The number of workers is computed when the topology is known.
bool experiment_read_carrier(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    return experiment_carrier_parse(spec, &plan->carrier, &plan->workers_asked, error) &&
           machine_ranks_settle(plan, error);
}

static const char *known_mailbox(size_t index)
{
    const struct mail_kind *kind = mail_kind_at(index);
    return kind ? kind->choice.form : NULL;
}

// Reads the capacity behind the colon of a mailbox, if the engine allows more than one message on a link.
static bool read_mailbox_capacity(struct machine_plan *plan, struct base_cursor *cursor)
{
    uint64_t capacity = plan->engine->capacity > 0 ? plan->engine->capacity : 1;
    if (base_cursor_accept(cursor, ':')) {
        if (plan->engine->capacity == 0) {
            return base_cursor_fail(
                cursor, cursor->at - 1,
                "in rounds a link carries one message a phase: leave the capacity out, or use timing free");
        }
        if (!base_cursor_whole(cursor, "the capacity", 1, MAIL_CAPACITY_MAX, &capacity)) {
            return false;
        }
    }
    plan->mailbox_capacity = (uint32_t)capacity;
    return base_cursor_end(cursor);
}

bool experiment_read_mailbox(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    char name[32];
    struct base_cursor cursor = base_cursor_start("mailbox", spec ? spec : plan->engine->mailbox, error);
    if (!base_cursor_name(&cursor, name, sizeof name)) {
        return base_cursor_fail(&cursor, 0, "a mailbox has a name, as in spsc");
    }
    plan->mailbox = mail_kind_find(name);
    if (!plan->mailbox) {
        return base_cursor_unknown(&cursor, 0, "mailbox", name, known_mailbox);
    }
    if (plan->engine->capacity > 0 && !plan->mailbox->put) {
        return base_cursor_fail(&cursor, 0, "%s is ordered by the barrier of rounds: use spsc, wfcq or mutex", name);
    }
    return read_mailbox_capacity(plan, &cursor);
}

bool experiment_read_barrier(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_listed("barrier", "barrier", spec, mail_barrier_choice, &index, error);
    plan->barrier = (enum mail_barrier_kind)index;
    return good;
}

void experiment_write_stop(const struct machine_plan *plan, char *text, size_t size)
{
    snprintf(text, size, "%s", plan->stop_spec);
}

void experiment_write_carrier(const struct machine_plan *plan, char *text, size_t size)
{
    bool counted = plan->carrier->asked_max > 0;
    snprintf(text, size, counted ? "%s:%u" : "%s", plan->carrier->name, plan->workers);
}

void experiment_write_mailbox(const struct machine_plan *plan, char *text, size_t size)
{
    bool counted = plan->engine->capacity > 0;
    snprintf(text, size, counted ? "%s:%u" : "%s", plan->mailbox->choice.form, (unsigned)plan->mailbox_capacity);
}

void experiment_write_barrier(const struct machine_plan *plan, char *text, size_t size)
{
    unsigned cores = host_places_count(plan->places);
    enum mail_barrier_kind kind = mail_barrier_chosen(plan->barrier, plan->workers, cores);
    bool meets = plan->engine->timing & (EK_IN_ROUNDS | EK_IN_TURNS) && !plan->ranks;
    snprintf(text, size, "%s", meets ? mail_barrier_choice(kind)->form : "none");
}
