// SPDX-License-Identifier: MIT
// What a Criterion test takes for granted: a topology that is built, an experiment that is prepared, a run that ends
// well. Each function fails the test with the library's sentence if it does not succeed.
#ifndef TESTS_MUST_H
#define TESTS_MUST_H

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/runs.h"
#include "topologies/topology.h"

static inline struct ek_topology *must_build_seeded(const char *spec, uint64_t seed)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, seed, (struct ek_reader){0}, &error);
    cr_assert(topology, "%s: %s", spec, error.sentence);
    return topology;
}

static inline struct ek_topology *must_build(const char *spec)
{
    return must_build_seeded(spec, 1);
}

static inline struct ek_machine *must_prepare(struct ek_experiment experiment)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s %s: %s", experiment.topology, experiment.method, error.sentence);
    return machine;
}

// Runs the experiment and keeps its loads. The run may end without reaching its criterion.
static inline void must_run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.keep_loads = true;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s %s: %s", experiment.topology,
              experiment.method, outcome->error.sentence);
}

// The fact of this name, or NULL. It lives until the next call.
static inline const struct ek_fact *fact_of(const struct ek_machine *machine, const char *name)
{
    static struct ek_fact facts[EK_FACTS_MAX];
    size_t count = ek_facts_find(machine, facts, EK_FACTS_MAX);
    cr_assert(count < EK_FACTS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(facts[i].name, name) == 0) {
            return &facts[i];
        }
    }
    return NULL;
}

static inline double fact_value(const struct ek_machine *machine, const char *name)
{
    const struct ek_fact *fact = fact_of(machine, name);
    cr_assert(fact, "%s: no %s", ek_machine_topology(machine)->spec, name);
    return fact->value;
}

static inline double fact_of_experiment(struct ek_experiment experiment, const char *name)
{
    experiment.carrier = "pool:1";
    struct ek_machine *machine = must_prepare(experiment);
    double value = fact_value(machine, name);
    ek_machine_destroy(machine);
    return value;
}

#endif
