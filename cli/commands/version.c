// SPDX-License-Identifier: MIT
// `evenkeel version`.
#include <stdio.h>

#include "cli/commands/commands.h"
#include "threads/api/prepared.h"

static enum ek_status version(const struct cli_call *call, const void *options)
{
    (void)call;
    (void)options;
    printf("evenkeel %s\n", ek_version());
    return EK_OK;
}

const struct cli_command cli_version = {
    .name = "version", .theme = CLI_THEME_LEARN, .summary = "print the version", .act = version};
