// SPDX-License-Identifier: MIT
// `evenkeel sweep`: runs many experiments into a store.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "cli/commands/ask.h"
#include "cli/commands/commands.h"
#include "cli/commands/sweep_progress.h"
#include "cli/line/complain.h"
#include "cli/terminal/data_file.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "lab/record/json.h"
#include "lab/sweep/experiment_file.h"
#include "lab/sweep/sweep.h"
#include "lab/text/clean_text.h"

enum { PRINT_LINES, PRINT_FILE };
static const struct ek_choice prints[] = {[PRINT_LINES] = {"line", "a command line for each experiment"},
                                          [PRINT_FILE] = {"file", "a file of experiments, for --file"},
                                          {0}};

struct options {
    struct cli_ask ask;
    const char *zip, *file, *store, *shard; // NULL if not given
    uint64_t runs, jobs;                    // 0 if not given
    double timeout_s;                       // 0 if not given
    enum cli_format format;
    unsigned print;
    bool again, dry_run, final, trace, quiet;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_RUNS(NULL, "the number of runs of each experiment; each run has its own seed [1]", PLACE(runs)),
    {.name = "zip",
     .form = "AXES",
     .help = "step through the lists of these axes together: topology,load",
     .more = "The first run takes the first value of each of these axes, the next the second, and so on. Lists of "
             "other axes are multiplied. Separate several such groups by '/': topology,load/method,delay.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(zip)},
    {.name = "file",
     .form = "FILE",
     .help = "read experiments from this file, one per [section]",
     .more = "Each line gives an option without dashes, as in `topology = ring:{8..64*2}`: an axis, runs or zip. Lines "
             "in [global] apply to all sections after it. An axis on the command line replaces that of the file in all "
             "sections.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(file),
     .file = CLI_READS},
    {.name = "print",
     .form = "AS",
     .help = "print the experiments and run nothing: as line, or as file",
     .choices = prints,
     .place = PLACE(print)},
    CLI_OPTION_STORE("evenkeel.sqlite", PLACE(store)),
    CLI_OPTION_STORE_JOBS(PLACE(jobs)),
    {.name = "timeout",
     .topic = EK_TOPIC_RUNS,
     .form = "DURATION",
     .help = "end a run that takes longer, and count it as failed",
     .kind = EK_AXIS_SECONDS,
     .place = PLACE(timeout_s)},
    {.name = "shard",
     .form = "K/N",
     .help = "only every N-th run, from the K-th on: for job K of N",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(shard)},
    CLI_OPTION_AGAIN(PLACE(again)),
    {.name = "dry-run",
     .help = "estimate the number of runs, the time and the disk space",
     .more = "Measures some runs, for ten seconds or until one run ends. These runs are not stored.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(dry_run)},
    {.name = "final",
     .topic = EK_TOPIC_OUTPUT,
     .help = "store the final loads",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(final)},
    {.name = "trace",
     .topic = EK_TOPIC_OUTPUT,
     .help = "store the measurements of every step",
     .more = "A trace has at most 1,024 rows.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(trace)},
    CLI_OPTIONS_ASK(PLACE(ask)),
    CLI_OPTION_FORMAT(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    CLI_OPTION_PLUGIN,
    {0}};

// Reads the experiments of --file, or begins with one that the command line describes.
static bool read_experiments(const struct options *options, struct lab_experiment_file *experiments,
                             struct ek_error *error)
{
    if (!options->file) {
        return lab_experiment_file_begin(experiments, error);
    }
    size_t length = 0;
    char *text = cli_read_file(options->file, &length, error);
    if (!text) {
        return false;
    }
    bool good = lab_experiment_file_read(experiments, text, length, error);
    free(text);
    if (!good) {
        struct ek_error inner = *error;
        base_refuse(error, "%.100s: %.450s", options->file, inner.sentence);
    }
    return good;
}

// Reports an error in an experiment, with the line of the file if the wrong option is there.
static enum ek_status complain_of_section(const struct options *options, const struct lab_section *section,
                                          struct ek_error *error)
{
    size_t line = lab_section_line(section, error->axis);
    if (line == 0) {
        return cli_complain(error);
    }
    struct ek_error inner = *error;
    snprintf(error->sentence, sizeof error->sentence, "%.100s: line %zu: %.450s", options->file, line, inner.sentence);
    return cli_complain_of_line(error);
}

// Sets an option of all experiments, if it was typed.
static bool add_option(const struct cli_call *call, const char *name, struct lab_experiment_file *experiments,
                       struct ek_error *error)
{
    const char *text = cli_option_given(call, name);
    bool good = true;
    for (size_t s = 0; good && text && s < experiments->count; s++) {
        good = lab_section_set(&experiments->section[s], name, text, error);
    }
    return good;
}

// Applies the options of the command line to all experiments.
static bool add_typed(const struct cli_call *call, struct lab_experiment_file *experiments, struct ek_error *error)
{
    bool good = add_option(call, "runs", experiments, error) && add_option(call, "zip", experiments, error);
    for (size_t i = 0; good && ek_axis_at(i); i++) {
        good = add_option(call, ek_axis_at(i)->option, experiments, error);
    }
    return good;
}

static bool print_experiments(const struct lab_experiment_file *experiments, unsigned as, struct ek_error *error)
{
    if (as == PRINT_FILE) {
        return lab_experiment_file_write(stdout, experiments, error);
    }
    for (size_t s = 0; s < experiments->count; s++) {
        fputs("evenkeel sweep", stdout);
        lab_section_write(stdout, &experiments->section[s]);
        putchar('\n');
    }
    return true;
}

// Reads --shard K/N.
static bool read_shard(const char *text, struct lab_plan_request *request, struct ek_error *error)
{
    enum { SHARDS_MAX = 1000000 };
    request->shard = request->shards = 1;
    if (!text) {
        return true;
    }
    struct base_cursor cursor = base_cursor_start("shard", text, error);
    return base_cursor_whole(&cursor, "the K of --shard K/N", 1, SHARDS_MAX, &request->shard) &&
           base_cursor_expect(&cursor, '/', "the K of --shard K/N") &&
           base_cursor_whole(&cursor, "the N of --shard K/N", request->shard, SHARDS_MAX, &request->shards) &&
           base_cursor_end(&cursor);
}

// Puts the file of this computer's costs in place of `measured` among the hosts of an experiment, as on the command
// line.
static bool find_hosts(struct lab_section *section, struct ek_error *error)
{
    const char *text = lab_section_text(section, "host");
    const char *hosts = text ? cli_data_hosts(text, true, error) : NULL;
    if (text && !hosts) {
        snprintf(error->axis, sizeof error->axis, "host");
    }
    return !text || (hosts && lab_section_change(section, "host", hosts, error));
}

// Makes the grids of all experiments.
static bool make_grids(struct lab_experiment_file *experiments, const char *plugin, struct lab_grid *grids,
                       size_t *made, struct ek_error *error)
{
    for (*made = 0; *made < experiments->count; ++*made) {
        struct lab_section *section = &experiments->section[*made];
        if (!find_hosts(section, error) || !lab_section_grid(section, &grids[*made], error)) {
            return false;
        }
        grids[*made].plugin = plugin;
    }
    return true;
}

static json_t *troubles_array(const struct lab_troubles *troubles, bool runs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < troubles->count; i++) {
        const struct lab_trouble *trouble = &troubles->of[i];
        json_t *object = json_pack("{s:o, s:o}", "command", json_string_nocheck(trouble->command), "why",
                                   json_string_nocheck(trouble->why));
        if (runs) {
            json_object_set_new(object, "runs", json_integer((json_int_t)trouble->runs));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *keys_array(const struct lab_sweep_result *swept)
{
    json_t *array = json_array();
    for (size_t i = 0; i < swept->keys; i++) {
        json_array_append_new(array, json_string(swept->key[i]));
    }
    return array;
}

// The counts in JSON and CSV.
struct count {
    const char *name;
    uint64_t value;
};
enum { COUNTS = 9 };

static void list_counts(const struct lab_sweep_result *swept, struct count counts[COUNTS])
{
    const struct count list[COUNTS] = {
        {"planned", swept->runs},        {"ran", swept->ran},           {"reused", swept->reused},
        {"refused", swept->refused},     {"failed", swept->failed},     {"left", swept->left},
        {"unreached", swept->unreached}, {"violated", swept->violated}, {"stuck", swept->stuck}};
    memcpy(counts, list, sizeof list);
}

static json_t *swept_object(const struct lab_sweep_result *swept, const char *store)
{
    struct count counts[COUNTS];
    list_counts(swept, counts);
    char *name = lab_text_clean_copy(store);
    json_t *object = json_pack("{s:s, s:s}", "schema", "evenkeel.sweep/1", "store", name);
    for (size_t i = 0; i < COUNTS; i++) {
        json_object_set_new(object, counts[i].name, json_integer((json_int_t)counts[i].value));
    }
    json_object_set_new(object, "elapsed_s", lab_json_real(swept->elapsed_s));
    json_object_set_new(object, "jobs", json_integer(swept->jobs));
    json_object_set_new(object, "interrupted", json_boolean(swept->interrupted));
    json_object_set_new(object, "refusals", troubles_array(&swept->refusals, true));
    json_object_set_new(object, "failures", troubles_array(&swept->failures, false));
    json_object_set_new(object, "keys", keys_array(swept));
    free(name);
    return object;
}

static void write_csv(const struct lab_sweep_result *swept)
{
    struct count counts[COUNTS];
    list_counts(swept, counts);
    for (size_t i = 0; i < COUNTS; i++) {
        printf("%s,", counts[i].name);
    }
    puts("elapsed_s");
    for (size_t i = 0; i < COUNTS; i++) {
        printf("%" PRIu64 ",", counts[i].value);
    }
    printf("%.17g\n", swept->elapsed_s);
}

enum { TROUBLES_SHOWN = 10 };

static void print_troubles(const struct lab_troubles *troubles)
{
    for (size_t i = 0; i < troubles->count && i < TROUBLES_SHOWN; i++) {
        printf("           %s of %s\n", cli_text_plural(troubles->of[i].runs, "run").of, troubles->of[i].command);
        cli_text_wrap(stdout, troubles->of[i].why, 13, 100);
    }
    if (troubles->count > TROUBLES_SHOWN) {
        printf("           and %s more: --format json has all\n", cli_text_count(troubles->count - TROUBLES_SHOWN).of);
    }
}

static void print_store(const char *store)
{
    fputs("store      ", stdout);
    lab_shell_quote(stdout, store);
    putchar('\n');
}

static void print_swept(const struct lab_sweep_result *swept, const char *store)
{
    print_store(store);
    printf("planned    %s\n", cli_text_plural(swept->runs, "run").of);
    printf("ran        %s", cli_text_count(swept->ran).of);
    printf(swept->unreached > 0 ? ", of which %s did not reach the criterion\n" : "\n",
           cli_text_count(swept->unreached).of);
    printf("reused     %s\n", cli_text_count(swept->reused).of);
    printf("refused    %s\n", cli_text_count(swept->refused).of);
    print_troubles(&swept->refusals);
    printf("failed     %s\n", cli_text_count(swept->failed).of);
    print_troubles(&swept->failures);
    printf("elapsed    %s\n", cli_text_seconds(swept->elapsed_s).of);
}

// Writes what a complete sweep leaves. A sweep with an error ends with the error's sentence.
static void print_end(const struct lab_sweep_result *swept)
{
    if (swept->left + swept->failed + swept->violated + swept->stuck > 0 || swept->refused == swept->runs) {
        return;
    }
    const uint64_t kept = swept->runs - swept->refused;
    if (kept == 1) {
        printf("\nThe store has the run%s", swept->refused > 0 ? " that was not refused" : "");
    } else {
        printf("\nThe store has all %s%s", cli_text_plural(kept, "run").of,
               swept->refused > 0 ? " that were not refused" : "");
    }
    if (swept->unreached > 0) {
        printf("; %s of this sweep ended before the criterion, so %s counts are lower bounds",
               cli_text_count(swept->unreached).of, swept->unreached == 1 ? "its" : "their");
    }
    puts(".");
}

static void show_swept(const struct lab_sweep_result *swept, const struct options *options)
{
    if (options->format == CLI_JSON) {
        lab_json_write(stdout, swept_object(swept, options->store), JSON_INDENT(1));
        putchar('\n');
    } else if (options->format == CLI_CSV) {
        write_csv(swept);
    } else if (!options->quiet) {
        print_swept(swept, options->store);
        print_end(swept);
    }
}

// Returns the exit status. If it is not 0, prints a sentence first.
static enum ek_status verdict(const struct lab_sweep_result *swept, struct ek_error *error)
{
    bool all = swept->refused > 0 && swept->refused == swept->runs;
    if (cli_sweep_complete(swept, error) &&
        (!all || base_refuse(error, "all runs were refused: %.450s", swept->refusals.of[0].why))) {
        return EK_OK;
    }
    fflush(stdout);
    return cli_complain(error);
}

// Makes a table of this sweep's keys, since the store can contain other runs, which are not drawn.
static bool name_keys(struct lab_store *store, const struct lab_sweep_result *swept, struct ek_error *error)
{
    sqlite3 *sql = lab_store_sql(store);
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_exec(sql, "CREATE TEMP TABLE swept (key TEXT PRIMARY KEY)", NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(sql, "INSERT OR IGNORE INTO swept VALUES (?)", -1, &statement, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < swept->keys; i++) {
        good = sqlite3_bind_text(statement, 1, swept->key[i], -1, SQLITE_STATIC) == SQLITE_OK &&
               sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return good || lab_store_fail(store, error);
}

static bool draw(const struct options *options, const struct lab_question *question, const char *path,
                 const struct lab_sweep_result *swept, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(path, LAB_STORE_READ, error);
    bool good = store && name_keys(store, swept, error) && cli_ask_draw(&options->ask, store, question, error);
    lab_store_close(store);
    return good;
}

static enum ek_status sweep_all(const struct lab_sweep *sweep, const struct options *options,
                                const struct lab_question *question, struct cli_progress *progress)
{
    struct ek_error error = {.at = -1};
    struct lab_sweep_result swept;
    cli_interrupt_catch();
    bool good = lab_sweep_run(sweep, &swept, &error);
    cli_interrupt_release();
    cli_progress_clear(progress);
    if (good) {
        show_swept(&swept, options);
    }
    good = good &&
           (!options->ask.picture.plot || swept.interrupted || draw(options, question, sweep->store, &swept, &error));
    enum ek_status status = good ? verdict(&swept, &error) : cli_complain(&error);
    lab_sweep_result_destroy(&swept);
    return status;
}

static json_t *cost_object(const struct lab_sweep_cost *cost)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "schema", "evenkeel.sweep-cost/1", "planned",
                     (json_int_t)cost->runs, "missing", (json_int_t)(cost->runs - cost->reused), "reused",
                     (json_int_t)cost->reused, "refused", (json_int_t)cost->refused, "measured",
                     (json_int_t)cost->measured, "jobs", (json_int_t)cost->jobs, "expected_s",
                     lab_json_real(cost->elapsed_s), "expected_bytes", lab_json_real(cost->bytes), "refusals",
                     troubles_array(&cost->refusals, true));
}

static void print_cost(const struct lab_sweep_cost *cost, const char *store)
{
    print_store(store);
    printf("planned    %s\n", cli_text_plural(cost->runs, "run").of);
    printf("reused     %s\n", cli_text_count(cost->reused).of);
    printf("refused    %s of the runs that were tried\n", cli_text_count(cost->refused).of);
    print_troubles(&cost->refusals);
    if (cost->reused == cost->runs) {
        printf("to run     nothing: the store has all runs\n");
    } else if (isfinite(cost->elapsed_s) && isfinite(cost->bytes)) {
        printf("time       about %s with %s\n", cli_text_seconds(cost->elapsed_s).of,
               cli_text_plural(cost->jobs, "worker").of);
        printf("disk       about %s\n", cli_text_bytes((uint64_t)cost->bytes).of);
        printf("           estimated from %s, not stored\n", cli_text_plural(cost->measured, "run").of);
    } else {
        printf("time       not known: no run could be measured\n");
    }
}

static enum ek_status measure(const struct lab_sweep *sweep, const struct options *options, struct cli_found *found)
{
    struct ek_error error = {.at = -1};
    struct lab_sweep_cost cost;
    cli_interrupt_catch();
    bool good = lab_sweep_measure(sweep, &cost, &error);
    cli_interrupt_release();
    found->kind = good && cost.reused == cost.runs ? CLI_FOUND_STORE : CLI_FOUND_NOTHING; // there is nothing to run
    if (good && options->format == CLI_JSON) {
        lab_json_write(stdout, cost_object(&cost), JSON_INDENT(1));
        putchar('\n');
    } else if (good) {
        print_cost(&cost, sweep->store);
    }
    lab_troubles_destroy(&cost.refusals);
    return good ? EK_OK : cli_complain(&error);
}

// Reads what to draw. By default the variance is drawn, for which traces are kept.
static bool read_plot(const struct cli_call *call, const struct cli_ask *ask, struct lab_sweep *sweep,
                      struct lab_question *question, struct ek_error *error)
{
    if (!cli_ask_read(call, ask, question, error)) {
        return false;
    }
    if (!ask->picture.plot && (ask->x || ask->trace_of || ask->group)) {
        return base_refuse(error, "--x, --y, --trace-of and --group describe a picture: add --plot FILE");
    }
    question->among = "key IN (SELECT key FROM swept)";
    if (ask->picture.plot && !question->over) {
        question->trace = question->trace ? question->trace : "variance";
        sweep->parts |= LAB_WITH_TRACE;
    }
    return true;
}

static enum ek_status sweep_grids(const struct lab_grid *grids, size_t count, const struct cli_call *call,
                                  const struct options *options)
{
    struct ek_error error = {.at = -1};
    struct cli_progress progress = cli_progress_begin(options->quiet, true);
    struct lab_sweep sweep = {.request = {.grids = grids,
                                          .count = count,
                                          .reader = cli_reader(),
                                          .again = options->again,
                                          // The start differs widely between sweeps that begin at the same time.
                                          .start = ((uint64_t)getpid() * UINT64_C(0x9E3779B97F4A7C15)) >> 32},
                              .store = options->store,
                              .jobs = (unsigned)options->jobs,
                              .timeout_s = options->timeout_s,
                              .parts = LAB_KEEP_RECORD | LAB_KEEP_THEORY | (options->final ? LAB_WITH_FINAL : 0) |
                                       (options->trace ? LAB_WITH_TRACE : 0),
                              .stopped = cli_interrupt_came,
                              .progress = cli_sweep_progress,
                              .context = &progress};
    struct lab_question question;
    bool good = read_shard(options->shard, &sweep.request, &error) &&
                (!options->dry_run || options->format != CLI_CSV ||
                 base_refuse(&error, "--dry-run prints a table, or --format json")) &&
                read_plot(call, &options->ask, &sweep, &question, &error);
    if (!good) {
        return cli_complain(&error);
    }
    return options->dry_run ? measure(&sweep, options, call->found) : sweep_all(&sweep, options, &question, &progress);
}

static enum ek_status sweep(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    struct lab_experiment_file experiments;
    if (!read_experiments(options, &experiments, &error)) {
        return cli_complain(&error);
    }
    size_t made = 0;
    struct lab_grid *grids = calloc(experiments.count, sizeof *grids);
    enum ek_status status = EK_OK;
    bool good = (grids || base_refuse(&error, "there is no memory for the experiments")) &&
                add_typed(call, &experiments, &error) &&
                make_grids(&experiments, cli_option_given(call, "plugin"), grids, &made, &error);
    if (good && cli_option_given(call, "print")) {
        good = print_experiments(&experiments, options->print, &error);
    } else if (good) {
        status = sweep_grids(grids, experiments.count, call, options);
    }
    if (!good) {
        status = made < experiments.count ? complain_of_section(options, &experiments.section[made], &error)
                                          : cli_complain(&error);
    }
    for (size_t i = 0; i < made; i++) {
        lab_grid_destroy(&grids[i]);
    }
    free(grids);
    lab_experiment_file_destroy(&experiments);
    return status;
}

const struct cli_command cli_sweep = {
    .name = "sweep",
    .theme = CLI_THEME_STUDY,
    .summary = "run many experiments into a store",
    .more = "Every axis takes a list of values: `--method ade,ode --topology ring:{8..64*2} --seed 1..20` runs all "
            "combinations. A comma separates two values if a value that `evenkeel list` knows follows it, and always "
            "in a list of numbers such as --seed 1,2. Any other comma belongs to its value, as in --load list:1,2. "
            "Braces can stand anywhere in a value: {x,y} is x or y; {a..b} counts from a to b, {a..b+s} in steps of s, "
            "and {a..b*f} multiplies by f each time. Quote braces, "
            "since shells expand them too. The store keeps each run under its experiment and seed, and runs that it "
            "has are not repeated: if a sweep is killed, run the same command again to continue. Runs that the machine "
            "refuses are listed. In rounds and turns the carrier is pool:1 by default.",
    .timings = EK_IN_ALL,
    .lists = true,
    .variants =
        (const struct cli_variant[]){
            {.axis = "carrier", .initial = "", .help = "pool:N, threads or mpi:N [pool:1, in free timing threads]"},
            {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = sweep};
