// SPDX-License-Identifier: MIT
// Draws the experiments of torture. Each axis is drawn independently, except for combinations that the method does not
// support. Every experiment ends: by its criterion, after a number of operations or steps, or within half a second. One
// experiment in five has tasks, in any timing.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "core/method.h"
#include "lab/studies/method_of_spec.h"
#include "lab/studies/torture.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

enum { TEXT_SIZE = 256, TOPOLOGIES_TRIED = 8 };

struct drawing {
    struct base_random random;
    struct lab_section *section;    // the experiment so far
    const char *bound[EK_AXES_MAX]; // by axis: the value that the bounds give it, or NULL
    struct ek_reader reader;
    struct ek_error *error;
    bool good; // false: memory is short
};

// Draws a whole number from low to high.
static unsigned between(struct drawing *drawing, unsigned low, unsigned high)
{
    assert(low <= high);
    return low + (unsigned)base_random_below(&drawing->random, high - low + 1u);
}

// Draws a whole number from low to high. Each octave is equally likely.
static unsigned by_octaves(struct drawing *drawing, unsigned low, unsigned high)
{
    unsigned octaves = 0;
    while ((low << octaves) <= high / 2) {
        octaves++;
    }
    unsigned from = low << between(drawing, 0, octaves);
    return between(drawing, from, from > high / 2 ? high : 2 * from - 1);
}

static bool chance(struct drawing *drawing, unsigned percent)
{
    return between(drawing, 0, 99) < percent;
}

static const char *one_of(struct drawing *drawing, const char *const *texts, size_t count)
{
    return texts[between(drawing, 0, (unsigned)count - 1)];
}

#define ONE_OF(drawing, texts) one_of(drawing, texts, sizeof texts / sizeof *texts)

static const char *bound_of(const struct drawing *drawing, const char *option)
{
    size_t i = 0;
    while (strcmp(ek_axis_at(i)->option, option) != 0) {
        i++;
    }
    return drawing->bound[i];
}

// Gives an axis its value: the bound if there is one, else what was drawn.
__attribute__((format(printf, 3, 4))) static void set(struct drawing *drawing, const char *option, const char *value,
                                                      ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, value);
    int length = vsnprintf(text, sizeof text, value, arguments);
    va_end(arguments);
    assert(length > 0 && length < TEXT_SIZE);
    (void)length;
    const char *bound = bound_of(drawing, option);
    drawing->good = drawing->good && lab_section_set(drawing->section, option, bound ? bound : text, drawing->error);
}

// Gives the axes that were not drawn their bounds.
static void set_other_bounds(struct drawing *drawing)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (drawing->bound[i] && !drawing->section->given[i]) {
            set(drawing, ek_axis_at(i)->option, "%s", drawing->bound[i]);
        }
    }
}

// Returns whether a method supports the units and ports that the bounds require, and sends messages.
static bool suits(const struct ek_method *method, const struct drawing *drawing)
{
    const char *units = bound_of(drawing, "units");
    const char *ports = bound_of(drawing, "ports");
    unsigned in_units = !units ? EK_REAL | EK_TOKENS : strcmp(units, "tokens") == 0 ? EK_TOKENS : EK_REAL;
    unsigned by_ports = !ports ? EK_ALL_PORTS | EK_ONE_PORT : strcmp(ports, "one") == 0 ? EK_ONE_PORT : EK_ALL_PORTS;
    bool balances = strcmp(method->name, "none") != 0;
    return method->free && balances && (method->supports.units & in_units) && (method->supports.ports & by_ports);
}

// Returns the method of the bound, or NULL if the bound names no method. Without a bound, draws a method that suits the
// other bounds, or returns NULL if none suits.
static const struct ek_method *draw_method(struct drawing *drawing)
{
    const char *bound = bound_of(drawing, "method");
    unsigned count = 0;
    for (size_t i = 0; ek_method_at(i); i++) {
        count += suits(ek_method_at(i), drawing);
    }
    if (bound || count == 0) {
        return bound ? lab_method_of(bound) : NULL;
    }
    unsigned chosen = between(drawing, 0, count - 1);
    size_t at = 0;
    while (!suits(ek_method_at(at), drawing) || chosen-- > 0) {
        at++;
    }
    return ek_method_at(at);
}

