// SPDX-License-Identifier: MIT
// `evenkeel contention`: measures what threads, mailboxes, ports, pinning, carriers and barriers cost. A base
// experiment is varied on one axis at a time. The values come from an option's list, whose first value is the base's.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/shared_options.h"
#include "cli/report/contention_report.h"
#include "cli/figures/figure.h"
#include "cli/terminal/data_file.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "lab/files/atomic_file.h"
#include "lab/studies/contention.h"
#include "lab/studies/measure_costs.h"
#include "lab/sweep/values.h"

struct options {
    double for_s;
    uint64_t runs, seed;
    struct cli_picture picture;
    const char *vary, *baseline; // NULL if not given
    enum cli_format format;
    bool keep;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_FOR("500ms", "the time of each run, as in 200ms, 5s, 2m or 1h", PLACE(for_s)),
    {.name = "runs",
     .topic = EK_TOPIC_RUNS,
     .letter = 'r',
     .form = "N",
     .initial = "5",
     .help = "the number of runs of each experiment",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(runs),
     .minimum = 1,
     .maximum = LAB_CONTENTION_RUNS_MAX},
    CLI_OPTION_SEED("the seed of everything random", PLACE(seed)),
    {.name = "vary",
     .form = "AXIS,...",
     .help = "vary only these: topology, mailbox, ports, unpinned, ...",
     .more = "By default the axes whose options have lists are varied, or all but the method if there are no lists.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(vary)},
    {.name = "baseline",
     .form = "FILE",
     .help = "compare with an earlier output of --format json",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(baseline),
     .file = CLI_READS},
    {.name = "keep",
     .help = "keep this computer's costs, for --host measured",
     .more =
         "They are the costs of virtual time: of a turn, of sending and receiving a message, of moving a cache line "
         "between cores, and of copying a byte. The file is evenkeel/host in the user's data directory.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(keep)},
    CLI_OPTION_FORMAT(PLACE(format)),
    CLI_OPTIONS_PICTURE("draw the messages per second: .svg, .pdf or .png", "Needs gnuplot.", PLACE(picture)),
    CLI_OPTION_PLUGIN,
    {0}};

enum { EACH_MOST = 1024, SIZES_LENGTH = 400 };
static const double HOST_LIMIT_S = 0.1;

// The axes that can be varied, and their values if no list is typed.
static const struct {
    const char *option;
    const char *values;                 // NULL: see the comments in the rows
    bool typed;                         // the axis is an option of this command, which takes a list
} varied[] = {{"topology", NULL, true}, // by the number of threads per core
              {"method", NULL, true},   // only if a list is typed
              {"mailbox", "spsc:4,wfcq:4,mutex:4,spsc:1,spsc:2,spsc:16", true},
              {"ports", "all,one", true},
              {"unpinned", "false,true", false},
              {"carrier", "threads,pool", true},
              {"barrier", "auto,spin,yield,sleep,pthread", false}}; // in rounds: free timing has no barriers
enum { VARIED = sizeof varied / sizeof *varied };

struct plan {
    struct lab_values typed[VARIED];  // from the options; the first value is the base's
    struct lab_values filled[VARIED]; // the default values of axes that are varied without a typed list
    bool on[VARIED];                  // the axis is varied
    char sizes[SIZES_LENGTH];
    struct lab_experiment_spec base;
};

// Writes a list of rings with 1, 4, 16 and so on processors per core. If the base is a torus, the list has nearly
// square tori.
static void list_sizes(char *sizes, const char *base)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    unsigned cores = limits.cores > 0 ? limits.cores : 1;
    size_t length = (size_t)snprintf(sizes, SIZES_LENGTH, "%s", "");
    for (uint64_t each = 1; each <= EACH_MOST; each *= 4) {
        uint64_t processors = each * cores;
        uint64_t side = 1;
        for (uint64_t k = 1; k * k <= processors; k++) {
            side = processors % k == 0 ? k : side;
        }
        if (processors < 2 || processors >= limits.threads_max) {
            continue;
        }
        const char *comma = length > 0 ? "," : "";
        length +=
            (size_t)(strncmp(base, "torus", 5) == 0
                         ? snprintf(sizes + length, SIZES_LENGTH - length, "%storus:%ux%u", comma, (unsigned)side,
                                    (unsigned)(processors / side))
                         : snprintf(sizes + length, SIZES_LENGTH - length, "%sring:%u", comma, (unsigned)processors));
        assert(length < SIZES_LENGTH);
    }
}

static void set_text(struct lab_experiment_spec *spec, const char *option, const char *text)
{
    size_t i = 0;
    while (strcmp(ek_axis_at(i)->option, option) != 0) {
        i++;
    }
    spec->text[i] = text;
}

static size_t varied_named(const char *name, size_t length)
{
    size_t v = 0;
    while (v < VARIED && (strlen(varied[v].option) != length || strncmp(varied[v].option, name, length) != 0)) {
        v++;
    }
    return v;
}

// Chooses the axes to vary: those of --vary, and those with a typed list. If there are none of these, it chooses all
// axes that have default values.
static bool choose(struct plan *plan, const struct options *options, struct ek_error *error)
{
    bool listed = false;
    for (size_t v = 0; v < VARIED; v++) {
        plan->on[v] = plan->typed[v].count > 1;
        listed = listed || plan->on[v];
    }
    for (size_t v = 0; !listed && !options->vary && v < VARIED; v++) {
        plan->on[v] = strcmp(varied[v].option, "method") != 0;
    }
    for (const char *at = options->vary; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        size_t v = varied_named(at, strcspn(at, ","));
        if (v == VARIED) {
            return base_refuse_text(
                error, "vary", options->vary, (size_t)(at - options->vary),
                "contention varies topology, method, mailbox, ports, unpinned, carrier and barrier");
        }
        if (strcmp(varied[v].option, "method") == 0 && plan->typed[v].count == 1) {
            return base_refuse_text(error, "vary", options->vary, (size_t)(at - options->vary),
                                    "give --method a list, as in adf,ade");
        }
        plan->on[v] = true;
    }
    return true;
}

static bool read_lists(struct plan *plan, const struct cli_call *call, struct ek_error *error)
{
    for (size_t v = 0; v < VARIED; v++) {
        const struct ek_axis *axis = ek_axis_named(varied[v].option);
        if (varied[v].typed) {
            if (!lab_values_read(&plan->typed[v], axis, cli_option_text(call, varied[v].option), error)) {
                return false;
            }
            set_text(&plan->base, varied[v].option, plan->typed[v].text[0]);
        }
    }
    return true;
}

static bool fill_lists(struct plan *plan, struct ek_error *error)
{
    list_sizes(plan->sizes, plan->typed[0].text[0]);
    for (size_t v = 0; v < VARIED; v++) {
        const char *text = varied[v].values ? varied[v].values : plan->sizes;
        if (plan->on[v] && plan->typed[v].count <= 1 && *text &&
            !lab_values_read(&plan->filled[v], ek_axis_named(varied[v].option), text, error)) {
            return false;
        }
    }
    return true;
}

static bool add_varied(struct lab_contention *contention, const struct plan *plan, size_t v, struct ek_error *error)
{
    bool rounds = strcmp(varied[v].option, "barrier") == 0;
    size_t base = rounds ? contention->count : 0;
    const struct lab_values *values = plan->typed[v].count > 1 ? &plan->typed[v] : &plan->filled[v];
    for (size_t i = 0; i < values->count; i++) {
        struct lab_experiment_spec spec = plan->base;
        set_text(&spec, varied[v].option, values->text[i]);
        if (rounds) {
            set_text(&spec, "timing", "rounds");
            set_text(&spec, "mailbox", NULL);
        }
        if (!lab_contention_add(contention, &spec, varied[v].option, values->text[i], base, error)) {
            return false;
        }
    }
    return true;
}

static bool add_points(struct lab_contention *contention, struct plan *plan, const struct cli_call *call,
                       struct ek_error *error)
{
    set_text(&plan->base, "timing", "free");
    set_text(&plan->base, "stop", "never");
    set_text(&plan->base, "no-flows", "true");
    set_text(&plan->base, "for", cli_option_text(call, "for"));
    set_text(&plan->base, "seed", cli_option_text(call, "seed"));
    bool good = lab_contention_add(contention, &plan->base, "", "", 0, error);
    for (size_t v = 0; good && v < VARIED; v++) {
        good = !plan->on[v] || add_varied(contention, plan, v, error);
    }
    return good;
}

static void destroy_plan(struct plan *plan)
{
    for (size_t v = 0; v < VARIED; v++) {
        lab_values_destroy(&plan->typed[v]);
        lab_values_destroy(&plan->filled[v]);
    }
}

static void show_progress(void *progress, const struct lab_point *point, uint64_t done, uint64_t all)
{
    cli_progress_show(progress, 0.0, "%s of %s: %s %s", cli_text_count(done).of, cli_text_count(all).of,
                      *point->axis ? point->axis : "base", point->value);
}

// Warns of circumstances that can have distorted the numbers.
static void warn(const struct lab_contention *contention, const struct lab_contention *baseline)
{
    if (report_contention_disturbed(contention)) {
        fprintf(stderr,
                "evenkeel: warning: other programs used %.0f %% of this computer's time meanwhile, which affects these "
                "numbers\n",
                100.0 * contention->others);
    }
    if (baseline && (strcmp(baseline->host.processor, contention->host.processor) != 0 ||
                     baseline->host.cores != contention->host.cores)) {
        fprintf(stderr, "evenkeel: warning: the baseline was measured on another computer: %s, cores: %u\n",
                baseline->host.processor, baseline->host.cores);
    }
}

static bool draw(const struct lab_contention *contention, const struct options *options, struct ek_error *error)
{
    struct lab_figure figure;
    bool good =
        report_contention_figure(&figure, contention, error) && report_figure_draw(&figure, &options->picture, error);
    lab_figure_destroy(&figure);
    return good;
}

static bool show(const struct lab_contention *contention, const struct lab_contention *baseline,
                 const struct options *options, struct ek_error *error)
{
    if (options->picture.plot && contention->point[0].count > 0 && !draw(contention, options, error)) {
        return false;
    }
    if (options->format == CLI_JSON) {
        lab_contention_write(stdout, contention, baseline);
    } else if (options->format == CLI_CSV) {
        report_csv_write_contention(stdout, contention);
    } else {
        report_contention_table(stdout, contention, baseline);
    }
    return true;
}

// Measures this computer's costs and keeps them where --host measured finds them.
static bool keep_costs(const struct lab_contention *contention, const struct lab_contention_watch *watch,
                       struct ek_error *error)
{
    struct lab_measured_costs costs;
    struct lab_file file = {0};
    if (!lab_measure_costs(&costs, contention, contention->runs, watch, error) ||
        !lab_file_open(&file, cli_data_file(error), error)) {
        return false;
    }
    lab_measured_costs_write(file.file, &costs, contention);
    if (!lab_file_close(&file, true, error)) {
        return false;
    }
    fprintf(stderr, "evenkeel: kept in %s: a turn %s, overhead %s, latency %s; --host measured takes them\n",
            cli_data_file(error), cli_text_seconds(costs.turn).of, cli_text_seconds(costs.overhead).of,
            cli_text_seconds(costs.latency).of);
    return true;
}

static enum ek_status measure(struct lab_contention *contention, const struct lab_contention *baseline,
                              const struct options *options)
{
    struct ek_error error = {.at = -1};
    struct cli_progress progress = cli_progress_begin(false, false);
    struct lab_contention_watch watch = {.on_run = show_progress,
                                         .context = &progress,
                                         .stopped = cli_interrupt_came,
                                         .reader = cli_reader(),
                                         .host_limit_s = HOST_LIMIT_S};
    cli_interrupt_catch();
    enum ek_status status = lab_contention_run(contention, &watch, &error);
    cli_progress_clear(&progress);
    const bool kept = !options->keep || status != EK_OK || keep_costs(contention, &watch, &error);
    cli_interrupt_release();
    if (status != EK_OK && status != EK_UNREACHED) {
        return cli_complain(&error);
    }
    warn(contention, baseline);
    if (!show(contention, baseline, options, &error)) {
        return cli_complain(&error);
    }
    if (!kept) {
        fflush(stdout);
        return cli_complain(&error);
    }
    if (status == EK_UNREACHED) {
        fflush(stdout);
        base_fail(&error, status, "", "interrupted in turn %zu of %s: not all runs were carried out", contention->turns,
                  cli_text_count(contention->runs).of);
        cli_complain(&error);
    }
    return status;
}

static bool read_baseline(const char *path, struct lab_contention *baseline, struct ek_error *error)
{
    size_t length;
    char *text = cli_read_file(path, &length, error);
    bool good = text && lab_contention_read(text, length, baseline, error);
    free(text);
    return good;
}

static enum ek_status contention(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    struct plan plan = {0};
    struct lab_contention contention = {0};
    struct lab_contention baseline = {0};
    bool good = report_figure_ready(&options->picture, (struct report_across){.logarithmic = true}, &error) &&
                (!options->keep || cli_data_directory_make(&error)) &&
                (!options->baseline || read_baseline(options->baseline, &baseline, &error)) &&
                lab_contention_begin(&contention, call->typed, options->runs, &error) &&
                read_lists(&plan, call, &error) && choose(&plan, options, &error) && fill_lists(&plan, &error) &&
                add_points(&contention, &plan, call, &error);
    enum ek_status status =
        good ? measure(&contention, options->baseline ? &baseline : NULL, options) : cli_complain(&error);
    lab_contention_destroy(&contention);
    lab_contention_destroy(&baseline);
    destroy_plan(&plan);
    return status;
}

const struct cli_command cli_contention = {
    .name = "contention",
    .theme = CLI_THEME_LEARN,
    .summary = "measure what threads, mailboxes, barriers, ports and pinning cost",
    .more = "Runs one experiment in free timing again and again and changes one thing at a time: threads per core, "
            "mailbox and its capacity, ports, pinning, carrier; and in rounds the barrier. --topology, --method, "
            "--mailbox, --ports and --carrier take lists, as in --carrier threads,pool:2. The first value of each list "
            "makes the base experiment, and only axes with a list are varied. All experiments take turns, back and "
            "forth, and between them the computer's own limits are measured. Each number is a mean; from five runs on "
            "it has a "
            "confidence interval. If the interval of a ratio to the base contains 1, no difference is visible. Of "
            "twenty ratios "
            "of equal experiments, one still shows a difference.",
    .axes = (const char *const[]){"topology", "method", "mailbox", "ports", "carrier", NULL},
    .lists = true,
    .variants = (const struct cli_variant[]){{.axis = "method", .initial = "adf"},
                                             {.axis = "topology", .initial = "torus:16x16"},
                                             {.axis = "mailbox", .initial = "spsc:4"},
                                             {.axis = "carrier", .help = CLI_CARRIERS_WITHOUT_MPI},
                                             {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = contention};
