// SPDX-License-Identifier: MIT
#include "cli/line/help_text.h"

#include <stdio.h>

#include "cli/line/topics.h"
#include "cli/terminal/text.h"

static const struct cli_example examples[] = {
    {"evenkeel run", "balances 64 random loads on an 8x8 torus"},
    {"evenkeel run --topology hypercube:6 --method adf --ports one", "runs diffusion over one link at a time"},
    {"evenkeel run --units tokens --load peak:6400 --heat", "spreads whole loads from one processor"},
    {"evenkeel run --timing free --method adf --invoke outside:400:600 --stop spread:200",
     "lets each processor go at its own pace"},
    {"evenkeel theory --topology torus:16x16", "compares convergence factors with the papers' closed forms"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples, WIDTH = 96 };

const struct cli_example *cli_help_example(size_t index)
{
    return index < EXAMPLES ? &examples[index] : NULL;
}

// Returns what follows the command's name: " FILE", or " [OPTION]" if it is optional.
static struct cli_text argument_of(const struct cli_command *command)
{
    struct cli_text text = {""};
    if (command->argument) {
        snprintf(text.of, sizeof text.of, command->optional ? " [%.60s]" : " %.60s", command->argument);
    }
    return text;
}

static void print_option(const struct cli_option *option)
{
    enum { COLUMN = 24 };
    int column = printf("  --%s", option->name);
    column += option->letter ? printf(", -%c", option->letter) : 0;
    column += option->form ? printf(" %s", option->form) : 0;
    struct cli_line line = {0};
    cli_line_add(&line, option->initial ? "%s [%s]" : "%s", option->help, option->initial);
    cli_text_after(stdout, column, line.of, COLUMN, WIDTH);
}

static void print_group(const struct cli_command *command, struct cli_topic group)
{
    struct cli_option option;
    bool begun = false;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        if (option.topic == group.topic) {
            if (!begun) {
                struct cli_line heading = {0};
                cli_line_add(&heading, "%s:", group.heading);
                fputs("\n", stdout);
                cli_text_wrap(stdout, heading.of, 0, WIDTH);
            }
            begun = true;
            print_option(&option);
        }
    }
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
    if (cli_topics_help(command)) {
        for (size_t g = 0; cli_topic_at(g).heading; g++) {
            print_group(command, cli_topic_at(g));
        }
        return;
    }
    struct cli_option option;
    fputs("\n", stdout);
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        print_option(&option);
    }
}

static const char introduction[] = "evenkeel emulates a parallel computer and balances load between its processors.";

void cli_help_brief(const struct cli_command *const *commands)
{
    static const char *const themes[CLI_THEMES] = {
        [CLI_THEME_RUN] = "an experiment, and what it left behind",
        [CLI_THEME_STUDY] = "many experiments, compared",
        [CLI_THEME_TEST] = "errors in methods and in the machine",
        [CLI_THEME_LEARN] = "methods, theory and this computer",
    };
    enum { COLUMN = 35 };
    cli_text_wrap(stdout, introduction, 0, WIDTH);
    fputs("\n", stdout);
    for (size_t t = 0; t < CLI_THEMES; t++) {
        struct cli_line names = {0};
        for (size_t i = 0; commands[i]; i++) {
            if (commands[i]->theme == t) {
                cli_line_add(&names, "%s%s", names.length > 0 ? ", " : "", commands[i]->name);
            }
        }
        cli_text_after(stdout, printf("  %s", names.of), themes[t], COLUMN, WIDTH);
    }
    fputs("\n", stdout);
    cli_text_wrap(stdout, "evenkeel help describes all commands.", 0, WIDTH);
}

void cli_help_overview(const struct cli_command *const *commands)
{
    enum { COLUMN = 22 };
    cli_text_wrap(stdout, introduction, 0, WIDTH);
    puts("\nCommands:");
    for (; *commands; commands++) {
        int column = printf("  %-10s%-9s", (*commands)->name, argument_of(*commands).of);
        cli_text_after(stdout, column, (*commands)->summary, COLUMN, WIDTH);
    }
    puts("\nExamples:");
    for (size_t i = 0; i < EXAMPLES; i++) {
        printf("  %s\n", examples[i].command); // to be copied
        cli_text_wrap(stdout, examples[i].meaning, 6, WIDTH);
    }
    putchar('\n');
    cli_text_wrap(stdout,
                  "evenkeel help COMMAND shows a command's options, evenkeel list shows their values, and evenkeel "
                  "help WORD explains an option, a value or a method.",
                  0, WIDTH);
}
