// SPDX-License-Identifier: MIT
// Draws the axes of experiments with tasks, in any timing.
#include <string.h>

#include "core/method.h"
#include "lab/studies/method_of_spec.h"
#include "lab/studies/torture_drawing.h"
#include "threads/api/experiment.h"

// Returns the timings in which all axes with bounds have a meaning. Mailboxes are drawn for free timing, where they are
// of all kinds, and virtual time has no threads.
static unsigned timings_of_bounds(const struct lab_drawing *drawing)
{
    unsigned timings = EK_IN_ALL;
    for (size_t i = 0; ek_axis_at(i); i++) {
        timings &= drawing->bound[i] ? ek_axis_at(i)->timings : EK_IN_ALL;
    }
    const char *bound = lab_drawing_bound(drawing, "timing"), *carrier = lab_drawing_bound(drawing, "carrier");
    timings &= lab_drawing_bound(drawing, "mailbox") ? EK_IN_FREE : EK_IN_ALL;
    timings &= carrier && strncmp(carrier, "threads", 7) == 0 ? ~(unsigned)EK_IN_VIRTUAL : EK_IN_ALL;
    return bound ? ek_timing_named(bound) : timings;
}

bool lab_may_draw_tasks(const struct lab_drawing *drawing)
{
    static const char *const of_numbers[] = {"units", "load",     "stop",      "work",    "working",
                                             "tick",  "rounding", "weighting", "objects", "audit"};
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++) {
        if (lab_drawing_bound(drawing, of_numbers[i])) {
            return false;
        }
    }
    const char *tasks = lab_drawing_bound(drawing, "tasks");
    return !tasks || strcmp(tasks, "none") != 0;
}

// Draws a program, small enough for some hundred thousand turns.
static void set_program(struct lab_drawing *drawing)
{
    unsigned seed = lab_drawing_between(drawing, 1, 99);
    switch (lab_drawing_between(drawing, 0, 5)) {
    case 0:
        lab_drawing_set(drawing, "tasks", "queens:%u", lab_drawing_between(drawing, 5, 7));
        break;
    case 1:
        lab_drawing_set(drawing, "tasks", "tsp:%u:%u", lab_drawing_between(drawing, 6, 9), seed);
        break;
    case 2:
        lab_drawing_set(drawing, "tasks", "flowshop:%ux%u:%u", lab_drawing_between(drawing, 5, 7),
                        lab_drawing_between(drawing, 2, 4), seed);
        break;
    case 3:
        lab_drawing_set(drawing, "tasks", "uts:geo:fixed:%u:3:%u", lab_drawing_between(drawing, 3, 6), seed);
        break;
    case 4:
        lab_drawing_set(drawing, "tasks", "uts:bin:%u:0.3:3:%u", lab_drawing_by_octaves(drawing, 1, 200), seed);
        break;
    default:
        lab_drawing_set(drawing, "tasks", "bag:uniform:1:9@%u", seed);
    }
    unsigned count = lab_drawing_by_octaves(drawing, 1, 2000);
    if (strncmp(lab_section_text(drawing->section, "tasks"), "bag", 3) == 0) { // other programs begin with a root
        lab_drawing_set(drawing, "load", "peak:%u", count);
    }
}

// Draws a timing in which the bounds have a meaning. Returns it as a bit.
static unsigned set_timing(struct lab_drawing *drawing)
{
    static const char *const timings[] = {"free", "free", "virtual", "virtual", "rounds", "turns"};
    const char *drawn = LAB_DRAWING_ONE_OF(drawing, timings);
    bool fits = ek_timing_named(drawn) & timings_of_bounds(drawing);
    lab_drawing_set(drawing, "timing", "%s", fits ? drawn : "free");
    return ek_timing_named(lab_section_text(drawing->section, "timing"));
}

