// SPDX-License-Identifier: MIT
#include "lab/studies/torture_drawing.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "lab/studies/method_of_spec.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

enum { TEXT_SIZE = 256, TOPOLOGIES_TRIED = 8 };

unsigned lab_drawing_between(struct lab_drawing *drawing, unsigned low, unsigned high)
{
    assert(low <= high);
    return low + (unsigned)base_random_below(&drawing->random, high - low + 1u);
}

unsigned lab_drawing_by_octaves(struct lab_drawing *drawing, unsigned low, unsigned high)
{
    unsigned octaves = 0;
    while ((low << octaves) <= high / 2) {
        octaves++;
    }
    unsigned from = low << lab_drawing_between(drawing, 0, octaves);
    return lab_drawing_between(drawing, from, from > high / 2 ? high : 2 * from - 1);
}

bool lab_drawing_chance(struct lab_drawing *drawing, unsigned percent)
{
    return lab_drawing_between(drawing, 0, 99) < percent;
}

const char *lab_drawing_one_of(struct lab_drawing *drawing, const char *const *texts, size_t count)
{
    return texts[lab_drawing_between(drawing, 0, (unsigned)count - 1)];
}

const char *lab_drawing_bound(const struct lab_drawing *drawing, const char *option)
{
    size_t i = 0;
    while (strcmp(ek_axis_at(i)->option, option) != 0) {
        i++;
    }
    return drawing->bound[i];
}

void lab_drawing_set(struct lab_drawing *drawing, const char *option, const char *value, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, value);
    int length = vsnprintf(text, sizeof text, value, arguments);
    va_end(arguments);
    assert(length > 0 && length < TEXT_SIZE);
    (void)length;
    const char *bound = lab_drawing_bound(drawing, option);
    drawing->good = drawing->good && lab_section_set(drawing->section, option, bound ? bound : text, drawing->error);
}

// Returns whether a method supports the units and ports that the bounds require, and sends messages.
static bool suits(const struct ek_method *method, const struct lab_drawing *drawing)
{
    const char *units = lab_drawing_bound(drawing, "units");
    const char *ports = lab_drawing_bound(drawing, "ports");
    unsigned in_units = !units ? EK_REAL | EK_TOKENS : strcmp(units, "tokens") == 0 ? EK_TOKENS : EK_REAL;
    unsigned by_ports = !ports ? EK_ALL_PORTS | EK_ONE_PORT : strcmp(ports, "one") == 0 ? EK_ONE_PORT : EK_ALL_PORTS;
    bool balances = strcmp(method->name, "none") != 0;
    return method->free && balances && (method->supports.units & in_units) && (method->supports.ports & by_ports);
}

const struct ek_method *lab_drawing_method(struct lab_drawing *drawing)
{
    const char *bound = lab_drawing_bound(drawing, "method");
    unsigned count = 0;
    for (size_t i = 0; ek_method_at(i); i++) {
        count += suits(ek_method_at(i), drawing);
    }
    if (bound || count == 0) {
        return bound ? lab_method_of(bound) : NULL;
    }
    unsigned chosen = lab_drawing_between(drawing, 0, count - 1);
    size_t at = 0;
    while (!suits(ek_method_at(at), drawing) || chosen-- > 0) {
        at++;
    }
    return ek_method_at(at);
}

void lab_drawing_set_method(struct lab_drawing *drawing, const struct ek_method *method)
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
    lab_drawing_set(drawing, "method", "%s", lab_drawing_one_of(drawing, own, count));
}

