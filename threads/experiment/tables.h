// SPDX-License-Identifier: MIT
// The tables of engines and of carriers: the values of the axes timing and carrier. A new engine or carrier is a line
// in one of the tables.
#ifndef THREADS_EXPERIMENT_TABLES_H
#define THREADS_EXPERIMENT_TABLES_H

#include "threads/machine/carrier.h"
#include "threads/machine/engine.h"

// Returns engine `index`, or NULL past the last. The first is the default.
const struct machine_engine *experiment_engine_at(size_t index);

// Returns a value of the axis timing, as a list shows it.
const struct ek_choice *experiment_engine_choice(size_t index);

// Returns carrier `index`, or NULL past the last. The first is the default.
const struct machine_carrier *experiment_carrier_at(size_t index);

// Returns a value of the axis carrier, as a list shows it.
const struct ek_choice *experiment_carrier_choice(size_t index);

// Reads a carrier and the number of workers behind its colon, 0 if there is none.
bool experiment_carrier_parse(const char *spec, const struct machine_carrier **carrier, unsigned *asked,
                              struct ek_error *error);

extern const struct machine_carrier experiment_carrier_threads, experiment_carrier_pool, experiment_carrier_mpi;

#endif
