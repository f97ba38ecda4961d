// SPDX-License-Identifier: MIT
// Between JSON and the structs that tables of fields describe. A process that lacks memory for JSON ends with status 2
// and a sentence on standard error.
#ifndef LAB_RECORD_JSON_H
#define LAB_RECORD_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "lab/record/fields.h"
#include "lab/record/record.h"

// A number, null where it is not finite; and back.
json_t *lab_json_real(double value);
double lab_json_number(const json_t *value);

// The object of a struct; and back: false where a field is missing or of another kind. What is optional sets its
// switch.
json_t *lab_json_object(const struct lab_field *fields, const void *of);
bool lab_json_into(const json_t *object, const struct lab_field *fields, void *of);

// The head of a report's topology.
json_t *lab_json_topology(const struct lab_topology *topology);

// What is known beforehand.
json_t *lab_json_theory(const struct ek_theory *theory, const struct ek_fact *facts, size_t count);
bool lab_json_into_theory(const json_t *object, struct ek_theory *theory, struct ek_fact *facts, size_t *count);

// Writes a value and releases it. Errors of writing stay with the stream.
void lab_json_write(FILE *out, json_t *value, size_t flags);

#endif
