// SPDX-License-Identifier: MIT
// Options that several commands have: each macro is a row. `where` is the place in the command's own struct.
#ifndef CLI_LINE_SHARED_OPTIONS_H
#define CLI_LINE_SHARED_OPTIONS_H

#include "cli/line/command.h"

enum cli_format { CLI_TABLE, CLI_JSON, CLI_CSV, CLI_MARKDOWN, CLI_LATEX };
extern const struct ek_choice cli_formats[], cli_formats_without_csv[], cli_formats_to_paste[];

#define CLI_OPTION_FORMAT(where)                                                                                       \
    {                                                                                                                  \
        .name = "format", .topic = EK_TOPIC_OUTPUT, .letter = 'f', .form = "NAME", .initial = "table",                 \
        .help = "table, json or csv, on standard output", .choices = cli_formats, .place = (where)                     \
    }

#define CLI_OPTION_FORMAT_TO_PASTE(where)                                                                              \
    {                                                                                                                  \
        .name = "format", .topic = EK_TOPIC_OUTPUT, .letter = 'f', .form = "NAME", .initial = "table",                 \
        .help = "table, json, csv, markdown or latex, on standard output",                                             \
        .more = "Markdown is for a README. LaTeX needs the package booktabs.", .choices = cli_formats_to_paste,        \
        .place = (where)                                                                                               \
    }

#define CLI_OPTION_FORMAT_WITHOUT_CSV(where)                                                                           \
    {                                                                                                                  \
        .name = "format", .topic = EK_TOPIC_OUTPUT, .letter = 'f', .form = "NAME", .initial = "table",                 \
        .help = "table or json, on standard output", .choices = cli_formats_without_csv, .place = (where)              \
    }

#define CLI_OPTION_QUIET(where)                                                                                        \
    {                                                                                                                  \
        .name = "quiet", .topic = EK_TOPIC_OUTPUT, .letter = 'q',                                                      \
        .help = "print no table and no progress; other outputs stay", .kind = EK_AXIS_SWITCH, .place = (where)         \
    }

#define CLI_OPTION_RUNS(count, what, where)                                                                            \
    {                                                                                                                  \
        .name = "runs", .topic = EK_TOPIC_RUNS, .letter = 'r', .form = "N", .initial = (count), .help = (what),        \
        .kind = EK_AXIS_WHOLE, .place = (where), .minimum = 1, .maximum = 1000000                                      \
    }

#define CLI_OPTION_SEED(what, where)                                                                                   \
    {                                                                                                                  \
        .name = "seed", .topic = EK_TOPIC_RUNS, .letter = 's', .form = "N", .initial = "1", .help = (what),            \
        .kind = EK_AXIS_WHOLE, .place = (where), .maximum = 9000000000000000000                                        \
    }

#define CLI_OPTION_FOR(usual, what, where)                                                                             \
    {                                                                                                                  \
        .name = "for", .topic = EK_TOPIC_RUNS, .form = "DURATION", .initial = (usual), .help = (what),                 \
        .kind = EK_AXIS_SECONDS, .place = (where)                                                                      \
    }

// Where the legend of a picture is, and its colours.
enum cli_picture_legend { CLI_LEGEND_BELOW, CLI_LEGEND_INSIDE, CLI_LEGEND_RIGHT, CLI_LEGEND_NONE };
enum cli_picture_style { CLI_STYLE_PAPER, CLI_STYLE_SLIDES, CLI_STYLE_DARK };
extern const struct ek_choice cli_legends[], cli_styles[];

// The options of a picture. A text that is not given is NULL.
struct cli_picture {
    const char *plot, *script, *size, *title, *x_ticks;
    unsigned legend, style;
};

// The rows of the options that say how pictures look. `where` is the place of a struct cli_picture.
#define CLI_OPTIONS_LOOK(where)                                                                                        \
    {.name = "size",                                                                                                   \
     .topic = EK_TOPIC_FIGURE,                                                                                         \
     .form = "WxH",                                                                                                    \
     .help = "width and height of the picture, as in 84mmx60mm",                                                       \
     .more = "The units are mm, cm, in and px (1/96 inch). Each side has from 1in to 20in. Text then has 8 points. "   \
             "The picture has a title only with --title, since the document has its caption.",                         \
     .kind = EK_AXIS_TEXT,                                                                                             \
     .place = (where) + offsetof(struct cli_picture, size)},                                                           \
        {.name = "legend",                                                                                             \
         .topic = EK_TOPIC_FIGURE,                                                                                     \
         .form = "PLACE",                                                                                              \
         .initial = "below",                                                                                           \
         .help = "the legend of the picture: below, inside, right or none",                                            \
         .choices = cli_legends,                                                                                       \
         .place = (where) + offsetof(struct cli_picture, legend)},                                                     \
    {                                                                                                                  \
        .name = "style", .topic = EK_TOPIC_FIGURE, .form = "NAME", .initial = "paper",                                 \
        .help = "the look of the picture: paper, slides (larger) or dark", .choices = cli_styles,                      \
        .place = (where) + offsetof(struct cli_picture, style)                                                         \
    }

