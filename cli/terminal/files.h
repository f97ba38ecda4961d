// SPDX-License-Identifier: MIT
// Reading the files that specs name, and writing what a command leaves behind.
#ifndef CLI_TERMINAL_FILES_H
#define CLI_TERMINAL_FILES_H

#include "topologies/topology.h"

// Opens and reads whole files of at most 1 GiB, for the library; "-" is standard input, the same for all who read it.
struct ek_reader cli_files_reader(void);

// Writes a file whole or not at all: it gets its name when all bytes are on the disk, and what had the name before is
// kept until then.
bool cli_files_write(const char *path, const char *bytes, size_t length, struct ek_error *error);

// Whether that could be done in the directory of `path` now.
bool cli_files_writable(const char *path, struct ek_error *error);

#endif
