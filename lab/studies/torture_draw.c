// SPDX-License-Identifier: MIT
// Draws the experiments of torture. Each axis is drawn independently, except for combinations that the method does not
// support. Every experiment ends: by its criterion, after a number of operations or steps, or within half a second. One
// experiment in five has tasks, in any timing.
#include <string.h>

#include "core/method.h"
#include "lab/studies/torture_drawing.h"
#include "threads/api/run.h"

// Gives the axes that were not drawn their bounds.
static void set_other_bounds(struct lab_drawing *drawing)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (drawing->bound[i] && !drawing->section->given[i]) {
            lab_drawing_set(drawing, ek_axis_at(i)->option, "%s", drawing->bound[i]);
        }
    }
}

// Draws whether the load consists of objects. Uses separate random numbers, so that other experiments are drawn as if
// there were no objects. Bounds of axes that objects cannot have leave them out.
static bool draw_objects(struct lab_drawing *drawing, uint64_t seed, const struct ek_method *method)
{
    static const char *const others[] = {"tasks",    "load",      "work",       "capacity",
                                         "rounding", "weighting", "link-limit", "load-bytes"};
    struct base_random random = base_random_start(seed, 3, BASE_STREAM_TORTURE);
    const char *bound = lab_drawing_bound(drawing, "objects"), *units = lab_drawing_bound(drawing, "units");
    bool able = (method->supports.units & EK_REAL) && (!units || strcmp(units, "objects") == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        able = able && !lab_drawing_bound(drawing, others[i]);
    }
    return bound ? strcmp(bound, "none") != 0 : able && (units || base_random_below(&random, 100) < 15);
}

// Draws objects with a mean weight of 20, 25 on a processor in the mean.
static void set_objects(struct lab_drawing *drawing, unsigned processors)
{
    static const char *const weights[] = {"uniform:1:39", "constant:20", "exponential:20", "modulo:7919:40"};
    static const char *const even[] = {"uniform:0:50", "constant:25", "modulo:7919:51"};
    static const char *const choices[] = {"fit", "nearest", "foreign", "communicating"};
    lab_drawing_set(drawing, "units", "objects"); // behind the topology: the machine must not miss the objects before
    if (lab_drawing_chance(drawing, 25)) {
        lab_drawing_set(drawing, "objects", "mesh:5x%u:%s", 5 * processors, LAB_DRAWING_ONE_OF(drawing, weights));
    } else {
        lab_drawing_set(drawing, "objects", "weights:%s", LAB_DRAWING_ONE_OF(drawing, weights));
        lab_drawing_set(drawing, "load", "%s", LAB_DRAWING_ONE_OF(drawing, even));
    }
    lab_drawing_set(drawing, "choose", "%s", LAB_DRAWING_ONE_OF(drawing, choices));
    lab_drawing_set(drawing, "remainder", "%s", lab_drawing_chance(drawing, 50) ? "carry" : "drop");
    lab_drawing_set(drawing, "migrate", "%s", lab_drawing_chance(drawing, 15) ? "end" : "each");
}

// Draws loads with a mean of about 500, which the thresholds of set_invoke fit.
static void set_load(struct lab_drawing *drawing, unsigned processors)
{
    static const char *const even[] = {"uniform:0:1000", "uniform:450:550", "modulo:7919:1001", "constant:500"};
    if (lab_drawing_chance(drawing, 30)) {
        lab_drawing_set(drawing, "load", "peak:%u@%u", 500 * processors,
                        lab_drawing_between(drawing, 0, processors - 1));
    } else {
        lab_drawing_set(drawing, "load", "%s", LAB_DRAWING_ONE_OF(drawing, even));
    }
}