// The rows of all options of one picture.
#define CLI_OPTIONS_PICTURE(what, extra, where)                                                                        \
    {.name = "plot",                                                                                                   \
     .topic = EK_TOPIC_FIGURE,                                                                                         \
     .form = "FILE",                                                                                                   \
     .help = (what),                                                                                                   \
     .more = (extra),                                                                                                  \
     .kind = EK_AXIS_TEXT,                                                                                             \
     .place = (where) + offsetof(struct cli_picture, plot),                                                            \
     .file = CLI_WRITES},                                                                                              \
        {.name = "plot-script",                                                                                        \
         .topic = EK_TOPIC_FIGURE,                                                                                     \
         .form = "FILE",                                                                                               \
         .help = "keep gnuplot's script for --plot, with all data",                                                    \
         .more = "`gnuplot FILE` draws the same picture again under the same name. You can edit the script.",          \
         .kind = EK_AXIS_TEXT,                                                                                         \
         .place = (where) + offsetof(struct cli_picture, script),                                                      \
         .file = CLI_WRITES},                                                                                          \
        CLI_OPTIONS_LOOK(where),                                                                                       \
        {.name = "title",                                                                                              \
         .topic = EK_TOPIC_FIGURE,                                                                                     \
         .form = "TEXT",                                                                                               \
         .help = "the title of the picture; '' leaves it out",                                                         \
         .more = "It replaces the title and the note, which say what was run. The script keeps both as comments.",     \
         .kind = EK_AXIS_TEXT,                                                                                         \
         .place = (where) + offsetof(struct cli_picture, title)},                                                      \
    {                                                                                                                  \
        .name = "x-ticks", .topic = EK_TOPIC_FIGURE, .form = "LIST",                                                   \
        .help = "marks of the horizontal axis: numbers, or swept [--x: swept]",                                        \
        .more = "A list of numbers as in 4,16,64. The axis reaches as far as they do. `swept` marks the values at "    \
                "which the picture has points; without this option a picture of --x does so, too.",                    \
        .kind = EK_AXIS_TEXT, .place = (where) + offsetof(struct cli_picture, x_ticks)                                 \
    }

#define CLI_OPTION_HEAT(where)                                                                                         \
    {                                                                                                                  \
        .name = "heat", .topic = EK_TOPIC_OUTPUT,                                                                      \
        .help = "show heat maps of the initial and the final load (two dimensions)",                                   \
        .more = "The maps show the first run, below its table. The topology must be a product of two dimensions.",     \
        .kind = EK_AXIS_SWITCH, .place = (where)                                                                       \
    }

#define CLI_OPTION_FINAL(where)                                                                                        \
    {                                                                                                                  \
        .name = "final", .topic = EK_TOPIC_OUTPUT, .help = "add the final loads to the JSON report",                   \
        .kind = EK_AXIS_SWITCH, .place = (where)                                                                       \
    }

#define CLI_OPTION_TRACE(where)                                                                                        \
    {                                                                                                                  \
        .name = "trace", .topic = EK_TOPIC_OUTPUT, .help = "add the measurements of every step to the JSON report",    \
        .kind = EK_AXIS_SWITCH, .place = (where)                                                                       \
    }

#define CLI_OPTION_RECORD_FAILURES(where)                                                                              \
    {                                                                                                                  \
        .name = "record-failures", .topic = EK_TOPIC_OUTPUT, .form = "DIR",                                            \
        .help = "free timing: keep recordings of failed runs there",                                                   \
        .more = "A run has failed if its exit status is 1 or 4. Every run is recorded from its start, as "             \
                "seed-N-PID.ek in this directory; the recording is deleted if the run succeeds. The directory is "     \
                "created if it does not exist. A recording grows by some megabytes a second.",                         \
        .kind = EK_AXIS_TEXT, .place = (where), .file = CLI_WRITES                                                     \
    }

#define CLI_OPTION_STORE(usual, where)                                                                                 \
    {                                                                                                                  \
        .name = "store", .form = "FILE", .initial = (usual), .help = "the SQLite file that keeps every run",           \
        .kind = EK_AXIS_TEXT, .place = (where), .file = CLI_READS                                                      \
    }

#define CLI_OPTION_JOBS(extra, where)                                                                                  \
    {                                                                                                                  \
        .name = "jobs", .topic = EK_TOPIC_HOST, .form = "N", .help = "how many run at once [one per core]",            \
        .more = (extra), .kind = EK_AXIS_WHOLE, .place = (where), .minimum = 1, .maximum = 1024                        \
    }

// Processes that carry out the runs of a store.
#define CLI_OPTION_STORE_JOBS(where)                                                                                   \
    CLI_OPTION_JOBS("Without this option some runs are carried out one at a time: those that need more than one "      \
                    "core, those in free timing, and those on any carrier but pool:1, since their times count.",       \
                    where)

#define CLI_OPTION_AGAIN(where)                                                                                        \
    {                                                                                                                  \
        .name = "again", .help = "also repeat the runs that the store has", .kind = EK_AXIS_SWITCH, .place = (where)   \
    }

// The value needs no place: the plugins are opened before the command acts, from the text as it was typed.
#define CLI_OPTION_PLUGIN                                                                                              \
    {                                                                                                                  \
        .name = "plugin", .topic = EK_TOPIC_METHOD, .form = "FILE.so",                                                 \
        .help = "add methods, topologies and programs of your own (docs/tutorial.md)",                                 \
        .more = "A plugin is a shared object that exports a struct ek_plugin (evenkeel(3)). Separate several plugins " \
                "by commas.",                                                                                          \
        .kind = EK_AXIS_TEXT, .place = CLI_NO_PLACE, .file = CLI_READS                                                 \
    }

// Help of the axis "carrier" for commands that take no ranks of MPI.
#define CLI_CARRIERS_WITHOUT_MPI "threads: one per processor; pool:N: N worker threads"

#endif
