// SPDX-License-Identifier: MIT
// The file in which `contention --keep` keeps this computer's costs, and from which `--host measured` takes them:
// evenkeel/host in the user's data directory (XDG Base Directory Specification).
#ifndef CLI_TERMINAL_DATA_FILE_H
#define CLI_TERMINAL_DATA_FILE_H

#include "base/common.h"

// Returns the path, or NULL and `error` if the user has no data directory. The text belongs to this function.
const char *cli_data_file(struct ek_error *error);

// Creates the directories of the file.
bool cli_data_directory_make(struct ek_error *error);

// Returns the value of --host with the file of this computer's costs, file:PATH, in place of `measured`; in a list, in
// place of each one. Returns NULL and `error` if the file does not exist. The text belongs to this function.
const char *cli_data_hosts(const char *text, bool list, struct ek_error *error);

#endif
