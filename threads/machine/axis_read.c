// SPDX-License-Identifier: MIT
// From the texts of an experiment to what a machine works with, axis by axis.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/machine/axis.h"
#include "threads/machine/budget.h"
#include "threads/machine/on_ranks.h"
#include "topologies/build.h"
#include "base/cursor.h"

const struct ek_choice machine_units_names[] = {
    {"real", "loads are any amounts"}, {"tokens", "whole loads, whole transfers"}, {NULL, NULL}};

const struct ek_choice machine_ports_names[] = {{"all", "a processor may use all its links in a step"},
                                                {"one", "a processor may use one link in a step"},
                                                {NULL, NULL}};

const struct ek_choice machine_domains_names[] = {
    {"overlap", "a processor may be in several operations at once"},
    {"once", "the same, but operations that overlap use a link that they share once"},
    {"exclusive", "a processor in an operation refuses to take part in another"},
    {NULL, NULL}};

const struct ek_choice machine_announce_names[] = {
    {"asked", "an operation asks its members for their loads, and settles with them"},
    {"pushed", "a processor announces its load where it has changed; an operation gives by the loads last heard"},
    {NULL, NULL}};

const struct ek_choice machine_clock_names[] = {{"operation", "the workload of a tick comes after each operation"},
                                                {"step", "the workload of a tick comes after each step"},
                                                {NULL, NULL}};

const struct ek_choice machine_demand_names[] = {
    {"bounded", "work takes no more than a processor holds"},
    {"owed", "real loads, not in free timing: work takes all that it wants, and loads may fall below zero"},
    {NULL, NULL}};

// In the order of enum core_working.
const struct ek_choice machine_working_names[] = {
    {"after", "the workload of a tick comes after its balancing"},
    {"before", "it comes before its announcements; rounds and turns"},
    {"suspended", "it comes after its balancing, to those alone that took no part; rounds and free timing"},
    {NULL, NULL}};

const struct ek_choice machine_weighting_names[] = {
    {"capacity", "a method balances loads divided by capacities"},
    {"target", "a method balances the distances from each processor's share"},
    {NULL, NULL}};

const struct ek_choice machine_order_names[] = {
    {"usual", "colour after colour, as `list --links` numbers them; dimension after dimension, for adi the last first"},
    {"reversed", "the other way round"},
    {"D,D,…", "every colour, or every dimension, once, as in 2,0,1"},
    {NULL, NULL}};

// Reads a spec that is one of these names; `what` says what is named.
static bool read_name(const char *axis, const char *what, const char *spec, const struct ek_choice *names,
                      size_t *index, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start(axis, spec, error);
    return base_cursor_choice(&cursor, what, names, index);
}

// The same where a function knows the names.
static bool read_listed(const char *axis, const char *what, const char *spec,
                        const struct ek_choice *(*choice)(size_t index), size_t *index, struct ek_error *error)
{
    struct ek_choice names[16] = {{NULL, NULL}};
    for (size_t i = 0; choice(i) && i + 1 < sizeof names / sizeof *names; i++) {
        names[i] = *choice(i);
    }
    return read_name(axis, what, spec, names, index, error);
}

bool machine_read_topology(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    struct topo_permit permit = {machine_budget_ask, machine};
    const struct ek_experiment *experiment = &machine->experiment;
    machine->topology = experiment->graph
                            ? topo_create_of(spec, experiment->graph, permit, error)
                            : topo_create_permitted(spec, experiment->seed, experiment->reader, permit, error);
    if (machine->topology) {
        machine->workers = machine_workers_for(machine, machine->topology->processors);
    }
    return machine->topology != NULL;
}

static const char *known_method(size_t index)
{
    const struct ek_method *method = ek_method_at(index);
    return method ? method->name : NULL;
}

// Its name; the parameter is read when everything that it may depend on is known (prepare.c).
bool machine_read_method(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    char name[64];
    struct base_cursor cursor = base_cursor_start("method", spec, error);
    if (!base_cursor_name(&cursor, name, sizeof name)) {
        return base_cursor_fail(&cursor, 0, "a method begins with its name, as in ade");
    }
    machine->method = ek_method_find(name);
    machine->method_end = cursor.at;
    if (machine->method && machine->method->variant) {
        machine->method = machine->method->variant(spec + cursor.at);
    }
    return machine->method || base_cursor_unknown(&cursor, 0, "method", name, known_method);
}

bool machine_read_timing(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_listed("timing", "timing", spec, machine_engine_choice, &index, error);
    machine->engine = good ? machine_engine_at(index) : NULL;
    return good;
}

