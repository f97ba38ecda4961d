// SPDX-License-Identifier: MIT
// Fuzzes the specs of all axes. The first byte selects the axis, the rest is the spec, or the file that the spec
// names.
#include "tests/fuzz/fuzz.h"

#include <math.h>

#include "core/links/delay.h"
#include "core/axes/fault.h"
#include "core/axes/load.h"
#include "core/axes/slow.h"
#include "core/axes/stop.h"
#include "tests/support/text_file.h"
#include "threads/api/axis.h"
#include "threads/experiment/tables.h"
#include "threads/api/run.h"

enum { PROCESSORS = 5 };

static void try_load(const char *spec, enum ek_units units)
{
    struct core_load load;
    struct ek_error error = {0};
    if (!core_load_parse(&load, spec, PROCESSORS, units, (struct ek_reader){0}, &error)) {
        tests_fuzz_check_error(&error, "load", spec);
        return;
    }
    double held[PROCESSORS];
    core_load_draw(&load, 1, PROCESSORS, held);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        assert(held[p] >= 0.0 && held[p] <= 0x1p53);
        assert(units == EK_REAL || held[p] == floor(held[p]));
    }
    core_load_destroy(&load);
}

static void try_stop(const char *spec)
{
    struct core_stop stop;
    struct ek_error error = {0};
    if (!core_stop_parse(&stop, spec, &error)) {
        tests_fuzz_check_error(&error, "stop", spec);
        return;
    }
    assert(stop.limit >= 0.0 && isfinite(stop.limit));
}

static void try_carrier(const char *spec)
{
    const struct machine_carrier *carrier;
    struct ek_error error = {0};
    unsigned asked;
    if (!experiment_carrier_parse(spec, &carrier, &asked, &error)) {
        tests_fuzz_check_error(&error, "carrier", spec);
        return;
    }
    assert(carrier && asked <= carrier->asked_max);
}

static void try_duration(const char *spec)
{
    struct ek_error error = {0};
    struct ek_experiment experiment = {.seconds_max = 0.0};
    if (!ek_axis_set(ek_axis_named("for"), &experiment, spec, &error)) {
        tests_fuzz_check_error(&error, "for", spec);
        return;
    }
    assert(experiment.seconds_max > 0.0 && isfinite(experiment.seconds_max));
}

static void try_slow(const char *spec)
{
    struct ek_error error = {0};
    uint32_t *factor;
    if (!core_slow_parse(spec, PROCESSORS, &factor, &error)) {
        assert(!factor);
        tests_fuzz_check_error(&error, "slow", spec);
        return;
    }
    for (unsigned p = 0; factor && p < PROCESSORS; p++) {
        assert(factor[p] >= 1 && factor[p] <= CORE_SLOW_MAX);
    }
    free(factor);
}

static void try_delay(const struct ek_topology *topology, const char *spec, struct ek_reader reader)
{
    struct ek_error error = {0};
    struct core_delay delay;
    if (!core_delay_parse(&delay, "delay", spec, topology, true, reader, &error)) {
        assert(!delay.by_port);
        tests_fuzz_check_error(&error, "delay", spec);
        return;
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        assert(core_delay_at(&delay, 1, port, 7) <= UINT64_C(10000000000));
    }
    core_delay_destroy(&delay);
}

static void try_faults_by(bool clock, const struct ek_topology *topology, const char *spec, struct ek_reader reader)
{
    struct ek_error error = {0};
    struct core_faults faults;
    if (!core_faults_parse(&faults, spec, topology, clock, reader, &error)) {
        assert(!faults.events);
        tests_fuzz_check_error(&error, "faults", spec);
        return;
    }
    struct core_fault_source source;
    struct base_arena memory = {.count = 0};
    core_fault_source_plan(&source, &faults, topology, 1, &memory);
    bool taken = base_arena_take(&memory);
    assert(taken);
    (void)taken;
    core_fault_source_begin(&source);
    bool down[3 * PROCESSORS] = {false}; // a ring has two ports a processor
    struct core_fault fault;
    uint64_t before = 0;
    for (unsigned i = 0; i < 100 && core_fault_next(&source, &fault); i++) {
        bool *place = &down[core_fault_place(&fault, topology)];
        assert(fault.at_ns >= before && *place == fault.repair);
        *place = !fault.repair;
        before = fault.at_ns;
    }
    base_arena_destroy(&memory);
    core_faults_destroy(&faults);
}

