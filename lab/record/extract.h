// SPDX-License-Identifier: MIT
// Extracts of records: some fields of a run, for readers that need no more. An extract is text. Each line has the name
// of a field, a space, and the field's value as compact JSON. A field that the run does not have is a name only.
#ifndef LAB_RECORD_EXTRACT_H
#define LAB_RECORD_EXTRACT_H

#include "lab/record/record.h"

// The parts of an extract, as bits beside LAB_WITH_FINAL, LAB_WITH_TRACE and LAB_WITH_INITIAL. A trace has the moment
// of each row, and the columns whose bits are set: LAB_EXTRACT_COLUMN << i for lab_trace_field_at(i).
enum {
    LAB_EXTRACT_TOPOLOGY = 128,
    LAB_EXTRACT_LINKS = 256,
    LAB_EXTRACT_QUOTAS = 512,
    LAB_EXTRACT_FRAMES = 1024,
    LAB_EXTRACT_FACTS = 2048, // what theory says before the run: the values of its facts that have numbers
    LAB_EXTRACT_COLUMN = 4096
};

// Returns the bit of a field with this name, which has `length` characters; 0 if no extract has the field.
unsigned lab_extract_part(const char *name, size_t length);

// Returns the bits of the columns of a trace that the SQL names as members of JSON, as in '$[0].variance'.
unsigned lab_extract_columns(const char *sql);

// Writes the extract of the record's first run. The stream remembers errors of writing.
void lab_extract_write(FILE *out, const struct lab_record *record, unsigned parts);

// Finds a field's value, and its length. Returns NULL if the extract lacks the field. If the run does not have the
// field, the length is 0.
const char *lab_extract_find(const char *extract, const char *name, size_t *length);

#endif
