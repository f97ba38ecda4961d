// SPDX-License-Identifier: MIT
// Experiments drawn from a seed: each axis by itself, but for what a method cannot do, which is not drawn. Every one
// ends by itself: by its criterion, by a number of operations or within half a second.
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands/torture.h"
#include "cli/terminal/read_file.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"

// Splitmix64 (Steele, Lea & Flood 2014).
struct lots {
    uint64_t state;
};

// An experiment in the making: by axis the value that the bounds give it, or NULL.
struct drawing {
    struct cli_torture *drawn;
    const char *bound[EK_AXES_MAX];
};

static uint64_t draw(struct lots *lots)
{
    uint64_t z = lots->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// A whole number from low to high.
static unsigned between(struct lots *lots, unsigned low, unsigned high)
{
    assert(low <= high);
    return low + (unsigned)(draw(lots) % (high - low + 1u));
}

// From low to high, each octave as often as another.
static unsigned by_octaves(struct lots *lots, unsigned low, unsigned high)
{
    unsigned octaves = 0;
    while ((low << octaves) <= high / 2) {
        octaves++;
    }
    unsigned from = low << between(lots, 0, octaves);
    return between(lots, from, from > high / 2 ? high : 2 * from - 1);
}

static bool chance(struct lots *lots, unsigned percent)
{
    return between(lots, 0, 99) < percent;
}

static const char *one_of(struct lots *lots, const char *const *names, unsigned count)
{
    return names[between(lots, 0, count - 1)];
}

static size_t axis_of(const char *option)
{
    size_t i = 0;
    while (strcmp(ek_axis_at(i)->option, option) != 0) {
        i++;
    }
    return i;
}

static const char *bound_of(const struct drawing *drawing, const char *option)
{
    return drawing->bound[axis_of(option)];
}

static void add_word(struct cli_torture *drawn, const char *format, const char *text)
{
    assert(drawn->count < CLI_TORTURE_WORDS);
    int length = snprintf(drawn->word[drawn->count++], CLI_TORTURE_LETTERS, format, text);
    assert(length > 0 && length < CLI_TORTURE_LETTERS);
    (void)length;
}

// Adds "--option" and its value: what was drawn, or what the bounds say.
__attribute__((format(printf, 3, 4))) static void say(struct drawing *drawing, const char *option, const char *value,
                                                      ...)
{
    char text[CLI_TORTURE_LETTERS];
    va_list arguments;
    va_start(arguments, value);
    int length = vsnprintf(text, sizeof text, value, arguments);
    va_end(arguments);
    assert(length > 0 && length < CLI_TORTURE_LETTERS);
    (void)length;
    const char *bound = bound_of(drawing, option);
    add_word(drawing->drawn, "--%s", option);
    add_word(drawing->drawn, "%s", bound ? bound : text);
}

// What is bound and was not said.
static void say_the_rest(struct drawing *drawing)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        char option[CLI_TORTURE_LETTERS];
        snprintf(option, sizeof option, "--%s", ek_axis_at(i)->option);
        bool said = !drawing->bound[i];
        for (int w = 0; !said && w < drawing->drawn->count; w++) {
            said = strcmp(drawing->drawn->word[w], option) == 0;
        }
        if (!said) {
            add_word(drawing->drawn, "--%s", ek_axis_at(i)->option);
            add_word(drawing->drawn, "%s", drawing->bound[i]);
        }
    }
}

// Whether a method can do what the bounds ask.
static bool suits(const struct ek_method *method, const struct drawing *drawing)
{
    const char *units = bound_of(drawing, "units");
    const char *ports = bound_of(drawing, "ports");
    unsigned in_units = !units ? EK_REAL | EK_TOKENS : strcmp(units, "tokens") == 0 ? EK_TOKENS : EK_REAL;
    unsigned by_ports = !ports ? EK_ALL_PORTS | EK_ONE_PORT : strcmp(ports, "one") == 0 ? EK_ONE_PORT : EK_ALL_PORTS;
    return method->free && (method->supports.units & in_units) && (method->supports.ports & by_ports);
}

static const struct ek_method *draw_method(struct lots *lots, const struct drawing *drawing)
{
    const char *bound = bound_of(drawing, "method");
    unsigned count = 0;
    for (size_t i = 0; ek_method_at(i); i++) {
        count += suits(ek_method_at(i), drawing);
    }
    if (bound || count == 0) {
        char name[CLI_TORTURE_LETTERS];
        snprintf(name, sizeof name, "%.*s", bound ? (int)strcspn(bound, ":(") : 0, bound ? bound : "");
        return ek_method_find(name);
    }
    unsigned chosen = between(lots, 0, count - 1);
    size_t at = 0;
    while (!suits(ek_method_at(at), drawing) || chosen-- > 0) {
        at++;
    }
    return ek_method_at(at);
}

