// SPDX-License-Identifier: MIT
// What a file is, by its first bytes: commands say which other command reads it.
#ifndef CLI_COMMANDS_FILE_KIND_H
#define CLI_COMMANDS_FILE_KIND_H

#include "base/common.h"

enum cli_file_kind {
    CLI_FILE_UNKNOWN, // another file, none, or a pipe, from which nothing is read
    CLI_FILE_FOLDER,
    CLI_FILE_RECORDING,
    CLI_FILE_STORE,
    CLI_FILE_RECORD
};

enum cli_file_kind cli_file_kind(const char *file);

// Returns true unless the file is known to be of another kind. Then `error` names the command that reads it.
bool cli_file_may_be(const char *file, enum cli_file_kind wanted, struct ek_error *error);

#endif
