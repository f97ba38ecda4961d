// SPDX-License-Identifier: MIT
// Plugins: methods and topologies from shared objects that export `evenkeel_plugin`.
#ifndef CLI_LINE_PLUGIN_H
#define CLI_LINE_PLUGIN_H

#include "cli/line/command.h"

// Opens the files of --plugin FILE.so[,FILE.so...] and registers what they contain. They stay open until the process
// ends.
bool cli_plugin_load(const struct cli_call *call, struct ek_error *error);

#endif
