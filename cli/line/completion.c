// SPDX-License-Identifier: MIT
// Completions for shells, from the tables of commands and options: which options a command takes, which words an option
// can begin with, and where files are meant.
#include "cli/line/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/line/commands.h"
#include "base/error.h"

struct table {
    const struct cli_command *commands;
    size_t count;
};

static void print_bash(const struct table *table);
static void print_zsh(const struct table *table);
static void print_fish(const struct table *table);

static const struct {
    const char *name;
    void (*print)(const struct table *table);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

static const char *shell_name(size_t index)
{
    return index < SHELLS ? shells[index].name : NULL;
}

// How a form begins, as far as it is typed as it stands: "torus:" of "torus:KxKx…"; "" of "D,D,…".
static struct cli_text beginning(const char *form)
{
    struct cli_text word;
    size_t length = strspn(form, "abcdefghijklmnopqrstuvwxyz0123456789-:(");
    snprintf(word.of, sizeof word.of, "%.*s", (int)length, form);
    return word;
}

// Method `index` of those with and without a parameter: "gde" and "gde:". "" past the last.
static struct cli_text method_word(size_t index)
{
    struct cli_text word = {""};
    const struct ek_method *method = ek_method_at(index / 2);
    if (method && index % 2 == 0) {
        snprintf(word.of, sizeof word.of, "%.60s", method->name);
    } else if (method) {
        word = beginning(cli_method_form(method).of);
    }
    return word;
}

static bool is_option(const struct ek_axis *option, const char *name)
{
    return strcmp(option->option, name) == 0;
}

// A word that the option's value can begin with, or "" where this one has none. False past the last.
static bool value_word(const struct ek_axis *option, size_t index, struct cli_text *word)
{
    const struct ek_axis *axis = ek_axis_named(option->option); // NULL: it is the command's own, and has no choices
    const struct ek_choice *choice = axis ? ek_axis_choice(axis, index) : NULL;
    const char *form = choice ? choice->form : NULL;
    if (is_option(option, "method")) {
        *word = method_word(index);
        return ek_method_at(index / 2) != NULL;
    }
    if (is_option(option, "format")) {
        form = cli_format_name(index);
    } else if (is_option(option, "completion")) {
        form = shell_name(index);
    }
    *word = beginning(form ? form : "");
    return form != NULL;
}

// All words of a value with blanks between; in them '(' gets `escape` in front, and ':' too where `colons`.
static void print_values(const struct ek_axis *option, const char *escape, bool colons)
{
    struct cli_text word, last = {""};
    for (size_t i = 0; value_word(option, i, &word); i++) {
        bool fresh = *word.of && strcmp(word.of, last.of) != 0;
        for (const char *c = word.of; fresh && *c; c++) {
            printf("%s%c", *c == '(' || (*c == ':' && colons) ? escape : "", *c);
        }
        fputs(fresh ? " " : "", stdout);
        last = word;
    }
}

static bool has_values(const struct ek_axis *option)
{
    struct cli_text word;
    return option->form && value_word(option, 0, &word);
}

static bool is_file(const char *form)
{
    return form && (strncmp(form, "FILE", 4) == 0 || strcmp(form, "DIR") == 0);
}

// Text between single quotes, in which `special` are escaped with '\'.
static void print_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            fputs(strchr(special, *text) ? "\\" : "", stdout);
            putchar(*text);
        }
    }
}

static void print_command_names(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        printf("%s ", table->commands[i].name);
    }
}

static void print_method_names(void)
{
    for (size_t i = 0; ek_method_at(i); i++) {
        printf("%s ", ek_method_at(i)->name);
    }
}

static void print_axis_names(void)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        printf("%s ", ek_axis_at(i)->option);
    }
}

// The words that a command's argument can be, or of many those that are asked for most; nothing where they are files or
// there is none.
static void print_argument(const struct table *table, const struct cli_command *command)
{
    if (strcmp(command->name, "help") == 0) {
        print_command_names(table);
    } else if (strcmp(command->name, "explain") == 0) {
        print_method_names();
    } else if (strcmp(command->name, "list") == 0) {
        print_axis_names();
    } else if (strcmp(command->name, "results") == 0) {
        fputs("merge ", stdout);
    }
}

static void print_bash_command(const struct table *table, const struct cli_command *command)
{
    printf("    %s)\n        options='", command->name);
    for (size_t i = 0; cli_option_at(i); i++) {
        if (cli_option_for(i, command)) {
            printf("--%s ", cli_option_at(i)->option);
        }
    }
    fputs("'\n        argument='", stdout);
    print_argument(table, command);
    printf("%s'\n        ;;\n", is_file(command->argument) ? "FILE" : "");
}