static void try_faults(const struct ek_topology *topology, const char *spec, struct ek_reader reader)
{
    try_faults_by(true, topology, spec, reader);
    try_faults_by(false, topology, spec, reader);
}

// Tries the axes that need a topology: capital letters for a spec, small letters for a file. Returns false if no
// axis has this letter.
static bool try_on_a_ring(char letter, const char *text, size_t length)
{
    static const char letters[] = "DFef";
    if (letter == '\0' || !strchr(letters, letter)) {
        return false;
    }
    struct ek_error error = {0};
    struct ek_topology *ring = ek_topology_create("ring:5", 1, (struct ek_reader){0}, &error);
    assert(ring && ring->processors == PROCESSORS && ring->links == PROCESSORS);
    struct tests_memory memory = {.text = text, .length = length};
    bool file = letter == 'e' || letter == 'f';
    struct ek_reader reader = file ? tests_memory_reader(&memory) : (struct ek_reader){0};
    (letter == 'D' || letter == 'e' ? try_delay : try_faults)(ring, file ? "file:any" : text, reader);
    ek_topology_destroy(ring);
    return true;
}

// Runs a few steps. An error must be about this axis, or, if the value is sound but does not go with the others,
// about the method, the topology or the number of steps.
static void run_a_little(const struct ek_experiment *experiment, const char *axis, const char *spec)
{
    struct ek_error error = {0};
    struct ek_machine *machine = ek_prepare(experiment, &error);
    if (!machine) {
        bool other = strcmp(error.axis, axis) != 0;
        assert(!other || strcmp(error.axis, "method") == 0 || strcmp(error.axis, "topology") == 0 ||
               strcmp(error.axis, "steps") == 0);
        tests_fuzz_check_error(&error, error.axis, other ? experiment->method : spec);
        return;
    }
    struct ek_report report;
    enum ek_status status = ek_run(machine, 0, &report, NULL, NULL, &error);
    assert(status == EK_OK || status == EK_UNREACHED);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
}

// Tries the other axes through ek_prepare. Files are refused, because there is no reader. Returns false if no axis
// has this letter.
static bool try_experiment(char letter, const char *spec)
{
    struct ek_experiment experiment = {.topology = "ring:5", .method = "adf", .carrier = "pool:1", .steps_max = 3};
    const struct {
        char letter;
        const char *axis;
        const char **place;
    } places[] = {
        {'m', "method", &experiment.method},
        {'u', "units", &experiment.units},
        {'p', "ports", &experiment.ports},
        {'x', "mailbox", &experiment.mailbox},
        {'b', "barrier", &experiment.barrier},
        {'a', "capacity", &experiment.capacity},
        {'w', "work", &experiment.work},
        {'i', "invoke", &experiment.invoke},
        {'n', "demand", &experiment.demand},
        {'j', "working", &experiment.working},
        {'d', "delay", &experiment.delay},
        {'t', "timing", &experiment.timing},
        {'o', "clock", &experiment.clock},
        {'g', "weighting", &experiment.weighting},
        {'y', "link-limit", &experiment.link_limit},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i].letter == letter) {
            *places[i].place = spec;
            run_a_little(&experiment, places[i].axis, spec);
            return true;
        }
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *spec = tests_fuzz_text("", data + 1, size - 1);
    switch (data[0]) {
    case 'l':
        try_load(spec, EK_REAL);
        break;
    case 'k':
        try_load(spec, EK_TOKENS);
        break;
    case 's':
        try_stop(spec);
        break;
    case 'c':
        try_carrier(spec);
        break;
    case 'T':
        try_duration(spec);
        break;
    case 'S':
        try_slow(spec);
        break;
    default:
        if (!try_on_a_ring((char)data[0], spec, size - 1) && !try_experiment((char)data[0], spec)) {
            tests_fuzz_check_topology(spec, (struct ek_reader){0});
        }
        break;
    }
    free(spec);
    return 0;
}