static void set_invoke(struct lab_drawing *drawing, unsigned processors)
{
    unsigned first;
    switch (lab_drawing_between(drawing, 0, 9)) {
    case 0:
        lab_drawing_set(drawing, "invoke", "below:%u", lab_drawing_between(drawing, 100, 600));
        break;
    case 1:
        lab_drawing_set(drawing, "invoke", "outside:%u:%u", lab_drawing_between(drawing, 300, 499),
                        lab_drawing_between(drawing, 501, 700));
        break;
    case 2:
        lab_drawing_set(drawing, "invoke", "probability:0.%03u", lab_drawing_between(drawing, 1, 999));
        break;
    case 3:
        lab_drawing_set(drawing, "invoke", "gradient:%u", lab_drawing_by_octaves(drawing, 1, 200));
        break;
    case 4:
        lab_drawing_set(drawing, "invoke", "above:%u", lab_drawing_between(drawing, 400, 900));
        break;
    case 5:
        lab_drawing_set(drawing, "invoke", "every:%u", lab_drawing_by_octaves(drawing, 1, 200));
        break;
    case 6:
        first = lab_drawing_between(drawing, 0, processors - 1);
        lab_drawing_set(drawing, "invoke", "at:%u,%u", first, (first + 1) % processors);
        break;
    case 7:
        lab_drawing_set(drawing, "invoke", "global:spread:%u", lab_drawing_by_octaves(drawing, 1, 1000));
        break;
    default:
        lab_drawing_set(drawing, "invoke", "always");
    }
}

static void set_work(struct lab_drawing *drawing, unsigned processors, bool pushed)
{
    if (lab_drawing_chance(drawing, 60)) {
        return;
    }
    unsigned amount = lab_drawing_by_octaves(drawing, 1, 60);
    if (lab_drawing_chance(drawing, 50)) {
        lab_drawing_set(drawing, "work", "normal:%u:%u:%u", amount, lab_drawing_between(drawing, 0, 3 * amount),
                        amount);
    } else {
        unsigned from = lab_drawing_between(drawing, 0, processors - 1);
        lab_drawing_set(drawing, "work", "constant:%u=%u,%u=-%u", from, amount, (from + 1) % processors, amount);
    }
    if (!pushed && lab_drawing_chance(drawing, 30)) {
        lab_drawing_set(drawing, "working", "suspended");
    }
    if (lab_drawing_chance(drawing, 70)) {
        lab_drawing_set(drawing, "tick", "%uus", lab_drawing_by_octaves(drawing, 20, 5000));
    }
}

static void set_stop(struct lab_drawing *drawing)
{
    static const char *const stops[] = {"never",        "never",        "spread:1",  "spread:50",
                                        "variance:100", "neighbours:5", "error:0.5", "shared"};
    lab_drawing_set(drawing, "stop", "%s", LAB_DRAWING_ONE_OF(drawing, stops));
    if (lab_drawing_chance(drawing, 70)) {
        lab_drawing_set(drawing, "operations", "%u", lab_drawing_by_octaves(drawing, 1, 50000));
    }
    lab_drawing_set(drawing, "for", "%ums", lab_drawing_between(drawing, 50, 500));
    lab_drawing_set(drawing, "audit", "%uus", lab_drawing_by_octaves(drawing, 200, 20000));
}

// Draws failures, slow processors, and yields in the middle of the protocol.
static void set_disturbance(struct lab_drawing *drawing, unsigned processors)
{
    if (lab_drawing_chance(drawing, 40)) {
        unsigned rate = lab_drawing_by_octaves(drawing, 5, 2000);
        unsigned repair = lab_drawing_by_octaves(drawing, 100, 20000);
        if (lab_drawing_chance(drawing, 40)) {
            lab_drawing_set(drawing, "faults", "link:%u,processor:%u,repair:%uus", rate,
                            lab_drawing_by_octaves(drawing, 5, 500), repair);
        } else if (lab_drawing_chance(drawing, 50)) {
            lab_drawing_set(drawing, "faults", "link:%u,repair:%uus", rate, repair);
        } else {
            lab_drawing_set(drawing, "faults", "processor:%u,repair:%uus", rate, repair);
        }
    }
    if (lab_drawing_chance(drawing, 30)) {
        lab_drawing_set(drawing, "slow", "%u:%u", lab_drawing_between(drawing, 0, processors - 1),
                        lab_drawing_by_octaves(drawing, 2, 64));
    }
    if (lab_drawing_chance(drawing, 40)) {
        lab_drawing_set(drawing, "perturb", "0.%03u", lab_drawing_by_octaves(drawing, 1, 999));
    }
}

