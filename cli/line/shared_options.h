// SPDX-License-Identifier: MIT
// Options that several commands have: each macro is a row. `where` is the place in the command's own struct.
#ifndef CLI_LINE_SHARED_OPTIONS_H
#define CLI_LINE_SHARED_OPTIONS_H

#include "cli/line/command.h"

enum cli_format { CLI_TABLE, CLI_JSON, CLI_CSV };
extern const struct ek_choice cli_formats[], cli_formats_without_csv[];

#define CLI_OPTION_FORMAT(where)                                                                                       \
    {                                                                                                                  \
        .name = "format", .topic = EK_TOPIC_OUTPUT, .letter = 'f', .form = "NAME", .initial = "table",                 \
        .help = "table, json or csv, on standard output", .choices = cli_formats, .place = (where)                     \
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

#define CLI_OPTION_PLOT(what, extra, where)                                                                            \
    {                                                                                                                  \
        .name = "plot", .topic = EK_TOPIC_FIGURE, .form = "FILE", .help = (what), .more = (extra),                     \
        .kind = EK_AXIS_TEXT, .place = (where), .file = CLI_WRITES                                                     \
    }

#define CLI_OPTION_PLOT_SCRIPT(where)                                                                                  \
    {                                                                                                                  \
        .name = "plot-script", .topic = EK_TOPIC_FIGURE, .form = "FILE",                                               \
        .help = "keep gnuplot's script for --plot, with all data",                                                     \
        .more = "`gnuplot FILE` draws the same picture again under the same name. You can edit the script.",           \
        .kind = EK_AXIS_TEXT, .place = (where), .file = CLI_WRITES                                                     \
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