// Writes the method's spec: its example, or another form of it.
static void set_method(struct drawing *drawing, const struct ek_method *method)
{
    static const char *const forms[] = {
        "liquid:c0",    "liquid:c1", "liquid:c2",     "liquid:c3",    "liquid:c4",           "nna:portion",
        "nna:net",      "gde:0.4",   "diffusion:0.1", "sender:1/deg", "random-neighbours:1", "random-neighbours:3",
        "splitting:1/3"};
    enum { FORMS = sizeof forms / sizeof *forms };
    const char *own[1 + FORMS];
    unsigned count = 0;
    const char *text = method->texts->example ? method->texts->example : method->name; // may be quoted
    const bool quoted = *text == '"';
    char example[TEXT_SIZE];
    snprintf(example, sizeof example, "%.*s", (int)strcspn(text + quoted, quoted ? "\"" : " "), text + quoted);
    own[count++] = example;
    for (unsigned i = 0; i < FORMS; i++) {
        if (lab_method_of(forms[i]) == method) {
            own[count++] = forms[i];
        }
    }
    set(drawing, "method", "%s", one_of(drawing, own, count));
}

static void set_topology(struct drawing *drawing)
{
    unsigned a = by_octaves(drawing, 2, 16);
    unsigned b = by_octaves(drawing, 2, 16);
    unsigned large = by_octaves(drawing, 2, 256);
    switch (between(drawing, 0, 10)) {
    case 0:
        set(drawing, "topology", "ring:%u", large);
        break;
    case 1:
        set(drawing, "topology", "torus:%ux%u", a, b);
        break;
    case 2:
        set(drawing, "topology", "torus:%ux%ux3", a / 2 + 1, b / 2 + 1);
        break;
    case 3:
        set(drawing, "topology", "hypercube:%u", between(drawing, 1, 7));
        break;
    case 4:
        set(drawing, "topology", "mesh:%ux%u", a, b);
        break;
    case 5:
        set(drawing, "topology", "chain:%u", large);
        break;
    case 6:
        set(drawing, "topology", "star:%u", by_octaves(drawing, 2, 100));
        break;
    case 7:
        set(drawing, "topology", "complete:%u", by_octaves(drawing, 2, 40));
        break;
    case 8:
        set(drawing, "topology", "otis(mesh:2x%u)", between(drawing, 1, 8));
        break;
    case 9:
        set(drawing, "topology", "otis(ring:%u)", between(drawing, 3, 10));
        break;
    default:
        set(drawing, "topology", "random:%u:%u", 2 * by_octaves(drawing, 4, 100), between(drawing, 3, 6));
    }
}

// Returns the number of processors of the experiment so far, or 0 if the machine refuses the experiment.
static unsigned count_processors(const struct drawing *drawing)
{
    struct lab_experiment_spec spec = lab_section_spec(drawing->section);
    struct ek_experiment experiment;
    struct ek_error refusal;
    if (!lab_experiment_spec_read(&spec, drawing->reader, &experiment, &refusal)) {
        return 0;
    }
    experiment.by_caller = true; // it will not run: no threads are needed
    struct ek_machine *machine = ek_prepare(&experiment, &refusal);
    unsigned processors = machine ? ek_machine_outline(machine)->processors : 0;
    ek_machine_destroy(machine);
    return processors;
}

// Returns the number of processors of a topology, 1 if there is no such topology.
static unsigned processors_of(const struct drawing *drawing, const char *spec)
{
    struct ek_error refusal;
    struct ek_topology *topology = spec ? ek_topology_create(spec, 1, drawing->reader, &refusal) : NULL;
    unsigned processors = topology ? topology->processors : 1;
    ek_topology_destroy(topology);
    return processors;
}

