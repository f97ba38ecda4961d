// SPDX-License-Identifier: MIT
#include "cli/line/parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/characters.h"
#include "base/cursor.h"
#include "base/nearest.h"
#include "cli/terminal/data_file.h"

// Stores the number of the choice that the text names.
static bool store_choice(const struct cli_option *option, void *options, const char *text, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start(option->name, text, error);
    char what[64];
    snprintf(what, sizeof what, "value of --%s", option->name);
    size_t number;
    if (!base_cursor_choice(&cursor, what, option->choices, &number)) {
        return false;
    }
    *(unsigned *)((char *)options + option->place) = (unsigned)number;
    return true;
}

static bool store(const struct cli_option *option, void *options, const char *text, struct ek_error *error)
{
    const struct ek_axis row = {.option = option->name,
                                .form = option->form,
                                .kind = option->kind,
                                .place = option->place,
                                .minimum = option->minimum,
                                .maximum = option->maximum};
    return option->place == CLI_NO_PLACE ||
           (option->choices ? store_choice(option, options, text, error) : ek_axis_set(&row, options, text, error));
}

// Returns whether an option's initial value is stored before the words are read. The library supplies the defaults of
// its axes. So three kinds of initial values are stored: those of the command's own options, those that the command
// sets for an axis, and whole numbers, since a 0 can mean 0.
static bool is_stored_first(const struct cli_option *option)
{
    return option->initial &&
           (!option->axis || option->axis->initial != option->initial || option->kind == EK_AXIS_WHOLE);
}

static bool store_initial_values(const struct cli_command *command, void *options, struct ek_error *error)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        if (is_stored_first(&option) && !store(&option, options, option.initial, error)) {
            return false;
        }
    }
    return true;
}

// Returns whether a word is an option: -t, or --steps with or without =9. Anything else that begins with a dash is
// none.
static bool is_option(const char *word)
{
    return word[0] == '-' && (word[1] == '-' || (base_is_letter(word[1]) && word[2] == '\0'));
}

static bool is_named_by(const struct cli_option *option, const char *word)
{
    if (word[1] != '-') {
        return option->letter == word[1];
    }
    size_t length = strcspn(word + 2, "=");
    return strncmp(option->name, word + 2, length) == 0 && !option->name[length];
}

// Finds the option that a word names. If there is none, the name of the returned option is NULL.
static struct cli_option find_option(const struct cli_command *command, const char *word, size_t *index)
{
    struct cli_option option;
    for (*index = 0; (option = cli_option_at(command, *index)).name && !is_named_by(&option, word); ++*index) {
    }
    return option;
}

static const char *option_name(const void *command, size_t index)
{
    return cli_option_at(command, index).name;
}

static const struct ek_choice *choice_at(const struct cli_option *option, size_t index)
{
    const struct ek_choice *own = option->choices;
    return option->axis ? ek_axis_choice(option->axis, index) : own && own[index].form ? &own[index] : NULL;
}

// Finds the option with a value of this name, and writes the form of the value. If there is none, the name of the
// returned option is NULL.
static struct cli_option find_option_of_value(const struct cli_command *command, const char *name, const char **form)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        const struct ek_choice *choice;
        for (size_t k = 0; (choice = choice_at(&option, k)); k++) {
            const size_t length = strcspn(choice->form, ":([");
            if (strlen(name) == length && strncmp(choice->form, name, length) == 0) {
                *form = choice->form;
                return option;
            }
        }
    }
    return option;
}

static bool refuse_option(const struct cli_command *command, const char *word, struct ek_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *form;
    const struct cli_option of = find_option_of_value(command, name + 2, &form);
    if (of.name) {
        return base_refuse(error, "%s has no option %s: write --%s %s", command->name, name, of.name, form);
    }
    const char *near = word[1] == '-' ? base_nearest(name + 2, (struct base_names){option_name, command}) : NULL;
    return near ? base_refuse(error, "%s has no option %s; the nearest is --%s", command->name, name, near)
                : base_refuse(error, "%s has no option %s: see evenkeel %s --help", command->name, name, command->name);
}

// Finds the option's value: the text behind '=', else the next word, which is then used up. Returns NULL with `error`
// filled if there is none. A switch has the value "", or "true" where axes take lists.
static const char *find_value(const struct cli_option *option, bool lists, const char *word, const char *next,
                              int *used, struct ek_error *error)
{
    const char *equals = strchr(word, '=');
    if (equals && (option->form || lists)) {
        return equals + 1;
    }
    if (equals) {
        base_refuse(error, "--%s takes no value", option->name);
        return NULL;
    }
    if (!option->form) {
        return lists ? "true" : "";
    }
    if (!next || is_option(next)) {
        base_refuse(error, "--%s needs a value: write --%s %s", option->name, option->name, option->form);
        return NULL;
    }
    (*used)++;
    return next;
}

static bool read_option(struct cli_call *call, void *options, const char *word, const char *next, int *used,
                        struct ek_error *error)
{
    size_t index;
    const struct cli_option option = find_option(call->command, word, &index);
    if (!option.name) {
        return refuse_option(call->command, word, error);
    }
    assert(index < CLI_OPTIONS_MAX);
    const char *value = find_value(&option, option.axis && call->command->lists, word, next, used, error);
    if (!value) {
        return false;
    }
    if (call->given[index]) {
        return base_refuse(error, "--%s is given twice: give it once", option.name);
    }
    if (option.axis && strcmp(option.name, "host") == 0) {
        value = cli_data_hosts(value, call->command->lists, error);
    }
    if (!value) {
        return false;
    }
    call->given[index] = value;
    return store(&option, options, value, error);
}

static bool read_argument(struct cli_call *call, char *word, struct ek_error *error)
{
    const struct cli_command *command = call->command;
    if (word[0] == '-' && word[1] != '\0' && !is_option(word)) {
        return base_refuse(error, "'%.60s' is no option: those of several letters begin with two dashes, as in --seed",
                           word);
    }
    if (!command->argument) {
        size_t index;
        bool example = find_option(command, "--topology", &index).name;
        return base_refuse(error, "%s takes options only%s, not '%.60s': see evenkeel %s --help", command->name,
                           example ? ", as in --topology torus:8x8" : "", word, command->name);
    }
    if (call->words_count > 0 && !command->several) {
        return base_refuse(error, "%s takes one %s, not also '%.60s'", command->name, command->argument, word);
    }
    call->words[call->words_count++] = word;
    return true;
}

// Returns whether the word is an option of this command, not one of another that it explains.
static bool is_own_option(const struct cli_command *command, const char *word)
{
    size_t index;
    return is_option(word) && (!command->explains || find_option(command, word, &index).name);
}

bool cli_parse(struct cli_call *call, void *options, int count, char **words, struct ek_error *error)
{
    call->words = words;
    if (!store_initial_values(call->command, options, error)) {
        return false;
    }
    for (int used = 0; used < count; used++) {
        char *word = words[used];
        const char *next = used + 1 < count ? words[used + 1] : NULL;
        if (!(is_own_option(call->command, word) ? read_option(call, options, word, next, &used, error)
                                                 : read_argument(call, word, error))) {
            return false;
        }
    }
    return true;
}
