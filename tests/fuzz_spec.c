// SPDX-License-Identifier: MIT
// Fuzzes the specs of all axes: the first byte chooses the axis, the rest is the spec.
#include "tests/fuzz.h"

#include <math.h>

#include "core/load.h"
#include "core/stop.h"
#include "threads/carrier.h"
#include "threads/run.h"

enum { PROCESSORS = 5 };

static void try_load(const char *spec, enum ek_units units)
{
    struct ek_load load;
    struct ek_error error = {0};
    if (!ek_load_parse(&load, spec, PROCESSORS, units, (struct ek_reader){0}, &error)) {
        ek_fuzz_check_error(&error, "load", spec);
        return;
    }
    double held[PROCESSORS];
    ek_load_draw(&load, 1, PROCESSORS, held);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        assert(held[p] >= 0.0 && held[p] <= 0x1p53);
        assert(units == EK_REAL || held[p] == floor(held[p]));
    }
    ek_load_release(&load);
}

static void try_stop(const char *spec)
{
    struct ek_stop stop;
    struct ek_error error = {0};
    if (!ek_stop_parse(&stop, spec, &error)) {
        ek_fuzz_check_error(&error, "stop", spec);
        return;
    }
    assert(stop.limit >= 0.0 && isfinite(stop.limit));
}

static void try_carrier(const char *spec)
{
    const struct ek_carrier *carrier;
    struct ek_error error = {0};
    unsigned asked;
    if (!ek_carrier_parse(spec, &carrier, &asked, &error)) {
        ek_fuzz_check_error(&error, "carrier", spec);
        return;
    }
    assert(carrier && asked <= carrier->asked_max);
}

// The other axes have no parser of their own.
static void try_experiment(unsigned axis, const char *spec)
{
    static const char *const names[] = {"method", "units", "ports", "mailbox", "barrier"};
    struct ek_experiment experiment = {.topology = "ring:5"};
    const char **places[] = {&experiment.method, &experiment.units, &experiment.ports, &experiment.mailbox,
                             &experiment.barrier};
    struct ek_error error = {0};
    *places[axis] = spec;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        ek_fuzz_check_error(&error, names[axis], spec);
        return;
    }
    double parameter = ek_machine_parameter(machine);
    assert(isnan(parameter) || (parameter >= 0.0 && parameter <= 1.0));
    ek_machine_free(machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *spec = ek_fuzz_text("", data + 1, size - 1);
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
    case 'm':
        try_experiment(0, spec);
        break;
    case 'u':
        try_experiment(1, spec);
        break;
    case 'p':
        try_experiment(2, spec);
        break;
    case 'x':
        try_experiment(3, spec);
        break;
    case 'b':
        try_experiment(4, spec);
        break;
    default:
        ek_fuzz_check_topology(spec, (struct ek_reader){0});
        break;
    }
    free(spec);
    return 0;
}