// The processors of a topology that was asked for; where it is none, the machine will say so.
static unsigned processors_of(const char *spec, uint64_t seed)
{
    struct ek_error ignored;
    struct ek_topology *topology = ek_topology_create(spec, seed, cli_reader(), &ignored);
    unsigned processors = topology ? topology->processors : 1;
    ek_topology_destroy(topology);
    return processors;
}

// The method as it is written: its example, or another form of it.
static void say_method(struct lots *lots, const struct ek_method *method, struct drawing *drawn)
{
    static const char *const forms[] = {
        "liquid:c0",    "liquid:c1", "liquid:c2",     "liquid:c3",    "liquid:c4",           "nna:portion",
        "nna:net",      "gde:0.4",   "diffusion:0.1", "sender:1/deg", "random-neighbours:1", "random-neighbours:3",
        "splitting:1/3"};
    enum { FORMS = sizeof forms / sizeof *forms };
    const char *own[1 + FORMS];
    unsigned count = 0;
    char example[CLI_TORTURE_LETTERS];
    const char *text = method->texts->example ? method->texts->example : method->name;
    bool quoted = *text == '"';
    snprintf(example, sizeof example, "%.*s", (int)strcspn(text + quoted, quoted ? "\"" : " "), text + quoted);
    own[count++] = example;
    size_t length = strlen(method->name);
    for (unsigned i = 0; i < FORMS; i++) {
        if (strncmp(forms[i], method->name, length) == 0 && forms[i][length] == ':') {
            own[count++] = forms[i];
        }
    }
    say(drawn, "method", "%s", one_of(lots, own, count));
}

// The processors of what is drawn. `rings`: only where load can go around in every dimension; `one_ring`: a ring.
static unsigned say_topology(struct lots *lots, bool rings, bool one_ring, struct drawing *drawn)
{
    unsigned a = by_octaves(lots, 2, 16);
    unsigned b = by_octaves(lots, 2, 16);
    unsigned large = by_octaves(lots, 2, 256);
    switch (one_ring ? 0 : between(lots, 0, rings ? 3 : 10)) {
    case 0:
        say(drawn, "topology", "ring:%u", large);
        return large;
    case 1:
        say(drawn, "topology", "torus:%ux%u", a, b);
        return a * b;
    case 2:
        say(drawn, "topology", "torus:%ux%ux3", a / 2 + 1, b / 2 + 1);
        return (a / 2 + 1) * (b / 2 + 1) * 3;
    case 3:
        a = between(lots, 1, 7);
        say(drawn, "topology", "hypercube:%u", a);
        return 1u << a;
    case 4:
        say(drawn, "topology", "mesh:%ux%u", a, b);
        return a * b;
    case 5:
        say(drawn, "topology", "chain:%u", large);
        return large;
    case 6:
        large = by_octaves(lots, 2, 100);
        say(drawn, "topology", "star:%u", large);
        return large;
    case 7:
        large = by_octaves(lots, 2, 40);
        say(drawn, "topology", "complete:%u", large);
        return large;
    case 8:
        a = between(lots, 1, 8); // ode finds its parameter up to 256 processors
        say(drawn, "topology", "otis(mesh:2x%u)", a);
        return 4 * a * a;
    case 9:
        a = between(lots, 3, 10);
        say(drawn, "topology", "otis(ring:%u)", a);
        return a * a;
    default:
        large = 2 * by_octaves(lots, 4, 100);
        say(drawn, "topology", "random:%u:%u", large, between(lots, 3, 6));
        return large;
    }
}

// Loads whose mean is about 500, so that the thresholds of say_invoke mean something.
static void say_load(struct lots *lots, unsigned processors, struct drawing *drawn)
{
    static const char *const even[] = {"uniform:0:1000", "uniform:450:550", "modulo:7919:1001", "constant:500"};
    if (chance(lots, 30)) {
        say(drawn, "load", "peak:%u@%u", 500 * processors, between(lots, 0, processors - 1));
    } else {
        say(drawn, "load", "%s", one_of(lots, even, sizeof even / sizeof *even));
    }
}

