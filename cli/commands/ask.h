// SPDX-License-Identifier: MIT
// A question to a store, and the picture of its answer: for results, and for sweep --plot.
#ifndef CLI_COMMANDS_ASK_H
#define CLI_COMMANDS_ASK_H

#include "cli/line/shared_options.h"
#include "lab/results/results.h"

// The options that make up the question. An option that is not given is NULL.
struct cli_ask {
    const char *where, *columns, *compare; // of results alone
    const char *group, *trace_of, *interval;
    const char *x, *y; // of the picture
    struct cli_picture picture;
    unsigned log; // by cli_logs
};

// Which axes of a picture are logarithmic.
extern const struct ek_choice cli_logs[];

// The rows of the options that both commands have. `where` is the place of a struct cli_ask.
#define CLI_OPTIONS_ASK(where)                                                                                         \
    {.name = "group",                                                                                                  \
     .form = "LIST",                                                                                                   \
     .help = "show means: a line for each combination of these columns' values",                                       \
     .kind = EK_AXIS_TEXT,                                                                                             \
     .place = (where) + offsetof(struct cli_ask, group)},                                                              \
        {.name = "trace-of",                                                                                           \
         .form = "FIELD",                                                                                              \
         .help = "average this field of the traces: variance, spread, moved, ...",                                     \
         .more =                                                                                                       \
             "Averages over steps, in free timing over seconds. A converged run counts with its last value; where "    \
             "another run ends, the mean ends. Without --group, runs are grouped by the axes that vary.",              \
         .kind = EK_AXIS_TEXT,                                                                                         \
         .place = (where) + offsetof(struct cli_ask, trace_of)},                                                       \
        {.name = "interval",                                                                                           \
         .form = "METHOD",                                                                                             \
         .initial = "t:0.95",                                                                                          \
         .help = "confidence interval of means: t:LEVEL or bootstrap:LEVEL",                                           \
         .more = "Student's t, or percentiles of 2000 resamples, which are the same each time.",                       \
         .kind = EK_AXIS_TEXT,                                                                                         \
         .place = (where) + offsetof(struct cli_ask, interval)},                                                       \
        {.name = "x",                                                                                                  \
         .topic = EK_TOPIC_FIGURE,                                                                                     \
         .form = "COLUMN",                                                                                             \
         .help = "the horizontal axis of --plot: a line is drawn for each group",                                      \
         .kind = EK_AXIS_TEXT,                                                                                         \
         .place = (where) + offsetof(struct cli_ask, x)},                                                              \
        {.name = "y",                                                                                                  \
         .topic = EK_TOPIC_FIGURE,                                                                                     \
         .form = "COLUMN",                                                                                             \
         .help = "the vertical axis of --plot: the column's mean, its interval as a band",                             \
         .kind = EK_AXIS_TEXT,                                                                                         \
         .place = (where) + offsetof(struct cli_ask, y)},                                                              \
        {.name = "log",                                                                                                \
         .topic = EK_TOPIC_FIGURE,                                                                                     \
         .form = "AXES",                                                                                               \
         .initial = "auto",                                                                                            \
         .help = "the logarithmic axes of --plot: x, y, xy, none or auto",                                             \
         .choices = cli_logs,                                                                                          \
         .place = (where) + offsetof(struct cli_ask, log)},                                                            \
        CLI_OPTIONS_PICTURE("draw --y over --x, or --trace-of: .svg, .pdf or .png", "Needs gnuplot.",                  \
                            (where) + offsetof(struct cli_ask, picture))

// Makes the question that the options ask. Returns false with `error` filled if they do not go together, or if the
// picture could not be drawn.
bool cli_ask_read(const struct cli_call *call, const struct cli_ask *ask, struct lab_question *question,
                  struct ek_error *error);

// Draws the picture of --plot.
bool cli_ask_draw(const struct cli_ask *ask, struct lab_store *store, const struct lab_question *question,
                  struct ek_error *error);

#endif
