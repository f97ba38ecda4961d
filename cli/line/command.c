// SPDX-License-Identifier: MIT
#include "cli/line/command.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "threads/api/experiment.h"

static const struct cli_option help_option = {.name = "help",
                                              .letter = 'h',
                                              .help = "show this help",
                                              .kind = EK_AXIS_SWITCH,
                                              .place = CLI_NO_PLACE,
                                              .topic = EK_TOPIC_OUTPUT};

const struct cli_command cli_experiment = {.timings = EK_IN_ALL, .size = sizeof(struct ek_experiment)};

// Returns the short form of an axis. A command's own options have their short forms in their rows. -n is left free,
// since it means the number of processes in MPI's tools.
static char letter_of(const struct ek_axis *axis)
{
    static const struct {
        char letter;
        const char *option;
    } letters[] = {{'t', "topology"}, {'m', "method"}, {'l', "load"}, {'s', "seed"}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (strcmp(letters[i].option, axis->option) == 0) {
            return letters[i].letter;
        }
    }
    return '\0';
}

static bool takes_axis(const struct cli_command *command, const struct ek_axis *axis)
{
    bool takes = command->timings & axis->timings;
    for (size_t i = 0; !takes && command->axes && command->axes[i]; i++) {
        takes = strcmp(command->axes[i], axis->option) == 0;
    }
    return takes;
}

static struct cli_option option_of_axis(const struct cli_command *command, const struct ek_axis *axis)
{
    struct cli_option option = {.name = axis->option,
                                .letter = letter_of(axis),
                                .form = axis->form,
                                .initial = command->drawn ? NULL : axis->initial,
                                .help = axis->help,
                                .more = axis->more,
                                .kind = axis->kind,
                                .place = command->lists ? CLI_NO_PLACE : command->experiment + axis->place,
                                .minimum = axis->minimum,
                                .maximum = axis->maximum,
                                .topic = axis->topic,
                                .axis = axis};
    for (const struct cli_variant *other = command->variants; other && other->axis; other++) {
        if (strcmp(other->axis, axis->option) == 0) {
            option.form = other->form ? other->form : option.form;
            option.help = other->help ? other->help : option.help;
            option.initial = !other->initial ? option.initial : *other->initial ? other->initial : NULL;
        }
    }
    return option;
}

struct cli_option cli_option_at(const struct cli_command *command, size_t index)
{
    const struct ek_axis *axis;
    for (size_t i = 0; (axis = ek_axis_at(i)); i++) {
        if (takes_axis(command, axis) && index-- == 0) {
            return option_of_axis(command, axis);
        }
    }
    for (size_t i = 0; command->options && command->options[i].name; i++) {
        if (index-- == 0) {
            return command->options[i];
        }
    }
    return index == 0 ? help_option : (struct cli_option){0};
}

const struct ek_choice *cli_option_value(const struct cli_option *option, size_t index)
{
    const struct ek_axis *axis = ek_axis_named(option->name);
    if (option->choices) {
        return option->choices[index].form ? &option->choices[index] : NULL;
    }
    return axis ? ek_axis_choice(axis, index) : NULL;
}

// Finds the command's option with this name. If there is none, the name of the returned option is NULL.
static struct cli_option find(const struct cli_command *command, const char *name, size_t *index)
{
    struct cli_option option;
    for (*index = 0; (option = cli_option_at(command, *index)).name && strcmp(option.name, name) != 0; ++*index) {
    }
    return option;
}

const char *cli_option_given(const struct cli_call *call, const char *option)
{
    size_t index;
    return find(call->command, option, &index).name ? call->given[index] : NULL;
}

const char *cli_option_text(const struct cli_call *call, const char *option)
{
    size_t index;
    const char *initial = find(call->command, option, &index).initial;
    const char *given = cli_option_given(call, option);
    return given ? given : initial;
}

const struct cli_command *cli_command_named(const struct cli_command *const *commands, const char *name)
{
    while (*commands && strcmp((*commands)->name, name) != 0) {
        commands++;
    }
    return *commands;
}

static const char *command_name(const void *commands, size_t index)
{
    const struct cli_command *command = ((const struct cli_command *const *)commands)[index];
    return command ? command->name : NULL;
}

const char *cli_command_near(const struct cli_command *const *commands, const char *word)
{
    return base_nearest(word, (struct base_names){command_name, commands});
}

bool cli_command_refuse(const struct cli_command *const *commands, const char *name, struct ek_error *error)
{
    const char *near = cli_command_near(commands, name);
    return near ? base_refuse(error, "there is no command '%.60s'; the nearest is '%s'", name, near)
                : base_refuse(error, "there is no command '%.60s': evenkeel help lists them", name);
}
