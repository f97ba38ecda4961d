// SPDX-License-Identifier: MIT
#include "cli/commands/file_kind.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "lab/record/recording.h"

static const struct {
    const char *begins, *name, *reader;
} kinds[] = {
    [CLI_FILE_RECORDING] = {LAB_RECORDING_BEGINS, "a recording", "replay"},
    [CLI_FILE_STORE] = {"SQLite format 3", "a store", "results --store"},
    [CLI_FILE_RECORD] = {"{\"schema\": \"evenkeel.run/", "a record", "show"},
};

enum cli_file_kind cli_file_kind(const char *file)
{
    char bytes[32] = "";
    struct stat about;
    const mode_t mode = stat(file, &about) == 0 ? about.st_mode : 0;
    if (S_ISDIR(mode)) {
        return CLI_FILE_FOLDER;
    }
    FILE *in = S_ISREG(mode) ? fopen(file, "r") : NULL;
    if (in) {
        const size_t length = fread(bytes, 1, sizeof bytes - 1, in);
        bytes[length] = '\0';
        fclose(in);
    }
    for (size_t i = CLI_FILE_RECORDING; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(bytes, kinds[i].begins, strlen(kinds[i].begins)) == 0) {
            return (enum cli_file_kind)i;
        }
    }
    return CLI_FILE_UNKNOWN;
}

bool cli_file_may_be(const char *file, enum cli_file_kind wanted, struct ek_error *error)
{
    const enum cli_file_kind kind = cli_file_kind(file);
    if (kind == CLI_FILE_FOLDER) {
        return base_refuse(error, "%.400s is a directory: give a file", file);
    }
    return kind == wanted || kind == CLI_FILE_UNKNOWN ||
           base_refuse(error, "%.200s is %s, which evenkeel %s %.200s reads", file, kinds[kind].name,
                       kinds[kind].reader, file);
}
