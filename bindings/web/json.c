// SPDX-License-Identifier: MIT
// The library that writes the command's JSON is not in a page.
#define _GNU_SOURCE
#include "bindings/web/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

bool web_json_begin(struct web_json *json, char **text)
{
    free(*text);
    *text = NULL;
    *json = (struct web_json){.first = true, .text = text};
    json->out = open_memstream(text, &json->size);
    if (!json->out) {
        return false;
    }
    fputc('{', json->out);
    return true;
}

bool web_json_end(struct web_json *json)
{
    fputc('}', json->out);
    bool good = ferror(json->out) == 0;
    return fclose(json->out) == 0 && good;
}

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)c);
        } else {
            fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
    }
    fputc('"', out);
}

static void next(struct web_json *json, const char *name)
{
    fputs(json->first ? "" : ", ", json->out);
    json->first = false;
    if (name) {
        write_string(json->out, name);
        fputs(": ", json->out);
    }
}

void web_json_open(struct web_json *json, const char *name, char bracket)
{
    next(json, name);
    fputc(bracket, json->out);
    json->first = true;
}

void web_json_close(struct web_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->first = false;
}

void web_json_real(struct web_json *json, const char *name, double value)
{
    next(json, name);
    if (isfinite(value)) {
        fprintf(json->out, "%.17g", value);
    } else {
        fputs("null", json->out);
    }
}

void web_json_text(struct web_json *json, const char *name, const char *text)
{
    next(json, name);
    if (text) {
        write_string(json->out, text);
    } else {
        fputs("null", json->out);
    }
}

void web_json_switch(struct web_json *json, const char *name, bool value)
{
    next(json, name);
    fputs(value ? "true" : "false", json->out);
}

void web_json_reals(struct web_json *json, const char *name, const double *value, size_t count)
{
    web_json_open(json, name, '[');
    for (size_t i = 0; i < count; i++) {
        web_json_real(json, NULL, value[i]);
    }
    web_json_close(json, ']');
}

static void write_whole(struct web_json *json, const char *name, uint64_t value)
{
    next(json, name);
    fprintf(json->out, "%" PRIu64, value);
}

static void write_field(struct web_json *json, const struct lab_field *field, const void *of)
{
    const char *place = (const char *)of + field->offset;
    switch (field->kind) {
    case LAB_WHOLE:
    case LAB_UNSIGNED:
        write_whole(json, field->name, lab_field_whole(field, of));
        break;
    case LAB_REAL:
        web_json_real(json, field->name, lab_field_value(field, of));
        break;
    case LAB_SWITCH:
        web_json_switch(json, field->name, lab_field_value(field, of) != 0.0);
        break;
    case LAB_NAME:
    case LAB_TEXT:
        web_json_text(json, field->name, lab_field_text(field, of));
        break;
    case LAB_GROUP:
        web_json_open(json, field->name, '{');
        web_json_fields(json, field->parts, place);
        web_json_close(json, '}');
        break;
    case LAB_LIST:
        web_json_open(json, field->name, '[');
        for (const struct lab_field *part = field->parts; part->name; part++) {
            write_whole(json, NULL, lab_field_whole(part, place));
        }
        web_json_close(json, ']');
        break;
    }
}

void web_json_fields(struct web_json *json, const struct lab_field *fields, const void *of)
{
    for (; fields->name; fields++) {
        if (!lab_field_present(fields, of)) {
            continue;
        }
        if (lab_field_measured(fields, of)) {
            write_field(json, fields, of);
        } else {
            web_json_text(json, fields->name, NULL);
        }
    }
}
