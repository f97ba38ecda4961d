// SPDX-License-Identifier: MIT
// The groups that help and the manual page show options in.
#ifndef CLI_LINE_TOPICS_H
#define CLI_LINE_TOPICS_H

#include "cli/line/command.h"

// Group `index` in the order in which groups are shown. The heading has no colon; it is NULL past the last group.
struct cli_topic {
    enum ek_topic topic;
    const char *heading;
};
struct cli_topic cli_topic_at(size_t index);

// Returns whether the command has so many options that groups help to find one.
bool cli_topics_help(const struct cli_command *command);

#endif
