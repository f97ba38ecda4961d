// SPDX-License-Identifier: MIT
// Reading the files that specs name.
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "topologies/topology.h"

// Opens and reads whole files of at most 1 GiB, for the library; "-" is standard input, the same for all who read it.
struct ek_reader cli_files_reader(void);

#endif
