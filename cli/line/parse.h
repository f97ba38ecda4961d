// SPDX-License-Identifier: MIT
// Reads the command line according to the command's row.
#ifndef CLI_LINE_PARSE_H
#define CLI_LINE_PARSE_H

#include "cli/line/command.h"

// Reads words[0 .. count-1] into `call`, which has its command, and into `options`, the command's own struct, which is
// all zero. Options that are not typed get their initial values.
bool cli_parse(struct cli_call *call, void *options, int count, char **words, struct ek_error *error);

#endif
