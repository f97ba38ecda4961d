// SPDX-License-Identifier: MIT
// The help, from the tables of commands and options.
#include <stdio.h>

#include "cli/line/help.h"
#include "cli/terminal/text.h"

static const struct cli_example examples[] = {
    {"evenkeel run", "balances 64 random loads on an 8x8 torus"},
    {"evenkeel run --topology hypercube:6 --method adf --ports one", "diffusion, a link at a time"},
    {"evenkeel run --units tokens --load peak:6400 --heat", "whole loads from one processor, before and after"},
    {"evenkeel run --timing free --method adf --invoke outside:400:600 --stop spread:200",
     "processors at their own pace"},
    {"evenkeel theory --topology torus:16x16", "convergence factors beside the papers' closed forms"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples, WIDTH = 96 };

const struct cli_example *cli_help_example(size_t index)
{
    return index < EXAMPLES ? &examples[index] : NULL;
}

// What follows a command's name: " FILE", " [OPTION]" where it need not be there, or nothing.
static struct cli_text argument_of(const struct cli_command *command)
{
    struct cli_text text = {""};
    if (command->argument) {
        snprintf(text.of, sizeof text.of, command->optional ? " [%.60s]" : " %.60s", command->argument);
    }
    return text;
}

static void print_option(const struct cli_command *command, size_t index)
{
    enum { COLUMN = 24 };
    const struct ek_axis option = cli_option_of(index, command);
    char letter = cli_option_letter(index);
    int column = printf("  --%s", option.option);
    column += letter ? printf(", -%c", letter) : 0;
    column += option.form ? printf(" %s", option.form) : 0;
    struct cli_line line = {0};
    cli_line_add(&line, option.initial ? "%s [%s]" : "%s", option.help, option.initial);
    cli_text_after(stdout, column, line.of, COLUMN, WIDTH);
}

void cli_help_command(const struct cli_command *command)
{
    struct cli_line line = {0};
    cli_line_add(&line, "evenkeel %s%s: %s", command->name, argument_of(command).of, command->summary);
    cli_text_wrap(stdout, line.of, 0, WIDTH);
    if (command->more) {
        fputs("\n", stdout);
        cli_text_wrap(stdout, command->more, 0, 80);
    }
    fputs("\n", stdout);
    for (size_t i = 0; cli_option_at(i); i++) {
        if (cli_option_for(i, command)) {
            print_option(command, i);
        }
    }
}

void cli_help_overview(const struct cli_command *commands, size_t count)
{
    enum { COLUMN = 22 };
    cli_text_wrap(stdout, "evenkeel emulates a parallel computer and balances load between its processors.", 0, WIDTH);
    puts("\nCommands:");
    for (size_t i = 0; i < count; i++) {
        const struct cli_command *command = &commands[i];
        int column = printf("  %-10s%-9s", command->name, argument_of(command).of);
        cli_text_after(stdout, column, command->summary, COLUMN, WIDTH);
    }
    puts("\nExamples:");
    for (size_t i = 0; i < EXAMPLES; i++) {
        printf("  %s\n", examples[i].command); // to be copied
        cli_text_wrap(stdout, examples[i].meaning, 6, WIDTH);
    }
    putchar('\n');
    cli_text_wrap(
        stdout,
        "evenkeel help COMMAND shows a command's options, evenkeel list their values; evenkeel help WORD says "
        "what an option, a value or a method means.",
        0, WIDTH);
}
