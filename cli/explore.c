// SPDX-License-Identifier: MIT
// `evenkeel explore`: schedules of one experiment in free timing, each looked at after every turn.
#include "lab/explore.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "lab/json.h"

enum { COLUMN = 13 };
static const double LONG_S = 1e6;

struct exploration {
    const struct cli_options *options;
    struct cli_terminal terminal; // standard error's
    bool shown;                   // a progress line
};

static void clear_progress(struct exploration *exploration)
{
    if (exploration->shown) {
        fputs("\r\033[K", stderr);
        exploration->shown = false;
    }
}

static void show_progress(void *context, uint64_t schedules, uint64_t turns, double elapsed_s)
{
    struct exploration *exploration = context;
    if (!exploration->terminal.escapes || elapsed_s < 1.0) {
        return;
    }
    struct cli_line line = {0};
    cli_line_add(&line, "%s, %s, %.0f s", cli_text_plural(schedules, "schedule").of, cli_text_plural(turns, "turn").of,
                 elapsed_s);
    fprintf(stderr, "\r%.*s\033[K", exploration->terminal.columns - 1, line.of);
    exploration->shown = true;
}

static struct lab_explore_order order_of(const struct cli_options *options, const char *typed,
                                         struct exploration *exploration)
{
    bool for_a_time = options->experiment.seconds_max > 0.0 && !cli_options_given(options, "schedules");
    struct lab_explore_order order = {.experiment = options->experiment,
                                      .strategy = cli_options_text(options, "strategy"),
                                      .schedules = for_a_time ? UINT64_MAX : options->schedules,
                                      .turns_most = options->turns,
                                      .seconds = options->experiment.seconds_max,
                                      .command = typed,
                                      .recording = cli_options_text(options, "record"),
                                      .stopped = cli_interrupt_came,
                                      .progress = show_progress,
                                      .context = exploration};
    // Of a run it is the turns that are limited: to the machine, which has a clock for it, for longer than they take.
    order.experiment.seconds_max = LONG_S;
    order.experiment.reader = cli_files_reader();
    return order;
}

// Of a state of a port and what came then: "told, engaged: pull".
static struct cli_text name_of(const struct ek_explore_met *met)
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%s%s: %s", met->part, met->engaged ? ", engaged" : "", met->message);
    return text;
}

static void print_unmet(const struct lab_explored *explored)
{
    struct cli_line line = {0};
    for (size_t i = 0; i < explored->met_count; i++) {
        if (explored->met[i].times == 0) {
            cli_line_add(&line, "%s%s", line.length > 0 ? "; " : "", name_of(&explored->met[i]).of);
        }
    }
    cli_text_labelled(stdout, "never", COLUMN, line.length > 0 ? line.of : NULL);
}

static void print_all(const struct lab_explored *explored, const struct cli_options *options)
{
    const struct ek_explore_all *all = &explored->all;
    struct cli_line line = {0};
    cli_line_add(&line, "%s%s schedules, through %s and %s; the longest has %s",
                 explored->failed ? "until the first that fails, "
                 : all->complete  ? "all "
                                  : "not all: ",
                 cli_text_amount(all->schedules).of, cli_text_plural(all->states, "state").of,
                 cli_text_plural(all->turns, "turn").of, cli_text_plural(all->longest, "turn").of);
    cli_text_labelled(stdout, "explored", COLUMN, line.of);
    line = (struct cli_line){0};
    cli_line_add(&line,
                 all->complete ? "%s turns a schedule, not reached" : "%s turns a schedule, or time or memory: reached",
                 cli_text_count(options->turns).of);
    cli_text_labelled(stdout, "bound", COLUMN, line.of);
}

