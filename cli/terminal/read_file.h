// SPDX-License-Identifier: MIT
// Reads the files that specs and commands name.
#ifndef CLI_TERMINAL_READ_FILE_H
#define CLI_TERMINAL_READ_FILE_H

#include "base/common.h"

// Returns the reader of files for the library. A file has at most 1 GiB. "-" is standard input, whose text is kept:
// each read returns it again.
struct ek_reader cli_reader(void);

// Reads a part of a file of any size (ek_read_part). Standard input and pipes are read as a whole.
bool cli_read_part(void *context, const char *path, uint64_t from, char *bytes, size_t *count, struct ek_error *error);

// Reads a whole file as the reader does. Returns text to be freed, with a 0 after its `*length` bytes, or NULL with
// `error` filled.
char *cli_read_file(const char *path, size_t *length, struct ek_error *error);

#endif
