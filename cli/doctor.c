// SPDX-License-Identifier: MIT
// `evenkeel doctor`: what this computer allows, and what that means for a run.
#include <stdio.h>

#include "cli/commands.h"
#include "cli/report/gnuplot.h"
#include "cli/report/report.h"
#include "cli/text.h"

enum { LABEL = 12 };

enum ek_status cli_doctor(const struct cli_options *options, const char *typed)
{
    (void)options;
    (void)typed;
    struct ek_limits limits;
    ek_limits_read(&limits);
    printf("%-*s%s\n", LABEL, "processor", limits.processor[0] ? limits.processor : "not known");
    printf("%-*s%s of %u may be used%s%s: pool takes as many workers if not told otherwise\n", LABEL, "cores",
           cli_text_plural(limits.cores, "core").of, limits.cores_total, *limits.cores_bound ? ", bound by " : "",
           limits.cores_bound);
    printf("%-*s%s of %s may be used%s%s\n", LABEL, "memory", cli_text_bytes(limits.memory_free).of,
           cli_text_bytes(limits.memory_total).of, *limits.memory_bound ? ", bound by " : "", limits.memory_bound);
    printf("%-*sthe threads carrier takes up to %s", LABEL, "threads",
           cli_text_plural(limits.threads_max, "processor").of);
    printf("%s%s; beyond, use --carrier pool\n", limits.threads_bound && *limits.threads_bound ? ", bound by " : "",
           limits.threads_bound ? limits.threads_bound : "");
    if (limits.maps_max > 0) {
        printf("%-*s%s may be mapped (vm.max_map_count)\n", LABEL, "mappings",
               cli_text_plural(limits.maps_max, "area").of);
    }
    printf("%-*sreal-time scheduling is %s\n", LABEL, "scheduler",
           limits.real_time ? "permitted" : "not permitted; nothing needs it");
    printf("%-*s%s%s\n", LABEL, "counters",
           limits.counters[0] ? "no cycles and cache misses are counted: " : "cycles and cache misses can be counted",
           limits.counters);
    printf("%-*s%s\n", LABEL, "gnuplot",
           report_program_found("gnuplot")
               ? "found: run --plot FILE works"
               : "not found: run --plot FILE needs it (on Debian, apt-get install gnuplot-nox)");
    printf("%-*s%s\n", LABEL, "charts",
           report_page_has_charts() ? "built in: the pages of report have them"
                                    : "not built in: the pages of report have tables and heat maps alone, until make "
                                      "charts fetches uPlot by npm");
    return EK_OK;
}
