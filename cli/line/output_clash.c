// SPDX-License-Identifier: MIT
// Files that are read, and files that are written.
#include "cli/line/output_clash.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

// Whether no option names this file to be written.
static bool is_kept(const char *file, const struct cli_options *options, struct ek_error *error)
{
    static const char *const writing[] = {"out", "plot", "plot-script", "record", "timeline", "report"};
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
        const char *written = cli_options_given(options, writing[i]);
        if (written && is_same_file(file, written)) {
            return base_refuse(error, "--%s would take the place of a file that is read: give it another name",
                               writing[i]);
        }
    }
    return true;
}

// What an option names to be read, or NULL: a file of an axis, a store.
static const char *read_by(size_t index, const struct cli_options *options)
{
    static const char *const reading[] = {"store", "file", "baseline"};
    const char *name = cli_option_at(index)->option;
    const char *given = options->given[index];
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
        if (strcmp(name, reading[i]) == 0) {
            return cli_options_text(options, name);
        }
    }
    return given && strncmp(given, "file:", strlen("file:")) == 0 ? given + strlen("file:") : NULL;
}

bool cli_apart(const struct cli_options *options, const struct cli_command *command, struct ek_error *error)
{
    bool files = command->argument && strncmp(command->argument, "FILE", strlen("FILE")) == 0;
    for (size_t i = 0; files && i < options->words_count; i++) {
        if (!is_kept(options->words[i], options, error)) {
            return false;
        }
    }
    for (size_t i = 0; cli_option_at(i); i++) {
        const char *file = cli_option_for(i, command) ? read_by(i, options) : NULL;
        if (file && !is_kept(file, options, error)) {
            return false;
        }
    }
    return true;
}
