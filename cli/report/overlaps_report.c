// SPDX-License-Identifier: MIT
#include "cli/report/overlaps_report.h"

#include "cli/tables/run_table.h"
#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"

enum { SIZES = 32 }; // classes of spheres: 1, 2, 3-4, 5-8, ... operations

struct size {
    uint64_t spheres, processors, turns;
    double before, after;
};

const char *report_overlaps_name(enum ek_overlap_kind kind)
{
    static const char *const names[] = {[EK_OVERLAP_ALONE] = "alone",
                                        [EK_OVERLAP_ADJACENT] = "adjacent",
                                        [EK_OVERLAP_ONE_SHARED] = "one_shared",
                                        [EK_OVERLAP_TWO_SHARED] = "two_shared",
                                        [EK_OVERLAP_MANY] = "many"};
    return names[kind];
}

static unsigned size_of(uint32_t operations)
{
    unsigned size = 0;
    while (size + 1 < SIZES && operations > 1u << size) {
        size++;
    }
    return size;
}

static void write_size(FILE *out, const struct cli_terminal *terminal, unsigned number, const struct size *size)
{
    struct cli_line label = {0};
    uint64_t most = UINT64_C(1) << number;
    uint64_t least = most / 2 + 1;
    double spheres = (double)size->spheres;
    if (number < 2) {
        cli_line_add(&label, "%llu", (unsigned long long)most);
    } else {
        cli_line_add(&label, "%llu-%llu", (unsigned long long)least, (unsigned long long)most);
    }
    report_label(out, terminal, label.of);
    fprintf(out, " %12s %12.4g %12.4g %12.5g %12.5g", cli_text_count(size->spheres).of,
            (double)size->processors / spheres, (double)size->turns / spheres, size->before / spheres,
            size->after / spheres);
    struct cli_text left = {"-"};
    if (size->before > 0.0) {
        snprintf(left.of, sizeof left.of, "%.4g", size->after / size->before);
    }
    fprintf(out, " %12s\n", left.of);
}

static void write_spheres(FILE *out, const struct cli_terminal *terminal, const struct ek_sphere *spheres, size_t count)
{
    struct size sizes[SIZES] = {0};
    for (size_t i = 0; i < count; i++) {
        struct size *size = &sizes[size_of(spheres[i].operations)];
        size->spheres++;
        size->processors += spheres[i].processors;
        size->turns += spheres[i].end - spheres[i].begin + 1;
        size->before += spheres[i].before;
        size->after += spheres[i].after;
    }
    fprintf(out, "  variance of spheres, by their number of operations\n%*s %12s %12s %12s %12s %12s %12s\n",
            REPORT_LABEL, "", "spheres", "processors", "turns", "before", "after", "left");
    for (unsigned i = 0; i < SIZES; i++) {
        if (sizes[i].spheres > 0) {
            write_size(out, terminal, i, &sizes[i]);
        }
    }
}

void report_overlaps_write(FILE *out, const struct lab_record *record, const struct ek_overlaps_report *report,
                           const struct ek_sphere *spheres, size_t count)
{
    struct cli_terminal terminal = cli_terminal_of(out);
    uint64_t all = report->adjacent + report->one_shared + report->two_shared + report->many;
    report_say(out, &terminal, "overlaps",
               "%s of two operations: %s adjacent, %s share one processor, %s share two, %s share more",
               cli_text_count(all).of, cli_text_count(report->adjacent).of, cli_text_count(report->one_shared).of,
               cli_text_count(report->two_shared).of, cli_text_count(report->many).of);
    if (report->effects.unknown > 0) {
        report_say(out, &terminal, "unknown", "%s that had not ended, or may overlap with one that had not",
                   cli_text_plural(report->effects.unknown, "operation").of);
    }
    report_run_table_effects(out, &terminal, record);
    if (count > 0) {
        write_spheres(out, &terminal, spheres, count);
    }
}
