// SPDX-License-Identifier: MIT
// The help and the man page, from the tables of commands and options.
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/text.h"

static const struct {
    enum ek_status status;
    const char *meaning;
} statuses[] = {
    {EK_OK, "done"},
    {EK_VIOLATION, "an invariant of the machine was violated"},
    {EK_BAD_INPUT, "wrong usage or bad input; nothing was run"},
    {EK_UNREACHED, "a run ended without its stop criterion"},
    {EK_STUCK, "the watchdog ended a run"},
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

static const char *const examples[][2] = {
    {"evenkeel run", "balances 64 random loads on an 8x8 torus"},
    {"evenkeel run --topology hypercube:6 --method adf --ports one", "diffusion, a link at a time"},
    {"evenkeel run --units tokens --load peak:6400 --heat", "whole loads from one processor, before and after"},
    {"evenkeel run --timing free --method adf --invoke outside:400:600 --stop spread:200",
     "processors at their own pace"},
    {"evenkeel theory --topology torus:16x16", "convergence factors beside the papers' closed forms"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples, WIDTH = 96 };

// The option's value where it is not typed: the command's own, else the option's; NULL where there is none.
static const char *initial_value(const struct cli_command *command, const struct ek_axis *option)
{
    for (size_t i = 0; i < CLI_COMMAND_INITIALS && command->initial[i].option; i++) {
        if (strcmp(command->initial[i].option, option->option) == 0) {
            return command->initial[i].value;
        }
    }
    return command->drawn && ek_axis_named(option->option) && strcmp(option->option, "seed") != 0 ? NULL
                                                                                                  : option->initial;
}

static void print_option(const struct cli_command *command, size_t index)
{
    enum { COLUMN = 24 };
    const struct ek_axis *option = cli_option_at(index);
    char letter = cli_option_letter(index);
    int column = printf("  --%s", option->option);
    column += letter ? printf(", -%c", letter) : 0;
    column += option->form ? printf(" %s", option->form) : 0;
    const char *initial = initial_value(command, option);
    struct cli_line line = {0};
    cli_line_add(&line, initial ? "%s [%s]" : "%s", option->help, initial);
    cli_text_after(stdout, column, line.of, COLUMN, WIDTH);
}

void cli_help_command(const struct cli_command *command)
{
    struct cli_line line = {0};
    cli_line_add(&line, "evenkeel %s%s%s: %s", command->name, command->argument ? " " : "",
                 command->argument ? command->argument : "", command->summary);
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
        int column = printf("  %-10s %-8s", command->name, command->argument ? command->argument : "");
        cli_text_after(stdout, column, command->summary, COLUMN, WIDTH);
    }
    puts("\nExamples:");
    for (size_t i = 0; i < EXAMPLES; i++) {
        printf("  %s\n", examples[i][0]); // to be copied
        cli_text_wrap(stdout, examples[i][1], 6, WIDTH);
    }
    putchar('\n');
    cli_text_wrap(
        stdout,
        "evenkeel help COMMAND shows a command's options, evenkeel list their values; evenkeel help WORD says "
        "what an option, a value or a method means.",
        0, WIDTH);
}

// Text for roff: '\' and '-' are escaped, a line must not begin with '.' or '\''.
static void print_roff(const char *text)
{
    if (*text == '.' || *text == '\'') {
        fputs("\\&", stdout);
    }
    for (; *text; text++) {
        if (*text == '\\') {
            fputs("\\e", stdout);
        } else {
            fputs(*text == '-' ? "\\" : "", stdout);
            putchar(*text);
        }
    }
    putchar('\n');
}

static void print_man_commands(const struct cli_command *commands, size_t count)
{
    puts(".SH COMMANDS");
    for (size_t i = 0; i < count; i++) {
        const struct cli_command *command = &commands[i];
        printf(".TP\n\\fB%s\\fR%s%s%s\n", command->name, command->argument ? " \\fI" : "",
               command->argument ? command->argument : "", command->argument ? "\\fR" : "");
        print_roff(command->summary);
        if (command->more) {
            puts(".IP");
            print_roff(command->more);
        }
    }
}

static void print_man_options(void)
{
    puts(".SH OPTIONS\nAn option's value follows it, or a '=': \\fB\\-\\-steps 9\\fR, \\fB\\-\\-steps=9\\fR.");
    for (size_t i = 0; cli_option_at(i); i++) {
        const struct ek_axis *option = cli_option_at(i);
        fputs(".TP\n.B ", stdout);
        printf("\\-\\-%s", option->option);
        if (cli_option_letter(i)) {
            printf(", \\-%c", cli_option_letter(i));
        }
        fputs(option->form ? " " : "", stdout);
        print_roff(option->form ? option->form : "");
        print_roff(option->help);
        if (option->initial) {
            fputs(".br\nIf not said: ", stdout);
            print_roff(option->initial);
        }
        if (option->more) {
            puts(".br");
            print_roff(option->more);
        }
    }
}

void cli_help_man(const struct cli_command *commands, size_t count)
{
    printf(".TH EVENKEEL 1 \"\" \"evenkeel %s\" \"User Commands\"\n", ek_version());
    puts(".SH NAME\nevenkeel \\- nearest\\-neighbour load balancing on an emulated parallel computer");
    puts(".SH SYNOPSIS\n.B evenkeel\n.I COMMAND\n[\\fIOPTION\\fR ...]");
    puts(".SH DESCRIPTION\nevenkeel emulates a parallel computer with a thread for each processor, links that carry "
         "messages and ports that limit how many of them a processor uses at once, and runs load balancing methods on "
         "it.");
    print_man_commands(commands, count);
    print_man_options();
    puts(".SH EXIT STATUS");
    for (size_t i = 0; i < STATUSES; i++) {
        printf(".TP\n.B %d\n%s\n", (int)statuses[i].status, statuses[i].meaning);
    }
    puts(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, a terminal gets no colours.");
    puts(".SH EXAMPLES");
    for (size_t i = 0; i < EXAMPLES; i++) {
        fputs(".TP\n.B ", stdout);
        print_roff(examples[i][0]);
        print_roff(examples[i][1]);
    }
}
