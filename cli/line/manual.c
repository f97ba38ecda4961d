// SPDX-License-Identifier: MIT
// mandoc -T lint requires a line for each sentence, and no line longer than 80 bytes.
#include "cli/line/manual.h"

#include <stdio.h>
#include <string.h>

#include "cli/line/help_text.h"
#include "cli/line/topics.h"
#include "cli/terminal/text.h"

static const struct {
    enum ek_status status;
    const char *meaning;
} statuses[] = {
    {EK_OK, "success. For sweep: all runs were carried out, even if some missed their criterion or were refused. For "
            "papers: every claim has a verdict"},
    {EK_VIOLATION, "an invariant of the machine was violated"},
    {EK_BAD_INPUT, "wrong usage or bad input, and nothing was run; or a result could not be written, a replay differs "
                   "from its record, all runs of a sweep were refused, or a run of papers was refused"},
    {EK_UNREACHED, "a run ended without its stop criterion, or was interrupted. For sweep and papers: runs failed, or "
                   "some were not carried out"},
    {EK_STUCK, "the watchdog ended a run"},
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

// Prints a word. '\' and '-' are escaped, and so are '.' and '\'' at the beginning of a line. Returns the width.
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

// Prints text as lines of the page. Each sentence begins a new line.
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

// Prints an option as arguments of a macro: Fl t , Fl \-topology Ar SPEC.
static void print_flag(const struct cli_option *option)
{
    if (option->letter) {
        printf("Fl %c , ", option->letter);
    }
    fputs("Fl \\-", stdout);
    print_word(option->name, strlen(option->name), false);
    if (option->form) {
        fputs(" Ar ", stdout);
        print_word(option->form, strlen(option->form), false);
    }
    putchar('\n');
}

static void print_option(const struct cli_option *option)
{
    fputs(".It ", stdout);
    print_flag(option);
    print_text(option->help);
    if (option->initial) {
        fputs(".br\nDefault:\n.Cm ", stdout);
        print_word(option->initial, strlen(option->initial), true);
        putchar('\n');
    }
    if (option->more) {
        puts(".Pp");
        print_text(option->more);
    }
}

// Returns whether the command describes an axis as the section OPTIONS does.
static bool is_usual(const struct cli_option *option)
{
    return option->axis && option->help == option->axis->help && option->initial == option->axis->initial;
}

// Prints the options of one topic that a command describes in its own words, or all of one topic of the section
// OPTIONS. Without a group, the options of all topics.
static void print_group(const struct cli_command *command, const struct cli_topic *group)
{
    struct cli_option option;
    bool begun = false;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        const bool described = command != &cli_experiment && is_usual(&option);
        if (described || (group && option.topic != group->topic)) {
            continue;
        }
        if (!begun && group) {
            printf(command == &cli_experiment ? ".Ss %s\n" : ".Pp\n%s:\n", group->heading);
        }
        fputs(begun ? "" : ".Bl -tag -width indent\n", stdout);
        begun = true;
        print_option(&option);
    }
    fputs(begun ? ".El\n" : "", stdout);
}

static void print_groups(const struct cli_command *command)
{
    for (size_t g = 0; cli_topic_at(g).heading; g++) {
        const struct cli_topic group = cli_topic_at(g);
        print_group(command, &group);
    }
}

// Prints the names of the options that the section OPTIONS describes.
static void print_axes(const struct cli_command *command)
{
    struct cli_option option;
    bool begun = false;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        if (is_usual(&option)) {
            fputs(begun ? "" : ".Pp\nIt also takes these of the\n.Sx OPTIONS\nbelow:\n", stdout);
            begun = true;
            fputs(".Op ", stdout);
            print_flag(&option);
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
    if (cli_topics_help(command)) {
        print_groups(command);
    } else {
        print_group(command, NULL);
    }
    print_axes(command);
}

static void print_options(void)
{
    puts(".Sh OPTIONS\nThese options describe an experiment.\nAn option's value follows it, or a\n.Ql = :\n"
         ".Fl \\-steps Ar 9 ,\n.Fl \\-steps\\&=9 .");
    print_groups(&cli_experiment);
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

void cli_manual(const struct cli_command *const *commands)
{
    puts(".Dd " CLI_DATE "\n.Dt EVENKEEL 1\n.Os\n.Sh NAME\n.Nm evenkeel\n"
         ".Nd nearest-neighbour load balancing on an emulated parallel computer\n"
         ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar word\n.Op Ar option ...\n.Sh DESCRIPTION\n.Nm");
    print_text("emulates a parallel computer with a thread for each processor, links that carry messages and ports "
               "that limit how many of them a processor uses at once, and runs load balancing methods on it.");
    puts(".Pp\nThe commands are these.");
    for (; *commands; commands++) {
        print_command(*commands);
    }
    print_options();
    print_end();
}
