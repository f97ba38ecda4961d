// SPDX-License-Identifier: MIT
// Writes JSON for the page. A number that is not finite is null; others have as many digits as their bits need.
#ifndef BINDINGS_WEB_JSON_H
#define BINDINGS_WEB_JSON_H

#include <stdio.h>

#include "lab/record/fields.h"

struct web_json {
    FILE *out;
    bool first; // nothing has been written since the last bracket
    char **text;
    size_t size;
};

// Begins an object. web_json_end closes it and stores its text in *text, whose old text is freed. Both return false if
// memory is short.
bool web_json_begin(struct web_json *json, char **text);
bool web_json_end(struct web_json *json);

// Write an element of the object, or of the array if `name` is NULL.
void web_json_open(struct web_json *json, const char *name, char bracket);
void web_json_close(struct web_json *json, char bracket);
void web_json_real(struct web_json *json, const char *name, double value);
void web_json_text(struct web_json *json, const char *name, const char *text); // NULL is written as null
void web_json_switch(struct web_json *json, const char *name, bool value);
void web_json_reals(struct web_json *json, const char *name, const double *value, size_t count);

// Writes the fields of a struct, as records have them.
void web_json_fields(struct web_json *json, const struct lab_field *fields, const void *of);

#endif
