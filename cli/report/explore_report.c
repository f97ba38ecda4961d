// SPDX-License-Identifier: MIT
#include "cli/report/explore_report.h"

#include <stdio.h>

#include "cli/line/complain.h"
#include "cli/terminal/text.h"
#include "lab/record/json.h"

enum { COLUMN = 13, ONE_LINE = 1000 };

// Returns a state of a port and the message that arrived in it: "told, engaged: pull".
static struct cli_text name_of(const struct ek_explore_met *met)
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%s%s: %s", met->part, met->engaged ? ", engaged" : "", met->message);
    return text;
}

// The checks, as docs/explore.md describes them.
static const char *const checks[] = {
    "links: no message is lost, doubled, forged or overtaken",
    "answers: each turn answers what it received",
    "bounds: few messages are under way on a link",
    "ledger: no load is lost or created",
    "loads: none is negative, and tokens are whole",
    "protocol: each message has a meaning in its state",
    "end: no processor waits, nothing is under way",
};
enum { CHECKS = sizeof checks / sizeof *checks };

static void print_checks(void)
{
    for (size_t i = 0; i < CHECKS; i++) {
        cli_text_labelled(stdout, i == 0 ? "checks" : "", COLUMN, checks[i]);
    }
}

// Begins a verdict: adds the schedules, as in "1,000 schedules", or in virtual time their machines.
static void add_schedules(struct cli_line *line, const struct lab_exploration *explored)
{
    if (explored->exhaustive) {
        cli_line_add(line, "%s schedules", cli_text_amount(explored->all.schedules).of);
    } else if (explored->factor == 1.0) {
        cli_line_add(line, "%s with the given costs", cli_text_plural(explored->schedules, "machine").of);
    } else if (explored->factor > 1.0) {
        cli_line_add(line, "%s with costs drawn within a factor of %g",
                     cli_text_plural(explored->schedules, "machine").of, explored->factor);
    } else {
        cli_line_add(line, "%s", cli_text_plural(explored->schedules, "schedule").of);
    }
}

// Returns the verdict: "1,000 schedules: all checks passed, 4 end states".
static struct cli_line verdict_of(const struct lab_exploration *explored)
{
    struct cli_line line = {0};
    add_schedules(&line, explored);
    cli_line_add(&line, ": ");
    if (explored->failed) {
        cli_line_add(&line, "a check failed: %s", explored->failure.what.sentence);
        return line;
    }
    if (explored->ends == 0) {
        cli_line_add(&line, "none was made to its end; all checks passed in %s",
                     cli_text_plural(explored->exhaustive ? explored->all.turns : explored->turns, "turn").of);
        return line;
    }
    if (explored->cut > 0) {
        cli_line_add(&line, "%s did not end within %s: %s; ", cli_text_count(explored->cut).of,
                     cli_text_plural(explored->turns_most, "turn").of,
                     explored->endless ? "the experiment may have no end" : "possible livelock, or too few turns");
    }
    cli_line_add(&line, "%s, %s",
                 explored->factor > 1.0   ? "none of their schedules broke a rule"
                 : explored->factor > 0.0 ? "its schedule broke no rule"
                                          : "all checks passed",
                 cli_text_plural(explored->ends, "end state").of);
    if (explored->factor > 0.0) {
        cli_line_add(&line, "; %s",
                     explored->factor > 1.0 ? "that is no proof: more --schedules draw other machines"
                                            : "--within FACTOR draws other costs");
    }
    if (explored->exhaustive && !explored->all.complete) {
        cli_line_add(&line, "; other schedules were not made");
    }
    return line;
}

static void print_pairs(const struct lab_exploration *explored)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%zu of %zu pairs of a port's state and an arriving message occurred", explored->reached,
                 explored->met_count);
    cli_text_labelled(stdout, "protocol", COLUMN, line.of);
    line = (struct cli_line){0};
    for (size_t i = 0; i < explored->met_count; i++) {
        if (explored->met[i].times == 0) {
            cli_line_add(&line, "%s%s", line.length > 0 ? "; " : "", name_of(&explored->met[i]).of);
        }
    }
    cli_text_labelled(stdout, "never", COLUMN, line.length > 0 ? line.of : NULL);
}

