// SPDX-License-Identifier: MIT
// Experiments as a user writes them: as options of a command line, or as a file with a section for each. Either form
// can be converted to the other.
//
//   [global]                       options of all sections after it
//   seed = 1..20
//   [sizes]                        an experiment
//   topology = ring:{8..64*2}      an axis: the name of its option, and a list of values
//   method = ade,
//     ode                          an indented line continues the list of the line before
#ifndef LAB_SWEEP_EXPERIMENT_FILE_H
#define LAB_SWEEP_EXPERIMENT_FILE_H

#include <stdio.h>

#include "lab/sweep/grid.h"

enum { LAB_SECTIONS_MAX = 1000 };

// An experiment as it was written: the values of each axis as text, by the axis' index; NULL if none were given.
struct lab_section {
    char *name;
    char *given[EK_AXES_MAX];
    char *runs;                   // the number of seeds from the given one on, or NULL
    char *zip;                    // the axes that are zipped, or NULL
    size_t line[EK_AXES_MAX + 2]; // the line of the file that gave each axis, then runs, then zip; 0 if it was typed
    size_t begun;                 // the section's first line in the file, or 0
};

struct lab_experiment_file {
    struct lab_section *section; // [count]
    size_t count;
};

// Begins with one experiment without options. Returns false if memory is short; then there is nothing to destroy.
bool lab_experiment_file_begin(struct lab_experiment_file *sheet, struct ek_error *error);

// Reads a file's text. Returns false if the text is wrong; then `error` names the line, and there is nothing to
// destroy.
bool lab_experiment_file_read(struct lab_experiment_file *sheet, const char *text, size_t length,
                              struct ek_error *error);
void lab_experiment_file_destroy(struct lab_experiment_file *sheet);

// Writes the experiments as a file. Returns false if a value cannot be written in a file. The stream remembers errors
// of writing.
bool lab_experiment_file_write(FILE *out, const struct lab_experiment_file *sheet, struct ek_error *error);

// Writes an experiment as options of a command line, each after a space.
void lab_section_write(FILE *out, const struct lab_section *section);

// Frees the texts of a section that belongs to no file.
void lab_section_destroy(struct lab_section *section);

// Makes the grid of a section. The grid has its own texts.
bool lab_section_grid(const struct lab_section *section, struct lab_grid *grid, struct ek_error *error);

// Returns the text given for an option, or NULL.
const char *lab_section_text(const struct lab_section *section, const char *option);

// Returns the line of the file that gave this option, or the section's first line for an unknown option; 0 if it was
// typed.
size_t lab_section_line(const struct lab_section *section, const char *option);

// Returns the experiment of a section without lists. Its texts are the section's.
struct lab_experiment_spec lab_section_spec(const struct lab_section *section);

// Sets an option as it was typed: an axis, "runs" or "zip". Returns false if there is no such option or memory is
// short.
bool lab_section_set(struct lab_section *section, const char *option, const char *text, struct ek_error *error);

// Changes an option, which keeps the line that gave it.
bool lab_section_change(struct lab_section *section, const char *option, const char *text, struct ek_error *error);

#endif
