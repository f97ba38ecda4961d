// SPDX-License-Identifier: MIT
// The options. One table (options.c) makes the parser, `--help` and the man page.
#ifndef EK_OPTIONS_H
#define EK_OPTIONS_H

#include "threads/run.h"

// The commands that an option belongs to, as bits.
enum ek_command_bit {
    EK_FOR_RUN = 1,
    EK_FOR_THEORY = 2,
    EK_FOR_HELP = 4,
    EK_FOR_TORTURE = 8,
    EK_FOR_CONTENTION = 16,
    EK_FOR_OTHERS = 32
};

enum ek_format { EK_TABLE, EK_JSON, EK_CSV };

enum { EK_OPTION_PLACES = 48 };

// What was typed.
struct ek_options {
    struct ek_experiment experiment;
    uint64_t runs;
    enum ek_format format;
    const char *out;  // a directory, or NULL
    const char *plot; // a file, or NULL
    bool final, trace, heat, quiet, help, man;
    const char *argument;                // the word that is no option, or NULL
    const char *given[EK_OPTION_PLACES]; // by option: its text as typed, or NULL
};

struct ek_option {
    const char *name;
    const char *form;    // what its value looks like, or NULL for a switch
    const char *initial; // the value without it, or NULL
    const char *help;    // one line
    const char *more;    // for the man page, or NULL
    unsigned commands;   // the commands that take it
    bool (*set)(const struct ek_option *option, struct ek_options *options, const char *value, struct ek_error *error);
    size_t offset; // of its place in struct ek_options
    uint64_t minimum, maximum;
};

// Option `index` of the table, or NULL past the last.
const struct ek_option *ek_option_at(size_t index);

// Reads words[0 .. count-1] for a command; `argument` is the form of the one word that it takes, or NULL.
bool ek_options_read(struct ek_options *options, const char *command, unsigned bit, const char *argument, int count,
                     char **words, struct ek_error *error);

// Gives an option that was not typed the value that a command has for it.
bool ek_options_suppose(struct ek_options *options, const char *name, const char *value, struct ek_error *error);

// Whether an option was typed with anything but its initial value.
bool ek_options_differ(const struct ek_options *options, const char *name);

// An option's text: as typed, else its initial value; NULL where no option has that name.
const char *ek_options_text(const struct ek_options *options, const char *name);

#endif
