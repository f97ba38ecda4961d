// SPDX-License-Identifier: MIT
// The fields of a run's report. One table describes them all; the JSON object, the reader, the columns of CSV and of
// stores, and the summary follow from it.
#ifndef LAB_RECORD_FIELDS_H
#define LAB_RECORD_FIELDS_H

#include "base/common.h"

struct ek_report;

enum lab_field_kind {
    LAB_WHOLE,    // uint64_t
    LAB_UNSIGNED, // unsigned
    LAB_REAL,     // double; NaN stands for "not measured"
    LAB_SWITCH,   // bool
    LAB_NAME,     // an enum, written as one of `names`
    LAB_TEXT,     // a char array
    LAB_GROUP,    // a struct with fields; an object in JSON
    LAB_LIST      // a struct of whole numbers; an array in JSON
};

struct lab_field {
    const char *name;
    enum lab_field_kind kind;
    size_t offset; // in the described struct
    size_t when;   // offset of the bool that says whether the field is present; 0: always
    size_t unless; // offset of the bool that says that the field was not measured; 0: always measured
    double (*computed)(const void *of); // computes a real that the struct does not store
    const char *const *names;           // in the order of the enum, ended by NULL
    size_t size;                        // of a text's array, in bytes
    const struct lab_field
        *parts;      // of a group or list, with offsets from its beginning; ended by a field without a name
    bool later;      // a real that records of earlier versions lack: it was not measured then
    bool summarised; // the summary over several runs contains it
    bool of_host;    // it depends on the computer and its load, also in virtual time
    bool grows;      // it never decreases during a run: a run that was cut short gives a lower bound of it
};

// The fields of struct ek_report, ended by a field without a name. The group "free" holds the fields that exist only in
// free timing.
extern const struct lab_field lab_report_fields[];

// How a run counts time: in steps in rounds, in seconds in free timing, in virtual seconds in virtual time.
struct lab_time {
    const char *unit;              // "step"
    const char *label;             // label of an axis: "communication steps"
    bool snapshots;                // the trace has no row for the start, and each run has its own moments
    bool fitted;                   // seconds that a figure shows in a unit that fits them; the label lacks the unit
    const struct lab_field *trace; // the fields of struct ek_trace_row; the first is the row's moment
    const struct lab_field *frame; // the fields of struct ek_frame; the first is the frame's moment
};
const struct lab_time *lab_time_of(const struct ek_report *report);

extern const struct lab_field lab_link_fields[];    // of struct ek_link_report
extern const struct lab_field lab_flow_fields[];    // of struct ek_flow_report
extern const struct lab_field lab_effects_fields[]; // of struct ek_effects

// Returns the field of struct ek_report with this name, or NULL.
const struct lab_field *lab_field_named(const char *name);

// Returns field `index` of struct ek_trace_row, not counting the row's moment; NULL past the last.
const struct lab_field *lab_trace_field_at(size_t index);
const struct lab_field *lab_trace_field_named(const char *name);

// Return whether the struct has the field, whether it was measured, and its value. A value that was not measured is
// NaN; a switch is 0 or 1.
bool lab_field_present(const struct lab_field *field, const void *of);
bool lab_field_measured(const struct lab_field *field, const void *of);
double lab_field_value(const struct lab_field *field, const void *of);
uint64_t lab_field_whole(const struct lab_field *field, const void *of); // LAB_WHOLE and LAB_UNSIGNED

// Returns whether the field of a column of CSV or of stores, such as "free.turns", grows.
bool lab_field_grows(const char *column);

// Returns the value of a LAB_NAME or LAB_TEXT field.
const char *lab_field_text(const struct lab_field *field, const void *of);

#endif