// A method that balances tokens only implies them.
bool machine_read_units(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("units", "kind of load", spec, machine_units_names, &index, error);
    bool implied = !machine->experiment.units && machine->method->supports.units == EK_TOKENS;
    machine->units = implied || index == 1 ? EK_TOKENS : EK_REAL;
    return good;
}

bool machine_read_ports(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("ports", "port model", spec, machine_ports_names, &index, error);
    machine->ports = index == 0 ? EK_ALL_PORTS : EK_ONE_PORT;
    return good;
}

bool machine_read_clock(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("clock", "clock", spec, machine_clock_names, &index, error);
    machine->clock_steps = index == 1;
    return good;
}

// Every colour, or every dimension, once, as in 2,0,1.
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

// Reads an order into [count]; `descends`: the usual one is from the last to the first.
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

// The colours get numbers in this order, and everything goes through them as ever. Dimensions keep theirs, by which
// processors are numbered: the method takes them in this order.
bool machine_read_order(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    struct ek_topology *topology = machine->topology;
    const struct ek_method *method = machine->method;
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
        machine->order = order;
        return true;
    }
    if (good) {
        topo_recolour(topology, order);
    }
    free(order);
    return good;
}

bool machine_read_invoke(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return core_invoke_parse(&machine->invoke, spec, machine->topology->processors, error);
}

bool machine_read_load(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    const struct ek_experiment *experiment = &machine->experiment;
    uint32_t processors = machine->topology->processors;
    return experiment->loads
               ? core_load_take(&machine->load, experiment->loads, experiment->loads_count, processors, machine->units,
                                error)
               : core_load_parse(&machine->load, spec, processors, machine->units, experiment->reader, error);
}

bool machine_read_work(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return core_workload_parse(&machine->work, spec, machine->topology->processors, machine->units,
                               machine->experiment.reader, error);
}

// Without a spec: as the papers' models have it, where that can be.
bool machine_read_demand(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    bool free = machine->engine->timing & EK_IN_FREE;
    bool can_owe = machine->units == EK_REAL && !free;
    size_t index = can_owe;
    if (spec && !read_name("demand", "kind of demand", spec, machine_demand_names, &index, error)) {
        return false;
    }
    machine->work.owed = index == 1;
    return !machine->work.owed || can_owe ||
           base_fail_at(
               error, "demand", 0,
               free ? "a free-running processor consumes no more than it holds: use --demand bounded, or --timing "
                      "rounds"
                    : "tokens cannot be owed: use --demand bounded, or --units real");
}

bool machine_read_working(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("working", "time to work", spec, machine_working_names, &index, error);
    machine->work.working = good ? (enum core_working)index : CORE_WORKING_AFTER;
    unsigned timing = machine->engine->timing;
    if (machine->work.working == CORE_WORKING_BEFORE && timing == EK_IN_FREE) {
        return base_fail_at(
            error, "working", 0,
            "free-running processors have ticks of their own, not before or after others' balancing: use "
            "--working after or suspended, or --timing rounds");
    }
    if (machine->work.working == CORE_WORKING_SUSPENDED && timing == EK_IN_TURNS) {
        return base_fail_at(
            error, "working", 0,
            "in turns everybody takes part in every step, so nobody would ever work: use --timing rounds "
            "with an --invoke");
    }
    return good;
}

bool machine_read_capacity(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return core_capacity_parse(spec, machine->topology->processors, machine->experiment.seed,
                               machine->experiment.reader, &machine->capacity, &machine->capacities_drawn, error);
}

bool machine_read_weighting(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("weighting", "weighting", spec, machine_weighting_names, &index, error);
    machine->to_target = index == 1;
    return good;
}

bool machine_read_delay(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return core_delay_parse(&machine->links.delay, spec, machine->topology, machine->engine->by_clock,
                            machine->experiment.reader, error);
}

bool machine_read_domains(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("domains", "kind of domains", spec, machine_domains_names, &index, error);
    machine->domains = (enum machine_domains)index;
    return good;
}

bool machine_read_announce(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_name("announce", "way of announcing", spec, machine_announce_names, &index, error);
    machine->pushed = index == 1;
    return good;
}

bool machine_read_slow(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return core_slow_parse(spec, machine->topology->processors, &machine->slow, error);
}

bool machine_read_faults(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return core_faults_parse(&machine->faults, spec, machine->topology, machine->engine->by_clock,
                             machine->experiment.reader, error);
}

// Without a spec the method is asked, when it has been planned (prepare.c).
bool machine_read_stop(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    machine->stop.kind = CORE_STOP_NEVER;
    snprintf(machine->stop_spec, sizeof machine->stop_spec, "%s", spec ? spec : "");
    return !spec || core_stop_parse(&machine->stop, spec, error);
}

