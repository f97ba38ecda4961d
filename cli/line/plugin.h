// SPDX-License-Identifier: MIT
// Plugins: methods, topologies and programs from shared objects that export `evenkeel_plugin`.
#ifndef CLI_LINE_PLUGIN_H
#define CLI_LINE_PLUGIN_H

#include "cli/line/command.h"

// Opens the files of --plugin FILE.so[,FILE.so...] and registers what they contain. They stay open until the process
// ends.
bool cli_plugin_load(const struct cli_call *call, struct ek_error *error);

// Opens and registers one plugin. Returns NULL with `error` filled if it is refused.
const struct ek_plugin *cli_plugin_open(const char *path, struct ek_error *error);

// Catches Ctrl-C and the like (cli/terminal/interrupt.h) for a command that calls methods in its own process. If it has
// plugins and does not end within 5 s of the signal, it ends with a sentence that names them.
void cli_plugin_interrupt_catch(const struct cli_call *call);

// Whether a run with plugins was interrupted, and when: seconds since the run began. Set it to zero for each run.
struct cli_plugin_patience {
    bool interrupted;
    double interrupted_s;
};

// Returns whether a run with plugins still runs 5 s after its time limit (0: none), or 5 s after a signal that asked
// the command to end. In that case a method or a program does not return, so the run cannot end. Call it with the run's
// progress.
bool cli_plugin_overdue(const struct cli_call *call, struct cli_plugin_patience *patience, double elapsed_s,
                        double limit_s);

#endif
