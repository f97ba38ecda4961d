// SPDX-License-Identifier: MIT
// An experiment as it is written: a text for each axis. What its line and its key are, and the experiment that it says.
#ifndef LAB_SWEEP_EXPERIMENT_SPEC_H
#define LAB_SWEEP_EXPERIMENT_SPEC_H

#include <stdio.h>

#include "threads/api/run.h"

struct lab_experiment_spec {
    const char *text[EK_AXES_MAX]; // by the axis' index; NULL where none was given
    const char *plugin;            // files of plugins that it may need, or NULL
};

enum { LAB_KEY_SIZE = 33 }; // 128 bits in hexadecimal digits, and their end

// What the axis with this option was given, or NULL.
const char *lab_experiment_spec_axis(const struct lab_experiment_spec *spec, const char *option);

// The experiment; its texts are the cell's. False and `error` where a number is none.
bool lab_experiment_spec_read(const struct lab_experiment_spec *spec, struct ek_reader reader,
                              struct ek_experiment *experiment, struct ek_error *error);

// The line that runs it with this seed; to be freed, NULL without memory. Values that are the defaults are left out.
char *lab_experiment_spec_command(const struct lab_experiment_spec *spec, uint64_t seed);

// A hash of that line without the seed, and of the files that it names. False and `error` where a file cannot be read.
bool lab_experiment_spec_key(const struct lab_experiment_spec *spec, struct ek_reader reader, char key[LAB_KEY_SIZE],
                             struct ek_error *error);

#endif
