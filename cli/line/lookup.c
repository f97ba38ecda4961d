// SPDX-License-Identifier: MIT
#include "cli/line/lookup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/line/glossary.h"
#include "core/method.h"

enum { INDENT = 24, WIDTH = 96, LETTERS = 64, NAMES_MAX = 1024 };

// Copies the part of a word that is looked up: torus for torus:8x8, ded for ded(fos).
static void take_name(const char *word, char *name)
{
    snprintf(name, LETTERS, "%.*s", (int)strcspn(word, ":([="), word);
}

static bool is_name_of(const char *name, const char *form)
{
    size_t length = strlen(name);
    return length > 0 && strncmp(name, form, length) == 0 && (!form[length] || strchr(":([", form[length]));
}

// Copies the word in the singular: topology for "topologies", method for "methods". Other words are not changed.
static void take_singular(const char *word, char *name)
{
    take_name(word, name);
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, "ies") == 0) {
        memcpy(name + length - 3, "y", sizeof "y");
    } else if (length > 1 && name[length - 1] == 's') {
        name[length - 1] = '\0';
    }
}

const struct ek_axis *cli_word_axis(const char *word)
{
    char name[LETTERS], singular[LETTERS];
    take_name(word, name);
    take_singular(word, singular);
    return ek_axis_named(name) ? ek_axis_named(name) : ek_axis_named(singular);
}

static void print_choice(const struct ek_choice *choice)
{
    int column = printf("  %s", choice->form) - (int)strlen(choice->form) + (int)cli_text_width(choice->form);
    cli_text_after(stdout, column, choice->summary, INDENT, WIDTH);
}

static void explain_option(const struct cli_option *option, const char *commands)
{
    printf("--%s", option->name);
    if (option->letter) {
        printf(", -%c", option->letter);
    }
    printf("%s%s: ", option->form ? " " : "", option->form ? option->form : "");
    cli_text_wrap(stdout, option->help, 0, WIDTH);
    if (option->initial) {
        printf("Default: %s\n", option->initial);
    }
    if (commands) {
        printf("Commands: %s\n", commands);
    }
    if (option->more) {
        putchar('\n');
        cli_text_wrap(stdout, option->more, 0, WIDTH);
    }
    for (size_t i = 0; cli_option_value(option, i); i++) {
        fputs(i == 0 ? "\nIts values:\n" : "", stdout);
        print_choice(cli_option_value(option, i));
    }
}

static bool is_named(const struct cli_option *option, const char *word)
{
    bool by_letter = word[0] == '-' && word[1] != '-' && word[1] && word[1] == option->letter && !word[2];
    return by_letter || strcmp(option->name, word[0] == '-' && word[1] == '-' ? word + 2 : word) == 0;
}

// Finds the option of a command that a word names: topology, --topology or -t. Its name is NULL if there is none.
static struct cli_option find_option(const struct cli_command *command, const char *word)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(command, i)).name && !is_named(&option, word); i++) {
    }
    return option;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const struct cli_option *a, const struct cli_option *b)
{
    return is_same_text(a->name, b->name) && is_same_text(a->form, b->form) && is_same_text(a->initial, b->initial) &&
           is_same_text(a->help, b->help) && is_same_text(a->more, b->more);
}

// Lists the commands that have the same option. Returns false if a command before `index` is one of them.
static bool list_commands(const struct cli_command *const *commands, size_t index, const struct cli_option *option,
                          struct cli_line *names)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct cli_option other = find_option(commands[i], option->name);
        bool same = other.name && is_same(&other, option);
        if (same && i < index) {
            return false;
        }
        if (same) {
            cli_line_add(names, "%s%s", names->length > 0 ? ", " : "", commands[i]->name);
        }
    }
    return true;
}

// Notes a command that shows what the word means. The meaning that is explained last counts.
__attribute__((format(printf, 2, 3))) static void show_by(const struct cli_call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    call->found->kind = CLI_FOUND_WORD;
    vsnprintf(call->found->text, sizeof call->found->text, format, arguments);
    va_end(arguments);
}

