// SPDX-License-Identifier: MIT
// The stop criteria of a run, tested before each operation.
#ifndef CORE_AXES_STOP_H
#define CORE_AXES_STOP_H

#include "core/axes/load.h"
#include "core/measure.h"

enum core_stop_kind {
    CORE_STOP_VARIANCE,
    CORE_STOP_SPREAD,
    CORE_STOP_ERROR,
    CORE_STOP_SHARED,
    CORE_STOP_NEIGHBOURS,
    CORE_STOP_IMBALANCE,
    CORE_STOP_DISCREPANCY,
    CORE_STOP_NEVER,
    CORE_STOP_ITSELF // a direct method's own end; has no spec
};

struct core_stop {
    enum core_stop_kind kind;
    double limit;
};

// Parses variance:V, spread:S, error:E, shared, neighbours:D, imbalance:X, discrepancy:D or never. Returns false with
// `error` filled if the spec is wrong.
bool core_stop_parse(struct core_stop *stop, const char *spec, struct ek_error *error);

// Returns whether the criterion holds for these loads and their measurement. Load in flight may arrive anywhere, so its
// amount must not exceed the criterion's limit.
bool core_stop_reached(const struct core_stop *stop, const struct ek_topology *topology, const double *held,
                       const struct core_measure *measure);

// Does the same, given the largest difference of load over a link, which only the criterion `neighbours` reads.
bool core_stop_reached_at(const struct core_stop *stop, uint32_t processors, double gradient,
                          const struct core_measure *measure);

// Returns a criterion as a list shows it, or NULL past the last.
const struct ek_choice *core_stop_choice(size_t index);

#endif
