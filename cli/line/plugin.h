// SPDX-License-Identifier: MIT
// Plugins of the command: methods and topologies from shared objects.
#ifndef CLI_LINE_PLUGIN_H
#define CLI_LINE_PLUGIN_H

#include "threads/api/run.h"

// Opens the files of a list, FILE.so[,FILE.so...], and registers what they have; NULL is an empty list. They stay open
// as long as the process lives.
bool cli_plugin_load(const char *list, struct ek_error *error);

#endif
