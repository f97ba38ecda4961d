// SPDX-License-Identifier: MIT
// The results of the runs of one experiment, and the table of what a report says: it makes the fields of the JSON
// object, the columns of the CSV file and the summary.
#ifndef EK_RESULTS_H
#define EK_RESULTS_H

#include <stdio.h>

#include "cli/options.h"
#include "cli/text.h"

struct ek_results {
    const struct ek_options *options;
    const char *command; // a line to paste to run it again
    const struct ek_machine *machine;
    struct ek_report *reports;
    size_t count;
    struct ek_report failed; // of the run that ended with a violation or by the watchdog; zeros if none did
};

enum ek_field_kind { EK_FIELD_WHOLE, EK_FIELD_REAL, EK_FIELD_SWITCH };

struct ek_field {
    const char *name;
    enum ek_field_kind kind;
    size_t offset; // in struct ek_report; SIZE_MAX for local_fraction, which is computed
    size_t when;   // of the switch in struct ek_report that says whether a run has it; 0: always
    size_t unless; // of the switch that says that it was not measured; 0: it always is
    bool summarised;
};

// Field `index` of a run's report, or NULL past the last; the field with this name, or NULL.
const struct ek_field *ek_field_at(size_t index);
const struct ek_field *ek_field_named(const char *name);

// Whether this run has the field, whether it was measured, and its value, NaN where it was not; a switch is 0 or 1.
bool ek_field_present(const struct ek_field *field, const struct ek_report *report);
bool ek_field_measured(const struct ek_field *field, const struct ek_report *report);
double ek_field_value(const struct ek_field *field, const struct ek_report *report);
uint64_t ek_field_whole(const struct ek_field *field, const struct ek_report *report);

// What free timing adds to a run's report: numbers, and small groups of them.
enum ek_free_kind {
    EK_FREE_COUNT, // unsigned
    EK_FREE_WHOLE, // uint64_t
    EK_FREE_REAL,
    EK_FREE_QUANTILES,
    EK_FREE_EFFECT,
    EK_FREE_WAITED, // an object by cause
    EK_FREE_DEPTH   // an array
};

struct ek_free_field {
    const char *name;
    enum ek_free_kind kind;
    size_t offset; // in struct ek_free_report
    bool hardware; // where there are hardware counters only
};

// Field `index` of struct ek_free_report, or NULL past the last.
const struct ek_free_field *ek_free_field_at(size_t index);

// A number in a group: its name in the group ("" where it is the whole field) and its value; `whole` says that it is
// one.
struct ek_free_number {
    const char *name;
    double value;
    bool whole;
};

// Number `index` of a field; false past the last.
bool ek_free_number_at(const struct ek_free_field *field, const struct ek_free_report *free, size_t index,
                       struct ek_free_number *number);

// Where a row of the trace stands: its step, or in free timing its time in seconds.
double ek_trace_place(const struct ek_report *report, size_t row);

// Axis `index` of the experiment: its name in the reports, NULL past the last, and its value, as it was written or by
// default.
const char *ek_axis_name(size_t index);
const char *ek_axis_value(const struct ek_results *results, size_t index);

// Over all runs; sd is the sample's, 0 for one run.
struct ek_summary {
    double mean, sd, minimum, maximum;
};
struct ek_summary ek_summarise(const struct ek_results *results, const struct ek_field *field);

// The units and the stop criterion in force: what was asked for, or what the method implies.
const char *ek_results_units(const struct ek_results *results);
const char *ek_results_stop(const struct ek_results *results);

// The runs that ended without their stop criterion.
size_t ek_results_unreached(const struct ek_results *results);

// Why this run ended without its criterion, where there is more to say than that; else "".
const char *ek_results_why(const struct ek_report *report);

// The theory to show beside the runs: of what it takes long to find there is only a note.
void ek_results_theory(const struct ek_results *results, struct ek_theory *theory);

// The theory of one method, as `theory` shows it.
struct ek_theory_row {
    const char *method;
    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t facts_count;
};
bool ek_json_write_theory(FILE *out, const struct ek_topology *topology, const struct ek_theory_row *rows,
                          size_t count);
void ek_csv_write_theory(FILE *out, const struct ek_topology *topology, const struct ek_theory_row *rows, size_t count);

// "8x8: 64 processors, 128 links, 4 colours, diameter 8", and the end of the line.
void ek_table_write_topology(FILE *out, const struct ek_topology *topology);

// A line or more for each fact, with what `report` measured beside it; NULL: nothing was run.
void ek_table_write_facts(FILE *out, const struct ek_fact *facts, size_t count, const struct ek_report *report);

// The report in its formats. False only where memory is short; errors of writing stay with the stream.
bool ek_json_write(FILE *out, const struct ek_results *results);
void ek_csv_write(FILE *out, const struct ek_results *results);
void ek_csv_write_trace(FILE *out, const struct ek_results *results);
void ek_csv_write_final(FILE *out, const struct ek_results *results);
void ek_table_write(FILE *out, const struct ek_results *results);

// The faint word at the beginning of a line.
void ek_table_label(FILE *out, const struct ek_terminal *terminal, const char *label);

// A label and a sentence, wrapped.
__attribute__((format(printf, 4, 5))) void ek_table_say(FILE *out, const struct ek_terminal *terminal,
                                                        const char *label, const char *format, ...);

// What free timing adds to the table of one run.
void ek_table_write_free(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results,
                         const struct ek_report *report);

#endif
