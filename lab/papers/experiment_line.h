// SPDX-License-Identifier: MIT
// Reads an experiment from a line of options: `--topology 'ring:{8..64*2}' --method ade --seed 1..20`.
#ifndef LAB_PAPERS_EXPERIMENT_LINE_H
#define LAB_PAPERS_EXPERIMENT_LINE_H

#include "lab/sweep/experiment_file.h"

// Reads the experiment of a line into `section`. Returns false and `error` if the line is wrong; then there is nothing
// to destroy.
bool lab_experiment_line_read(struct lab_section *section, const char *line, struct ek_error *error);

#endif