// Draws a topology on which the method works. Draws a ring if the method works on none of several others. If the bounds
// do not go together, the machine reports that when the experiment runs. Returns the number of processors.
static unsigned draw_topology(struct drawing *drawing)
{
    const bool bound = bound_of(drawing, "topology");
    unsigned processors = 0;
    for (int tried = 0; processors == 0 && tried < (bound ? 1 : TOPOLOGIES_TRIED); tried++) {
        set_topology(drawing);
        processors = count_processors(drawing);
    }
    if (processors == 0 && !bound) {
        set(drawing, "topology", "ring:%u", by_octaves(drawing, 2, 256));
        processors = count_processors(drawing);
    }
    return processors > 0 ? processors : processors_of(drawing, lab_section_text(drawing->section, "topology"));
}

// Draws whether the load consists of objects. Uses separate random numbers, so that other experiments are drawn as if
// there were no objects. Bounds of axes that objects cannot have leave them out.
static bool draw_objects(struct drawing *drawing, uint64_t seed, const struct ek_method *method)
{
    static const char *const others[] = {"tasks",    "load",      "work",       "capacity",
                                         "rounding", "weighting", "link-limit", "load-bytes"};
    struct base_random random = base_random_start(seed, 3, BASE_STREAM_TORTURE);
    const char *bound = bound_of(drawing, "objects"), *units = bound_of(drawing, "units");
    bool able = (method->supports.units & EK_REAL) && (!units || strcmp(units, "objects") == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        able = able && !bound_of(drawing, others[i]);
    }
    return bound ? strcmp(bound, "none") != 0 : able && (units || base_random_below(&random, 100) < 15);
}

// Draws objects with a mean weight of 20, 25 on a processor in the mean.
static void set_objects(struct drawing *drawing, unsigned processors)
{
    static const char *const weights[] = {"uniform:1:39", "constant:20", "exponential:20", "modulo:7919:40"};
    static const char *const even[] = {"uniform:0:50", "constant:25", "modulo:7919:51"};
    static const char *const choices[] = {"fit", "nearest", "foreign", "communicating"};
    set(drawing, "units", "objects"); // behind the topology: the machine must not miss the objects before
    if (chance(drawing, 25)) {
        set(drawing, "objects", "mesh:5x%u:%s", 5 * processors, ONE_OF(drawing, weights));
    } else {
        set(drawing, "objects", "weights:%s", ONE_OF(drawing, weights));
        set(drawing, "load", "%s", ONE_OF(drawing, even));
    }
    set(drawing, "choose", "%s", ONE_OF(drawing, choices));
    set(drawing, "remainder", "%s", chance(drawing, 50) ? "carry" : "drop");
    set(drawing, "migrate", "%s", chance(drawing, 15) ? "end" : "each");
}

// Draws loads with a mean of about 500, which the thresholds of set_invoke fit.
static void set_load(struct drawing *drawing, unsigned processors)
{
    static const char *const even[] = {"uniform:0:1000", "uniform:450:550", "modulo:7919:1001", "constant:500"};
    if (chance(drawing, 30)) {
        set(drawing, "load", "peak:%u@%u", 500 * processors, between(drawing, 0, processors - 1));
    } else {
        set(drawing, "load", "%s", ONE_OF(drawing, even));
    }
}

static void set_invoke(struct drawing *drawing, unsigned processors)
{
    unsigned first;
    switch (between(drawing, 0, 9)) {
    case 0:
        set(drawing, "invoke", "below:%u", between(drawing, 100, 600));
        break;
    case 1:
        set(drawing, "invoke", "outside:%u:%u", between(drawing, 300, 499), between(drawing, 501, 700));
        break;
    case 2:
        set(drawing, "invoke", "probability:0.%03u", between(drawing, 1, 999));
        break;
    case 3:
        set(drawing, "invoke", "gradient:%u", by_octaves(drawing, 1, 200));
        break;
    case 4:
        set(drawing, "invoke", "above:%u", between(drawing, 400, 900));
        break;
    case 5:
        set(drawing, "invoke", "every:%u", by_octaves(drawing, 1, 200));
        break;
    case 6:
        first = between(drawing, 0, processors - 1);
        set(drawing, "invoke", "at:%u,%u", first, (first + 1) % processors);
        break;
    case 7:
        set(drawing, "invoke", "global:spread:%u", by_octaves(drawing, 1, 1000));
        break;
    default:
        set(drawing, "invoke", "always");
    }
}

