// SPDX-License-Identifier: MIT
// The manual page evenkeel(1) in mdoc(7), from the tables of commands and options. mandoc -T lint wants a line for each
// sentence and none longer than 80 bytes.
#include "cli/line/manual.h"

#include <stdio.h>
#include <string.h>

#include "cli/line/help.h"
#include "cli/terminal/text.h"

static const struct {
    enum ek_status status;
    const char *meaning;
} statuses[] = {
    {EK_OK, "done; of sweep all is there, also where runs did not reach their criterion or were refused, and of papers "
            "every claim has its verdict, whatever that is"},
    {EK_VIOLATION, "an invariant of the machine was violated"},
    {EK_BAD_INPUT,
     "wrong usage or bad input, and nothing was run; or what came of a run could not be written, replay "
     "came to something else than was recorded, all runs of a sweep were refused, or a run of papers was"},
    {EK_UNREACHED, "a run ended without its stop criterion, or was interrupted; of sweep and papers runs failed, or "
                   "something is left to make"},
    {EK_STUCK, "the watchdog ended a run"},
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

// A word: '\' and '-' are escaped, and a line must not begin with '.' or '\''. Returns its width.
static int print_word(const char *word, size_t length, bool begins)
{
    int width = 0;
    if (begins && (*word == '.' || *word == '\'')) {
        width += printf("\\&");
    }
    for (size_t i = 0; i < length; i++) {
        width += word[i] == '\\' ? printf("\\e") : printf(word[i] == '-' ? "\\-" : "%c", word[i]);
    }
    return width;
}

static bool ends_sentence(const char *word, size_t length)
{
    return length > 0 && strchr(".?!", word[length - 1]);
}

// Text as lines of the page; a sentence begins a new one.
static void print_text(const char *text)
{
    enum { WIDTH = 70 };
    int column = 0;
    bool new_line = true;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (!new_line && column + (int)length > WIDTH) {
            new_line = true;
            putchar('\n');
        }
        column = new_line ? 0 : column + printf(" ");
        column += print_word(text, length, new_line);
        new_line = ends_sentence(text, length);
        text += length;
        text += strspn(text, " ");
        if (new_line && *text) {
            putchar('\n');
        }
    }
    putchar('\n');
}

// An option as a macro's arguments: Fl \-steps Ar N.
static void print_flag(const struct ek_axis *option)
{
    fputs("Fl ", stdout);
    putchar('\\');
    putchar('-');
    print_word(option->option, strlen(option->option), false);
    if (option->form) {
        fputs(" Ar ", stdout);
        print_word(option->form, strlen(option->form), false);
    }
}

// Text in parentheses.
static void print_aside(const char *text)
{
    struct cli_line line = {0};
    cli_line_add(&line, "(%s)", text);
    print_text(line.of);
}

// The options that a command takes, what they do where that is its own, and what they are if not said.
static void print_command_options(const struct cli_command *command)
{
    puts(".Pp\nOptions:");
    for (size_t i = 0; cli_option_at(i); i++) {
        const struct ek_axis option = cli_option_of(i, command);
        if (!cli_option_for(i, command)) {
            continue;
        }
        fputs(".Op ", stdout);
        print_flag(&option);
        putchar('\n');
        if (option.help != cli_option_at(i)->help) {
            print_aside(option.help);
        }
        if (option.initial && option.initial != cli_option_at(i)->initial) {
            printf("(if not said:\n.Cm ");
            print_word(option.initial, strlen(option.initial), false);
            puts(" )");
        }
    }
}

static void print_command(const struct cli_command *command)
{
    printf(".Ss %s\n.Nm evenkeel\n.Cm %s\n", command->name, command->name);
    if (command->argument) {
        printf(command->optional ? ".Op Ar %s\n" : ".Ar %s\n", command->argument);
    }
    puts(".Pp");
    print_text(command->summary);
    if (command->more) {
        puts(".Pp");
        print_text(command->more);
    }
    print_command_options(command);
}

static void print_option(size_t index)
{
    const struct ek_axis *option = cli_option_at(index);
    fputs(".It ", stdout);
    if (cli_option_letter(index)) {
        printf("Fl %c , ", cli_option_letter(index));
    }
    print_flag(option);
    putchar('\n');
    print_text(option->help);
    if (option->initial) {
        fputs(".br\nIf not said:\n.Cm ", stdout);
        print_word(option->initial, strlen(option->initial), true);
        putchar('\n');
    }
    if (option->more) {
        puts(".Pp");
        print_text(option->more);
    }
}

static void print_options(void)
{
    puts(".Sh OPTIONS\nAn option's value follows it, or a\n.Ql = :\n.Fl \\-steps Ar 9 ,\n.Fl \\-steps\\&=9 .\n"
         ".Bl -tag -width indent");
    for (size_t i = 0; cli_option_at(i); i++) {
        print_option(i);
    }
    puts(".El");
}

static void print_end(void)
{
    puts(".Sh ENVIRONMENT\n.Bl -tag -width indent\n.It Ev COLUMNS\nThe width of text and tables in a pipe.\n"
         "If not set, text has 100 at most, 118 in list, and tables have what they need.\n"
         ".It Ev NO_COLOR\nIf set and not empty, a terminal gets no colours.\n.El");
    puts(".Sh EXIT STATUS\n.Bl -tag -width indent");
    for (size_t i = 0; i < STATUSES; i++) {
        printf(".It %d\n", (int)statuses[i].status);
        print_text(statuses[i].meaning);
    }
    puts(".El\n.Sh EXAMPLES\n.Bl -tag -width indent");
    for (size_t i = 0; cli_help_example(i); i++) {
        fputs(".It Ic ", stdout);
        print_word(cli_help_example(i)->command, strlen(cli_help_example(i)->command), false);
        putchar('\n');
        print_text(cli_help_example(i)->meaning);
    }
    puts(".El\n.Sh SEE ALSO\n.Xr evenkeel 3 ,\n.Xr evenkeel 5 ,\n.Xr evenkeel 7");
}

void cli_manual(const struct cli_command *commands, size_t count)
{
    puts(".Dd " CLI_DATE "\n.Dt EVENKEEL 1\n.Os\n.Sh NAME\n.Nm evenkeel\n"
         ".Nd nearest-neighbour load balancing on an emulated parallel computer\n"
         ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar word\n.Op Ar option ...\n.Sh DESCRIPTION\n.Nm");
    print_text("emulates a parallel computer with a thread for each processor, links that carry messages and ports "
               "that limit how many of them a processor uses at once, and runs load balancing methods on it.");
    puts(".Pp\nThe commands are these.");
    for (size_t i = 0; i < count; i++) {
        print_command(&commands[i]);
    }
    print_options();
    print_end();
}