static void print_bash(const struct table *table)
{
    puts("# Completion of evenkeel " EK_VERSION " for bash, made from its tables.\n"
         "_evenkeel()\n{\n"
         "    local line=${COMP_LINE:0:COMP_POINT} typed value prefix= option= words= options= argument= before\n"
         "    typed=${line##*[[:space:]]} value=$typed\n"
         "    read -ra before <<<\"${line%\"$typed\"}\"\n"
         "    case ${before[1]-} in");
    for (size_t i = 0; i < table->count; i++) {
        print_bash_command(table, &table->commands[i]);
    }
    puts("    esac\n"
         "    option=${before[${#before[@]} - 1]} words=$argument\n"
         "    if [[ $typed == --*=* ]]; then\n"
         "        option=${typed%%=*} prefix=$option= value=${typed#*=}\n"
         "    elif [[ $typed == -* ]]; then\n"
         "        option= words=$options\n"
         "    fi\n"
         "    case $option in");
    for (size_t i = 0; cli_option_at(i); i++) {
        const struct ek_axis *option = cli_option_at(i);
        if (option->form) {
            printf("    --%s) words='", option->option);
            print_values(option, "", false);
            printf("%s' ;;\n", is_file(option->form) ? "FILE" : "");
        }
    }
    fputs("    esac\n    if (( ${#before[@]} < 2 )); then\n        words='", stdout);
    print_command_names(table);
    puts("'\n    fi\n"
         "    if [[ $value == file:* ]]; then\n"
         "        prefix+=file: value=${value#file:} words=FILE\n"
         "    fi\n"
         "    if [[ $words == FILE ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -f -- \"$value\")\n"
         "        compopt -o filenames 2>/dev/null\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"$words\" -- \"$value\")\n"
         "    fi\n"
         "    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:\\(] ]]; then\n"
         "        compopt -o nospace 2>/dev/null\n"
         "    fi\n"
         "    # The shell itself breaks words at '=' and ':', and puts in only what follows.\n"
         "    COMPREPLY=(\"${COMPREPLY[@]#\"${typed%\"${typed##*[:=]}\"}\"}\")\n"
         "}\n"
         "complete -F _evenkeel evenkeel");
}

static void print_zsh_option(const struct ek_axis *option)
{
    printf(" \\\n            '--%s%s[", option->option, option->form ? "=" : "");
    print_quoted(option->help, "[]");
    putchar(']');
    if (option->form) {
        putchar(':');
        print_quoted(option->form, ":");
        putchar(':');
        fputs(is_file(option->form) ? "_files" : has_values(option) ? "(" : " ", stdout);
        print_values(option, "\\", true);
        fputs(has_values(option) ? ")" : "", stdout);
    }
    putchar('\'');
}

static void print_zsh_command(const struct table *table, const struct cli_command *command)
{
    printf("    %s)\n        _arguments", command->name);
    for (size_t i = 0; cli_option_at(i); i++) {
        if (cli_option_for(i, command)) {
            const struct ek_axis option = cli_option_of(i, command);
            print_zsh_option(&option);
        }
    }
    if (command->argument) {
        printf(" \\\n            '1:%s:%s", command->argument, is_file(command->argument) ? "_files" : "(");
        print_argument(table, command);
        fputs(is_file(command->argument) ? "'" : ")'", stdout);
    }
    puts(" ;;");
}

static void print_zsh(const struct table *table)
{
    puts("#compdef evenkeel\n# Completion of evenkeel " EK_VERSION " for zsh, made from its tables.\n"
         "if (( CURRENT == 2 )); then\n    local -a commands=(");
    for (size_t i = 0; i < table->count; i++) {
        printf("        '%s:", table->commands[i].name);
        print_quoted(table->commands[i].summary, ":");
        puts("'");
    }
    puts("    )\n    _describe command commands\n    return\nfi\n"
         "local command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in");
    for (size_t i = 0; i < table->count; i++) {
        print_zsh_command(table, &table->commands[i]);
    }
    puts("esac");
}

static void print_fish_option(const struct table *table, size_t index)
{
    const struct ek_axis *option = cli_option_at(index);
    fputs("complete -c evenkeel -n '__fish_seen_subcommand_from", stdout);
    for (size_t i = 0; i < table->count; i++) {
        if (cli_option_for(index, &table->commands[i])) {
            printf(" %s", table->commands[i].name);
        }
    }
    printf("' -l %s%s -d '", option->option, is_file(option->form) ? " -rF" : option->form ? " -x" : "");
    print_quoted(option->help, "");
    putchar('\'');
    if (has_values(option)) {
        fputs(" -a '", stdout);
        print_values(option, "\\\\", false); // what -a is given is expanded once more
        putchar('\'');
    }
    putchar('\n');
}

static void print_fish_command(const struct table *table, const struct cli_command *command)
{
    printf("complete -c evenkeel -n __fish_use_subcommand -a %s -d '", command->name);
    print_quoted(command->summary, "");
    puts("'");
    if (command->argument) {
        printf("complete -c evenkeel -n '__fish_seen_subcommand_from %s'%s -a '", command->name,
               is_file(command->argument) ? " -F" : "");
        print_argument(table, command);
        puts("'");
    }
}

static void print_fish(const struct table *table)
{
    puts("# Completion of evenkeel " EK_VERSION " for fish, made from its tables.\ncomplete -c evenkeel -f");
    for (size_t i = 0; i < table->count; i++) {
        print_fish_command(table, &table->commands[i]);
    }
    for (size_t i = 0; cli_option_at(i); i++) {
        print_fish_option(table, i);
    }
}

bool cli_completion(const char *shell, const struct cli_command *commands, size_t count, struct ek_error *error)
{
    struct table table = {commands, count};
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(&table);
            return true;
        }
    }
    return base_refuse_text(error, "completion", shell, 0, "--completion takes bash, zsh or fish");
}
