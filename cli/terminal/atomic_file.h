// SPDX-License-Identifier: MIT
// A file that gets its name when all of it is on the disk: one that was there before is not lost by a full disk, and
// what has the name is whole.
#ifndef CLI_TERMINAL_ATOMIC_FILE_H
#define CLI_TERMINAL_ATOMIC_FILE_H

#include <stdio.h>

#include "topologies/topology.h"

struct cli_whole {
    FILE *file;
    char *path, *part; // its name, and that which it has while it is written
};

// Makes the file. False and `error` where that cannot be; `option` is the one to give another value.
bool cli_whole_open(struct cli_whole *whole, const char *path, const char *option, struct ek_error *error);

// Ends it and, where `good`, gives it its name. False and `error` where it could not be written; then, and where not
// `good`, nothing is left of it.
bool cli_whole_close(struct cli_whole *whole, bool good, struct ek_error *error);

#endif
