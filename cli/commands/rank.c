// SPDX-License-Identifier: MIT
// `evenkeel rank`: runs several methods with the same seeds until the same criterion, and puts them in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/plugin.h"
#include "cli/line/shared_options.h"
#include "cli/report/rank_report.h"
#include "cli/tables/paste.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "core/method.h"
#include "lab/statistics/samples.h"
#include "lab/sweep/values.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

struct options {
    struct ek_experiment experiment;
    uint64_t runs;
    const char *by; // NULL if not given
    enum cli_format format;
    bool quiet;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_RUNS("1", "the number of runs of each method; each run has its own seed", PLACE(runs)),
    {.name = "by",
     .form = "FIELD",
     .help = "order by steps, operations, messages, moved, time, ...",
     .more =
         "Any field of a run's report of which less is better. By default steps; virtual_s if --timing has virtual, "
         "and time if it has free. In virtual time, time is virtual_s.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(by)},
    CLI_OPTION_FORMAT_TO_PASTE(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    CLI_OPTION_PLUGIN,
    {0}};

// The contender and run under way.
struct session {
    struct cli_progress progress;
    const char *name;
    size_t index, contenders;
    uint64_t runs;
};

static void begins(void *context, size_t index, const char *name)
{
    struct session *session = context;
    session->index = index;
    session->name = name;
}

static void show_progress(void *context, uint64_t run, const struct ek_progress *so_far)
{
    struct session *session = context;
    cli_progress_show(&session->progress, so_far->elapsed_s, "%s, method %zu of %zu, run %s of %s, %.1f s",
                      session->name, session->index + 1, session->contenders, cli_text_count(run + 1).of,
                      cli_text_count(session->runs).of, so_far->elapsed_s);
}

// Adds a method from an example of its use: its first word, or what is in quotes.
static bool take_example(struct lab_values *methods, const char *example)
{
    bool quoted = *example == '"';
    example += quoted;
    methods->text[methods->count] = strndup(example, strcspn(example, quoted ? "\"" : " "));
    return methods->text[methods->count++];
}

// Takes every method, with the parameter that its example has, and some with another one.
static bool take_all(struct lab_values *methods, struct ek_error *error)
{
    size_t count = 0;
    while (ek_method_at(count)) {
        count++;
    }
    *methods = (struct lab_values){.text = calloc(2 * count, sizeof *methods->text)};
    bool good = methods->text;
    for (size_t i = 0; good && i < count; i++) {
        const struct ek_texts *texts = ek_method_at(i)->texts;
        good = take_example(methods, texts->example ? texts->example : ek_method_at(i)->name) &&
               (!texts->other || take_example(methods, texts->other));
    }
    if (!good) {
        lab_values_destroy(methods);
        return base_refuse(error, "no memory for the names of all methods");
    }
    return true;
}

static bool take_methods(struct lab_values *methods, const char *named, struct ek_error *error)
{
    return named ? lab_values_read(methods, ek_axis_named("method"), named, error) : take_all(methods, error);
}

// The methods and timings that are ranked.
struct contenders {
    struct lab_values methods, timings;
    struct lab_contender *contender; // [count]
    size_t count;
};

// Takes every method in every timing. If there is one timing, it is the experiment's.
static bool take_contenders(struct contenders *contenders, const struct cli_call *call, struct ek_error *error)
{
    if (!take_methods(&contenders->methods, cli_option_given(call, "method"), error) ||
        !lab_values_read(&contenders->timings, ek_axis_named("timing"), cli_option_text(call, "timing"), error)) {
        return false;
    }
    const size_t timings = contenders->timings.count;
    contenders->contender = calloc(contenders->methods.count * timings, sizeof *contenders->contender);
    for (size_t m = 0; contenders->contender && m < contenders->methods.count; m++) {
        for (size_t t = 0; t < timings; t++) {
            contenders->contender[contenders->count++] = (struct lab_contender){
                .method = contenders->methods.text[m], .timing = timings > 1 ? contenders->timings.text[t] : NULL};
        }
    }
    return contenders->contender || base_refuse(error, "no memory for so many methods: name fewer");
}

static void destroy_contenders(struct contenders *contenders)
{
    lab_values_destroy(&contenders->methods);
    lab_values_destroy(&contenders->timings);
    free(contenders->contender);
}

static bool runs_tasks(const struct ek_experiment *experiment)
{
    return experiment->tasks && strcmp(experiment->tasks, "none") != 0;
}

static bool has_objects(const struct ek_experiment *experiment)
{
    return experiment->objects && strcmp(experiment->objects, "none") != 0;
}

// Returns whether all processors ought to hold the same load. If the topology is wrong, the ranking says so later.
static bool is_equal(const struct ek_experiment *experiment)
{
    const char *spec = experiment->topology ? experiment->topology : ek_axis_named("topology")->initial;
    struct ek_error ignored;
    struct ek_topology *topology = ek_topology_create(spec, experiment->seed, experiment->reader, &ignored);
    bool switches = topology && topology->hosts < topology->processors;
    ek_topology_destroy(topology);
    return !switches &&
           (!experiment->capacity || strcmp(experiment->capacity, ek_axis_named("capacity")->initial) == 0);
}

// Fills the experiment of the ranking. All methods get the same criterion, although each has a default of its own. If
// capacities differ, balanced loads differ too: only the error tells how far they are from balance. With tokens the
// smallest error that a run can reach depends on the method.
static bool settle(struct ek_experiment *experiment, const struct options *options, const struct lab_values *timings,
                   struct ek_error *error)
{
    *experiment = options->experiment;
    experiment->timing = timings->text[0];
    experiment->reader = cli_reader();
    if (runs_tasks(experiment)) { // a run ends when no task is left
        return true;
    }
    if (has_objects(experiment)) {
        experiment->stop = experiment->stop ? experiment->stop : "imbalance:0.1";
        return true;
    }
    bool tokens = experiment->units && strcmp(experiment->units, "tokens") == 0;
    bool equal = experiment->stop || is_equal(experiment);
    experiment->units = tokens ? "tokens" : "real";
    if (!experiment->stop && tokens && !equal) {
        return base_refuse(error, "on different capacities there is no criterion that all methods reach with tokens: "
                                  "give --stop, as in --stop error:10");
    }
    if (!experiment->stop) {
        experiment->stop = tokens ? "neighbours:1" : equal ? "variance:1" : "error:0.01";
    }
    return true;
}

static const struct lab_field *field_of(const struct options *options, const struct lab_values *timings,
                                        struct ek_error *error)
{
    unsigned all = 0;
    for (size_t t = 0; t < timings->count; t++) {
        all |= ek_timing_named(timings->text[t]);
    }
    const bool stepless = all & (EK_IN_FREE | EK_IN_VIRTUAL);
    const bool steps = all & (EK_IN_ROUNDS | EK_IN_TURNS);
    const bool tasks = runs_tasks(&options->experiment);
    const char *by = options->by                         ? options->by
                     : stepless && tasks                 ? (steps ? "time" : "done_s")
                     : stepless                          ? "time"
                     : tasks                             ? "ticks"
                     : has_objects(&options->experiment) ? "bytes_moved"
                                                         : "steps";
    if (stepless && (strcmp(by, "steps") == 0 || strcmp(by, "factor") == 0)) {
        base_refuse_text(error, "by", by, 0, "%s has no steps: order by operations, messages, moved or time",
                         all & EK_IN_FREE ? "free timing" : "virtual time");
        return NULL;
    }
    return lab_rank_field_named(by, all & EK_IN_VIRTUAL, error);
}

static bool present(const struct lab_rank *rank, const struct options *options, const char *typed,
                    struct ek_error *error)
{
    bool good = true;
    if (options->format == CLI_JSON) {
        good = report_rank_write_json(stdout, rank, typed);
    } else if (options->format == CLI_CSV) {
        report_rank_write_csv(stdout, rank);
    } else if (report_is_pasted(options->format)) {
        good = report_rank_paste(stdout, options->format, rank);
    } else if (!options->quiet) {
        good = report_rank_write(stdout, rank);
    }
    return good || ferror(stdout) || base_refuse(error, "no memory for the report of so many runs: give fewer --runs");
}

// Notes how the best method ran; or, while that says little of other seeds, that there were few of them. Objects from a
// file are the same with every seed.
static void note_best(const struct lab_rank *rank, const struct cli_call *call)
{
    struct cli_found *found = call->found;
    const struct lab_ranked *best = &rank->rows[0];
    if (rank->ranked > 1 && rank->runs_asked < LAB_SAMPLES_MIN && !best->record.runs[0].has_objects) {
        found->kind = CLI_FOUND_FEW_SAMPLES;
    }
    snprintf(found->method, sizeof found->method, "%s", best->method);
    if (cli_option_given(call, "timing")) {
        snprintf(found->timing, sizeof found->timing, "%s", lab_record_axis(&best->record, "timing"));
    }
    if (!best->record.runs[0].has_tasks) {
        snprintf(found->stop, sizeof found->stop, "%s", lab_record_axis(&best->record, "stop"));
    }
}

// Returns the exit status. If it is not 0, prints a sentence first.
static enum ek_status conclude(const struct lab_rank *rank)
{
    struct ek_error error = rank->error;
    fflush(stdout);
    if (rank->status == EK_UNREACHED) {
        base_fail(&error, EK_UNREACHED, "", "interrupted: the methods that are not listed were not run");
    } else if (rank->status == EK_OK && rank->ranked == 0 && rank->rows[0].reached == rank->runs_asked) {
        base_refuse(&error, "no method reports %s: choose another field for --by, such as steps", rank->by->name);
    } else if (rank->status == EK_OK && rank->ranked == 0) {
        base_fail(&error, EK_UNREACHED, "",
                  "no method reached the criterion in every run: give a weaker --stop, or more --steps");
    } else if (rank->status == EK_OK) {
        return EK_OK;
    } else {
        error.status = rank->status;
    }
    return cli_complain(&error);
}

static enum ek_status rank_methods(const struct cli_call *call, const struct options *options,
                                   const struct lab_field *by, const struct contenders *contenders)
{
    struct ek_error error = {.at = -1};
    struct session session = {
        .progress = cli_progress_begin(options->quiet, false), .contenders = contenders->count, .runs = options->runs};
    struct lab_run_request order = {.runs = options->runs,
                                    .command = call->typed,
                                    .theory = true,
                                    .stopped = cli_interrupt_came,
                                    .on_progress = show_progress,
                                    .context = &session};
    struct lab_rank rank;
    if (!settle(&order.experiment, options, &contenders->timings, &error)) {
        return cli_complain(&error);
    }
    cli_plugin_interrupt_catch(call);
    bool good = lab_rank_run(&rank, &order, by, contenders->contender, contenders->count, begins, &error);
    cli_interrupt_release();
    cli_progress_clear(&session.progress);
    if (!good) {
        return cli_complain(&error);
    }
    good = present(&rank, options, call->typed, &error);
    enum ek_status status = good ? conclude(&rank) : cli_complain(&error);
    if (status == EK_OK) {
        note_best(&rank, call);
    }
    lab_rank_destroy(&rank);
    return status;
}

static enum ek_status rank(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    struct contenders contenders = {.count = 0};
    const struct lab_field *by = NULL;
    if (take_contenders(&contenders, call, &error)) {
        by = field_of(options, &contenders.timings, &error);
    }
    enum ek_status status = by ? rank_methods(call, options, by, &contenders) : cli_complain(&error);
    destroy_contenders(&contenders);
    return status;
}

const struct cli_command cli_rank = {
    .name = "rank",
    .theme = CLI_THEME_STUDY,
    .summary = "run several methods on one graph and load, and say which is best",
    .more =
        "Runs every method that applies, or those of --method, with the same seeds until the same --stop, and orders "
        "them by --by. The table also has confidence intervals over the --runs and the predictions of theory, and says "
        "why the first is first. The default of --stop is variance:1, with tokens neighbours:1, with "
        "--capacity error:0.01. With --tasks every run ends when no task is left, and the default of --by is ticks, or "
        "done_s without rounds. "
        "With --objects the default of --stop is imbalance:0.1, and that of --by bytes_moved. "
        "Runs that end before the criterion count as lower bounds, and their method has no place. Methods that compute "
        "estimates of the mean load, such as push-sum, balance no load and are left out. A method with a "
        "parameter has the value of its example; --method can name others, as in --method "
        "ode,gde:{0.5..0.9+0.1}. --timing takes a list, too: --timing rounds,virtual compares the methods in rounds "
        "and "
        "without a barrier, by the virtual time that the costs give.",
    .timings = EK_IN_ALL,
    .experiment = PLACE(experiment),
    .variants = (const struct cli_variant[]){{.axis = "method", .initial = ""},
                                             {.axis = "stop", .initial = ""},
                                             {.axis = "units", .initial = ""},
                                             {.axis = "carrier", .initial = "pool", .help = CLI_CARRIERS_WITHOUT_MPI},
                                             {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = rank};
