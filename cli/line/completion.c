// SPDX-License-Identifier: MIT
#include "cli/line/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/line/lookup.h"
#include "core/method.h"

typedef const struct cli_command *const *commands_list;

// Returns the beginning of a form that is typed literally: "torus:" of "torus:KxKx…", "" of "D,D,…".
static struct cli_text beginning(const char *form)
{
    struct cli_text word;
    size_t length = strspn(form, "abcdefghijklmnopqrstuvwxyz0123456789-:(");
    snprintf(word.of, sizeof word.of, "%.*s", (int)length, form);
    return word;
}

// Returns word `index` of the methods. Each method has two words, without and with a parameter: "gde" and "gde:".
// Returns "" past the last.
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

// Finds word `index` that the option's value can begin with, or "" if this value has no literal beginning. Returns
// false past the last.
static bool value_word(const struct cli_option *option, size_t index, struct cli_text *word)
{
    if (strcmp(option->name, "method") == 0) {
        *word = method_word(index);
        return ek_method_at(index / 2) != NULL;
    }
    const struct ek_choice *choice = cli_option_value(option, index);
    *word = beginning(choice ? choice->form : "");
    return choice;
}

// Prints all words of a value, separated by blanks. Prints `escape` before each '(' and, if `colons` is set, before
// each ':'.
static void print_values(const struct cli_option *option, const char *escape, bool colons)
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

static bool has_values(const struct cli_option *option)
{
    struct cli_text word;
    return option->form && value_word(option, 0, &word);
}

static bool is_file(const char *argument)
{
    return argument && strncmp(argument, "FILE", 4) == 0;
}

// Prints text for single quotes. The characters `special` are escaped with '\'.
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

static void print_command_names(commands_list commands)
{
    for (; *commands; commands++) {
        printf("%s ", (*commands)->name);
    }
}

// Prints the words that the command's argument can be. Prints nothing if the argument is a file, or can be any word.
static void print_argument(commands_list commands, const struct cli_command *command)
{
    const char *word;
    for (size_t i = 0; command->argument_word && (word = command->argument_word(commands, i)) != NULL; i++) {
        printf("%s ", word);
    }
}

static void print_bash_command(commands_list commands, const struct cli_command *command)
{
    struct cli_option option;
    printf("    %s)\n        options='", command->name);
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        printf("--%s ", option.name);
    }
    fputs("'\n        argument='", stdout);
    print_argument(commands, command);
    printf("%s'\n        ;;\n", is_file(command->argument) ? "FILE" : "");
}

// Prints the words that the options' values can be. If `own` is set, the options are the command's own. Otherwise they
// are the axes, and the words are for any command.
static void print_bash_values(const struct cli_command *command, bool own)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        if (option.form && own == !option.axis) {
            printf("    %s' --%s') words='", own ? command->name : "*", option.name);
            print_values(&option, "", false);
            printf("%s' ;;\n", option.file != CLI_NO_FILE ? "FILE" : "");
        }
    }
}

static void print_bash(commands_list commands)
{
    puts("# Completion of evenkeel " EK_VERSION " for bash, made from its tables.\n"
         "_evenkeel()\n{\n"
         "    local line=${COMP_LINE:0:COMP_POINT} typed value prefix= option= words= options= argument= before\n"
         "    typed=${line##*[[:space:]]} value=$typed\n"
         "    read -ra before <<<\"${line%\"$typed\"}\"\n"
         "    case ${before[1]-} in");
    for (size_t i = 0; commands[i]; i++) {
        print_bash_command(commands, commands[i]);
    }
    puts("    esac\n"
         "    option=${before[${#before[@]} - 1]} words=$argument\n"
         "    if [[ $typed == --*=* ]]; then\n"
         "        option=${typed%%=*} prefix=$option= value=${typed#*=}\n"
         "    elif [[ $typed == -* ]]; then\n"
         "        option= words=$options\n"
         "    fi\n"
         "    case \"${before[1]-} $option\" in");
    print_bash_values(&cli_experiment, false);
    for (size_t i = 0; commands[i]; i++) {
        print_bash_values(commands[i], true);
    }
    fputs("    esac\n    if (( ${#before[@]} < 2 )); then\n        words='", stdout);
    print_command_names(commands);
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
         "    # The shell breaks words at '=' and ':', and inserts only what follows.\n"
         "    COMPREPLY=(\"${COMPREPLY[@]#\"${typed%\"${typed##*[:=]}\"}\"}\")\n"
         "}\n"
         "complete -F _evenkeel evenkeel");
}

