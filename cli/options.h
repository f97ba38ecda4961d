// SPDX-License-Identifier: MIT
// The options. One table (options.c) makes the parser, `--help` and the man page.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "threads/run.h"

// The commands that an option belongs to, as bits.
enum cli_command_bit {
    CLI_FOR_RUN = 1,
    CLI_FOR_THEORY = 2,
    CLI_FOR_HELP = 4,
    CLI_FOR_TORTURE = 8,
    CLI_FOR_CONTENTION = 16,
    CLI_FOR_OTHERS = 32
};

enum cli_format { CLI_TABLE, CLI_JSON, CLI_CSV };

enum { CLI_OPTION_PLACES = 48 };

// What was typed.
struct cli_options {
    struct ek_experiment experiment;
    uint64_t runs;
    enum cli_format format;
    const char *out;  // a directory, or NULL
    const char *plot; // a file, or NULL
    bool final, trace, heat, quiet, help, man;
    const char *argument;                 // the word that is no option, or NULL
    const char *given[CLI_OPTION_PLACES]; // by option: its text as typed, or NULL
};

struct cli_option {
    const char *name;
    const char *form;    // what its value looks like, or NULL for a switch
    const char *initial; // the value without it, or NULL
    const char *help;    // one line
    const char *more;    // for the man page, or NULL
    unsigned commands;   // the commands that take it
    bool (*set)(const struct cli_option *option, struct cli_options *options, const char *value,
                struct ek_error *error);
    size_t offset; // of its place in struct cli_options
    uint64_t minimum, maximum;
};

// Option `index` of the table, or NULL past the last.
const struct cli_option *cli_option_at(size_t index);

// Reads words[0 .. count-1] for a command; `argument` is the form of the one word that it takes, or NULL.
bool cli_options_read(struct cli_options *options, const char *command, unsigned bit, const char *argument, int count,
                      char **words, struct ek_error *error);

// Gives an option that was not typed the value that a command has for it.
bool cli_options_suppose(struct cli_options *options, const char *name, const char *value, struct ek_error *error);

// Whether an option was typed with anything but its initial value.
bool cli_options_differ(const struct cli_options *options, const char *name);

// An option's text: as typed, else its initial value; NULL where no option has that name.
const char *cli_options_text(const struct cli_options *options, const char *name);

#endif
