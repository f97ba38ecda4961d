// SPDX-License-Identifier: MIT
// `evenkeel list --links --topology SPEC`.
#ifndef CLI_COMMANDS_LIST_LINKS_H
#define CLI_COMMANDS_LIST_LINKS_H

#include "cli/line/shared_options.h"

// Prints the links of a topology, with their dimensions and colours. Returns false with `error` filled if there is no
// such topology.
bool cli_list_links(const char *spec, uint64_t seed, enum cli_format format, struct ek_error *error);

#endif