static void print_zsh_option(const struct cli_option *option)
{
    printf(" \\\n            '--%s%s[", option->name, option->form ? "=" : "");
    print_quoted(option->help, "[]");
    putchar(']');
    if (option->form) {
        putchar(':');
        print_quoted(option->form, ":");
        putchar(':');
        fputs(option->file != CLI_NO_FILE ? "_files" : has_values(option) ? "(" : " ", stdout);
        print_values(option, "\\", true);
        fputs(has_values(option) ? ")" : "", stdout);
    }
    putchar('\'');
}

static void print_zsh_command(commands_list commands, const struct cli_command *command)
{
    struct cli_option option;
    printf("    %s)\n        _arguments", command->name);
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        print_zsh_option(&option);
    }
    if (command->argument) {
        printf(" \\\n            '1:%s:%s", command->argument, is_file(command->argument) ? "_files" : "(");
        print_argument(commands, command);
        fputs(is_file(command->argument) ? "'" : ")'", stdout);
    }
    puts(" ;;");
}

static void print_zsh(commands_list commands)
{
    puts("#compdef evenkeel\n# Completion of evenkeel " EK_VERSION " for zsh, made from its tables.\n"
         "if (( CURRENT == 2 )); then\n    local -a commands=(");
    for (size_t i = 0; commands[i]; i++) {
        printf("        '%s:", commands[i]->name);
        print_quoted(commands[i]->summary, ":");
        puts("'");
    }
    puts("    )\n    _describe command commands\n    return\nfi\n"
         "local command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in");
    for (size_t i = 0; commands[i]; i++) {
        print_zsh_command(commands, commands[i]);
    }
    puts("esac");
}

static void print_fish_option(const struct cli_option *option, const char *command)
{
    printf("complete -c evenkeel -n '__fish_seen_subcommand_from %s' -l %s%s -d '", command, option->name,
           option->file != CLI_NO_FILE ? " -rF"
           : option->form              ? " -x"
                                       : "");
    print_quoted(option->help, "");
    putchar('\'');
    if (has_values(option)) {
        fputs(" -a '", stdout);
        print_values(option, "\\\\", false); // fish expands the argument of -a once more
        putchar('\'');
    }
    putchar('\n');
}

static void print_fish_command(commands_list commands, const struct cli_command *command)
{
    printf("complete -c evenkeel -n __fish_use_subcommand -a %s -d '", command->name);
    print_quoted(command->summary, "");
    puts("'");
    if (command->argument) {
        printf("complete -c evenkeel -n '__fish_seen_subcommand_from %s'%s -a '", command->name,
               is_file(command->argument) ? " -F" : "");
        print_argument(commands, command);
        puts("'");
    }
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        print_fish_option(&option, command->name);
    }
}

static void print_fish(commands_list commands)
{
    puts("# Completion of evenkeel " EK_VERSION " for fish, made from its tables.\ncomplete -c evenkeel -f");
    for (size_t i = 0; commands[i]; i++) {
        print_fish_command(commands, commands[i]);
    }
}

enum { BASH, ZSH, FISH };
const struct ek_choice cli_shells[] = {
    [BASH] = {"bash", "a function"}, [ZSH] = {"zsh", "a function"}, [FISH] = {"fish", "a list of completions"}, {0}};

void cli_completion(unsigned shell, commands_list commands)
{
    static void (*const print[])(commands_list commands) = {
        [BASH] = print_bash, [ZSH] = print_zsh, [FISH] = print_fish};
    print[shell](commands);
}
