// SPDX-License-Identifier: MIT
// Files that get their names only when they are complete. While NAME is written it is called NAME.part, so a failure
// leaves an older file NAME as it was, and a file NAME is never incomplete.
#ifndef CLI_TERMINAL_ATOMIC_FILE_H
#define CLI_TERMINAL_ATOMIC_FILE_H

#include <stdio.h>

#include "base/common.h"

struct cli_atomic_file {
    FILE *file;        // to be written to
    char *path, *part; // its name, and its name while it is written
};

// Creates the file. Returns false with `error` filled if that is impossible; the sentence says to choose another
// --`option`.
bool cli_atomic_open(struct cli_atomic_file *file, const char *path, const char *option, struct ek_error *error);

// Ends the writing: all bytes reach the disk. Returns false with errno set if that fails. The file has no name yet.
bool cli_atomic_complete(struct cli_atomic_file *file);

// Gives a complete file its name. Returns false with errno set if that fails.
bool cli_atomic_name(struct cli_atomic_file *file);

// Deletes the file, unless it has its name, and frees the struct. A struct that is all zero is ignored.
void cli_atomic_abandon(struct cli_atomic_file *file);

// Completes and names the file if `good`, otherwise deletes it. Returns whether the file got its name. If it could not
// be written, `error` is filled.
bool cli_atomic_close(struct cli_atomic_file *file, bool good, struct ek_error *error);

// Writes a whole file.
bool cli_atomic_write(const char *path, const char *option, const char *bytes, size_t length, struct ek_error *error);

// Returns whether cli_atomic_open could create the file now. Otherwise fills `error`.
bool cli_atomic_possible(const char *path, const char *option, struct ek_error *error);

#endif
