// SPDX-License-Identifier: MIT
// The help of each command, the manual page, and the explanation of each option and value.
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/help_text.h"
#include "cli/line/lookup.h"
#include "cli/line/manual.h"
#include "tests/support/golden.h"

// As cli/main.c has them.
static const struct cli_command *const commands[] = {
    &cli_run,    &cli_sweep,   &cli_show,   &cli_report,  &cli_replay, &cli_explore,    &cli_check,
    &cli_list,   &cli_explain, &cli_theory, &cli_torture, &cli_rank,   &cli_contention, &cli_results,
    &cli_papers, &cli_doctor,  &cli_help,   &cli_version, NULL};

Test(help_texts, of_commands)
{
    struct golden golden = golden_begin();
    cli_help_overview(commands);
    for (size_t c = 0; commands[c]; c++) {
        printf("\n== help %s\n", commands[c]->name);
        cli_help_command(commands[c]);
    }
    golden_end(&golden, "tests/data/reports/help.txt");
}

Test(help_texts, the_manual_page)
{
    struct golden golden = golden_begin();
    cli_manual(commands);
    golden_end(&golden, "tests/data/reports/manual.txt");
}

static void explain(const char *word, const char *end)
{
    struct ek_error error = {.at = -1};
    char text[80];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word, end), word);
    printf("\n== explain %s\n", text);
    struct cli_found found = {.kind = CLI_FOUND_NOTHING};
    const struct cli_call call = {.commands = commands, .found = &found};
    if (!cli_word_explain(&call, text, &error)) {
        cli_complain(&error);
    }
    if (found.kind == CLI_FOUND_WORD) {
        printf("shown by: %s\n", found.text);
    }
}

Test(help_texts, of_words)
{
    struct golden golden = golden_begin();
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        explain(axis->option, "");
        for (size_t k = 0; ek_axis_choice(axis, k); k++) {
            explain(ek_axis_choice(axis, k)->form, ":([,");
        }
    }
    static const char *const others[] = {"--quick", "--then",  "--store",        "ade:0.5", "torsu", "run",
                                         "steps",   "nothing", "variance_final", "",        "--"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        explain(others[i], "");
    }
    golden_end(&golden, "tests/data/reports/words.txt");
}
