// SPDX-License-Identifier: MIT
// `evenkeel doctor`: reports what this computer allows, and what that means for a run.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_ranks.h"
#include "cli/line/complain.h"
#include "cli/line/shared_options.h"
#include "cli/page/page.h"
#include "cli/figures/gnuplot.h"
#include "cli/terminal/text.h"
#include "lab/record/json.h"
#include "lab/text/clean_text.h"

enum { LABEL = 12 };

struct options {
    enum cli_format format;
};

static const struct cli_option own[] = {CLI_OPTION_FORMAT_WITHOUT_CSV(offsetof(struct options, format)), {0}};

// Returns whether METIS, which divides general graphs among ranks, was built in.
static bool has_metis(void)
{
#ifdef CLI_WITH_METIS
    return cli_ranks_built();
#else
    return false;
#endif
}

// Returns whether libpng, which writes the pictures of tasks, was built in.
static bool has_png(void)
{
#ifdef CLI_WITH_PNG
    return true;
#else
    return false;
#endif
}

// Prints a label and a sentence, which is wrapped on a terminal only.
__attribute__((format(printf, 2, 3))) static void say(const char *label, const char *format, ...)
{
    enum { LONGEST = 1000 };
    struct cli_line line = {0};
    va_list arguments;
    va_start(arguments, format);
    cli_line_add_list(&line, format, arguments);
    va_end(arguments);
    fputs(label, stdout);
    cli_text_after(stdout, (int)strlen(label), line.of, LABEL, LONGEST);
}

static void print_mpi(void)
{
    if (!cli_ranks_built()) {
        say("mpi", "not built in: --carrier mpi needs openmpi-bin and libopenmpi-dev, and a build that finds them");
    } else if (!report_program_found("mpirun")) {
        say("mpi", "built in, but there is no mpirun: --carrier mpi needs it (on Debian, apt-get install openmpi-bin)");
    } else {
        say("mpi", "built in: mpirun -n 4 evenkeel run --carrier mpi works%s",
            has_metis() ? ", with METIS" : "; without libmetis-dev, general graphs are divided by processor number");
    }
}

// Prints what this computer can run, and what is missing for the rest.
static void print_verdict(void)
{
    const struct {
        bool there;
        const char *need;
    } parts[] = {{cli_ranks_built() && report_program_found("mpirun"), "--carrier mpi"},
                 {report_program_found("gnuplot"), "--plot"},
                 {report_page_has_charts(), "charts of report"}};
    struct cli_line missing = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].there) {
            cli_line_add(&missing, "%s%s", missing.length > 0 ? ", " : "", parts[i].need);
        }
    }
    putchar('\n');
    if (missing.length > 0) {
        say("", "evenkeel run works here, but the lines above say what is missing for: %s", missing.of);
    } else {
        say("", "evenkeel run works here, and so do %s, %s and the %s", parts[0].need, parts[1].need, parts[2].need);
    }
}

static void print_table(const struct ek_limits *limits)
{
    say("processor", "%s", limits->processor[0] ? limits->processor : "not known");
    say("cores", "%s of %u may be used%s%s: by default a pool has as many workers",
        cli_text_plural(limits->cores, "core").of, limits->cores_total, *limits->cores_bound ? ", bound by " : "",
        limits->cores_bound);
    say("memory", "%s of %s may be used%s%s", cli_text_bytes(limits->memory_free).of,
        cli_text_bytes(limits->memory_total).of, *limits->memory_bound ? ", bound by " : "", limits->memory_bound);
    bool bound = limits->threads_bound && *limits->threads_bound;
    say("threads", "--carrier threads allows up to %s%s%s; for more, use --carrier pool",
        cli_text_plural(limits->threads_max, "processor").of, bound ? ", bound by " : "",
        bound ? limits->threads_bound : "");
    if (limits->maps_max > 0) {
        say("mappings", "%s may be mapped (vm.max_map_count)", cli_text_plural(limits->maps_max, "area").of);
    }
    say("scheduler", "real-time scheduling is %s", limits->real_time ? "permitted" : "not permitted; nothing needs it");
    say("counters", "%s%s",
        limits->counters[0] ? "cycles and cache misses cannot be counted: " : "cycles and cache misses can be counted",
        limits->counters);
    print_mpi();
    say("gnuplot", "%s",
        report_program_found("gnuplot")
            ? "found: run --plot FILE works"
            : "not found: run --plot FILE needs it (on Debian, apt-get install gnuplot-nox)");
    say("libpng", "%s",
        has_png() ? "built in: run --picture --out DIR works"
                  : "not built in: run --picture --out DIR needs libpng-dev, and a build that finds it");
    say("charts", "%s",
        report_page_has_charts() ? "built in: the pages of report have charts"
                                 : "not built in: the pages of report have only tables and heat maps until make charts "
                                   "fetches uPlot by npm");
    print_verdict();
}

// Returns a text of the system as a JSON string, or null if there is none.
static json_t *text_of(const char *text)
{
    char *clean = text && *text ? lab_text_clean_copy(text) : NULL;
    json_t *value = clean ? json_string(clean) : json_null();
    free(clean);
    return value;
}

static void print_json(const struct ek_limits *limits)
{
    json_t *whole =
        json_pack("{s:s, s:s, s:o, s:{s:i, s:i, s:o}, s:{s:I, s:I, s:o}, s:{s:I, s:o}, s:o, s:b, s:{s:b, s:o}, s:b, "
                  "s:b, s:b, s:{s:b, s:b, s:b}}",
                  "schema", "evenkeel.doctor/1", "version", ek_version(), "processor", text_of(limits->processor),
                  "cores", "usable", (int)limits->cores, "all", (int)limits->cores_total, "bound",
                  text_of(limits->cores_bound), "memory", "usable_bytes", (json_int_t)limits->memory_free, "all_bytes",
                  (json_int_t)limits->memory_total, "bound", text_of(limits->memory_bound), "threads", "most",
                  (json_int_t)limits->threads_max, "bound", text_of(limits->threads_bound), "maps_most",
                  limits->maps_max > 0 ? json_integer((json_int_t)limits->maps_max) : json_null(), "real_time",
                  limits->real_time, "counters", "usable", !limits->counters[0], "why", text_of(limits->counters),
                  "gnuplot", report_program_found("gnuplot"), "libpng", has_png(), "charts", report_page_has_charts(),
                  "mpi", "built", cli_ranks_built(), "mpirun", report_program_found("mpirun"), "metis", has_metis());
    lab_json_write(stdout, whole, JSON_INDENT(1));
    putchar('\n');
}

static enum ek_status doctor(const struct cli_call *call, const void *values)
{
    (void)call;
    const struct options *options = values;
    struct ek_limits limits;
    ek_limits_read(&limits);
    options->format == CLI_JSON ? print_json(&limits) : print_table(&limits);
    return EK_OK;
}

const struct cli_command cli_doctor = {.name = "doctor",
                                       .theme = CLI_THEME_LEARN,
                                       .summary = "report what this computer allows: cores, threads, memory, programs",
                                       .options = own,
                                       .size = sizeof(struct options),
                                       .act = doctor};