static void print_schedules(const struct lab_explored *explored, const struct cli_options *options)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%s by %s, %s, %s a second", cli_text_plural(explored->schedules, "schedule").of,
                 cli_options_text(options, "strategy"), cli_text_plural(explored->turns, "turn").of,
                 cli_text_count((uint64_t)((double)explored->turns / explored->elapsed_s)).of);
    cli_text_labelled(stdout, "explored", COLUMN, line.of);
    if (explored->cut > 0) {
        line = (struct cli_line){0};
        cli_line_add(&line, "%s told to end, after %s", cli_text_plural(explored->cut, "schedule").of,
                     cli_text_plural(options->turns, "turn").of);
        cli_text_labelled(stdout, "too long", COLUMN, line.of);
    }
}

static void print_failure(const struct lab_explored *explored, const struct cli_options *options)
{
    const struct lab_explore_failure *failure = &explored->failure;
    struct cli_line line = {0};
    cli_line_add(&line, "%s", failure->what.sentence);
    if (explored->exhaustive) {
        cli_line_add(&line, ", after %s", cli_text_plural(failure->turns, "turn").of);
    } else {
        cli_line_add(&line, ", in schedule %s after %s", cli_text_count(failure->schedule).of,
                     cli_text_plural(failure->turns, "turn").of);
    }
    cli_text_labelled(stdout, "fails", COLUMN, line.of);
    line = (struct cli_line){0};
    cli_line_add(&line, "%s", cli_text_plural(failure->small_turns, "turn").of);
    if (failure->topology) {
        cli_line_add(&line, " of %s", failure->topology);
    }
    if (failure->load) {
        cli_line_add(&line, " with %s", failure->load);
    }
    cli_line_add(&line, ": %s", failure->small_what.sentence);
    cli_text_labelled(stdout, "smallest", COLUMN, line.of);
    if (failure->recorded) {
        line = (struct cli_line){0};
        cli_line_add(&line, "evenkeel replay %s --from 1", cli_options_text(options, "record"));
        cli_text_labelled(stdout, "see it", COLUMN, line.of);
    }
}

static void print(const struct lab_explored *explored, const struct cli_options *options)
{
    if (explored->exhaustive) {
        print_all(explored, options);
    } else {
        print_schedules(explored, options);
    }
    struct cli_line line = {0};
    cli_line_add(&line, "%s that differ%s",
                 cli_text_plural(explored->ends, explored->exhaustive ? "last state" : "end").of,
                 explored->ends == 1 ? "s" : "");
    cli_text_labelled(stdout, "ends", COLUMN, line.of);
    line = (struct cli_line){0};
    cli_line_add(&line, "%zu of %zu pairs of a port's state and a message that came", explored->reached,
                 explored->met_count);
    cli_text_labelled(stdout, "protocol", COLUMN, line.of);
    print_unmet(explored);
    cli_text_labelled(stdout, "log", COLUMN, explored->hash);
    if (explored->failed) {
        print_failure(explored, options);
    }
}

static json_t *coverage_of(const struct lab_explored *explored)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < explored->met_count; i++) {
        const struct ek_explore_met *met = &explored->met[i];
        json_array_append_new(pairs, json_pack("{s:s, s:b, s:s, s:I}", "part", met->part, "engaged", met->engaged,
                                               "message", met->message, "times", (json_int_t)met->times));
    }
    return json_pack("{s:I, s:I, s:o}", "reached", (json_int_t)explored->reached, "possible",
                     (json_int_t)explored->met_count, "pairs", pairs);
}

static json_t *violations_of(const struct lab_explored *explored, const struct cli_options *options)
{
    const struct lab_explore_failure *failure = &explored->failure;
    json_t *violations = json_array();
    if (explored->failed) {
        const char *file = cli_options_text(options, "record");
        json_t *replay = failure->recorded ? json_sprintf("evenkeel replay %s --from 1", file) : json_null();
        json_array_append_new(violations,
                              json_pack("{s:s, s:I, s:I, s:s, s:I, s:s?, s:s?, s:I, s:s?, s:o}", "what",
                                        failure->what.sentence, "schedule", (json_int_t)failure->schedule, "turns",
                                        (json_int_t)failure->turns, "small_what", failure->small_what.sentence,
                                        "small_turns", (json_int_t)failure->small_turns, "topology", failure->topology,
                                        "load", failure->load, "tried", (json_int_t)failure->tried, "recording",
                                        failure->recorded ? file : NULL, "command", replay));
    }
    return violations;
}

