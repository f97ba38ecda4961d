// SPDX-License-Identifier: MIT
// The report as comma-separated values (RFC 4180, ends of line as POSIX has them): a line for each run, for each step,
// for each processor, or for each method of a theory.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/report/results.h"

static void write_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputc('"', out);
}

// What is not finite is left empty.
static void write_real(FILE *out, double value)
{
    if (isfinite(value)) {
        fprintf(out, "%.17g", value);
    }
}

static void write_field(FILE *out, const struct report_field *field, const struct ek_report *report)
{
    if (!report_field_present(field, report) || !report_field_measured(field, report)) {
        return;
    }
    if (field->kind == REPORT_FIELD_WHOLE) {
        fprintf(out, "%" PRIu64, report_field_whole(field, report));
    } else if (field->kind == REPORT_FIELD_SWITCH) {
        fputs(report_field_value(field, report) != 0.0 ? "true" : "false", out);
    } else {
        write_real(out, report_field_value(field, report));
    }
}

// What free timing adds: the names of its columns, as in free.latency.median, or the values of a run.
static void write_free(FILE *out, const struct ek_async_report *async, bool names)
{
    struct report_free_number number;
    for (size_t f = 0; report_free_field_at(f); f++) {
        const struct report_free_field *field = report_free_field_at(f);
        for (size_t i = 0; report_free_number_at(field, async, i, &number); i++) {
            if (names) {
                fprintf(out, ",free.%s%s%s", field->name, *number.name ? "." : "", number.name);
            } else {
                fputc(',', out);
                write_real(out, field->hardware && !async->has_counters ? NAN : number.value);
            }
        }
    }
}

void report_csv_write(FILE *out, const struct report_results *results)
{
    fputs("topology,method,parameter", out);
    for (size_t i = 0; report_axis_name(i); i++) {
        fprintf(out, ",%s", report_axis_name(i));
    }
    for (size_t i = 0; report_field_at(i); i++) {
        fprintf(out, ",%s", report_field_at(i)->name);
    }
    if (results->reports[0].has_async) {
        write_free(out, &results->reports[0].async, true);
    }
    fputc('\n', out);
    for (size_t r = 0; r < results->count; r++) {
        write_text(out, ek_machine_topology(results->machine)->spec);
        fputc(',', out);
        write_text(out, cli_options_text(results->options, "method"));
        fputc(',', out);
        write_real(out, ek_machine_parameter(results->machine));
        for (size_t i = 0; report_axis_name(i); i++) {
            fputc(',', out);
            write_text(out, report_axis_value(results, i));
        }
        for (size_t i = 0; report_field_at(i); i++) {
            fputc(',', out);
            write_field(out, report_field_at(i), &results->reports[r]);
        }
        if (results->reports[r].has_async) {
            write_free(out, &results->reports[r].async, false);
        }
        fputc('\n', out);
    }
}

void report_csv_write_theory(FILE *out, const struct ek_topology *topology, const struct report_theory_row *rows,
                             size_t count)
{
    fputs("topology,method,parameter,parameter_best,gamma_exact,gamma_closed,operations,steps,note\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct ek_theory *theory = &rows[i].theory;
        const double values[] = {theory->parameter,
                                 theory->parameter_best,
                                 theory->has_exact ? theory->gamma_exact : NAN,
                                 theory->has_closed ? theory->gamma_closed : NAN,
                                 theory->operations,
                                 theory->steps};
        write_text(out, topology->spec);
        fputc(',', out);
        write_text(out, rows[i].method);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            fputc(',', out);
            write_real(out, values[v]);
        }
        fputc(',', out);
        write_text(out, theory->note);
        fputc('\n', out);
    }
}

void report_csv_write_trace(FILE *out, const struct report_results *results)
{
    bool async = results->reports[0].has_async;
    fprintf(out, "seed,%s,variance,spread,minimum,maximum,moved,invokers%s\n", async ? "time" : "step",
            async ? ",in_flight" : "");
    for (size_t r = 0; r < results->count; r++) {
        const struct ek_report *report = &results->reports[r];
        for (size_t i = 0; i < report->trace_count; i++) {
            const struct ek_trace_row *row = &report->trace[i];
            const double values[] = {row->variance, row->spread, row->minimum, row->maximum, row->moved};
            fprintf(out, "%" PRIu64 ",", report->seed);
            write_real(out, report_trace_place(report, i));
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                fputc(',', out);
                write_real(out, values[v]);
            }
            fprintf(out, ",%" PRIu64, row->invokers);
            if (async) {
                fputc(',', out);
                write_real(out, row->in_flight);
            }
            fputc('\n', out);
        }
    }
}

void report_csv_write_final(FILE *out, const struct report_results *results)
{
    uint32_t processors = ek_machine_topology(results->machine)->processors;
    fputs("seed,processor,load\n", out);
    for (size_t r = 0; r < results->count; r++) {
        const struct ek_report *report = &results->reports[r];
        for (uint32_t p = 0; report->final && p < processors; p++) {
            fprintf(out, "%" PRIu64 ",%" PRIu32 ",", report->seed, p);
            write_real(out, report->final[p]);
            fputc('\n', out);
        }
    }
}