static void set_work(struct drawing *drawing, unsigned processors, bool pushed)
{
    if (chance(drawing, 60)) {
        return;
    }
    unsigned amount = by_octaves(drawing, 1, 60);
    if (chance(drawing, 50)) {
        set(drawing, "work", "normal:%u:%u:%u", amount, between(drawing, 0, 3 * amount), amount);
    } else {
        unsigned from = between(drawing, 0, processors - 1);
        set(drawing, "work", "constant:%u=%u,%u=-%u", from, amount, (from + 1) % processors, amount);
    }
    if (!pushed && chance(drawing, 30)) {
        set(drawing, "working", "suspended");
    }
    if (chance(drawing, 70)) {
        set(drawing, "tick", "%uus", by_octaves(drawing, 20, 5000));
    }
}

static void set_stop(struct drawing *drawing)
{
    static const char *const stops[] = {"never",        "never",        "spread:1",  "spread:50",
                                        "variance:100", "neighbours:5", "error:0.5", "shared"};
    set(drawing, "stop", "%s", ONE_OF(drawing, stops));
    if (chance(drawing, 70)) {
        set(drawing, "operations", "%u", by_octaves(drawing, 1, 50000));
    }
    set(drawing, "for", "%ums", between(drawing, 50, 500));
    set(drawing, "audit", "%uus", by_octaves(drawing, 200, 20000));
}

static void set_machine(struct drawing *drawing)
{
    static const char *const kinds[] = {"spsc", "spsc", "wfcq", "mutex"};
    if (chance(drawing, 50)) {
        set(drawing, "carrier", "threads");
    } else {
        set(drawing, "carrier", "pool:%u", between(drawing, 1, 4));
    }
    set(drawing, "mailbox", "%s:%u", ONE_OF(drawing, kinds), by_octaves(drawing, 1, 64));
    if (chance(drawing, 25)) {
        set(drawing, "unpinned", "true");
    }
}

static void set_delay(struct drawing *drawing)
{
    unsigned delay = by_octaves(drawing, 1, 1000);
    switch (between(drawing, 0, 5)) {
    case 0:
        set(drawing, "delay", "fixed:%uus", delay);
        break;
    case 1:
        set(drawing, "delay", "uniform:0us:%uus", delay);
        break;
    case 2:
        set(drawing, "delay", "exponential:%uus", delay);
        break;
    default:;
    }
}

// Draws failures, slow processors, and yields in the middle of the protocol.
static void set_disturbance(struct drawing *drawing, unsigned processors)
{
    if (chance(drawing, 40)) {
        unsigned rate = by_octaves(drawing, 5, 2000);
        unsigned repair = by_octaves(drawing, 100, 20000);
        if (chance(drawing, 40)) {
            set(drawing, "faults", "link:%u,processor:%u,repair:%uus", rate, by_octaves(drawing, 5, 500), repair);
        } else if (chance(drawing, 50)) {
            set(drawing, "faults", "link:%u,repair:%uus", rate, repair);
        } else {
            set(drawing, "faults", "processor:%u,repair:%uus", rate, repair);
        }
    }
    if (chance(drawing, 30)) {
        set(drawing, "slow", "%u:%u", between(drawing, 0, processors - 1), by_octaves(drawing, 2, 64));
    }
    if (chance(drawing, 40)) {
        set(drawing, "perturb", "0.%03u", by_octaves(drawing, 1, 999));
    }
}

// Draws capacities for methods that weight loads by them, and targets for any method with real loads.
static void set_capacity(struct drawing *drawing, const struct ek_method *method, bool tokens)
{
    static const char *const capacities[] = {"semi", "cs", "uniform:1:8"};
    bool weights = method->supports.capacities;
    if ((!weights && tokens) || chance(drawing, 80)) {
        return;
    }
    set(drawing, "capacity", "%s", ONE_OF(drawing, capacities));
    if (!weights) {
        set(drawing, "weighting", "target");
    }
}