static void say_invoke(struct lots *lots, unsigned processors, struct drawing *drawn)
{
    switch (between(lots, 0, 9)) {
    case 0:
        say(drawn, "invoke", "below:%u", between(lots, 100, 600));
        break;
    case 1:
        say(drawn, "invoke", "outside:%u:%u", between(lots, 300, 499), between(lots, 501, 700));
        break;
    case 2:
        say(drawn, "invoke", "probability:0.%03u", between(lots, 1, 999));
        break;
    case 3:
        say(drawn, "invoke", "gradient:%u", by_octaves(lots, 1, 200));
        break;
    case 4:
        say(drawn, "invoke", "above:%u", between(lots, 400, 900));
        break;
    case 5:
        say(drawn, "invoke", "every:%u", by_octaves(lots, 1, 200));
        break;
    case 6:
        say(drawn, "invoke", "at:%u,%u", between(lots, 0, processors - 1), between(lots, 0, processors - 1));
        break;
    case 7:
        say(drawn, "invoke", "global:spread:%u", by_octaves(lots, 1, 1000));
        break;
    default:
        say(drawn, "invoke", "always");
    }
}

static void say_work(struct lots *lots, unsigned processors, bool pushed, struct drawing *drawn)
{
    if (chance(lots, 60)) {
        return;
    }
    unsigned amount = by_octaves(lots, 1, 60);
    if (chance(lots, 50)) {
        say(drawn, "work", "normal:%u:%u:%u", amount, between(lots, 0, 3 * amount), amount);
    } else {
        unsigned from = between(lots, 0, processors - 1);
        say(drawn, "work", "constant:%u=%u,%u=-%u", from, amount, (from + 1) % processors, amount);
    }
    if (!pushed && chance(lots, 30)) {
        say(drawn, "working", "suspended");
    }
    if (chance(lots, 70)) {
        say(drawn, "tick", "%uus", by_octaves(lots, 20, 5000));
    }
}

static void say_stop(struct lots *lots, struct drawing *drawn)
{
    static const char *const stops[] = {"never",        "never",        "spread:1",  "spread:50",
                                        "variance:100", "neighbours:5", "error:0.5", "shared"};
    say(drawn, "stop", "%s", one_of(lots, stops, sizeof stops / sizeof *stops));
    if (chance(lots, 70)) {
        say(drawn, "operations", "%u", by_octaves(lots, 1, 50000));
    }
    say(drawn, "for", "%ums", between(lots, 50, 500));
    say(drawn, "audit", "%uus", by_octaves(lots, 200, 20000));
}

static void say_machine(struct lots *lots, struct drawing *drawn)
{
    static const char *const kinds[] = {"spsc", "spsc", "wfcq", "mutex"};
    if (chance(lots, 50)) {
        say(drawn, "carrier", "threads");
    } else {
        say(drawn, "carrier", "pool:%u", between(lots, 1, 4));
    }
    say(drawn, "mailbox", "%s:%u", one_of(lots, kinds, sizeof kinds / sizeof *kinds), by_octaves(lots, 1, 64));
    if (chance(lots, 25)) {
        add_word(drawn->drawn, "--%s", "unpinned");
    }
}

static void say_delay(struct lots *lots, struct drawing *drawn)
{
    unsigned delay = by_octaves(lots, 1, 1000);
    switch (between(lots, 0, 5)) {
    case 0:
        say(drawn, "delay", "fixed:%uus", delay);
        break;
    case 1:
        say(drawn, "delay", "uniform:0us:%uus", delay);
        break;
    case 2:
        say(drawn, "delay", "exponential:%uus", delay);
        break;
    default:;
    }
}

// What disturbs a run: failures, stragglers, yields in the middle of the protocol.
static void say_disturbance(struct lots *lots, unsigned processors, struct drawing *drawn)
{
    if (chance(lots, 40)) {
        unsigned rate = by_octaves(lots, 5, 2000);
        unsigned repair = by_octaves(lots, 100, 20000);
        if (chance(lots, 40)) {
            say(drawn, "faults", "link:%u,processor:%u,repair:%uus", rate, by_octaves(lots, 5, 500), repair);
        } else if (chance(lots, 50)) {
            say(drawn, "faults", "link:%u,repair:%uus", rate, repair);
        } else {
            say(drawn, "faults", "processor:%u,repair:%uus", rate, repair);
        }
    }
    if (chance(lots, 30)) {
        say(drawn, "slow", "%u:%u", between(lots, 0, processors - 1), by_octaves(lots, 2, 64));
    }
    if (chance(lots, 40)) {
        say(drawn, "perturb", "0.%03u", by_octaves(lots, 1, 999));
    }
}

// Capacities, for methods that weigh loads by them, or towards targets for any method for real loads.
static void say_capacity(struct lots *lots, const struct ek_method *method, bool tokens, struct drawing *drawn)
{
    static const char *const capacities[] = {"semi", "cs", "uniform:1:8"};
    bool weighs = method->supports.capacities;
    if ((!weighs && tokens) || chance(lots, 80)) {
        return;
    }
    say(drawn, "capacity", "%s", one_of(lots, capacities, sizeof capacities / sizeof *capacities));
    if (!weighs) {
        say(drawn, "weighting", "target");
    }
}