static bool write_json(const struct lab_explored *explored, const struct cli_options *options, const char *typed,
                       struct ek_error *error)
{
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:o, s:o}", "schema", "evenkeel.explore/1", "command",
        typed, "version", ek_version(), "strategy", cli_options_text(options, "strategy"), "schedules",
        (json_int_t)explored->schedules, "turns", (json_int_t)explored->turns, "turns_most", (json_int_t)options->turns,
        "cut", (json_int_t)explored->cut, "ends", (json_int_t)explored->ends, "elapsed_s", explored->elapsed_s, "hash",
        explored->hash, "coverage", coverage_of(explored), "violations", violations_of(explored, options));
    if (explored->exhaustive) {
        const struct ek_explore_all *all = &explored->all;
        json_object_set_new(root, "complete", json_boolean(all->complete && !explored->failed));
        json_object_set_new(root, "states", json_integer((json_int_t)all->states));
        json_object_set_new(root, "longest", json_integer((json_int_t)all->longest));
        json_object_set_new(root, "schedules", lab_json_real(all->schedules));
    }
    bool good = lab_json_write(stdout, root, JSON_INDENT(2));
    putchar('\n');
    return good || ferror(stdout) || cli_refuse(error, "", -1, "no memory for the JSON report");
}

static void write_csv(const struct lab_explored *explored, const struct cli_options *options)
{
    puts("strategy,schedules,turns,cut,ends,reached,possible,failed,elapsed_s,hash");
    printf("%s,%.17g,%llu,%llu,%llu,%zu,%zu,%d,%.17g,%s\n", cli_options_text(options, "strategy"),
           explored->exhaustive ? explored->all.schedules : (double)explored->schedules,
           (unsigned long long)explored->turns, (unsigned long long)explored->cut, (unsigned long long)explored->ends,
           explored->reached, explored->met_count, explored->failed, explored->elapsed_s, explored->hash);
}

static bool present(const struct lab_explored *explored, const struct cli_options *options, const char *typed,
                    struct ek_error *error)
{
    if (options->format == CLI_JSON) {
        return write_json(explored, options, typed, error);
    }
    if (options->format == CLI_CSV) {
        write_csv(explored, options);
    } else if (!options->quiet) {
        print(explored, options);
    }
    return true;
}

// What ended it, once all that it came to is printed.
static enum ek_status conclude(const struct lab_explored *explored, enum ek_status status)
{
    fflush(stdout);
    if (status == EK_VIOLATION) {
        cli_complain(&explored->failure.small_what, NULL);
        if (!explored->failure.recorded) {
            cli_complain(&explored->failure.unrecorded, NULL);
        }
    } else if (status == EK_UNREACHED) {
        struct ek_error error = {.at = -1};
        cli_refuse(&error, "", -1, "interrupted");
        error.status = status;
        cli_complain(&error, NULL);
    }
    return status;
}

enum ek_status cli_explore(const struct cli_options *options, const char *typed)
{
    struct exploration exploration = {.options = options, .terminal = cli_terminal_of(stderr)};
    struct lab_explore_order order = order_of(options, typed, &exploration);
    struct lab_explored explored;
    struct ek_error error = {.at = -1};
    exploration.terminal.escapes = exploration.terminal.escapes && !options->quiet;
    cli_interrupt_catch();
    enum ek_status status = lab_explore(&order, &explored, &error);
    cli_interrupt_release();
    clear_progress(&exploration);
    if (status == EK_BAD_INPUT) {
        status = cli_complain(&error, cli_options_text(options, error.axis));
    } else if (!present(&explored, options, typed, &error)) {
        status = cli_complain(&error, NULL);
    } else {
        status = conclude(&explored, status);
    }
    lab_explored_destroy(&explored);
    return status;
}