// Draws one of two values that the method may or may not support. Returns whether it is the second value.
static bool draw_either(struct drawing *drawing, const char *option, const char *const values[2], bool first,
                        bool second)
{
    bool drawn = !first || (second && chance(drawing, 50));
    const char *bound = bound_of(drawing, option);
    set(drawing, option, "%s", values[drawn]);
    return bound ? strcmp(bound, values[1]) == 0 : drawn;
}

// Draws how processors learn loads: from pushed announcements, or by requests. A one-port or exclusive operation cannot
// use pushed announcements. Returns whether loads are pushed.
static bool set_announce(struct drawing *drawing, const struct ek_method *method, bool one_port)
{
    static const char *const domains[] = {"exclusive", "exclusive", "once", "overlap"};
    bool able = method->links == EK_LINKS_ALL && method->supports.delays && !one_port;
    bool pushed = able && chance(drawing, 30) && !bound_of(drawing, "domains");
    const char *bound = bound_of(drawing, "announce");
    pushed = bound ? strcmp(bound, "pushed") == 0 : pushed;
    if (pushed) {
        set(drawing, "announce", "pushed");
    } else {
        set(drawing, "domains", "%s", ONE_OF(drawing, domains));
    }
    return pushed;
}

// Draws how the real amounts of a rule become tokens. With pushed announcements nothing is drawn or carried.
static void set_rounding(struct drawing *drawing, const struct ek_method *method, bool tokens, bool pushed)
{
    static const char *const roundings[] = {"nearest", "random", "carry"};
    bool linear = method->rule && method->rule->flow && method->rule->flow_tokens;
    bool able = tokens && linear && (pushed || !method->free->operate);
    if (able && chance(drawing, 50)) {
        set(drawing, "rounding", "%s", pushed ? "nearest" : ONE_OF(drawing, roundings));
    }
}

static void draw_experiment(struct drawing *drawing, uint64_t seed, const struct ek_method *method)
{
    const struct ek_support *supports = &method->supports;
    bool objects = draw_objects(drawing, seed, method);
    set_method(drawing, method);
    bool tokens = !objects && draw_either(drawing, "units", (const char *const[]){"real", "tokens"},
                                          supports->units & EK_REAL, supports->units & EK_TOKENS);
    bool one_port = draw_either(drawing, "ports", (const char *const[]){"all", "one"}, supports->ports & EK_ALL_PORTS,
                                supports->ports & EK_ONE_PORT);
    unsigned processors = draw_topology(drawing);
    bool pushed = set_announce(drawing, method, one_port);
    (objects ? set_objects : set_load)(drawing, processors);
    set_invoke(drawing, processors);
    if (!objects) {
        set_work(drawing, processors, pushed);
        set_capacity(drawing, method, tokens);
    }
    set_machine(drawing);
    set_delay(drawing);
    set_disturbance(drawing, processors);
    set_stop(drawing);
    set_rounding(drawing, method, tokens, pushed);
}

// ---- tasks ----

// Returns the timings in which all axes with bounds have a meaning. Mailboxes are drawn for free timing, where they are
// of all kinds, and virtual time has no threads.
static unsigned timings_of_bounds(const struct drawing *drawing)
{
    unsigned timings = EK_IN_ALL;
    for (size_t i = 0; ek_axis_at(i); i++) {
        timings &= drawing->bound[i] ? ek_axis_at(i)->timings : EK_IN_ALL;
    }
    const char *bound = bound_of(drawing, "timing"), *carrier = bound_of(drawing, "carrier");
    timings &= bound_of(drawing, "mailbox") ? EK_IN_FREE : EK_IN_ALL;
    timings &= carrier && strncmp(carrier, "threads", 7) == 0 ? ~(unsigned)EK_IN_VIRTUAL : EK_IN_ALL;
    return bound ? ek_timing_named(bound) : timings;
}

