// SPDX-License-Identifier: MIT
// evenkeel: finds the command, reads its options, carries it out, and checks that what it printed has been written.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_ranks.h"
#include "cli/line/complain.h"
#include "cli/line/help_text.h"
#include "cli/line/next.h"
#include "cli/line/output_clash.h"
#include "cli/line/parse.h"
#include "cli/line/plugin.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"

// The commands, in the order in which the help lists them.
static const struct cli_command *const commands[] = {
    &cli_run,     &cli_sweep,   &cli_show,   &cli_report, &cli_replay,  &cli_explore, &cli_check,
    &cli_list,    &cli_explain, &cli_theory, &cli_draw,   &cli_torture, &cli_rank,    &cli_contention,
    &cli_results, &cli_papers,  &cli_doctor, &cli_help,   &cli_version, NULL};

// Occupies the standard streams that are closed, by files that cannot be used. Otherwise the next file that is opened
// would become a standard stream.
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++) {
        if (fcntl(stream, F_GETFD) < 0) {
            (void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

// Returns the command line as a shell has to read it, allocated; NULL without memory.
static char *quote_line(int count, char **words)
{
    struct lab_stream line;
    bool begun = lab_stream_begin(&line);
    if (begun) {
        fputs("evenkeel", line.out);
    }
    for (int i = 1; begun && i < count; i++) {
        fputc(' ', line.out);
        lab_shell_quote(line.out, words[i]);
    }
    return lab_stream_end(&line);
}

static bool has_argument(const struct cli_call *call, struct ek_error *error)
{
    const struct cli_command *command = call->command;
    return call->words_count > 0 || !command->argument || command->optional ||
           base_refuse(error, "%s needs an argument: write evenkeel %s %s", command->name, command->name,
                       command->argument);
}

// Carries out the command with these options, which are all zero.
static enum ek_status act(struct cli_call *call, void *options, int count, char **words)
{
    struct ek_error error = {.at = -1};
    if (!cli_parse(call, options, count - 2, words + 2, &error)) {
        return cli_complain(&error);
    }
    if (cli_option_given(call, "help")) {
        cli_help_command(call->command);
        cli_next_help(commands, call->command);
        return EK_OK;
    }
    if (!has_argument(call, &error) || !cli_plugin_load(call, &error) || !cli_outputs_clear(call, &error)) {
        return cli_complain(&error);
    }
    enum ek_status status = call->command->act(call, options);
    if (!cli_ranks_joined()) { // mpirun begins the command line of ranks
        cli_next(call, status);
    }
    return status;
}

static enum ek_status start(const struct cli_command *command, int count, char **words)
{
    struct cli_found found = {0};
    struct cli_call call = {.commands = commands, .command = command, .found = &found};
    char *typed = quote_line(count, words); // before the words are sorted
    void *options = calloc(1, command->size + 1);
    enum ek_status status = EK_BAD_INPUT;
    call.typed = typed;
    if (typed && options) {
        status = act(&call, options, count, words);
    } else {
        struct ek_error error;
        base_refuse(&error, "there is no memory for the command line");
        cli_complain(&error);
    }
    free(options);
    free(typed);
    return status;
}

static enum ek_status find_and_start(int count, char **words)
{
    struct ek_error error;
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        name = "help";
    } else if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    const struct cli_command *command = cli_command_named(commands, name);
    if (!command) {
        cli_command_refuse(commands, name, &error);
        return cli_complain(&error);
    }
    return start(command, count, words);
}

int main(int count, char **words)
{
    hold_standard_streams();
    setlocale(LC_CTYPE, "");
    struct ek_error error;
    bool silenced = cli_ranks_silence(count, words);
    enum ek_status status = EK_OK;
    if (count < 2) {
        cli_help_brief(commands);
        cli_next_help(commands, NULL);
    } else {
        status = find_and_start(count, words);
    }
    if (silenced && !cli_ranks_joined()) {
        return (int)cli_ranks_stay_behind(status);
    }
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (!written && status != EK_BAD_INPUT) { // otherwise it has been reported
        base_refuse(&error, "standard output could not be written (%s)", strerror(errno));
        status = cli_complain(&error);
    }
    return (int)status;
}
