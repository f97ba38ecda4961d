// SPDX-License-Identifier: MIT
// The commands: one table for the dispatch, the help and the man page.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"
#include "cli/text.h"

enum { CLI_COMMAND_INITIALS = 4 };

struct cli_command {
    const char *name;
    const char *argument; // the form of its one word, or NULL
    const char *summary;  // one line
    const char *more;     // for its help and the man page
    unsigned bit;         // the options that it takes
    struct {
        const char *option, *value;
    } initial[CLI_COMMAND_INITIALS]; // of options whose values are others here where they are not typed, or that have
                                     // none (NULL)
    // Does it. Returns the exit status. `typed` is the whole command line, quoted.
    enum ek_status (*act)(const struct cli_options *options, const char *typed);
};

// Command `index`, or NULL past the last.
const struct cli_command *cli_command_at(size_t index);

// The command called `name`, or NULL and `error` with the nearest.
const struct cli_command *cli_command_find(const char *name, struct ek_error *error);

enum ek_status cli_command_run(const struct cli_options *options, const char *typed);
enum ek_status cli_command_list(const struct cli_options *options, const char *typed);
enum ek_status cli_command_explain(const struct cli_options *options, const char *typed);
enum ek_status cli_command_theory(const struct cli_options *options, const char *typed);
enum ek_status cli_command_doctor(const struct cli_options *options, const char *typed);
enum ek_status cli_command_torture(const struct cli_options *options, const char *typed);
enum ek_status cli_command_contention(const struct cli_options *options, const char *typed);
enum ek_status cli_command_help(const struct cli_options *options, const char *typed);
enum ek_status cli_command_version(const struct cli_options *options, const char *typed);

// What a method looks like in a spec: "ade", "gde:L", "ded(X)".
struct cli_text cli_method_form(const struct ek_method *method);

// Prints the help of one command.
void cli_help_print(const struct cli_command *command);

#endif