// Whether loads can be pushed: who gives by them only gives.
static bool can_push(const struct ek_method *method, bool one_port)
{
    return method->links == EK_LINKS_ALL && method->supports.delays && !one_port;
}

// The values that the bounds give, drawn apart from all else: what is not bound is drawn as it would be without them.
static void draw_bounds(uint64_t seed, const struct cli_torture_bounds *bounds, struct drawing *drawing)
{
    struct lots lots = {~seed};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct lab_values *values = &bounds->values[i];
        drawing->bound[i] = values->count > 0 ? values->text[draw(&lots) % values->count] : NULL;
    }
}

static void draw_experiment(struct lots *lots, uint64_t seed, const struct ek_method *method, struct drawing *drawing)
{
    say_method(lots, method, drawing);
    const char *units = bound_of(drawing, "units");
    const char *ports = bound_of(drawing, "ports");
    bool tokens = !(method->supports.units & EK_REAL) || ((method->supports.units & EK_TOKENS) && chance(lots, 50));
    tokens = units ? strcmp(units, "tokens") == 0 : tokens;
    bool one_port =
        !(method->supports.ports & EK_ALL_PORTS) || ((method->supports.ports & EK_ONE_PORT) && chance(lots, 50));
    one_port = ports ? strcmp(ports, "one") == 0 : one_port;
    bool one_ring = strcmp(method->name, "splitting") == 0 || (tokens && strcmp(method->name, "nna") == 0);
    unsigned processors = say_topology(lots, strcmp(method->name, "liquid") == 0, one_ring, drawing);
    const char *topology = bound_of(drawing, "topology");
    processors = topology ? processors_of(topology, seed) : processors;
    say(drawing, "units", "%s", tokens ? "tokens" : "real");
    say(drawing, "ports", "%s", one_port ? "one" : "all");
    bool pushed = can_push(method, one_port) && chance(lots, 30) && !bound_of(drawing, "domains");
    const char *announce = bound_of(drawing, "announce");
    pushed = announce ? strcmp(announce, "pushed") == 0 : pushed;
    if (pushed) {
        say(drawing, "announce", "pushed");
    } else {
        say(drawing, "domains", "%s", chance(lots, 50) ? "exclusive" : chance(lots, 50) ? "once" : "overlap");
    }
    say_load(lots, processors, drawing);
    say_invoke(lots, processors, drawing);
    say_work(lots, processors, pushed, drawing);
    say_capacity(lots, method, tokens, drawing);
    say_machine(lots, drawing);
    say_delay(lots, drawing);
    say_disturbance(lots, processors, drawing);
    say_stop(lots, drawing);
}

void cli_torture_draw(uint64_t seed, const struct cli_torture_bounds *bounds, struct cli_torture *drawn)
{
    struct lots lots = {seed};
    struct drawing drawing = {.drawn = drawn};
    *drawn = (struct cli_torture){0};
    draw_bounds(seed, bounds, &drawing);
    const struct ek_method *method = draw_method(&lots, &drawing);
    say(&drawing, "timing", "free");
    if (method) {
        draw_experiment(&lots, seed, method, &drawing);
        say(&drawing, "seed", "%llu", (unsigned long long)seed);
    }
    say_the_rest(&drawing);
}

bool cli_torture_bounds_read(struct cli_torture_bounds *bounds, const struct cli_call *call, struct ek_error *error)
{
    *bounds = (struct cli_torture_bounds){0};
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(call->command, i)).name; i++) {
        const char *text = option.axis ? call->given[i] : NULL;
        bool good = !text || strlen(text) < CLI_TORTURE_LETTERS ||
                    base_refuse(error, "--%s is longer than %d characters", option.name, CLI_TORTURE_LETTERS - 1);
        if (!good || (text && !lab_values_read(&bounds->values[axis_of(option.name)], option.axis, text, error))) {
            cli_torture_bounds_destroy(bounds);
            return false;
        }
    }
    return true;
}

void cli_torture_bounds_destroy(struct cli_torture_bounds *bounds)
{
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        lab_values_destroy(&bounds->values[i]);
    }
}

char *cli_torture_line(const struct cli_torture *drawn)
{
    struct lab_stream line;
    bool begun = lab_stream_begin(&line);
    if (begun) {
        fputs("evenkeel run", line.out);
    }
    for (int i = 0; begun && i < drawn->count; i++) {
        fputc(' ', line.out);
        lab_shell_quote(line.out, drawn->word[i]);
    }
    return lab_stream_end(&line);
}