static void print_all(const struct lab_exploration *explored)
{
    const struct ek_explore_all *all = &explored->all;
    struct cli_line line = {0};
    cli_line_add(&line, "%s%s schedules, with %s and %s; the longest has %s",
                 explored->failed ? "until the first failure, "
                 : all->complete  ? "all "
                                  : "not all: ",
                 cli_text_amount(all->schedules).of, cli_text_plural(all->states, "state").of,
                 cli_text_plural(all->turns, "turn").of, cli_text_plural(all->longest, "turn").of);
    cli_text_labelled(stdout, "explored", COLUMN, line.of);
    line = (struct cli_line){0};
    cli_line_add(&line,
                 all->complete ? "%s turns per schedule, not reached"
                               : "%s turns per schedule, or time, or memory: reached",
                 cli_text_count(explored->turns_most).of);
    cli_text_labelled(stdout, "bound", COLUMN, line.of);
}

static void print_schedules(const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    struct cli_line line = {0};
    add_schedules(&line, explored);
    if (explored->factor == 0.0) {
        cli_line_add(&line, " by %s", shown->strategy);
    }
    cli_line_add(&line, ", %s, %s per second", cli_text_plural(explored->turns, "turn").of,
                 cli_text_count((uint64_t)((double)explored->turns / explored->elapsed_s)).of);
    cli_text_labelled(stdout, "explored", COLUMN, line.of);
    if (explored->cut > 0) {
        line = (struct cli_line){0};
        cli_line_add(&line, "%s stopped after %s; the first is schedule %s",
                     cli_text_plural(explored->cut, "schedule").of, cli_text_plural(explored->turns_most, "turn").of,
                     cli_text_count(explored->cut_first).of);
        cli_text_labelled(stdout, "too long", COLUMN, line.of);
    }
}

static void print_failure(const struct lab_exploration *explored)
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
    if (failure->tried == 0) {
        return;
    }
    line = (struct cli_line){0};
    cli_line_add(&line, "%s", cli_text_plural(failure->small_turns, "turn").of);
    if (failure->topology) {
        cli_line_add(&line, " of %s", failure->topology);
    }
    if (failure->load) {
        cli_line_add(&line, " with %s", failure->load);
    }
    if (failure->within) {
        cli_line_add(&line, " within %s", failure->within);
    }
    cli_line_add(&line, ": %s", failure->small_what.sentence);
    cli_text_labelled(stdout, "smallest", COLUMN, line.of);
}

static void print(const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    struct cli_line line = {0};
    if (shown->after) {
        cli_line_add(&line, "turn %s of %s", cli_text_count(shown->until).of, shown->after);
        cli_text_labelled(stdout, "after", COLUMN, line.of);
    }
    if (explored->exhaustive) {
        print_all(explored);
    } else {
        print_schedules(shown);
    }
    print_checks();
    if (shown->verbose) {
        print_pairs(explored);
    }
    cli_text_labelled(stdout, "log", COLUMN, explored->hash);
    if (explored->failed) {
        print_failure(explored);
    }
    cli_text_wrap(stdout, verdict_of(explored).of, 0, ONE_LINE); // wraps on a terminal only
}

// Adds to an object the recording, and the command that replays it.
static json_t *with_recording(json_t *object, const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    json_object_set_new(object, "recording", explored->recorded ? json_string(shown->recording) : json_null());
    json_object_set_new(object, "command",
                        explored->recorded ? json_sprintf("evenkeel replay %s --from 1", shown->recording)
                                           : json_null());
    return object;
}

static json_t *coverage_of(const struct lab_exploration *explored)
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

static json_t *violations_of(const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    const struct lab_explore_failure *failure = &explored->failure;
    json_t *violations = json_array();
    if (explored->failed) {
        json_t *violation = json_pack(
            "{s:s, s:I, s:I, s:s, s:I, s:s?, s:s?, s:s?, s:I}", "what", failure->what.sentence, "schedule",
            (json_int_t)failure->schedule, "turns", (json_int_t)failure->turns, "small_what",
            failure->small_what.sentence, "small_turns", (json_int_t)failure->small_turns, "topology",
            failure->topology, "load", failure->load, "within", failure->within, "tried", (json_int_t)failure->tried);
        json_array_append_new(violations, with_recording(violation, shown));
    }
    return violations;
}