// Explains a word of the glossary. Returns false if it is none.
static bool explain_term(const struct cli_call *call, const char *name)
{
    const struct cli_term *term = cli_term_find(name);
    if (term) {
        struct cli_line line = {0};
        cli_line_add(&line, "%s: %s", term->word, term->meaning);
        cli_text_wrap(stdout, line.of, 0, WIDTH);
        show_by(call, "%s", term->shown_by);
    }
    return term;
}

// Explains an axis of experiments, or else what the option means in each command that has it. Returns false if there is
// no such option. With `after` an empty line comes first.
static bool explain_named(const struct cli_call *call, const char *word, bool after)
{
    const struct cli_command *const *commands = call->commands;
    const struct cli_option axis = find_option(&cli_experiment, word);
    if (axis.axis) {
        fputs(after ? "\n" : "", stdout);
        explain_option(&axis, NULL);
        show_by(call, ek_axis_choice(axis.axis, 0) ? "list %s" : "help run", axis.name);
        return true;
    }
    bool found = false;
    for (size_t i = 0; commands[i]; i++) {
        const struct cli_option option = find_option(commands[i], word);
        struct cli_line names = {0};
        if (option.name && list_commands(commands, i, &option, &names)) {
            fputs(found || after ? "\n" : "", stdout);
            explain_option(&option, names.of);
            show_by(call, "help %s", commands[i]->name);
            found = true;
        }
    }
    return found;
}

// Explains a value of one or more axes. Returns false if there is none. With `after` an empty line comes first.
static bool explain_value(const struct cli_call *call, const char *name, bool after)
{
    bool found = false;
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        bool headed = false;
        for (size_t j = 0; ek_axis_choice(axis, j); j++) {
            if (is_name_of(name, ek_axis_choice(axis, j)->form)) {
                if (!headed) {
                    printf("%sA value of --%s, %s:\n", found || after ? "\n" : "", axis->option, axis->help);
                }
                print_choice(ek_axis_choice(axis, j));
                show_by(call, "explain %s", axis->option);
                headed = found = true;
            }
        }
    }
    return found;
}

// Returns name `index` of the names that a word can have meant: the name of a method, of an option, a word of the
// glossary, or the name of a value without its parameters.
static const char *name_at(const void *list, size_t index)
{
    static char names[NAMES_MAX][LETTERS]; // base_nearest keeps the nearest of them
    const struct cli_command *const *commands = list;
    char *name = names[index < NAMES_MAX ? index : 0];
    struct cli_option option;
    for (size_t i = 0; ek_method_at(i); i++) {
        if (index-- == 0) {
            return ek_method_at(i)->name;
        }
    }
    for (; *commands; commands++) {
        for (size_t i = 0; (option = cli_option_at(*commands, i)).name; i++) {
            if (index-- == 0) {
                return option.name;
            }
        }
    }
    for (size_t i = 0; cli_term_at(i); i++) {
        if (index-- == 0) {
            return cli_term_at(i)->word;
        }
    }
    for (size_t i = 0; ek_axis_at(i); i++) {
        for (size_t j = 0; ek_axis_choice(ek_axis_at(i), j); j++) {
            if (index-- == 0) {
                take_name(ek_axis_choice(ek_axis_at(i), j)->form, name);
                return name;
            }
        }
    }
    return NULL;
}

bool cli_word_explain(const struct cli_call *call, const char *word, struct ek_error *error)
{
    char name[LETTERS];
    take_name(word, name);
    const struct ek_method *method = ek_method_find(name);
    if (method) {
        cli_method_explain(method);
        show_by(call, method->texts->example ? "run --method %s" : "list methods", method->texts->example);
        return true;
    }
    const bool is_term = explain_term(call, name);
    if (explain_named(call, name, is_term) || explain_value(call, name, is_term) || is_term) {
        return true;
    }
    const char *near = base_nearest(name + strspn(name, "-"), (struct base_names){name_at, call->commands});
    return near ? base_refuse(error, "nothing is called '%.60s'; the nearest is '%s'", word, near)
                : base_refuse(error,
                              "nothing is called '%.60s': evenkeel help lists the commands, and evenkeel list the "
                              "methods and values",
                              word);
}
