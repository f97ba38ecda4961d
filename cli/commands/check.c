// SPDX-License-Identifier: MIT
// `evenkeel check`: reads the options, and prints what lab/studies/check_method.h finds.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/plugin.h"
#include "cli/report/check_report.h"
#include "core/method.h"
#include "core/program.h"
#include "lab/studies/check_method.h"
#include "lab/studies/check_program.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "threads/api/prepared.h"

struct options {
    uint64_t runs, seed;
    double timeout_s;
    enum cli_format format;
    bool quiet;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_RUNS("100", "the number of random experiments; each is run in several ways", PLACE(runs)),
    CLI_OPTION_SEED("the seed of the first experiment; each has the next seed", PLACE(seed)),
    {.name = "timeout",
     .form = "DURATION",
     .initial = "10s",
     .help = "a run that takes longer counts as one that does not end",
     .kind = EK_AXIS_SECONDS,
     .place = PLACE(timeout_s)},
    CLI_OPTION_FORMAT_WITHOUT_CSV(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    CLI_OPTION_PLUGIN,
    {0}};

static const char *known_method(const struct cli_command *const *commands, size_t index)
{
    (void)commands;
    const struct ek_method *method = ek_method_at(index);
    return method ? method->name : NULL;
}

// A check under way.
struct session {
    const struct options *options;
    struct lab_check_request request;
    struct report_check shown;
    struct cli_progress progress;
    uint64_t began, methods;
    enum ek_status status;
};

static void show_progress(void *context, uint64_t experiments)
{
    struct session *session = context;
    cli_progress_show(&session->progress, 1.0, "%s: %s of %s", session->request.subject, cli_text_count(experiments).of,
                      cli_text_plural(session->options->runs, "experiment").of);
}

// Returns whether a word is a program with its problem, as queens:6, and not a method.
static bool is_program(const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ":("), word);
    return !ek_method_find(name) && ek_program_find(name);
}

// Checks a method or a program and reports it. Returns false with `error` filled if it could not be checked.
static bool check_subject(struct session *session, const char *subject, struct ek_error *error)
{
    static struct lab_checked checked; // larger than a stack should bear
    session->request.subject = subject;
    bool good = (is_program(subject) ? lab_check_program : lab_check_method)(&session->request, &checked, error);
    cli_progress_clear(&session->progress);
    if (good) {
        report_check_method(&session->shown, subject, &checked, session->methods++ == 0);
        session->status = checked.broken > 0 ? EK_VIOLATION : session->status;
    }
    return good;
}

// Checks the methods of a plugin, each with its example's parameter.
static bool check_plugin(struct session *session, const struct ek_plugin *plugin, const char *path,
                         struct ek_error *error)
{
    bool good = plugin->methods && plugin->methods[0];
    if (!good) {
        base_refuse(error,
                    "%.200s has no methods to check; to check its programs, name a problem: evenkeel check "
                    "PROGRAM:PROBLEM --plugin %.200s",
                    path, path);
    }
    for (size_t i = 0; good && plugin->methods[i] && !cli_interrupt_came(); i++) {
        const struct ek_method *method = plugin->methods[i];
        good = check_subject(session, method->texts->example ? method->texts->example : method->name, error);
    }
    return good;
}

static bool is_file(const char *word)
{
    size_t length = strlen(word);
    return length > 3 && strcmp(word + length - 3, ".so") == 0;
}

static enum ek_status conclude(struct session *session, bool good, const struct ek_error *error)
{
    if (!good) {
        fflush(stdout);
        cli_complain(error);
        return session->status == EK_VIOLATION ? EK_VIOLATION : EK_BAD_INPUT;
    }
    if (cli_interrupt_came() && session->status == EK_OK) {
        struct ek_error interrupted;
        base_fail(&interrupted, EK_UNREACHED, "", "interrupted: no promise was found broken before");
        return cli_complain(&interrupted);
    }
    return session->status;
}

static enum ek_status check(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    const char *word = call->words[0];
    struct session session = {
        .options = options,
        .request = {.plugin = cli_option_given(call, "plugin"),
                    .seed = options->seed,
                    .experiments = options->runs,
                    .timeout_s = options->timeout_s,
                    .reader = cli_reader(),
                    .stopped = cli_interrupt_came,
                    .progress = show_progress},
        .shown = {.format = options->format, .quiet = options->quiet, .command = call->typed, .seed = options->seed},
        .progress = cli_progress_begin(options->quiet, false)};
    struct ek_error error = {.at = -1};
    const struct ek_plugin *plugin = NULL;
    session.request.context = &session;
    if (is_file(word)) {
        session.request.plugin = word;
        plugin = cli_plugin_open(word, &error);
        if (!plugin) {
            return cli_complain(&error);
        }
    }
    report_check_begin(&session.shown);
    cli_interrupt_catch();
    bool good = plugin ? check_plugin(&session, plugin, word, &error) : check_subject(&session, word, &error);
    enum ek_status status = conclude(&session, good, &error);
    cli_interrupt_release();
    report_check_end(&session.shown);
    call->found->kind = plugin ? CLI_FOUND_PLUGIN : is_program(word) ? CLI_FOUND_PROGRAM : CLI_FOUND_NOTHING;
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .theme = CLI_THEME_TEST,
    .argument = "METHOD",
    .argument_word = known_method,
    .summary = "test the promises of a method, a program of tasks or a plugin",
    .more =
        "METHOD is a method with its parameter, or the file of a plugin (FILE.so), all of whose methods are checked. "
        "Runs random experiments with the method in a child process: on small topologies, in the units, ports, timings "
        "and delays that the method supports, on several carriers. It tests nine promises: mutual (both ends of a link "
        "compute the same amount, if the rule says so), conservation (no load is lost or created), bounds (amounts are "
        "finite, and a processor sends at most what it holds unless supports.overdraws is set), tokens (tokens move "
        "whole), ports (load goes only over links that take part), determinism (the same seed gives the same loads), "
        "carriers (all carriers give the same loads, bit by bit), termination (every run ends) and crash. For a broken "
        "promise the command prints the run that shows it. A crash or a run that does not end stops the check of the "
        "method. `evenkeel check METHOD --seed N --runs 1` repeats the experiment of a seed. METHOD can also be a "
        "program with a small problem, such as queens:6. One processor then executes each task twice, and random "
        "machines execute the problem. Seven promises are tested: pure (a task has the same answer again), limits "
        "(costs, results and numbers of children are as declared), sizes (tasks have the declared bytes), bounds (a "
        "dropped task leads to no better value), result (every machine computes the same), termination and crash. A "
        "problem may have 100,000 tasks. The status is 0 if all "
        "tested promises hold, 1 if one is broken, and 2 if the method refuses every experiment.",
    .options = own,
    .size = sizeof(struct options),
    .act = check};
