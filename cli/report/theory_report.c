// SPDX-License-Identifier: MIT
#include "cli/report/theory_report.h"

#include <math.h>
#include <stdlib.h>

#include "cli/tables/csv.h"
#include "cli/tables/paste.h"
#include "cli/tables/table_columns.h"
#include "cli/tables/table_lines.h"
#include "lab/record/json.h"
#include "lab/text/memory_stream.h"

enum { WIDTH = 100 };

enum { METHOD, PARAMETER, BEST, FACTOR, CLOSED, OPERATIONS, STEPS, COLUMNS };

static struct cli_text heading_of(const void *of, int column)
{
    static const struct cli_text headings[] = {
        [METHOD] = {"method"},      [PARAMETER] = {"parameter"},   [BEST] = {"best"},  [FACTOR] = {"exact factor"},
        [CLOSED] = {"closed form"}, [OPERATIONS] = {"operations"}, [STEPS] = {"steps"}};
    (void)of;
    return headings[column];
}

static struct cli_text cell_of(const void *of, size_t line, int column)
{
    const struct report_theory_row *row = (const struct report_theory_row *)of + line;
    const struct ek_theory *theory = &row->theory;
    struct cli_text text = {""};
    switch (column) {
    case PARAMETER:
        return cli_text_real(theory->parameter);
    case BEST:
        return cli_text_real(theory->parameter_best);
    case FACTOR:
        return cli_text_factor(theory->has_exact ? theory->gamma_exact : NAN);
    case CLOSED:
        return cli_text_factor(theory->has_closed ? theory->gamma_closed : NAN);
    case OPERATIONS:
        return cli_text_amount(theory->operations);
    case STEPS:
        return cli_text_amount(theory->steps);
    default:
        snprintf(text.of, sizeof text.of, "%s", row->method);
        return text;
    }
}

// Adds the methods for which theory predicts the fewest steps, as in "odf, fos", and returns that number, or NaN if
// it predicts none.
static double add_fastest(struct cli_line *line, const struct report_theory_row *rows, size_t count)
{
    double fewest = NAN;
    for (size_t i = 0; i < count; i++) {
        fewest = fmin(fewest, rows[i].theory.steps);
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].theory.steps == fewest) {
            cli_line_add(line, "%s%s", line->length > 0 ? ", " : "", rows[i].method);
        }
    }
    return fewest;
}

// Adds one sentence: what theory expects of these methods.
static void add_verdict(struct cli_line *line, const struct report_theory_row *rows, size_t count)
{
    double least = NAN;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, rows[i].theory.has_exact ? rows[i].theory.gamma_exact : NAN);
    }
    double fewest = add_fastest(line, rows, count);
    if (isfinite(fewest)) {
        cli_line_add(line, " should balance this load in %s%s",
                     count > 1 ? "the fewest steps of these, about " : "about ",
                     count > 1 ? cli_text_amount(fewest).of : cli_text_plural((uint64_t)fewest, "step").of);
    } else if (isnan(least)) {
        cli_line_add(line, "no steps can be predicted without an exact factor");
    } else if (least >= 1.0) {
        cli_line_add(line, "a factor of 1 or more does not balance every load: try another parameter or --method");
    } else {
        cli_line_add(line, "steps are predicted for real loads and --stop variance:V or error:E only");
    }
}

static void write_head(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues)
{
    struct cli_line line = {0};
    report_topology_say(&line, topology);
    cli_text_wrap(out, line.of, 0, WIDTH);
    fprintf(out, "lambda_2 %s, lambda_m %s, rho %s, beta %s\n", cli_text_real(eigenvalues->second).of,
            cli_text_real(eigenvalues->largest).of, cli_text_real(eigenvalues->rho).of,
            cli_text_real(eigenvalues->beta).of);
}

static struct report_columns columns_of(const struct report_theory_row *rows, size_t count)
{
    return (struct report_columns){
        .of = rows, .count = COLUMNS, .least = FACTOR + 1, .lines = count, .heading = heading_of, .cell = cell_of};
}

