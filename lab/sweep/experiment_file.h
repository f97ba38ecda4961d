// SPDX-License-Identifier: MIT
// Experiments as they are typed: as options of a command line, or as a file in which each is a section, and each way
// as the other.
//
//   [global]                       what all sections after it have too
//   seed = 1..20
//   [sizes]                        an experiment
//   topology = ring:{8..64*2}      an axis, as its option has it: the name, and a list of values
//   method = ade,
//     ode                          a line that is indented goes on with the list of the one before
#ifndef LAB_SWEEP_EXPERIMENT_FILE_H
#define LAB_SWEEP_EXPERIMENT_FILE_H

#include <stdio.h>

#include "lab/sweep/grid.h"

enum { LAB_SECTIONS_MAX = 1000 };

// An experiment as it is typed: a text of values for each axis, by its index, NULL where none was given.
struct lab_section {
    char *name;
    char *given[EK_AXES_MAX];
    char *runs;                   // so many seeds from the given one on, or NULL
    char *zip;                    // or NULL
    size_t line[EK_AXES_MAX + 2]; // of a file, by which each axis, then runs, then zip was given; 0 where it was typed
    size_t begun;                 // the first line that it has of the file, or 0
};

struct lab_experiment_file {
    struct lab_section *section; // [count]
    size_t count;
};

// One experiment that has nothing yet. False and `error` without memory; then there is nothing to be destroyed.
bool lab_experiment_file_begin(struct lab_experiment_file *sheet, struct ek_error *error);

// Reads a file's text. False and `error` with its line where something is wrong; then there is nothing to be destroyed.
bool lab_experiment_file_read(struct lab_experiment_file *sheet, const char *text, size_t length,
                              struct ek_error *error);
void lab_experiment_file_destroy(struct lab_experiment_file *sheet);

// Writes the experiments as a file. False and `error` where something cannot be said in one; errors of writing stay
// with the stream.
bool lab_experiment_file_write(FILE *out, const struct lab_experiment_file *sheet, struct ek_error *error);

// Writes an experiment as the options of a command line, each with a space before it.
void lab_section_write(FILE *out, const struct lab_section *section);

// Frees the texts of a section that is in no sheet.
void lab_section_destroy(struct lab_section *section);

// Its grid, which is the section's no longer.
bool lab_section_grid(const struct lab_section *section, struct lab_grid *grid, struct ek_error *error);

// What an option of a section is given, or NULL.
const char *lab_section_text(const struct lab_section *section, const char *option);

// The line of the file that gave it, for no option the first one of the section; 0 where it was typed.
size_t lab_section_line(const struct lab_section *section, const char *option);

// Returns the section's experiment, if none of its texts is a list. The texts are the section's.
struct lab_experiment_spec lab_section_spec(const struct lab_section *section);

// Sets an option of a section as it was typed: an axis, "runs" or "zip". False and `error` where there is no such
// option, or no memory.
bool lab_section_set(struct lab_section *section, const char *option, const char *text, struct ek_error *error);

#endif
