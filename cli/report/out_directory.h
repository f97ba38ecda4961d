// SPDX-License-Identifier: MIT
// The directory of --out: run.json, trace.csv, final.csv, picture.png if the runs keep a picture, profile.csv and
// processors.csv if they keep a profile; with objects the files of their new placement after the first run. It is
// created before the runs and filled after them; on a failure none of these files is kept. Other files in it are left
// alone.
#ifndef CLI_REPORT_OUT_DIRECTORY_H
#define CLI_REPORT_OUT_DIRECTORY_H

#include "lab/record/record.h"

// Files that only some runs have, as bits.
enum { REPORT_FILES_PICTURE = 1, REPORT_FILES_PROFILE = 2 };

struct report_directory {
    const char *path; // NULL without --out
    bool created;     // it did not exist before
    int file;         // the open directory, which this process has locked
    size_t list[8];   // the files that are written
    size_t files;     // their number
};

// Creates the directory, if `path` is not NULL. `extra` has the bits of files to write besides. Returns false with
// `error` filled if that is impossible, if one of the files exists already, or if another process has opened the
// directory to write its files.
bool report_directory_open(struct report_directory *directory, const char *path, unsigned extra,
                           struct ek_error *error);

// Writes the files and ends the use of the directory.
bool report_directory_write(struct report_directory *directory, const struct lab_record *record,
                            struct ek_error *error);

// Ends the use of the directory without files. Removes it, if it was created here.
void report_directory_abandon(struct report_directory *directory);

#endif
