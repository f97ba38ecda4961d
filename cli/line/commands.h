// SPDX-License-Identifier: MIT
// What the commands do, for the table in main.c.
#ifndef CLI_LINE_COMMANDS_H
#define CLI_LINE_COMMANDS_H

#include "cli/line/command.h"
#include "cli/terminal/text.h"

typedef enum ek_status cli_act(const struct cli_options *options, const char *typed);

cli_act cli_run, cli_show, cli_replay, cli_list, cli_links, cli_explain, cli_theory, cli_torture, cli_contention,
    cli_doctor, cli_sweep, cli_results, cli_report, cli_rank, cli_papers, cli_explore;

// What a method looks like in a spec: "ade", "gde:L", "ded(X)".
struct cli_text cli_method_form(const struct ek_method *method);

#endif
