// SPDX-License-Identifier: MIT
// When a run has reached what was asked: the stop criteria, tested before each operation.
#ifndef EK_STOP_H
#define EK_STOP_H

#include "core/load.h"
#include "core/measure.h"

enum ek_stop_kind {
    EK_STOP_VARIANCE,
    EK_STOP_SPREAD,
    EK_STOP_ERROR,
    EK_STOP_SHARED,
    EK_STOP_NEIGHBOURS,
    EK_STOP_NEVER,
    EK_STOP_ITSELF // a direct method's own end; has no spec
};

struct ek_stop {
    enum ek_stop_kind kind;
    double limit;
};

bool ek_stop_parse(struct ek_stop *stop, const char *spec, struct ek_error *error);

// Whether the criterion holds for these loads, with `in_flight` more under way. `distance` is that of
// ek_measure_distance.
bool ek_stop_reached(const struct ek_stop *stop, const struct ek_topology *topology, const double *held,
                     const struct ek_measure *measure, double distance, double in_flight);

// A criterion as `list` shows it, or NULL past the last.
const struct ek_choice *ek_stop_choice(size_t index);

#endif
