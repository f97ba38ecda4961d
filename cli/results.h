// SPDX-License-Identifier: MIT
// The results of the runs of one experiment, and the table of what a report says: it makes the fields of the JSON
// object, the columns of the CSV file and the summary.
#ifndef EK_RESULTS_H
#define EK_RESULTS_H

#include <stdio.h>

#include "cli/options.h"

struct ek_results {
    const struct ek_options *options;
    const char *command; // a line to paste to run it again
    const struct ek_machine *machine;
    struct ek_report *reports;
    size_t count;
};

enum ek_field_kind { EK_FIELD_WHOLE, EK_FIELD_REAL, EK_FIELD_SWITCH };

struct ek_field {
    const char *name;
    enum ek_field_kind kind;
    size_t offset; // in struct ek_report; SIZE_MAX for local_fraction, which is computed
    size_t when;   // of the switch in struct ek_report that says whether a run has it; 0: always
    bool summarised;
};

// Field `index` of a run's report, or NULL past the last; the field with this name, or NULL.
const struct ek_field *ek_field_at(size_t index);
const struct ek_field *ek_field_named(const char *name);

// Whether this run has the field, and its value; a switch is 0 or 1.
bool ek_field_present(const struct ek_field *field, const struct ek_report *report);
double ek_field_value(const struct ek_field *field, const struct ek_report *report);
uint64_t ek_field_whole(const struct ek_field *field, const struct ek_report *report);

// Over all runs; sd is the sample's, 0 for one run.
struct ek_summary {
    double mean, sd, minimum, maximum;
};
struct ek_summary ek_summarise(const struct ek_results *results, const struct ek_field *field);

// The units and the stop criterion in force: what was asked for, or what the method implies.
const char *ek_results_units(const struct ek_results *results);
const char *ek_results_stop(const struct ek_results *results);

// Whether this axis was set to anything but its first value.
bool ek_results_differs(const struct ek_results *results, const char *axis);

// The runs that ended without their stop criterion.
size_t ek_results_unreached(const struct ek_results *results);

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

#endif
