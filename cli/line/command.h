// SPDX-License-Identifier: MIT
// A command is a row of constants: its texts, its options, and the function that carries it out. Each file of
// cli/commands/ defines one. The parser, the help, the manual page and the completions are made from these rows.
#ifndef CLI_LINE_COMMAND_H
#define CLI_LINE_COMMAND_H

#include "threads/api/axis.h"

// The purpose of a file that an option names.
enum cli_file { CLI_NO_FILE, CLI_READS, CLI_WRITES };

// An option of a command. Its value goes to `place` in the command's own struct of options.
struct cli_option {
    const char *name;    // without dashes
    char letter;         // the short form, 't' for -t; 0: none
    const char *form;    // what its value looks like; NULL for a switch
    const char *initial; // its value if it is not typed; NULL: none
    const char *help;    // one line
    const char *more;    // for the manual page and `explain`, or NULL
    enum ek_axis_kind kind;
    const struct ek_choice *choices; // its values if they are words: the place takes the number of one, an unsigned.
                                     // The row after the last has no form. NULL: the place takes what `kind` says
    size_t place;
    uint64_t minimum, maximum; // of a whole number
    enum cli_file file;
    enum ek_topic topic;
    const struct ek_axis *axis; // filled in for an axis of the experiment; NULL: the option is the command's own
};

// The place of an option whose text is not stored: cli_option_given returns it.
#define CLI_NO_PLACE SIZE_MAX

// The texts with which one command describes an axis. If a text is NULL, the text of the library's row is used.
struct cli_variant {
    const char *axis, *form, *help;
    const char *initial; // "": none
};

// The result of a command, on which the command that is worth trying next depends (cli/line/next.c).
enum cli_found_kind {
    CLI_FOUND_NOTHING,
    CLI_FOUND_FEW_SAMPLES, // rank: too few for a conclusion
    CLI_FOUND_WORD,        // the meaning of a word: `text` is the next command
    CLI_FOUND_PROGRAM,     // the kind of an argument
    CLI_FOUND_PLUGIN,
    CLI_FOUND_RECORD,
    CLI_FOUND_STORE,
    CLI_FOUND_RECORDING
};
struct cli_found {
    enum cli_found_kind kind;
    uint64_t seed;                           // torture: of the first run that is left
    char method[128], timing[16], stop[128]; // rank: how the best method ran; "": not to be said
    char text[160];                          // words of the next command
};

// One invocation of a command.
enum { CLI_OPTIONS_MAX = EK_AXES_MAX + 32 };
struct cli_call {
    const struct cli_command *const *commands; // all commands; the last is followed by NULL
    const struct cli_command *command;
    const char *typed;                  // the whole command line, quoted for a shell
    char **words;                       // the arguments: words that are no options and no values of options
    size_t words_count;                 //
    const char *given[CLI_OPTIONS_MAX]; // by option: its text as typed, or NULL
    struct cli_found *found;            // what the command adds to it
};

// The purposes of commands. The brief help names the commands of one theme together.
enum cli_theme { CLI_THEME_RUN, CLI_THEME_STUDY, CLI_THEME_TEST, CLI_THEME_LEARN, CLI_THEMES };

struct cli_command {
    const char *name;
    enum cli_theme theme;
    const char *argument; // what its argument looks like, or NULL if it takes none
    // Returns word `index` of the words that the argument can be, for completions. Returns NULL past the last. If this
    // pointer is NULL, the argument can be any word, or a file.
    const char *(*argument_word)(const struct cli_command *const *commands, size_t index);
    bool optional;       // the argument can be left out
    bool several;        // it takes more than one argument
    bool explains;       // an argument can be an option of another command, with its dashes
    const char *summary; // one line
    const char *more;    // for its help and the manual page, or NULL

    // The axes of the experiment that are options of this command. `timings` is a set of bits such as EK_IN_FREE: it
    // selects every axis that has a meaning in one of these timings. `axes` names further axes. `experiment` is the
    // place of a struct ek_experiment that takes the values. If `lists` is set, the axes take lists, which are not
    // read: cli_option_given returns their texts.
    unsigned timings;
    const char *const *axes; // the last name is followed by NULL; or NULL
    bool lists;
    bool drawn; // an axis that is not typed has no initial value
    size_t experiment;
    const struct cli_variant *variants; // the last is followed by one without an axis; or NULL

    const struct cli_option *options; // its own; the last is followed by one without a name
    size_t size;                      // of its struct of options
    enum ek_status (*act)(const struct cli_call *call, const void *options); // returns the exit status
};

// Takes all axes of an experiment as options, and does nothing.
extern const struct cli_command cli_experiment;

// Returns option `index` of the command: its axes first, then its own options, then --help. Past the last the name is
// NULL.
struct cli_option cli_option_at(const struct cli_command *command, size_t index);

// Returns value `index` that the option can have, as a list shows it; NULL past the last, or if any text will do.
const struct ek_choice *cli_option_value(const struct cli_option *option, size_t index);

// Returns the option's text as it was typed; NULL if it was not, or if the command has no such option.
const char *cli_option_given(const struct cli_call *call, const char *option);

// Returns the option's text: as it was typed, else its initial value, which can be NULL.
const char *cli_option_text(const struct cli_call *call, const char *option);

// Returns the command with this name, or NULL.
const struct cli_command *cli_command_named(const struct cli_command *const *commands, const char *name);

// Returns the name of the command that is nearest to this word, or NULL if none is near.
const char *cli_command_near(const struct cli_command *const *commands, const char *word);

// Fills `error`: there is no command of this name. Returns false.
bool cli_command_refuse(const struct cli_command *const *commands, const char *name, struct ek_error *error);

#endif