static void set_topology(struct lab_drawing *drawing)
{
    unsigned a = lab_drawing_by_octaves(drawing, 2, 16);
    unsigned b = lab_drawing_by_octaves(drawing, 2, 16);
    unsigned large = lab_drawing_by_octaves(drawing, 2, 256);
    switch (lab_drawing_between(drawing, 0, 10)) {
    case 0:
        lab_drawing_set(drawing, "topology", "ring:%u", large);
        break;
    case 1:
        lab_drawing_set(drawing, "topology", "torus:%ux%u", a, b);
        break;
    case 2:
        lab_drawing_set(drawing, "topology", "torus:%ux%ux3", a / 2 + 1, b / 2 + 1);
        break;
    case 3:
        lab_drawing_set(drawing, "topology", "hypercube:%u", lab_drawing_between(drawing, 1, 7));
        break;
    case 4:
        lab_drawing_set(drawing, "topology", "mesh:%ux%u", a, b);
        break;
    case 5:
        lab_drawing_set(drawing, "topology", "chain:%u", large);
        break;
    case 6:
        lab_drawing_set(drawing, "topology", "star:%u", lab_drawing_by_octaves(drawing, 2, 100));
        break;
    case 7:
        lab_drawing_set(drawing, "topology", "complete:%u", lab_drawing_by_octaves(drawing, 2, 40));
        break;
    case 8:
        lab_drawing_set(drawing, "topology", "otis(mesh:2x%u)", lab_drawing_between(drawing, 1, 8));
        break;
    case 9:
        lab_drawing_set(drawing, "topology", "otis(ring:%u)", lab_drawing_between(drawing, 3, 10));
        break;
    default:
        lab_drawing_set(drawing, "topology", "random:%u:%u", 2 * lab_drawing_by_octaves(drawing, 4, 100),
                        lab_drawing_between(drawing, 3, 6));
    }
}

// Returns the number of processors of the experiment so far, or 0 if the machine refuses the experiment.
static unsigned count_processors(const struct lab_drawing *drawing)
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
static unsigned processors_of(const struct lab_drawing *drawing, const char *spec)
{
    struct ek_error refusal;
    struct ek_topology *topology = spec ? ek_topology_create(spec, 1, drawing->reader, &refusal) : NULL;
    unsigned processors = topology ? topology->processors : 1;
    ek_topology_destroy(topology);
    return processors;
}

unsigned lab_drawing_topology(struct lab_drawing *drawing)
{
    const bool bound = lab_drawing_bound(drawing, "topology");
    unsigned processors = 0;
    for (int tried = 0; processors == 0 && tried < (bound ? 1 : TOPOLOGIES_TRIED); tried++) {
        set_topology(drawing);
        processors = count_processors(drawing);
    }
    if (processors == 0 && !bound) {
        lab_drawing_set(drawing, "topology", "ring:%u", lab_drawing_by_octaves(drawing, 2, 256));
        processors = count_processors(drawing);
    }
    return processors > 0 ? processors : processors_of(drawing, lab_section_text(drawing->section, "topology"));
}

void lab_drawing_set_machine(struct lab_drawing *drawing)
{
    static const char *const kinds[] = {"spsc", "spsc", "wfcq", "mutex"};
    if (lab_drawing_chance(drawing, 50)) {
        lab_drawing_set(drawing, "carrier", "threads");
    } else {
        lab_drawing_set(drawing, "carrier", "pool:%u", lab_drawing_between(drawing, 1, 4));
    }
    lab_drawing_set(drawing, "mailbox", "%s:%u", LAB_DRAWING_ONE_OF(drawing, kinds),
                    lab_drawing_by_octaves(drawing, 1, 64));
    if (lab_drawing_chance(drawing, 25)) {
        lab_drawing_set(drawing, "unpinned", "true");
    }
}

void lab_drawing_set_delay(struct lab_drawing *drawing)
{
    unsigned delay = lab_drawing_by_octaves(drawing, 1, 1000);
    switch (lab_drawing_between(drawing, 0, 5)) {
    case 0:
        lab_drawing_set(drawing, "delay", "fixed:%uus", delay);
        break;
    case 1:
        lab_drawing_set(drawing, "delay", "uniform:0us:%uus", delay);
        break;
    case 2:
        lab_drawing_set(drawing, "delay", "exponential:%uus", delay);
        break;
    default:;
    }
}

bool lab_drawing_set_announce(struct lab_drawing *drawing, const struct ek_method *method, bool one_port)
{
    static const char *const domains[] = {"exclusive", "exclusive", "once", "overlap"};
    bool able = method->links == EK_LINKS_ALL && method->supports.delays && !one_port;
    bool pushed = able && lab_drawing_chance(drawing, 30) && !lab_drawing_bound(drawing, "domains");
    const char *bound = lab_drawing_bound(drawing, "announce");
    pushed = bound ? strcmp(bound, "pushed") == 0 : pushed;
    if (pushed) {
        lab_drawing_set(drawing, "announce", "pushed");
    } else {
        lab_drawing_set(drawing, "domains", "%s", LAB_DRAWING_ONE_OF(drawing, domains));
    }
    return pushed;
}