// Writes what follows the table: notes, facts, and the verdict.
static void write_rest(FILE *out, const struct report_theory_row *rows, size_t count)
{
    struct cli_line line = {0};
    bool noted = false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].theory.note[0]) {
            cli_text_labelled(out, rows[i].method, 18, rows[i].theory.note);
            noted = true;
        }
    }
    fputs(noted ? "\n" : "", out);
    cli_text_wrap(out,
                  "An operation multiplies the distance from balance by the factor in the long run. Operations and "
                  "steps are predicted from --load until --stop holds, in real units, as if the whole distance shrank "
                  "by the factor from the start. Loads with many eigenmodes need fewer.",
                  0, 80);
    if (count == 1 && rows[0].facts_count > 0) {
        fputc('\n', out);
        report_facts_write(out, rows[0].facts, rows[0].facts_count, NULL);
    }
    add_verdict(&line, rows, count);
    fputc('\n', out);
    cli_text_wrap(out, line.of, 0, 80);
}

void report_theory_table(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues,
                         const struct report_theory_row *rows, size_t count)
{
    const struct report_columns columns = columns_of(rows, count);
    write_head(out, topology, eigenvalues);
    report_columns_write(out, &columns);
    fputc('\n', out);
    write_rest(out, rows, count);
}

bool report_theory_paste(FILE *out, enum cli_format format, const struct lab_topology *topology,
                         const struct report_eigenvalues *eigenvalues, const struct report_theory_row *rows,
                         size_t count)
{
    const struct report_columns columns = columns_of(rows, count);
    struct lab_stream notes;
    if (lab_stream_begin(&notes)) {
        write_head(notes.out, topology, eigenvalues);
        fputc('\n', notes.out);
        write_rest(notes.out, rows, count);
    }
    char *text = lab_stream_end(&notes);
    if (text) {
        report_paste_columns(out, format, &columns);
        report_paste_notes(out, format, text);
    }
    free(text);
    return text;
}

void report_theory_json(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues,
                        const struct report_theory_row *rows, size_t count)
{
    json_t *methods = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_pack("{s:s}", "name", rows[i].method);
        json_object_update_new(object, lab_json_theory(&rows[i].theory, rows[i].facts, rows[i].facts_count));
        json_array_append_new(methods, object);
    }
    json_t *spectrum = json_pack("{s:o, s:o, s:o, s:o}", "lambda_2", lab_json_real(eigenvalues->second), "lambda_m",
                                 lab_json_real(eigenvalues->largest), "rho", lab_json_real(eigenvalues->rho), "beta",
                                 lab_json_real(eigenvalues->beta));
    json_t *whole = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "evenkeel.theory/1", "version", ek_version(),
                              "topology", lab_json_topology(topology), "spectrum", spectrum, "methods", methods);
    lab_json_write(out, whole, JSON_INDENT(1));
    fputc('\n', out);
}

void report_theory_csv(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues,
                       const struct report_theory_row *rows, size_t count)
{
    const double spectrum[] = {eigenvalues->second, eigenvalues->largest, eigenvalues->rho, eigenvalues->beta};
    fputs("topology,method,parameter,parameter_best,gamma_exact,gamma_closed,operations,steps,note,lambda_2,lambda_m,"
          "rho,beta\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const struct ek_theory *theory = &rows[i].theory;
        const double values[] = {theory->parameter,
                                 theory->parameter_best,
                                 theory->has_exact ? theory->gamma_exact : NAN,
                                 theory->has_closed ? theory->gamma_closed : NAN,
                                 theory->operations,
                                 theory->steps};
        report_csv_text(out, topology->spec);
        fputc(',', out);
        report_csv_text(out, rows[i].method);
        report_csv_reals(out, values, sizeof values / sizeof *values);
        fputc(',', out);
        report_csv_text(out, theory->note);
        report_csv_reals(out, spectrum, sizeof spectrum / sizeof *spectrum);
        fputc('\n', out);
    }
}
