// SPDX-License-Identifier: MIT
#include "cli/line/output_clash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "lab/text/clean_text.h"

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool is_stdout(const char *file)
{
    struct stat one, other;
    return strcmp(file, "-") == 0 || (stat(file, &one) == 0 && fstat(STDOUT_FILENO, &other) == 0 &&
                                      one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

bool cli_outputs_to_stdout(const struct cli_call *call)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(call->command, i)).name; i++) {
        if (option.file == CLI_WRITES && call->given[i] && is_stdout(call->given[i])) {
            return true;
        }
    }
    return false;
}

void cli_outputs_say(const struct cli_call *call, const char *file)
{
    if (!cli_outputs_to_stdout(call)) {
        fputs("wrote ", stdout);
        lab_shell_quote(stdout, file);
        putchar('\n');
    }
}

// Returns whether no option names this file as an output.
static bool is_kept(const char *file, const struct cli_call *call, struct ek_error *error)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(call->command, i)).name; i++) {
        const char *written = option.file == CLI_WRITES ? cli_option_text(call, option.name) : NULL;
        if (written && is_same_file(file, written)) {
            return base_refuse(error, "--%s would overwrite a file that is read: give it another name", option.name);
        }
    }
    return true;
}

// Returns the path in a spec like file:PATH, or NULL.
static const char *path_in(const char *spec)
{
    static const char prefix[] = "file:";
    return strncmp(spec, prefix, strlen(prefix)) == 0 ? spec + strlen(prefix) : NULL;
}

// Returns the file that the option names as an input, or NULL.
static const char *read_by(const struct cli_option *option, const struct cli_call *call)
{
    const char *text = cli_option_text(call, option->name);
    if (option->file == CLI_READS) {
        return text;
    }
    return option->axis && text ? path_in(text) : NULL;
}

bool cli_outputs_clear(const struct cli_call *call, struct ek_error *error)
{
    for (size_t i = 0; i < call->words_count; i++) {
        const char *path = path_in(call->words[i]);
        if (!is_kept(call->words[i], call, error) || (path && !is_kept(path, call, error))) {
            return false;
        }
    }
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(call->command, i)).name; i++) {
        const char *file = read_by(&option, call);
        if (file && !is_kept(file, call, error)) {
            return false;
        }
    }
    return true;
}
