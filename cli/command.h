// SPDX-License-Identifier: MIT
// What a command is: a row of the table in main.c.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

enum { CLI_COMMAND_INITIALS = 6 };

struct cli_command {
    const char *name;
    const char *argument; // the form of its one word, or NULL
    bool several;         // it takes several words
    const char *summary;  // one line
    const char *more;     // for its help and the manual page
    bool lists;           // its axes take lists, which it reads itself: what was typed is in cli_options.given
    const char *options;  // those that it takes, each between spaces; "*" stands for all axes
    struct {
        const char *option, *value;
    } initial[CLI_COMMAND_INITIALS]; // of options whose values are others here where they are not typed, or that have
                                     // none (NULL)
    // Does it. Returns the exit status. `typed` is the whole command line, quoted.
    enum ek_status (*act)(const struct cli_options *options, const char *typed);
};

#endif
