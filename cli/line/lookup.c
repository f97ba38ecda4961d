// SPDX-License-Identifier: MIT
// What a word means: a method has its page; an option what it is for, its default and its values; a value what it says
// there, and of which options it is one.
#include "cli/line/lookup.h"

#include <stdio.h>
#include <string.h>

#include "cli/line/commands.h"
#include "base/error.h"

enum { INDENT = 24, WIDTH = 96, LETTERS = 64, CALLED_MAX = 512 };

// A word as it is looked up: torus:8x8 is torus, ded(fos) is ded.
static void take_name(const char *word, char *name)
{
    snprintf(name, LETTERS, "%.*s", (int)strcspn(word, ":([="), word);
}

static bool is_name_of(const char *name, const char *form)
{
    size_t length = strlen(name);
    return length > 0 && strncmp(name, form, length) == 0 && (!form[length] || strchr(":([", form[length]));
}

// The word in the singular: "topologies" is topology, "methods" is method. Others stay as they are.
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

static void explain_option(size_t index)
{
    const struct ek_axis *option = cli_option_at(index);
    const struct ek_axis *axis = ek_axis_named(option->option); // NULL: it is the command's own
    char letter = cli_option_letter(index);
    printf("--%s", option->option);
    if (letter) {
        printf(", -%c", letter);
    }
    printf("%s%s: ", option->form ? " " : "", option->form ? option->form : "");
    cli_text_wrap(stdout, option->help, 0, WIDTH);
    if (option->initial) {
        printf("If not said: %s\n", option->initial);
    }
    if (option->more) {
        putchar('\n');
        cli_text_wrap(stdout, option->more, 0, WIDTH);
    }
    if (axis && ek_axis_choice(axis, 0)) {
        puts("\nIts values:");
    }
    for (size_t i = 0; axis && ek_axis_choice(axis, i); i++) {
        print_choice(ek_axis_choice(axis, i));
    }
}

// All options of which it is a value.
static bool explain_value(const char *name)
{
    bool found = false;
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        bool headed = false;
        for (size_t j = 0; ek_axis_choice(axis, j); j++) {
            if (is_name_of(name, ek_axis_choice(axis, j)->form)) {
                if (!headed) {
                    printf("%sA value of --%s, %s:\n", found ? "\n" : "", axis->option, axis->help);
                }
                print_choice(ek_axis_choice(axis, j));
                headed = found = true;
            }
        }
    }
    return found;
}

// What is called something, for the nearest of them: methods, then options, then values without what follows a name.
static const char *called(size_t index)
{
    static char names[CALLED_MAX][LETTERS]; // a caller keeps the nearest while it goes on
    char *name = names[index < CALLED_MAX ? index : 0];
    for (size_t i = 0; ek_method_at(i); i++) {
        if (index-- == 0) {
            return ek_method_at(i)->name;
        }
    }
    for (size_t i = 0; cli_option_at(i); i++) {
        if (index-- == 0) {
            return cli_option_at(i)->option;
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

bool cli_word_explain(const char *word, struct ek_error *error)
{
    char name[LETTERS];
    take_name(word, name);
    size_t option = cli_option_named(word[0] == '-' ? word : name);
    const struct ek_method *method = ek_method_find(name);
    if (method) {
        cli_method_explain(method);
    } else if (cli_option_at(option)) {
        explain_option(option);
    } else if (!explain_value(name)) {
        const char *near = ek_nearest(name, called);
        base_refuse(error,
                    near ? "nothing is called '%.60s'; the nearest is '%s'"
                         : "nothing is called '%.60s': evenkeel help lists the commands, evenkeel list the "
                           "methods and values",
                    word, near);
        return false;
    }
    return true;
}
