// SPDX-License-Identifier: MIT
// The results of the runs of one experiment, and the table of what a report says: it makes the fields of the JSON
// object, the columns of the CSV file and the summary.
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include <stdio.h>

#include "cli/options.h"
#include "cli/text.h"

struct report_results {
    const struct cli_options *options;
    const char *command; // a line to paste to run it again
    const struct ek_machine *machine;
    struct ek_report *reports;
    size_t count;
    struct ek_report failed; // of the run that ended with a violation or by the watchdog; zeros if none did
};

enum report_field_kind { REPORT_FIELD_WHOLE, REPORT_FIELD_REAL, REPORT_FIELD_SWITCH };

struct report_field {
    const char *name;
    enum report_field_kind kind;
    size_t offset; // in struct ek_report; SIZE_MAX for local_fraction, which is computed
    size_t when;   // of the switch in struct ek_report that says whether a run has it; 0: always
    size_t unless; // of the switch that says that it was not measured; 0: it always is
    bool summarised;
};

// Field `index` of a run's report, or NULL past the last; the field with this name, or NULL.
const struct report_field *report_field_at(size_t index);
const struct report_field *report_field_named(const char *name);

// Whether this run has the field, whether it was measured, and its value, NaN where it was not; a switch is 0 or 1.
bool report_field_present(const struct report_field *field, const struct ek_report *report);
bool report_field_measured(const struct report_field *field, const struct ek_report *report);
double report_field_value(const struct report_field *field, const struct ek_report *report);
uint64_t report_field_whole(const struct report_field *field, const struct ek_report *report);

// What free timing adds to a run's report: numbers, and small groups of them.
enum report_free_kind {
    REPORT_FREE_COUNT, // unsigned
    REPORT_FREE_WHOLE, // uint64_t
    REPORT_FREE_REAL,
    REPORT_FREE_QUANTILES,
    REPORT_FREE_EFFECT,
    REPORT_FREE_WAITED, // an object by cause
    REPORT_FREE_DEPTH   // an array
};

struct report_free_field {
    const char *name;
    enum report_free_kind kind;
    size_t offset; // in struct ek_async_report
    bool hardware; // where there are hardware counters only
};

// Field `index` of struct ek_async_report, or NULL past the last.
const struct report_free_field *report_free_field_at(size_t index);

// A number in a group: its name in the group ("" where it is the whole field) and its value; `whole` says that it is
// one.
struct report_free_number {
    const char *name;
    double value;
    bool whole;
};

// Number `index` of a field; false past the last.
bool report_free_number_at(const struct report_free_field *field, const struct ek_async_report *async, size_t index,
                           struct report_free_number *number);

// Where a row of the trace stands: its step, or in free timing its time in seconds.
double report_trace_place(const struct ek_report *report, size_t row);

// Axis `index` of the experiment: its name in the reports, NULL past the last, and its value, as it was written or by
// default.
const char *report_axis_name(size_t index);
const char *report_axis_value(const struct report_results *results, size_t index);

// Over all runs; sd is the sample's, 0 for one run.
struct report_summary {
    double mean, sd, minimum, maximum;
};
struct report_summary report_summarise(const struct report_results *results, const struct report_field *field);

// The units and the stop criterion in force: what was asked for, or what the method implies.
const char *report_units(const struct report_results *results);
const char *report_stop(const struct report_results *results);

// The runs that ended without their stop criterion.
size_t report_unreached(const struct report_results *results);

// Why this run ended without its criterion, where there is more to say than that; else "".
const char *report_why(const struct ek_report *report);

// The theory to show beside the runs: of what it takes long to find there is only a note.
void report_theory(const struct report_results *results, struct ek_theory *theory);

// The theory of one method, as `theory` shows it.
struct report_theory_row {
    const char *method;
    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t facts_count;
};
bool report_json_write_theory(FILE *out, const struct ek_topology *topology, const struct report_theory_row *rows,
                              size_t count);
void report_csv_write_theory(FILE *out, const struct ek_topology *topology, const struct report_theory_row *rows,
                             size_t count);

// "8x8: 64 processors, 128 links, 4 colours, diameter 8", and the end of the line.
void report_table_write_topology(FILE *out, const struct ek_topology *topology);

// A line or more for each fact, with what `report` measured beside it; NULL: nothing was run.
void report_table_write_facts(FILE *out, const struct ek_fact *facts, size_t count, const struct ek_report *report);

// The report in its formats. False only where memory is short; errors of writing stay with the stream.
bool report_json_write(FILE *out, const struct report_results *results);
void report_csv_write(FILE *out, const struct report_results *results);
void report_csv_write_trace(FILE *out, const struct report_results *results);
void report_csv_write_final(FILE *out, const struct report_results *results);
void report_table_write(FILE *out, const struct report_results *results);

// The faint word at the beginning of a line.
void report_table_label(FILE *out, const struct cli_terminal *terminal, const char *label);

// A label and a sentence, wrapped.
__attribute__((format(printf, 4, 5))) void report_table_say(FILE *out, const struct cli_terminal *terminal,
                                                            const char *label, const char *format, ...);

// What free timing adds to the table of one run.
void report_table_write_async(FILE *out, const struct cli_terminal *terminal, const struct report_results *results,
                              const struct ek_report *report);

#endif
