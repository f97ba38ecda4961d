// SPDX-License-Identifier: MIT
// Parses and tests the stop criteria.
#include "core/axes/stop.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "topologies/topology.h"

// In the order of enum core_stop_kind.
static const struct {
    const char *name;
    const char *limit; // the name of the number, or NULL if there is none
    struct ek_choice choice;
} criteria[] = {
    {"variance",
     "the variance",
     {"variance:V", "sum of (w_i - mean)^2 is at most V, and the square of the load in flight too"}},
    {"spread", "the spread", {"spread:S", "largest minus smallest load is at most S, and the load in flight too"}},
    {"error",
     "the error",
     {"error:E", "2-norm of the held loads' distance from balance is at most E, and the load in flight too"}},
    {"shared", NULL, {"shared", "no processor is idle, and at most a mean load is in flight"}},
    {"neighbours",
     "the difference",
     {"neighbours:D", "no two linked loads differ by more than D, and at most D is in flight"}},
    {"imbalance",
     "the imbalance",
     {"imbalance:X", "the largest load is at most 1 + X times the mean, and at most X times the mean is in flight"}},
    {"discrepancy",
     "the discrepancy",
     {"discrepancy:D",
      "the loads divided by their processors' capacities differ by at most D, and at most D is in flight"}},
    {"never", NULL, {"never", "only a limit (steps, operations or for) ends the run"}},
};

enum { CRITERIA = sizeof criteria / sizeof *criteria };

const struct ek_choice *core_stop_choice(size_t index)
{
    return index < CRITERIA ? &criteria[index].choice : NULL;
}

static const char *known_stop(size_t index)
{
    return index < CRITERIA ? criteria[index].name : NULL;
}

bool core_stop_parse(struct core_stop *stop, const char *spec, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("stop", spec, error);
    char example[64];
    size_t kind;
    if (!base_cursor_known(&cursor, "stop criterion", known_stop, &kind)) {
        return false;
    }
    const char *limit = criteria[kind].limit;
    *stop = (struct core_stop){.kind = (enum core_stop_kind)kind};
    snprintf(example, sizeof example, "%s, as in %s", criteria[kind].name, criteria[kind].choice.form);
    return (!limit || (base_cursor_expect(&cursor, ':', example) &&
                       base_cursor_real(&cursor, limit, 0.0, DBL_MAX, &stop->limit))) &&
           base_cursor_end(&cursor);
}

// The mean is rounded, so a load that equals it may exceed it by a few roundings.
static bool imbalance_reached(double limit, uint32_t processors, const struct core_measure *measure)
{
    static const double ROUNDINGS = 1e-12;
    double mean = (measure->total + measure->in_flight) / processors;
    return measure->maximum <= (1.0 + limit) * mean * (1.0 + ROUNDINGS) && measure->in_flight <= limit * mean;
}

bool core_stop_reached(const struct core_stop *stop, const struct ek_topology *topology, const double *held,
                       const struct core_measure *measure)
{
    bool reads = stop->kind == CORE_STOP_NEIGHBOURS && measure->in_flight <= stop->limit;
    double gradient = reads ? core_measure_gradient(topology, held, 0, topology->processors) : 0.0;
    return core_stop_reached_at(stop, topology->processors, gradient, measure);
}

bool core_stop_reached_at(const struct core_stop *stop, uint32_t processors, double gradient,
                          const struct core_measure *measure)
{
    double in_flight = measure->in_flight;
    switch (stop->kind) {
    case CORE_STOP_VARIANCE:
        return measure->variance <= stop->limit && in_flight * in_flight <= stop->limit;
    case CORE_STOP_SPREAD:
        return measure->maximum - measure->minimum <= stop->limit && in_flight <= stop->limit;
    case CORE_STOP_ERROR:
        return sqrt(measure->distance) <= stop->limit && in_flight <= stop->limit;
    case CORE_STOP_SHARED:
        return measure->idle == 0 && in_flight <= (measure->total + in_flight) / processors;
    case CORE_STOP_NEIGHBOURS:
        return in_flight <= stop->limit && gradient <= stop->limit;
    case CORE_STOP_IMBALANCE:
        return imbalance_reached(stop->limit, processors, measure);
    case CORE_STOP_DISCREPANCY:
        return measure->discrepancy <= stop->limit && in_flight <= stop->limit;
    case CORE_STOP_NEVER:
    case CORE_STOP_ITSELF:
        break;
    }
    return false;
}
