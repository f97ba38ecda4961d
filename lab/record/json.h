// SPDX-License-Identifier: MIT
// Conversion between JSON and structs that tables of fields describe. If memory is short, the process ends with status
// 2 and a sentence on standard error.
#ifndef LAB_RECORD_JSON_H
#define LAB_RECORD_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "lab/record/fields.h"
#include "lab/record/record.h"

// Convert between a number and JSON: NaN and infinities become null, and null becomes NaN.
json_t *lab_json_real(double value);
double lab_json_number(const json_t *value);

// Convert between a struct and a JSON object. lab_json_into returns false if a field is missing or of another kind; it
// sets the bools of optional fields.
json_t *lab_json_object(const struct lab_field *fields, const void *of);
bool lab_json_into(const json_t *object, const struct lab_field *fields, void *of);

// Returns the JSON of a topology.
json_t *lab_json_topology(const struct lab_topology *topology);

// Convert between the theoretical results and JSON.
json_t *lab_json_theory(const struct ek_theory *theory, const struct ek_fact *facts, size_t count);
bool lab_json_into_theory(const json_t *object, struct ek_theory *theory, struct ek_fact *facts, size_t *count);

// Write and read an array of reals. It is read only if it has `count` of them: false otherwise.
void lab_json_write_reals(FILE *out, const double *real, size_t count);
bool lab_json_read_reals(const json_t *array, double *real, size_t count);

// Writes a value and releases it. Errors of writing stay with the stream.
void lab_json_write(FILE *out, json_t *value, size_t flags);

#endif