// Draws capacities for methods that weight loads by them, and targets for any method with real loads.
static void set_capacity(struct lab_drawing *drawing, const struct ek_method *method, bool tokens)
{
    static const char *const capacities[] = {"semi", "cs", "uniform:1:8"};
    bool weights = method->supports.capacities;
    if ((!weights && tokens) || lab_drawing_chance(drawing, 80)) {
        return;
    }
    lab_drawing_set(drawing, "capacity", "%s", LAB_DRAWING_ONE_OF(drawing, capacities));
    if (!weights) {
        lab_drawing_set(drawing, "weighting", "target");
    }
}

// Draws how the real amounts of a rule become tokens. With pushed announcements nothing is drawn or carried.
static void set_rounding(struct lab_drawing *drawing, const struct ek_method *method, bool tokens, bool pushed)
{
    static const char *const roundings[] = {"nearest", "random", "carry"};
    bool linear = method->rule && method->rule->flow && method->rule->flow_tokens;
    bool able = tokens && linear && (pushed || !method->free->operate);
    if (able && lab_drawing_chance(drawing, 50)) {
        lab_drawing_set(drawing, "rounding", "%s", pushed ? "nearest" : LAB_DRAWING_ONE_OF(drawing, roundings));
    }
}

// Draws one of two values that the method may or may not support. Returns whether it is the second value.
static bool draw_either(struct lab_drawing *drawing, const char *option, const char *const values[2], bool first,
                        bool second)
{
    bool drawn = !first || (second && lab_drawing_chance(drawing, 50));
    const char *bound = lab_drawing_bound(drawing, option);
    lab_drawing_set(drawing, option, "%s", values[drawn]);
    return bound ? strcmp(bound, values[1]) == 0 : drawn;
}

static void draw_experiment(struct lab_drawing *drawing, uint64_t seed, const struct ek_method *method)
{
    const struct ek_support *supports = &method->supports;
    bool objects = draw_objects(drawing, seed, method);
    lab_drawing_set_method(drawing, method);
    bool tokens = !objects && draw_either(drawing, "units", (const char *const[]){"real", "tokens"},
                                          supports->units & EK_REAL, supports->units & EK_TOKENS);
    bool one_port = draw_either(drawing, "ports", (const char *const[]){"all", "one"}, supports->ports & EK_ALL_PORTS,
                                supports->ports & EK_ONE_PORT);
    unsigned processors = lab_drawing_topology(drawing);
    bool pushed = lab_drawing_set_announce(drawing, method, one_port);
    (objects ? set_objects : set_load)(drawing, processors);
    set_invoke(drawing, processors);
    if (!objects) {
        set_work(drawing, processors, pushed);
        set_capacity(drawing, method, tokens);
    }
    lab_drawing_set_machine(drawing);
    lab_drawing_set_delay(drawing);
    set_disturbance(drawing, processors);
    set_stop(drawing);
    set_rounding(drawing, method, tokens, pushed);
}

// Draws whether the load consists of tasks. Uses separate random numbers, so that the experiments without tasks are
// those of earlier versions.
static bool has_tasks(uint64_t seed, const struct lab_drawing *drawing)
{
    struct base_random random = base_random_start(seed, 2, BASE_STREAM_TORTURE);
    return lab_may_draw_tasks(drawing) && (lab_drawing_bound(drawing, "tasks") || base_random_below(&random, 5) == 0);
}

// Draws a value for each axis with bounds. Uses separate random numbers, so that axes without bounds are drawn as if
// there were no bounds.
static void draw_bounds(uint64_t seed, const struct lab_torture_bounds *bounds, struct lab_drawing *drawing)
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
    struct lab_drawing drawing = {.random = base_random_start(seed, 0, BASE_STREAM_TORTURE),
                                  .section = drawn,
                                  .reader = reader,
                                  .error = error,
                                  .good = true};
    *drawn = (struct lab_section){0};
    draw_bounds(seed, bounds, &drawing);
    lab_drawing_set(&drawing, "timing", "free");
    lab_drawing_set(&drawing, "seed", "%llu", (unsigned long long)seed);
    const struct ek_method *method = lab_drawing_method(&drawing);
    if (method && has_tasks(seed, &drawing)) {
        lab_draw_tasks(&drawing, method);
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