// Returns whether the bounds ask for tasks, or leave it open whether there are some.
static bool may_have_tasks(const struct drawing *drawing)
{
    static const char *const of_numbers[] = {"units", "load",     "stop",      "work",    "working",
                                             "tick",  "rounding", "weighting", "objects", "audit"};
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++) {
        if (bound_of(drawing, of_numbers[i])) {
            return false;
        }
    }
    const char *tasks = bound_of(drawing, "tasks");
    return !tasks || strcmp(tasks, "none") != 0;
}

// Draws a program, small enough for some hundred thousand turns.
static void set_program(struct drawing *drawing)
{
    unsigned seed = between(drawing, 1, 99);
    switch (between(drawing, 0, 5)) {
    case 0:
        set(drawing, "tasks", "queens:%u", between(drawing, 5, 7));
        break;
    case 1:
        set(drawing, "tasks", "tsp:%u:%u", between(drawing, 6, 9), seed);
        break;
    case 2:
        set(drawing, "tasks", "flowshop:%ux%u:%u", between(drawing, 5, 7), between(drawing, 2, 4), seed);
        break;
    case 3:
        set(drawing, "tasks", "uts:geo:fixed:%u:3:%u", between(drawing, 3, 6), seed);
        break;
    case 4:
        set(drawing, "tasks", "uts:bin:%u:0.3:3:%u", by_octaves(drawing, 1, 200), seed);
        break;
    default:
        set(drawing, "tasks", "bag:uniform:1:9@%u", seed);
    }
    unsigned count = by_octaves(drawing, 1, 2000);
    if (strncmp(lab_section_text(drawing->section, "tasks"), "bag", 3) == 0) { // other programs begin with a root
        set(drawing, "load", "peak:%u", count);
    }
}

// Draws a timing in which the bounds have a meaning. Returns it as a bit.
static unsigned set_timing(struct drawing *drawing)
{
    static const char *const timings[] = {"free", "free", "virtual", "virtual", "rounds", "turns"};
    const char *drawn = ONE_OF(drawing, timings);
    bool fits = ek_timing_named(drawn) & timings_of_bounds(drawing);
    set(drawing, "timing", "%s", fits ? drawn : "free");
    return ek_timing_named(lab_section_text(drawing->section, "timing"));
}

// Draws how tasks move: by the method that was drawn for numbers if it moves whole amounts, or by letters. Returns the
// method, or NULL if the bound names none.
static const struct ek_method *set_method_of_tasks(struct drawing *drawing, const struct ek_method *method,
                                                   unsigned timing)
{
    static const char *const letters[] = {"steal:random",       "steal:neighbour", "steal:lifeline",
                                          "place:random",       "gradient",        "cwn",
                                          "initiated:receiver", "initiated:sender"};
    bool bound = bound_of(drawing, "method");
    bool by_numbers = (method->supports.units & EK_TOKENS) && !method->direct && method->links != EK_LINKS_CHOSEN &&
                      (timing != EK_IN_TURNS || method->supports.turns);
    if (!bound && (timing & (EK_IN_ROUNDS | EK_IN_TURNS)) && chance(drawing, 50)) {
        set(drawing, "method", "%s", ONE_OF(drawing, letters));
    } else if (bound || by_numbers) {
        set_method(drawing, method);
    } else {
        set(drawing, "method", "adf");
    }
    return lab_method_of(lab_section_text(drawing->section, "method"));
}

// Draws what only free timing and virtual time have.
static void set_protocol_of_tasks(struct drawing *drawing, const struct ek_method *method, unsigned processors,
                                  unsigned timing)
{
    static const char *const invocations[] = {"always", "below:2", "below:5", "probability:0.2", "every:4"};
    static const char *const detections[] = {"snapshot", "safra", "mattern"};
    const char *bound = bound_of(drawing, "faults");
    bool drawn = chance(drawing, 35);
    bool fails = bound ? strcmp(bound, "none") != 0 : drawn;
    set_announce(drawing, method, false);
    set(drawing, "invoke", "%s", ONE_OF(drawing, invocations));
    if (fails) {
        set(drawing, "faults", "link:%u,repair:%uus", by_octaves(drawing, 100, 5000), by_octaves(drawing, 10, 2000));
    } else {
        set(drawing, "detect", "%s", ONE_OF(drawing, detections));
    }
    set_delay(drawing);
    if (chance(drawing, 30)) {
        set(drawing, "slow", "%u:%u", between(drawing, 0, processors - 1), by_octaves(drawing, 2, 64));
    }
    if (timing == EK_IN_FREE) {
        set_machine(drawing);
        set(drawing, "for", "%ums", between(drawing, 50, 500));
    } else {
        set(drawing, "task-time", "%uns", by_octaves(drawing, 10, 5000));
        set(drawing, "mailbox", "spsc:%u", by_octaves(drawing, 1, 64));
        set(drawing, "carrier", "pool:%u", between(drawing, 1, 4));
        set(drawing, "for", "%uus", between(drawing, 200, 2000));
    }
}

