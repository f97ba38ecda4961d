// SPDX-License-Identifier: MIT
// Runs, traces, loads and theory as CSV: every value appears in the column with its name.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/theory_report.h"
#include "cli/tables/run_csv.h"
#include "tests/support/filled_record.h"

struct page {
    char *text;
    char *cell[3][400];
    size_t columns, lines;
};

static void read_page(struct page *page, void (*write)(FILE *, const struct lab_record *),
                      const struct lab_record *record)
{
    size_t length;
    *page = (struct page){0};
    FILE *out = open_memstream(&page->text, &length);
    cr_assert(out);
    write(out, record);
    fclose(out);
    size_t column = 0;
    for (char *at = page->text, *to = at; *at; column++) {
        cr_assert(page->lines < 3 && column < 400);
        page->cell[page->lines][column] = to;
        bool quoted = *at == '"';
        for (at += quoted; quoted ? *at != '"' || *++at == '"' : *at != ',' && *at != '\n'; at++) {
            cr_assert(*at);
            *to++ = *at;
        }
        bool last = *at == '\n';
        cr_assert(last || *at == ',', "'%c' after a cell", *at);
        *to++ = '\0';
        to = ++at;
        if (last) {
            cr_assert(page->lines == 0 || column + 1 == page->columns, "line %zu has %zu cells", page->lines, column);
            page->columns = column + 1;
            page->lines++;
            column = SIZE_MAX;
        }
    }
}

static const char *cell(const struct page *page, size_t line, const char *name)
{
    const char *found = NULL;
    for (size_t c = 0; c < page->columns; c++) {
        if (strcmp(page->cell[0][c], name) == 0) {
            cr_expect_null(found, "two columns %s", name);
            found = page->cell[line][c];
        }
    }
    cr_assert_not_null(found, "no column %s", name);
    return found;
}

static void write_runs(FILE *out, const struct lab_record *record)
{
    for (size_t r = 0; r < record->count; r++) {
        report_csv_write_run(out, record, r);
    }
}

Test(run_csv, every_value_has_its_column_in_csv)
{
    struct lab_record record;
    struct page page;
    begin(&record, 2);
    free(record.topology.spec);
    record.topology.spec = strdup("file:a,\"b\".txt");
    read_page(&page, write_runs, &record);
    cr_assert_eq(page.lines, 3);
    for (unsigned r = 0; r < 2; r++) {
        for (size_t i = 0; i < VALUES; i++) {
            cr_expect_eq(strtod(cell(&page, r + 1, values[i].name), NULL), number_of(i, r), "%s: %s", values[i].name,
                         cell(&page, r + 1, values[i].name));
        }
        for (unsigned k = 0; k < EK_DEPTHS; k++) {
            char name[32];
            snprintf(name, sizeof name, "free.depth.%s", depth_names[k]);
            cr_expect_eq(strtod(cell(&page, r + 1, name), NULL), 500 + k);
        }
        cr_expect_str_eq(cell(&page, r + 1, "topology"), "file:a,\"b\".txt");
        cr_expect_str_eq(cell(&page, r + 1, "why"), "a \"why\", said");
        cr_expect_str_eq(cell(&page, r + 1, "converged"), "true");
        cr_expect_str_eq(cell(&page, r + 1, "ended"), "criterion");
        cr_expect_str_eq(cell(&page, r + 1, "steps"), "");
        cr_expect_str_eq(cell(&page, r + 1, "stop"), "never");
        cr_expect_str_eq(cell(&page, r + 1, "timing"), "free");
    }
    free(page.text);
    lab_record_destroy(&record);
}

Test(run_csv, traces_and_loads_in_csv)
{
    struct lab_record record;
    struct page page;
    begin(&record, 1);
    read_page(&page, report_csv_write_trace, &record);
    cr_assert_eq(page.lines, 3);
    static const struct {
        const char *name;
        double value;
    } row[] = {{"seed", 1000.0},
               {"time", 18.5},
               {"variance", 12.5},
               {"spread", 13.5},
               {"minimum", 14.5},
               {"maximum", 15.5},
               {"moved", 16.5},
               {"invokers", 17.0},
               {"in_flight", 19.5},
               {"error", 10.75},
               {"mean", 11.75},
               {"deviation", 12.75},
               {"normalised_cost", 13.75},
               {"local_fraction", 14.75},
               {"invocations", 16.0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cr_expect_eq(strtod(cell(&page, 2, row[i].name), NULL), row[i].value, "%s", row[i].name);
    }
    free(page.text);
    record.runs[0].timed = false;
    read_page(&page, report_csv_write_trace, &record);
    cr_expect_eq(strtod(cell(&page, 2, "step"), NULL), 11.0);
    free(page.text);
    record.topology.processors = 2;
    record.runs[0].final[1] = NAN;
    read_page(&page, report_csv_write_final, &record);
    cr_expect(page.lines == 3 && page.columns == 3);
    cr_expect_str_eq(cell(&page, 1, "processor"), "0");
    cr_expect_str_eq(cell(&page, 1, "load"), "0.5");
    cr_expect_str_eq(cell(&page, 2, "processor"), "1");
    cr_expect_str_eq(cell(&page, 2, "load"), "");
    free(page.text);
    lab_record_destroy(&record);
}

static void write_theory(FILE *out, const struct lab_record *record)
{
    const struct report_theory_row rows[] = {{.method = "one",
                                              .theory = {.has_exact = true,
                                                         .has_closed = true,
                                                         .gamma_exact = 3.5,
                                                         .gamma_closed = 4.5,
                                                         .parameter = 1.5,
                                                         .parameter_best = 2.5,
                                                         .operations = 5.5,
                                                         .steps = 6.5,
                                                         .note = "a, b"}},
                                             {.method = "two", .theory = {.gamma_exact = 3.5, .gamma_closed = 4.5}}};
    const struct report_eigenvalues eigenvalues = {.second = 7.5, .largest = 8.5, .rho = 9.5, .beta = 10.5};
    report_theory_csv(out, &record->topology, &eigenvalues, rows, 2);
}

Test(run_csv, theory_in_csv)
{
    static const char *const names[] = {"parameter", "parameter_best", "gamma_exact", "gamma_closed", "operations",
                                        "steps",     "lambda_2",       "lambda_m",    "rho",          "beta"};
    struct lab_record record;
    struct page page;
    begin(&record, 1);
    read_page(&page, write_theory, &record);
    cr_assert(page.lines == 3 && page.columns == 13);
    for (int i = 0; i < 10; i++) {
        cr_expect_eq(strtod(cell(&page, 1, names[i]), NULL), i + 1.5, "%s", names[i]);
    }
    cr_expect_str_eq(cell(&page, 1, "method"), "one");
    cr_expect_str_eq(cell(&page, 1, "topology"), "torus:3x2");
    cr_expect_str_eq(cell(&page, 1, "note"), "a, b");
    cr_expect_str_eq(cell(&page, 2, "gamma_exact"), "");
    cr_expect_str_eq(cell(&page, 2, "beta"), "10.5");
    cr_expect_str_eq(cell(&page, 2, "gamma_closed"), "");
    free(page.text);
    lab_record_destroy(&record);
}
