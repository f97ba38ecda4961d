// SPDX-License-Identifier: MIT
#include "cli/line/topics.h"

#include <assert.h>

enum { UNGROUPED_MOST = 12 };

struct cli_topic cli_topic_at(size_t index)
{
    static const struct cli_topic topics[] = {
        {EK_TOPIC_NONE, "Of this command"},
        {EK_TOPIC_MACHINE, "The machine"},
        {EK_TOPIC_METHOD, "The method"},
        {EK_TOPIC_LOAD, "The load"},
        {EK_TOPIC_FREE, "Free timing and virtual time"},
        {EK_TOPIC_COST, "Costs, which virtual time and the virtual seconds of rounds are computed from"},
        {EK_TOPIC_RUNS, "Runs: how many, and when they end"},
        {EK_TOPIC_HOST, "This computer"},
        {EK_TOPIC_FIGURE, "Figures"},
        {EK_TOPIC_OUTPUT, "Output"},
    };
    static_assert(sizeof topics / sizeof *topics == EK_TOPICS, "each topic has a heading");
    return index < EK_TOPICS ? topics[index] : (struct cli_topic){0};
}

bool cli_topics_help(const struct cli_command *command)
{
    size_t count = 0;
    while (cli_option_at(command, count).name) {
        count++;
    }
    return count > UNGROUPED_MOST;
}
