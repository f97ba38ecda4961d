// SPDX-License-Identifier: MIT
// An experiment as text, with a text for each axis. Its command line, its key and the experiment itself follow from
// these texts.
#ifndef LAB_SWEEP_EXPERIMENT_SPEC_H
#define LAB_SWEEP_EXPERIMENT_SPEC_H

#include "threads/api/axis.h"

struct ek_experiment;

struct lab_experiment_spec {
    const char *text[EK_AXES_MAX]; // by the axis' index; NULL if none was given
    const char *plugin;            // the plugins to load, or NULL
};

enum { LAB_KEY_SIZE = 33 }; // 128 bits in hexadecimal digits, and a final 0

// Returns the text of the axis with this option, or NULL.
const char *lab_experiment_spec_axis(const struct lab_experiment_spec *spec, const char *option);

// Reads the experiment, whose texts remain the spec's. Returns false if a number is wrong.
bool lab_experiment_spec_read(const struct lab_experiment_spec *spec, struct ek_reader reader,
                              struct ek_experiment *experiment, struct ek_error *error);

// Returns the command line that runs the experiment with this seed; to be freed, NULL if memory is short. Default
// values are left out.
char *lab_experiment_spec_command(const struct lab_experiment_spec *spec, uint64_t seed);

// Computes the key: a hash of the experiment's command line without the seed, and of the files that this line names.
// Returns false if a file cannot be read.
bool lab_experiment_spec_key(const struct lab_experiment_spec *spec, struct ek_reader reader, char key[LAB_KEY_SIZE],
                             struct ek_error *error);

#endif