// Draws how tasks move: by the method that was drawn for numbers if it moves whole amounts, or by letters. Returns the
// method, or NULL if the bound names none.
static const struct ek_method *set_method_of_tasks(struct lab_drawing *drawing, const struct ek_method *method,
                                                   unsigned timing)
{
    static const char *const letters[] = {"steal:random",       "steal:neighbour", "steal:lifeline",
                                          "place:random",       "gradient",        "cwn",
                                          "initiated:receiver", "initiated:sender"};
    bool bound = lab_drawing_bound(drawing, "method");
    bool by_numbers = (method->supports.units & EK_TOKENS) && !method->direct && method->links != EK_LINKS_CHOSEN &&
                      (timing != EK_IN_TURNS || method->supports.turns);
    if (!bound && (timing & (EK_IN_ROUNDS | EK_IN_TURNS)) && lab_drawing_chance(drawing, 50)) {
        lab_drawing_set(drawing, "method", "%s", LAB_DRAWING_ONE_OF(drawing, letters));
    } else if (bound || by_numbers) {
        lab_drawing_set_method(drawing, method);
    } else {
        lab_drawing_set(drawing, "method", "adf");
    }
    return lab_method_of(lab_section_text(drawing->section, "method"));
}

// Draws what only free timing and virtual time have.
static void set_protocol_of_tasks(struct lab_drawing *drawing, const struct ek_method *method, unsigned processors,
                                  unsigned timing)
{
    static const char *const invocations[] = {"always", "below:2", "below:5", "probability:0.2", "every:4"};
    static const char *const detections[] = {"snapshot", "safra", "mattern"};
    const char *bound = lab_drawing_bound(drawing, "faults");
    bool drawn = lab_drawing_chance(drawing, 35);
    bool fails = bound ? strcmp(bound, "none") != 0 : drawn;
    lab_drawing_set_announce(drawing, method, false);
    lab_drawing_set(drawing, "invoke", "%s", LAB_DRAWING_ONE_OF(drawing, invocations));
    if (fails) {
        lab_drawing_set(drawing, "faults", "link:%u,repair:%uus", lab_drawing_by_octaves(drawing, 100, 5000),
                        lab_drawing_by_octaves(drawing, 10, 2000));
    } else {
        lab_drawing_set(drawing, "detect", "%s", LAB_DRAWING_ONE_OF(drawing, detections));
    }
    lab_drawing_set_delay(drawing);
    if (lab_drawing_chance(drawing, 30)) {
        lab_drawing_set(drawing, "slow", "%u:%u", lab_drawing_between(drawing, 0, processors - 1),
                        lab_drawing_by_octaves(drawing, 2, 64));
    }
    if (timing == EK_IN_FREE) {
        lab_drawing_set_machine(drawing);
        lab_drawing_set(drawing, "for", "%ums", lab_drawing_between(drawing, 50, 500));
    } else {
        lab_drawing_set(drawing, "task-time", "%uns", lab_drawing_by_octaves(drawing, 10, 5000));
        lab_drawing_set(drawing, "mailbox", "spsc:%u", lab_drawing_by_octaves(drawing, 1, 64));
        lab_drawing_set(drawing, "carrier", "pool:%u", lab_drawing_between(drawing, 1, 4));
        lab_drawing_set(drawing, "for", "%uus", lab_drawing_between(drawing, 200, 2000));
    }
}

void lab_draw_tasks(struct lab_drawing *drawing, const struct ek_method *of_numbers)
{
    set_program(drawing);
    unsigned timing = set_timing(drawing);
    const struct ek_method *method = set_method_of_tasks(drawing, of_numbers, timing);
    unsigned processors = lab_drawing_topology(drawing);
    if (lab_drawing_chance(drawing, 50)) {
        lab_drawing_set(drawing, "grain", "%u", lab_drawing_by_octaves(drawing, 1, 16));
    }
    if (lab_drawing_chance(drawing, 40)) {
        lab_drawing_set(drawing, "give", "newest");
    }
    if (timing & (EK_IN_FREE | EK_IN_VIRTUAL) && method) {
        set_protocol_of_tasks(drawing, method, processors, timing);
    } else {
        lab_drawing_set(drawing, "carrier", "pool:%u", lab_drawing_between(drawing, 1, 4));
        lab_drawing_set(drawing, "steps", "%u", lab_drawing_by_octaves(drawing, 10, 4000));
    }
}
