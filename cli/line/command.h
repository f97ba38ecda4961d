// SPDX-License-Identifier: MIT
// What a command is: a row of the table in main.c.
#ifndef CLI_LINE_COMMAND_H
#define CLI_LINE_COMMAND_H

#include "cli/line/options.h"

enum { CLI_COMMAND_INITIALS = 6, CLI_COMMAND_SAID = 6 };

struct cli_command {
    const char *name;
    const char *argument; // the form of its one word, or NULL
    bool optional;        // it need not be there
    bool several;         // it takes several words
    bool explains;        // its word can be an option, with its dashes too
    const char *summary;  // one line
    const char *more;     // for its help and the manual page
    bool lists;           // its axes take lists, which it reads itself: what was typed is in cli_options.given
    const char *options;  // those that it takes, each between spaces; "*" stands for all axes
    unsigned timings;     // where its runs are in these alone, "*" leaves out what means nothing there; 0: in any
    struct {
        const char *option, *value;
    } initial[CLI_COMMAND_INITIALS]; // of options whose values are others here where they are not typed, or that have
                                     // none (NULL)
    struct {
        const char *option, *form, *help;
    } said[CLI_COMMAND_SAID]; // of options that are something else here; a form that is NULL is the option's own
    bool drawn;               // what is not typed is drawn: no axis but those above has a value then
    // Does it. Returns the exit status. `typed` is the whole command line, quoted.
    enum ek_status (*act)(const struct cli_options *options, const char *typed);
};

#endif
