// SPDX-License-Identifier: MIT
// `evenkeel sweep`: runs many experiments into a store.
#include "lab/sweep/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/ask.h"
#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/files.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "lab/text/clean_text.h"
#include "lab/record/json.h"
#include "lab/sweep/experiment_file.h"

// The experiments that are asked for: those of the file, or the one of the command line.
static bool read_sheet(const struct cli_options *options, struct lab_experiment_file *sheet, struct ek_error *error)
{
    if (!options->file) {
        return lab_experiment_file_begin(sheet, error);
    }
    struct ek_reader reader = cli_files_reader();
    size_t length = 0;
    char *text = reader.read(reader.context, options->file, &length, error);
    if (!text) {
        return false;
    }
    bool good = lab_experiment_file_read(sheet, text, length, error);
    free(text);
    if (!good) {
        struct ek_error inner = *error;
        base_refuse(error, "%.100s: %.450s", options->file, inner.sentence);
    }
    return good;
}

// What is wrong in an experiment: with its place in the file where it is not typed.
static enum ek_status complain_of(const struct cli_options *options, const struct lab_section *section,
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

// What was typed beside the file is in all its experiments.
static bool add_typed(const struct cli_options *options, struct lab_experiment_file *sheet, struct ek_error *error)
{
    bool good = true;
    for (size_t s = 0; s < sheet->count; s++) {
        for (size_t i = 0; good && cli_option_at(i); i++) {
            const char *name = cli_option_at(i)->option;
            bool own = strcmp(name, "runs") == 0 || strcmp(name, "zip") == 0;
            if (options->given[i] && (ek_axis_at(i) || own)) {
                good = lab_section_set(&sheet->section[s], name, options->given[i], error);
            }
        }
    }
    return good;
}

static bool print_sheet(const struct lab_experiment_file *sheet, const char *as, struct ek_error *error)
{
    if (strcmp(as, "file") == 0) {
        return lab_experiment_file_write(stdout, sheet, error);
    }
    if (strcmp(as, "line") != 0) {
        return base_refuse_text(error, "print", as, 0, "--print takes line or file");
    }
    for (size_t s = 0; s < sheet->count; s++) {
        fputs("evenkeel sweep", stdout);
        lab_section_write(stdout, &sheet->section[s]);
        putchar('\n');
    }
    return true;
}

static bool read_shard(const struct cli_options *options, struct lab_plan_request *request, struct ek_error *error)
{
    request->shard = request->shards = 1;
    if (!options->shard) {
        return true;
    }
    char rest;
    bool digits = !options->shard[strspn(options->shard, "0123456789/")];
    return (digits &&
            sscanf(options->shard, "%" SCNu64 "/%" SCNu64 "%c", &request->shard, &request->shards, &rest) == 2 &&
            request->shard >= 1 && request->shard <= request->shards && request->shards <= 1000000) ||
           base_refuse_text(error, "shard", options->shard, 0, "--shard takes K/N with K from 1 to N, as in 3/16");
}

// The grids of all experiments.
static bool make_grids(const struct lab_experiment_file *sheet, const char *plugin, struct lab_grid *grids,
                       size_t *made, struct ek_error *error)
{
    for (*made = 0; *made < sheet->count; ++*made) {
        if (!lab_section_grid(&sheet->section[*made], &grids[*made], error)) {
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

// What JSON and CSV have of it.
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
    printf(swept->unreached > 0 ? ", of which %s did not reach their criterion\n" : "\n",
           cli_text_count(swept->unreached).of);
    printf("reused     %s\n", cli_text_count(swept->reused).of);
    printf("refused    %s\n", cli_text_count(swept->refused).of);
    print_troubles(&swept->refusals);
    printf("failed     %s\n", cli_text_count(swept->failed).of);
    print_troubles(&swept->failures);
    printf("elapsed    %s\n", cli_text_seconds(swept->elapsed_s).of);
}

static void show_swept(const struct lab_sweep_result *swept, const struct cli_options *options)
{
    const char *store = cli_options_text(options, "store");
    if (options->format == CLI_JSON) {
        lab_json_write(stdout, swept_object(swept, store), JSON_INDENT(1));
        putchar('\n');
    } else if (options->format == CLI_CSV) {
        write_csv(swept);
    } else if (!options->quiet) {
        print_swept(swept, store);
    }
}

// The exit status, with a sentence where it is not 0.
static enum ek_status verdict(const struct lab_sweep_result *swept, struct ek_error *error)
{
    bool all = swept->refused > 0 && swept->refused == swept->runs;
    if (cli_progress_whole(swept, error) &&
        (!all || base_refuse(error, "all of it was refused: %.450s", swept->refusals.of[0].why))) {
        return EK_OK;
    }
    fflush(stdout);
    return cli_complain(error);
}

// Only what this sweep is of is drawn, of a store that may have more.
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

static bool draw(const struct cli_options *options, const struct lab_question *question, const char *path,
                 const struct lab_sweep_result *swept, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(path, LAB_STORE_READ, error);
    bool good = store && name_keys(store, swept, error) && cli_ask_draw(options, store, question, error);
    lab_store_close(store);
    return good;
}

static enum ek_status sweep_all(const struct lab_sweep *sweep, const struct cli_options *options,
                                const struct lab_question *question, struct cli_progress *progress)
{
    struct ek_error error = {.at = -1};
    struct lab_sweep_result swept;
    cli_interrupt_catch();
    bool good = lab_sweep_run(sweep, &swept, &error);
    cli_interrupt_release();
    cli_progress_end(progress);
    if (good) {
        show_swept(&swept, options);
    }
    good = good && (!options->plot || swept.interrupted || draw(options, question, sweep->store, &swept, &error));
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
    printf("refused    %s of those that were tried\n", cli_text_count(cost->refused).of);
    print_troubles(&cost->refusals);
    if (isfinite(cost->elapsed_s) && isfinite(cost->bytes)) {
        printf("time       about %s, by %s at once\n", cli_text_seconds(cost->elapsed_s).of,
               cli_text_plural(cost->jobs, "worker").of);
        printf("disk       about %s\n", cli_text_bytes((uint64_t)cost->bytes).of);
        printf("           by %s that %s made for this and not kept\n", cli_text_plural(cost->measured, "run").of,
               cost->measured == 1 ? "was" : "were");
    } else {
        printf("time       not known: no run could be measured\n");
    }
}

static enum ek_status measure(const struct lab_sweep *sweep, const struct cli_options *options)
{
    struct ek_error error = {.at = -1};
    struct lab_sweep_cost cost;
    cli_interrupt_catch();
    bool good = lab_sweep_measure(sweep, &cost, &error);
    cli_interrupt_release();
    if (good && options->format == CLI_JSON) {
        lab_json_write(stdout, cost_object(&cost), JSON_INDENT(1));
        putchar('\n');
    } else if (good) {
        print_cost(&cost, sweep->store);
    }
    lab_troubles_destroy(&cost.refusals);
    return good ? EK_OK : cli_complain(&error);
}

// What is to be drawn of it: not said, the variance, for which traces are kept.
static bool read_plot(const struct cli_options *options, struct lab_sweep *sweep, struct lab_question *question,
                      struct ek_error *error)
{
    if (!cli_ask_read(options, question, error)) {
        return false;
    }
    if (!options->plot && (options->x || options->trace_of || options->group || options->log)) {
        return base_refuse(error,
                           "--x, --y, --trace-of, --group and --log say what --plot draws: give --plot FILE too");
    }
    question->among = "key IN (SELECT key FROM swept)";
    if (options->plot && !question->over) {
        question->trace = question->trace ? question->trace : "variance";
        sweep->parts |= LAB_WITH_TRACE;
    }
    return true;
}

static enum ek_status sweep_grids(const struct lab_grid *grids, size_t count, const struct cli_options *options)
{
    struct ek_error error = {.at = -1};
    struct cli_progress progress = {.terminal = cli_terminal_of(stderr)};
    struct lab_sweep sweep = {.request = {.grids = grids,
                                          .count = count,
                                          .reader = cli_files_reader(),
                                          .again = options->again,
                                          // Anywhere, and far from where another sweep that is begun now begins.
                                          .start = ((uint64_t)getpid() * UINT64_C(0x9E3779B97F4A7C15)) >> 32},
                              .store = cli_options_text(options, "store"),
                              .jobs = (unsigned)options->jobs,
                              .timeout_s = options->timeout_s,
                              .parts = (options->final ? LAB_WITH_FINAL : 0) | (options->trace ? LAB_WITH_TRACE : 0),
                              .stopped = cli_interrupt_came,
                              .progress = options->quiet ? NULL : cli_progress_show,
                              .context = &progress};
    if (!read_shard(options, &sweep.request, &error)) {
        return cli_complain(&error);
    }
    if (options->dry_run && options->format == CLI_CSV) {
        base_refuse(&error, "--dry-run prints a table, or --format json");
        return cli_complain(&error);
    }
    struct lab_question question;
    if (!read_plot(options, &sweep, &question, &error)) {
        return cli_complain(&error);
    }
    return options->dry_run ? measure(&sweep, options) : sweep_all(&sweep, options, &question, &progress);
}

enum ek_status cli_sweep(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    struct lab_experiment_file sheet;
    if (!read_sheet(options, &sheet, &error)) {
        return cli_complain(&error);
    }
    size_t made = 0;
    struct lab_grid *grids = calloc(sheet.count, sizeof *grids);
    enum ek_status status = EK_OK;
    bool good = (grids || base_refuse(&error, "there is no memory for the experiments")) &&
                add_typed(options, &sheet, &error) && make_grids(&sheet, options->plugin, grids, &made, &error);
    if (good && options->print) {
        good = print_sheet(&sheet, options->print, &error);
    } else if (good) {
        status = sweep_grids(grids, sheet.count, options);
    }
    if (!good) {
        status = made < sheet.count ? complain_of(options, &sheet.section[made], &error) : cli_complain(&error);
    }
    for (size_t i = 0; i < made; i++) {
        lab_grid_destroy(&grids[i]);
    }
    free(grids);
    lab_experiment_file_destroy(&sheet);
    return status;
}