static bool read_moment(struct base_cursor *cursor, const char *what, bool seconds, double *moment)
{
    uint64_t step = 0;
    bool good =
        seconds ? base_cursor_duration(cursor, what, moment) : base_cursor_whole(cursor, what, 0, UINT64_MAX, &step);
    *moment = seconds ? *moment : (double)step;
    return good;
}

bool machine_read_window(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    struct watch_window *window = &machine->window;
    bool seconds = machine->engine->overlapping;
    struct base_cursor cursor = base_cursor_start("window", spec, error);
    *window = (struct watch_window){.asked = strcmp(spec, "none") != 0, .to = INFINITY};
    if (!window->asked) {
        return true;
    }
    return read_moment(&cursor, "the window's start", seconds, &window->from) &&
           (!base_cursor_accept(&cursor, ':') || read_moment(&cursor, "the window's end", seconds, &window->to)) &&
           base_cursor_end(&cursor) &&
           (window->from <= window->to || base_cursor_fail(&cursor, 0, "the window ends before it begins"));
}

// How many workers that makes is known with the topology.
bool machine_read_carrier(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    return machine_carrier_parse(spec, &machine->carrier, &machine->workers_asked, error) &&
           machine_ranks_settle(machine, error);
}

static const char *known_mailbox(size_t index)
{
    const struct mail_kind *kind = mail_kind_at(index);
    return kind ? kind->choice.form : NULL;
}

// What follows the colon of a mailbox: its capacity, where a link holds more than one message.
static bool read_mailbox_capacity(struct ek_machine *machine, struct base_cursor *cursor)
{
    uint64_t capacity = machine->engine->capacity > 0 ? machine->engine->capacity : 1;
    if (base_cursor_accept(cursor, ':')) {
        if (machine->engine->capacity == 0) {
            return base_cursor_fail(cursor, cursor->at - 1,
                                    "in rounds a link carries one message a phase: leave the capacity out, or use "
                                    "--timing free");
        }
        if (!base_cursor_whole(cursor, "the capacity", 1, MAIL_CAPACITY_MAX, &capacity)) {
            return false;
        }
    }
    machine->mailbox_capacity = (uint32_t)capacity;
    return base_cursor_end(cursor);
}

bool machine_read_mailbox(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    char name[32];
    struct base_cursor cursor = base_cursor_start("mailbox", spec ? spec : machine->engine->mailbox, error);
    if (!base_cursor_name(&cursor, name, sizeof name)) {
        return base_cursor_fail(&cursor, 0, "a mailbox has a name, as in spsc");
    }
    machine->mailbox = mail_kind_find(name);
    if (!machine->mailbox) {
        return base_cursor_unknown(&cursor, 0, "mailbox", name, known_mailbox);
    }
    if (machine->engine->capacity > 0 && !machine->mailbox->put) {
        return base_cursor_fail(&cursor, 0, "%s is ordered by the barrier of rounds: use spsc, wfcq or mutex", name);
    }
    return read_mailbox_capacity(machine, &cursor);
}

bool machine_read_barrier(struct ek_machine *machine, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = read_listed("barrier", "barrier", spec, mail_barrier_choice, &index, error);
    machine->barrier = (enum mail_barrier_kind)index;
    return good;
}

void machine_write_units(const struct ek_machine *machine, char *text, size_t size)
{
    snprintf(text, size, "%s", machine->units == EK_TOKENS ? "tokens" : "real");
}

void machine_write_demand(const struct ek_machine *machine, char *text, size_t size)
{
    snprintf(text, size, "%s", machine_demand_names[machine->work.owed].form);
}

void machine_write_stop(const struct ek_machine *machine, char *text, size_t size)
{
    snprintf(text, size, "%s", machine->stop_spec);
}

void machine_write_carrier(const struct ek_machine *machine, char *text, size_t size)
{
    bool counted = machine->carrier->asked_max > 0;
    snprintf(text, size, counted ? "%s:%u" : "%s", machine->carrier->name, machine->workers);
}

void machine_write_mailbox(const struct ek_machine *machine, char *text, size_t size)
{
    bool counted = machine->engine->capacity > 0;
    snprintf(text, size, counted ? "%s:%u" : "%s", machine->mailbox->choice.form, (unsigned)machine->mailbox_capacity);
}

void machine_write_barrier(const struct ek_machine *machine, char *text, size_t size)
{
    unsigned cores = machine_places_count(machine->places);
    enum mail_barrier_kind kind = mail_barrier_chosen(machine->barrier, machine->workers, cores);
    bool meets = machine->engine->timing & (EK_IN_ROUNDS | EK_IN_TURNS) && !machine->ranks;
    snprintf(text, size, "%s", meets ? mail_barrier_choice(kind)->form : "none");
}
