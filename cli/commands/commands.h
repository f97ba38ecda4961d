// SPDX-License-Identifier: MIT
// The commands, each in a file of its own.
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "cli/line/command.h"

extern const struct cli_command cli_run, cli_sweep, cli_show, cli_report, cli_replay, cli_explore, cli_check, cli_list,
    cli_explain, cli_theory, cli_draw, cli_torture, cli_rank, cli_contention, cli_results, cli_papers, cli_doctor,
    cli_help, cli_version;

#endif
