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

// Returns the spec of the axis `host` that stands for `measured`: file:PATH. Returns NULL and `error` if the file does
// not exist.
const char *cli_data_measured(struct ek_error *error);

#endif
