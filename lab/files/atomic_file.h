// SPDX-License-Identifier: MIT
// All files that evenkeel writes, except stores, are written here.
//
// A file usually gets its name when it is complete; until then it has none. So a failure leaves an older file of the
// same name unchanged, and a signal leaves no incomplete file. Some file systems have no files without a name. There
// the file is called .evenkeel-PID-N.part until it gets its name, and a signal that ends the process at once leaves it.
//
// If the path is a symbolic link, the link stays, and the file that it points to is replaced. Devices and pipes are
// written in place.
#ifndef LAB_FILES_ATOMIC_FILE_H
#define LAB_FILES_ATOMIC_FILE_H

#include <stdio.h>

#include "base/common.h"

struct lab_file {
    FILE *file; // the caller writes to it
    char *path; // its name; links are followed
    char *part; // its name before it is named; NULL: none
    bool named; // the file has its name already, or is written in place
};

// Creates the file. Returns false with `error` filled if that is impossible.
bool lab_file_open(struct lab_file *file, const char *path, struct ek_error *error);

// Ends the writing: all bytes reach the disk. Returns false with errno set if that fails.
bool lab_file_complete(struct lab_file *file);

// Gives the file its name, before or after it is complete. Returns false with errno set if that fails.
bool lab_file_name(struct lab_file *file);

// Deletes the file if it has no name yet, and frees the contents of the struct. Ignores a struct that is all zero.
void lab_file_abandon(struct lab_file *file);

// Completes and names the file if `good`, otherwise deletes it. Returns whether the file got its name. If it could not
// be written, `error` is filled.
bool lab_file_close(struct lab_file *file, bool good, struct ek_error *error);

// Writes a whole file.
bool lab_file_write(const char *path, const char *bytes, size_t length, struct ek_error *error);

// Returns whether lab_file_open could open the file now. Otherwise fills `error`. Does not open devices and pipes,
// because closing a pipe again would tell its reader that no more data come.
bool lab_file_possible(const char *path, struct ek_error *error);

#endif
