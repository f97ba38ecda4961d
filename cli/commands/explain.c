// SPDX-License-Identifier: MIT
// `evenkeel explain WORD`.
#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/line/lookup.h"

enum ek_status cli_explain(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    if (!options->argument) {
        base_refuse(&error, "explain needs a word, as in evenkeel explain ade, or evenkeel explain torus");
    } else if (cli_word_explain(options->argument, &error)) {
        return EK_OK;
    }
    return cli_complain(&error);
}
