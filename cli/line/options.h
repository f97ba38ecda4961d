// SPDX-License-Identifier: MIT
// The options: those of the experiment, which the library's axes make, and the command's own. Together they make the
// parser, `--help` and the manual page.
#ifndef CLI_LINE_OPTIONS_H
#define CLI_LINE_OPTIONS_H

#include "threads/api/run.h"

enum cli_format { CLI_TABLE, CLI_JSON, CLI_CSV };

// Its name on the command line, by its number; NULL past the last.
const char *cli_format_name(size_t index);

enum { CLI_OPTION_PLACES = 128 };

// What was typed.
struct cli_options {
    struct ek_experiment experiment;
    uint64_t runs;
    enum cli_format format;
    const char *format_name;  // what was typed for it, or NULL
    const char *out;          // a directory, or NULL
    const char *plot;         // a file, or NULL
    const char *record;       // too
    const char *failures;     // a directory, or NULL
    const char *timeline;     // too
    const char *show;         // a processor or a link, or NULL
    uint64_t from, to, until; // turns; 0: not given
    const char *then;         // a strategy and a seed, or NULL
    const char *store;        // a file
    const char *file;         // of experiments, or NULL
    const char *print;        // as what the experiments are printed, or NULL
    const char *zip;          // the axes that go together, or NULL
    const char *shard;        // "K/N", or NULL
    const char *strategy;     // of explore
    uint64_t schedules;
    uint64_t turns;   // 0: as many as is usual
    uint64_t jobs;    // 0: as many as there are cores
    double timeout_s; // 0: none
    bool again, dry_run;
    bool all, list, quick;   // of papers
    const char *report;      // a file, or NULL
    const char *by;          // what methods are ranked by, or NULL
    const char *plot_script; // the same
    const char *plugin;      // files, or NULL
    const char *vary;        // names of axes, or NULL
    const char *baseline;    // a file, or NULL
    const char *completion;  // a shell, or NULL
    bool final, trace, heat, live, quiet, help, man;
    const char *where, *group, *columns, *compare, *trace_of, *interval, *x, *y, *log; // of results, or NULL
    const char *argument; // the word that is no option, or NULL
    char **words;         // all of them, where a command takes several
    size_t words_count;
    const char *given[CLI_OPTION_PLACES]; // by option: its text as typed, or NULL
};

// Option `index`: the axes first, then the command's own; NULL past the last.
const struct ek_axis *cli_option_at(size_t index);

// The letter that says the same as the option, as -t does for --topology; 0 where it has none.
char cli_option_letter(size_t index);

// The place of the option that a word names: seed, --seed, --seed=9 or -s; past the last where there is none.
size_t cli_option_named(const char *word);

struct cli_command;

// Whether a command takes the option.
bool cli_option_for(size_t index, const struct cli_command *command);

// The option as it is for this command: its form, its help, and its value where it is not typed.
struct ek_axis cli_option_of(size_t index, const struct cli_command *command);

// Reads words[0 .. count-1] for a command.
bool cli_options_read(struct cli_options *options, const struct cli_command *command, int count, char **words,
                      struct ek_error *error);

// Gives an option that was not typed the value that a command has for it.
bool cli_options_suppose(struct cli_options *options, const char *name, const char *value, struct ek_error *error);

// An option's text as typed, or NULL.
const char *cli_options_given(const struct cli_options *options, const char *name);

// Whether an option was typed with anything but its initial value.
bool cli_options_differ(const struct cli_options *options, const char *name);

// An option's text: as typed, else its initial value; NULL where no option has that name or it has none.
const char *cli_options_text(const struct cli_options *options, const char *name);

#endif
