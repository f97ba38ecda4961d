// SPDX-License-Identifier: MIT
// `evenkeel doctor`: what this computer allows, and what that means for a run.
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/ranks.h"
#include "cli/report/gnuplot.h"
#include "cli/report/report.h"
#include "cli/text.h"
#include "lab/clean.h"
#include "lab/json.h"

enum { LABEL = 12 };

static void print_mpi(void)
{
    printf("%-*s", LABEL, "mpi");
    if (!cli_ranks_built()) {
        puts("not built in: --carrier mpi needs openmpi-bin and libopenmpi-dev, and a build that finds them");
    } else if (!report_program_found("mpirun")) {
        puts("built in, but there is no mpirun: --carrier mpi needs it (on Debian, apt-get install openmpi-bin)");
    } else {
        puts("built in: mpirun -n 4 evenkeel run --carrier mpi works");
    }
}

static void print_table(const struct ek_limits *limits)
{
    printf("%-*s%s\n", LABEL, "processor", limits->processor[0] ? limits->processor : "not known");
    printf("%-*s%s of %u may be used%s%s: pool takes as many workers if not told otherwise\n", LABEL, "cores",
           cli_text_plural(limits->cores, "core").of, limits->cores_total, *limits->cores_bound ? ", bound by " : "",
           limits->cores_bound);
    printf("%-*s%s of %s may be used%s%s\n", LABEL, "memory", cli_text_bytes(limits->memory_free).of,
           cli_text_bytes(limits->memory_total).of, *limits->memory_bound ? ", bound by " : "", limits->memory_bound);
    printf("%-*sthe threads carrier takes up to %s", LABEL, "threads",
           cli_text_plural(limits->threads_max, "processor").of);
    printf("%s%s; beyond, use --carrier pool\n", limits->threads_bound && *limits->threads_bound ? ", bound by " : "",
           limits->threads_bound ? limits->threads_bound : "");
    if (limits->maps_max > 0) {
        printf("%-*s%s may be mapped (vm.max_map_count)\n", LABEL, "mappings",
               cli_text_plural(limits->maps_max, "area").of);
    }
    printf("%-*sreal-time scheduling is %s\n", LABEL, "scheduler",
           limits->real_time ? "permitted" : "not permitted; nothing needs it");
    printf("%-*s%s%s\n", LABEL, "counters",
           limits->counters[0] ? "no cycles and cache misses are counted: " : "cycles and cache misses can be counted",
           limits->counters);
    print_mpi();
    printf("%-*s%s\n", LABEL, "gnuplot",
           report_program_found("gnuplot")
               ? "found: run --plot FILE works"
               : "not found: run --plot FILE needs it (on Debian, apt-get install gnuplot-nox)");
    printf("%-*s%s\n", LABEL, "charts",
           report_page_has_charts() ? "built in: the pages of report have them"
                                    : "not built in: the pages of report have tables and heat maps alone, until make "
                                      "charts fetches uPlot by npm");
}

// A text of the system's, null where there is none.
static json_t *text_of(const char *text)
{
    char *clean = text && *text ? lab_clean_copy(text) : NULL;
    json_t *value = clean ? json_string(clean) : json_null();
    free(clean);
    return value;
}

static bool print_json(const struct ek_limits *limits)
{
    json_t *whole =
        json_pack("{s:s, s:s, s:o, s:{s:i, s:i, s:o}, s:{s:I, s:I, s:o}, s:{s:I, s:o}, s:o, s:b, s:{s:b, s:o}, s:b, "
                  "s:b, s:{s:b, s:b}}",
                  "schema", "evenkeel.doctor/1", "version", ek_version(), "processor", text_of(limits->processor),
                  "cores", "usable", (int)limits->cores, "all", (int)limits->cores_total, "bound",
                  text_of(limits->cores_bound), "memory", "usable_bytes", (json_int_t)limits->memory_free, "all_bytes",
                  (json_int_t)limits->memory_total, "bound", text_of(limits->memory_bound), "threads", "most",
                  (json_int_t)limits->threads_max, "bound", text_of(limits->threads_bound), "maps_most",
                  limits->maps_max > 0 ? json_integer((json_int_t)limits->maps_max) : json_null(), "real_time",
                  limits->real_time, "counters", "usable", !limits->counters[0], "why", text_of(limits->counters),
                  "gnuplot", report_program_found("gnuplot"), "charts", report_page_has_charts(), "mpi", "built",
                  cli_ranks_built(), "mpirun", report_program_found("mpirun"));
    bool good = lab_json_write(stdout, whole, JSON_INDENT(1));
    putchar('\n');
    return good;
}

enum ek_status cli_doctor(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    struct ek_limits limits;
    ek_limits_read(&limits);
    if (options->format == CLI_TABLE) {
        print_table(&limits);
    } else if (options->format == CLI_CSV) {
        cli_refuse(&error, "", -1, "doctor prints a table or --format json");
        return cli_complain(&error, NULL);
    } else if (!print_json(&limits)) {
        cli_refuse(&error, "", -1, "no memory for the JSON report: leave out --format");
        return cli_complain(&error, NULL);
    }
    return EK_OK;
}