// Returns the first schedule that got too long. It is recorded if no schedule failed.
static json_t *too_long_of(const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    if (explored->cut == 0 || explored->failed) {
        return json_null();
    }
    return with_recording(json_pack("{s:I}", "schedule", (json_int_t)explored->cut_first), shown);
}

static json_t *checks_of(void)
{
    json_t *names = json_array();
    for (size_t i = 0; i < CHECKS; i++) {
        json_array_append_new(names, json_string(checks[i]));
    }
    return names;
}

static void write_json(const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:o, s:o, s:o}", "schema",
                  "evenkeel.explore/1", "command", shown->command, "version", ek_version(), "strategy", shown->strategy,
                  "schedules", (json_int_t)explored->schedules, "turns", (json_int_t)explored->turns, "turns_most",
                  (json_int_t)explored->turns_most, "cut", (json_int_t)explored->cut, "ends",
                  (json_int_t)explored->ends, "elapsed_s", explored->elapsed_s, "hash", explored->hash, "coverage",
                  coverage_of(explored), "violations", violations_of(shown), "too_long", too_long_of(shown));
    json_object_set_new(root, "checks", checks_of());
    json_object_set_new(root, "verdict", json_string(verdict_of(explored).of));
    if (explored->exhaustive) {
        const struct ek_explore_all *all = &explored->all;
        json_object_set_new(root, "complete", json_boolean(all->complete && !explored->failed));
        json_object_set_new(root, "states", json_integer((json_int_t)all->states));
        json_object_set_new(root, "longest", json_integer((json_int_t)all->longest));
        json_object_set_new(root, "schedules", lab_json_real(all->schedules));
    }
    if (shown->after) {
        json_object_set_new(root, "after",
                            json_pack("{s:s, s:I}", "recording", shown->after, "turn", (json_int_t)shown->until));
    }
    lab_json_write(stdout, root, JSON_INDENT(2));
    putchar('\n');
}

static void write_csv(const struct report_exploration *shown)
{
    const struct lab_exploration *explored = shown->of;
    puts("strategy,schedules,turns,cut,ends,reached,possible,failed,elapsed_s,hash");
    printf("%s,%.17g,%llu,%llu,%llu,%zu,%zu,%d,%.17g,%s\n", shown->strategy,
           explored->exhaustive ? explored->all.schedules : (double)explored->schedules,
           (unsigned long long)explored->turns, (unsigned long long)explored->cut, (unsigned long long)explored->ends,
           explored->reached, explored->met_count, explored->failed, explored->elapsed_s, explored->hash);
}

static void present(const struct report_exploration *shown)
{
    if (shown->format == CLI_JSON) {
        write_json(shown);
    } else if (shown->format == CLI_CSV) {
        write_csv(shown);
    } else if (!shown->quiet) {
        print(shown);
    }
}

// Reports what ended the exploration.
static enum ek_status conclude(const struct lab_exploration *explored, enum ek_status status)
{
    fflush(stdout);
    if (status == EK_VIOLATION) {
        cli_complain(&explored->failure.small_what);
    } else if (status == EK_UNREACHED) {
        struct ek_error error;
        base_fail(&error, status, "", "interrupted");
        cli_complain(&error);
    } else if (status == EK_OK && !explored->exhaustive && explored->schedules == 0) {
        struct ek_error error;
        base_fail(&error, EK_UNREACHED, "", "the time was too short for a schedule: give a longer --for");
        status = cli_complain(&error);
    }
    if (explored->unrecorded.status != EK_OK) {
        cli_complain(&explored->unrecorded);
        return status == EK_OK ? EK_BAD_INPUT : status;
    }
    return status;
}

enum ek_status report_exploration_write(const struct report_exploration *shown, enum ek_status status)
{
    present(shown);
    return conclude(shown->of, status);
}
