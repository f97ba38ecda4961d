// SPDX-License-Identifier: MIT
// Records as a person or a program wants to see them. Errors of writing stay with the stream.
#ifndef CLI_REPORT_VIEWS_H
#define CLI_REPORT_VIEWS_H

#include "cli/terminal/text.h"
#include "lab/studies/contention.h"
#include "lab/record/record.h"
#include "lab/record/timeline.h"

// The table of a run or of several; with `heat` also the loads before and after the first, where they were kept and the
// topology has two dimensions.
void report_table_write(FILE *out, const struct lab_record *record, bool heat);

// Comma-separated values: a line for each run, for each step or snapshot, for each processor. Run 0 comes with the
// names of the columns before it.
void report_csv_write_run(FILE *out, const struct lab_record *record, size_t run);
void report_csv_write_trace(FILE *out, const struct lab_record *record);
void report_csv_write_final(FILE *out, const struct lab_record *record);

// A value of such a line: a text, in quotes where it needs them; a number, nothing where it is not finite.
void report_csv_text(FILE *out, const char *text);
void report_csv_real(FILE *out, double value);

// The theory of one method, as `theory` shows it.
struct report_theory_row {
    const char *method;
    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t facts_count;
};

// What the spectrum of the Laplacian says of a topology, in the words of Zhao, Xiao & Parhami 2009, section 2; NaN
// where it cannot be had.
struct report_eigenvalues {
    double second, largest; // lambda_2 and lambda_m
    double rho;             // lambda_2 / lambda_m
    double beta;            // of the second order scheme
};
void report_csv_write_theory(FILE *out, const struct lab_topology *topology,
                             const struct report_eigenvalues *eigenvalues, const struct report_theory_row *rows,
                             size_t count);

// "8x8: 64 processors, 128 links, 4 colours, diameter 8".
void report_topology_say(struct cli_line *line, const struct lab_topology *topology);

// A line or more for each fact, with what run 0 of `record` measured beside it; NULL: nothing was run.
void report_facts_write(FILE *out, const struct ek_fact *facts, size_t count, const struct lab_record *record);

// The variance over the steps of one run, in free timing over time, on a logarithmic scale, in so many rows at most.
// Beside it, dotted, what theory says: that it falls by `factor` a step; NaN: nothing.
enum { REPORT_CHART_ROWS = 12, REPORT_CHART_LINES = REPORT_CHART_ROWS + 3 };
void report_chart_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_report *run, int rows,
                       double factor);

// The loads of one run before and after, side by side; the topology has two dimensions.
void report_heat_draw(FILE *out, const struct cli_terminal *terminal, const struct lab_topology *topology,
                      const struct ek_report *run);

// The loads of now in so many rows of cells at most, on a scale from `low` to `high`, and a line more that says what a
// cell shows.
struct report_heat {
    const double *load; // [processors]
    double low, high;
    uint32_t rows;
};
void report_heat_now(FILE *out, const struct cli_terminal *terminal, const struct lab_topology *topology,
                     const struct report_heat *heat);

// Records as one page of HTML, each beside the name of the file that it is from; of one made from a recording also its
// time line; and what contention measured. A page has at most so much of a record, and says what it lacks.
struct report_page {
    struct report_page_item {
        char *file;
        size_t rows; // of the longest trace that it had
        struct lab_record record;
        struct lab_timeline timeline; // empty where there is none
    } * items;
    size_t count;
    struct report_page_contention {
        char *file;
        struct lab_contention measured;
    } * contentions;
    size_t contentions_count;
};

// Takes a record over, and drops what a page does not have of it; and its time line, or NULL. False without memory:
// they are gone all the same.
bool report_page_add(struct report_page *page, const char *file, struct lab_record *record,
                     struct lab_timeline *timeline, struct ek_error *error);

// The same of a measurement.
bool report_page_add_contention(struct report_page *page, const char *file, struct lab_contention *measured,
                                struct ek_error *error);
void report_page_destroy(struct report_page *page);

// False without memory; errors of writing stay with the stream.
bool report_page_write(FILE *out, const struct report_page *page);

// Whether the command was built with what draws the page's charts.
bool report_page_has_charts(void);

#endif