static void draw_tasks(struct drawing *drawing, const struct ek_method *of_numbers)
{
    set_program(drawing);
    unsigned timing = set_timing(drawing);
    const struct ek_method *method = set_method_of_tasks(drawing, of_numbers, timing);
    unsigned processors = draw_topology(drawing);
    if (chance(drawing, 50)) {
        set(drawing, "grain", "%u", by_octaves(drawing, 1, 16));
    }
    if (chance(drawing, 40)) {
        set(drawing, "give", "newest");
    }
    if (timing & (EK_IN_FREE | EK_IN_VIRTUAL) && method) {
        set_protocol_of_tasks(drawing, method, processors, timing);
    } else {
        set(drawing, "carrier", "pool:%u", between(drawing, 1, 4));
        set(drawing, "steps", "%u", by_octaves(drawing, 10, 4000));
    }
}

// Draws whether the load consists of tasks. Uses separate random numbers, so that the experiments without tasks are
// those of earlier versions.
static bool has_tasks(uint64_t seed, const struct drawing *drawing)
{
    struct base_random random = base_random_start(seed, 2, BASE_STREAM_TORTURE);
    return may_have_tasks(drawing) && (bound_of(drawing, "tasks") || base_random_below(&random, 5) == 0);
}

// Draws a value for each axis with bounds. Uses separate random numbers, so that axes without bounds are drawn as if
// there were no bounds.
static void draw_bounds(uint64_t seed, const struct lab_torture_bounds *bounds, struct drawing *drawing)
{
    struct base_random random = base_random_start(seed, 1, BASE_STREAM_TORTURE);
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct lab_values *values = &bounds->values[i];
        drawing->bound[i] = values->count > 0 ? values->text[base_random_below(&random, values->count)] : NULL;
    }
}

bool lab_torture_draw(uint64_t seed, const struct lab_torture_bounds *bounds, struct ek_reader reader,
                      struct lab_section *drawn, struct ek_error *error)
{
    struct drawing drawing = {.random = base_random_start(seed, 0, BASE_STREAM_TORTURE),
                              .section = drawn,
                              .reader = reader,
                              .error = error,
                              .good = true};
    *drawn = (struct lab_section){0};
    draw_bounds(seed, bounds, &drawing);
    set(&drawing, "timing", "free");
    set(&drawing, "seed", "%llu", (unsigned long long)seed);
    const struct ek_method *method = draw_method(&drawing);
    if (method && has_tasks(seed, &drawing)) {
        draw_tasks(&drawing, method);
    } else if (method) {
        draw_experiment(&drawing, seed, method);
    }
    set_other_bounds(&drawing);
    if (!drawing.good) {
        lab_section_destroy(drawn);
    }
    return drawing.good;
}

bool lab_torture_bounds_read(struct lab_torture_bounds *bounds, const char *const given[EK_AXES_MAX],
                             struct ek_error *error)
{
    *bounds = (struct lab_torture_bounds){0};
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (given[i] && !lab_values_read(&bounds->values[i], ek_axis_at(i), given[i], error)) {
            lab_torture_bounds_destroy(bounds);
            return false;
        }
    }
    return true;
}

void lab_torture_bounds_destroy(struct lab_torture_bounds *bounds)
{
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        lab_values_destroy(&bounds->values[i]);
    }
}
