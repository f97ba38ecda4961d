// SPDX-License-Identifier: MIT
// What a run's report says, field by field: one table makes the JSON object and reads it back, the columns of the CSV
// file and the summary.
#ifndef LAB_RECORD_FIELDS_H
#define LAB_RECORD_FIELDS_H

#include "threads/api/run.h"

enum lab_field_kind {
    LAB_WHOLE,    // uint64_t
    LAB_UNSIGNED, // unsigned
    LAB_REAL,     // double; NaN stands for "not measured"
    LAB_SWITCH,   // bool
    LAB_NAME,     // an enum, written as one of `names`
    LAB_TEXT,     // a char array
    LAB_GROUP,    // fields of its own, an object in JSON
    LAB_LIST      // the same, an array in JSON
};

struct lab_field {
    const char *name;
    enum lab_field_kind kind;
    size_t offset;                      // in the struct that is described
    size_t when;                        // of the bool there that says whether it has the field; 0: it always has
    size_t unless;                      // of the bool there that says that it was not measured; 0: it always was
    double (*computed)(const void *of); // a real that has no place of its own
    const char *const *names;           // in the order of the enum, ended by NULL
    size_t size;                        // of a text's array
    const struct lab_field *parts; // of a group or list, with offsets from its beginning; ended by one without name
    bool summarised;               // over several runs
};

// The fields of struct ek_report, ended by one without a name. What only a free-running machine has is the group
// "free".
extern const struct lab_field lab_report_fields[];

// How a run counts time: in steps, or in free timing in seconds.
struct lab_time {
    const char *unit;  // "step"
    const char *label; // of an axis: "communication steps"
    bool snapshots;    // the trace has rows of snapshots only: none at the start, and each run at its own moments
    const struct lab_field *trace; // the fields of struct ek_trace_row; the first is the row's moment
    const struct lab_field *frame; // the fields of struct ek_frame; the first is the frame's moment
};
const struct lab_time *lab_time_of(const struct ek_report *report);

extern const struct lab_field lab_link_fields[];    // of struct ek_link_report
extern const struct lab_field lab_flow_fields[];    // of struct ek_flow_report
extern const struct lab_field lab_effects_fields[]; // of struct ek_effects

// Returns the field of struct ek_report with this name, or NULL.
const struct lab_field *lab_field_named(const char *name);

// Returns field `index` of struct ek_trace_row, without the row's moment, or NULL past the last; and the field with
// this name, or NULL.
const struct lab_field *lab_trace_field_at(size_t index);
const struct lab_field *lab_trace_field_named(const char *name);

// Whether the struct has the field, whether it was measured, and its value, NaN where it was not; a switch is 0 or 1.
bool lab_field_present(const struct lab_field *field, const void *of);
bool lab_field_measured(const struct lab_field *field, const void *of);
double lab_field_value(const struct lab_field *field, const void *of);
uint64_t lab_field_whole(const struct lab_field *field, const void *of); // LAB_WHOLE and LAB_UNSIGNED

// A name or a text.
const char *lab_field_text(const struct lab_field *field, const void *of);

#endif
