// SPDX-License-Identifier: MIT
// `evenkeel replay FILE --then STRATEGY:SEED`: the recorded run goes on otherwise.
#ifndef CLI_COMMANDS_REPLAY_THEN_H
#define CLI_COMMANDS_REPLAY_THEN_H

#include "cli/line/options.h"

enum ek_status cli_then(const struct cli_options *options, const char *typed);

#endif
