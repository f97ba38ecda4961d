// SPDX-License-Identifier: MIT
// The help, from the tables of commands and options.
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/text.h"

static const struct cli_example examples[] = {
    {"evenkeel run", "balances 64 random loads on an 8x8 torus"},
    {"evenkeel run --topology hypercube:6 --method adf --ports one", "diffusion, a link at a time"},
    {"evenkeel run --units tokens --load peak:6400 --heat", "whole loads from one processor, before and after"},
    {"evenkeel run --timing free --method adf --invoke outside:400:600 --stop spread:200",
     "processors at their own pace"},
    {"evenkeel theory --topology torus:16x16", "convergence factors beside the papers' closed forms"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

const struct cli_example *cli_help_example(size_t index)
{
    return index < EXAMPLES ? &examples[index] : NULL;
}

const char *cli_help_initial(const struct cli_command *command, const struct ek_axis *option)
{
    for (size_t i = 0; i < CLI_COMMAND_INITIALS && command->initial[i].option; i++) {
        if (strcmp(command->initial[i].option, option->option) == 0) {
            return command->initial[i].value;
        }
    }
    return option->initial;
}

static void print_option(const struct cli_command *command, const struct ek_axis *option)
{
    enum { COLUMN = 24 };
    int printed = printf("  --%s %s", option->option, option->form ? option->form : "");
    printf("%*s%s", printed < COLUMN ? COLUMN - printed : 1, "", option->help);
    const char *initial = cli_help_initial(command, option);
    if (initial) {
        printf(" [%s]", initial);
    }
    putchar('\n');
}

void cli_help_command(const struct cli_command *command)
{
    printf("evenkeel %s%s%s: %s\n", command->name, command->argument ? " " : "",
           command->argument ? command->argument : "", command->summary);
    if (command->more) {
        fputs("\n", stdout);
        cli_text_wrap(stdout, command->more, 0, 80);
    }
    fputs("\n", stdout);
    for (size_t i = 0; cli_option_at(i); i++) {
        if (cli_option_for(i, command)) {
            print_option(command, cli_option_at(i));
        }
    }
}

void cli_help_overview(const struct cli_command *commands, size_t count)
{
    puts("evenkeel emulates a parallel computer and balances load between its processors.\n");
    puts("Commands:");
    for (size_t i = 0; i < count; i++) {
        const struct cli_command *command = &commands[i];
        printf("  %-10s %-8s %s\n", command->name, command->argument ? command->argument : "", command->summary);
    }
    puts("\nExamples:");
    for (size_t i = 0; i < EXAMPLES; i++) {
        printf("  %s\n      %s\n", examples[i].command, examples[i].meaning);
    }
    puts("\nevenkeel help COMMAND shows a command's options; evenkeel list shows their values.");
}
