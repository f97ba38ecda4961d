// SPDX-License-Identifier: MIT
#include "lab/record/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/text/clean_text.h"

static void *end(const char *why)
{
    fprintf(stderr, "evenkeel: %s\n", why);
    _exit(EK_BAD_INPUT);
}

// jansson is not safe when an allocation fails: it leaves members out of values, and reads past the end of text. So the
// process ends here, and no incomplete document looks complete.
static void *allocate(size_t size)
{
    void *memory = malloc(size);
    return memory ? memory : end("there is no memory for JSON: choose fewer runs, or leave out loads and traces");
}

__attribute__((constructor)) static void set_allocator(void)
{
    json_set_alloc_funcs(allocate, free);
}

static const size_t FLAGS = JSON_REAL_PRECISION(17);

json_t *lab_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

double lab_json_number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *place_of(const struct lab_field *field, const void *of)
{
    return (const char *)of + field->offset;
}

static json_t *list_of(const struct lab_field *parts, const void *of)
{
    json_t *array = json_array();
    for (; parts->name; parts++) {
        json_array_append_new(array, json_integer((json_int_t)lab_field_whole(parts, of)));
    }
    return array;
}

static json_t *value_of(const struct lab_field *field, const void *of)
{
    if (!lab_field_measured(field, of)) {
        return json_null();
    }
    switch (field->kind) {
    case LAB_WHOLE:
    case LAB_UNSIGNED:
        return json_integer((json_int_t)lab_field_whole(field, of));
    case LAB_REAL:
        return lab_json_real(lab_field_value(field, of));
    case LAB_SWITCH:
        return json_boolean(lab_field_value(field, of) != 0.0);
    case LAB_NAME:
    case LAB_TEXT:
        return json_string(lab_field_text(field, of));
    case LAB_GROUP:
        return lab_json_object(field->parts, place_of(field, of));
    case LAB_LIST:
        return list_of(field->parts, place_of(field, of));
    }
    return NULL;
}

json_t *lab_json_object(const struct lab_field *fields, const void *of)
{
    json_t *object = json_object();
    for (; fields->name; fields++) {
        if (lab_field_present(fields, of)) {
            json_object_set_new(object, fields->name, value_of(fields, of));
        }
    }
    return object;
}

static bool list_into(const json_t *array, const struct lab_field *parts, char *of)
{
    size_t i = 0;
    for (; parts[i].name; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value)) {
            return false;
        }
        *(uint64_t *)(of + parts[i].offset) = (uint64_t)json_integer_value(value);
    }
    return json_array_size(array) == i;
}

static bool name_into(const json_t *value, const char *const *names, unsigned *index)
{
    const char *name = json_string_value(value);
    *index = 0;
    while (name && names[*index] && strcmp(name, names[*index]) != 0) {
        ++*index;
    }
    return name && names[*index];
}

static bool text_into(const json_t *value, char *text, size_t size)
{
    snprintf(text, size, "%s", json_is_string(value) ? json_string_value(value) : "");
    lab_text_clean(text);
    return json_is_string(value);
}

// Reads the value of a field. Null stands for a whole number that was not measured, which is 0 in the struct.
static bool value_into(const json_t *value, const struct lab_field *field, char *place)
{
    bool null = json_is_null(value);
    switch (field->kind) {
    case LAB_WHOLE:
        *(uint64_t *)place = (uint64_t)json_integer_value(value);
        return json_is_integer(value) || (null && field->unless > 0);
    case LAB_UNSIGNED:
        *(unsigned *)place = (unsigned)json_integer_value(value);
        return json_is_integer(value);
    case LAB_REAL:
        if (!field->computed) {
            *(double *)place = lab_json_number(value);
        }
        return json_is_number(value) || null;
    case LAB_SWITCH:
        *(bool *)place = json_is_true(value);
        return json_is_boolean(value);
    case LAB_NAME:
        return name_into(value, field->names, (unsigned *)place);
    case LAB_TEXT:
        return text_into(value, place, field->size);
    case LAB_GROUP:
        return lab_json_into(value, field->parts, place);
    case LAB_LIST:
        return list_into(value, field->parts, place);
    }
    return false;
}

bool lab_json_into(const json_t *object, const struct lab_field *fields, void *of)
{
    for (; fields->name; fields++) {
        const json_t *value = json_object_get(object, fields->name);
        if (fields->when > 0) {
            *(bool *)((char *)of + fields->when) = value != NULL;
        }
        if (!value && fields->later) {
            *(double *)((char *)of + fields->offset) = NAN;
        } else if (!value ? fields->when == 0 : !value_into(value, fields, (char *)of + fields->offset)) {
            return false;
        }
    }
    return true;
}

json_t *lab_json_topology(const struct lab_topology *topology)
{
    json_t *sides = json_array();
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        json_array_append_new(sides, json_integer(topology->side[d]));
    }
    json_t *colours = lab_topology_is_coloured(topology) ? json_integer(topology->colours) : json_null();
    return json_pack("{s:s, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:b, s:s?}", "spec", topology->spec, "processors",
                     (json_int_t)topology->processors, "links", (json_int_t)topology->links, "colours", colours,
                     "degree_max", (json_int_t)topology->degree_max, "degree_min", (json_int_t)topology->degree_min,
                     "diameter", topology->diameter < 0 ? json_null() : json_integer(topology->diameter), "sides",
                     sides, "drawn", (int)topology->drawn, "note", *topology->note ? topology->note : NULL);
}

static json_t *facts_array(const struct ek_fact *facts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *beside = *facts[i].beside ? json_string(facts[i].beside) : json_null();
        json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:b, s:s}", "name", facts[i].name, "value",
                                               lab_json_real(facts[i].value), "beside", beside, "at_end",
                                               (int)facts[i].at_end, "text", facts[i].text));
    }
    return array;
}

json_t *lab_json_theory(const struct ek_theory *theory, const struct ek_fact *facts, size_t count)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "parameter", lab_json_real(theory->parameter),
                     "parameter_best", lab_json_real(theory->parameter_best), "gamma_exact",
                     theory->has_exact ? lab_json_real(theory->gamma_exact) : json_null(), "gamma_closed",
                     theory->has_closed ? lab_json_real(theory->gamma_closed) : json_null(), "operations",
                     lab_json_real(theory->operations), "steps", lab_json_real(theory->steps), "note", theory->note,
                     "facts", facts_array(facts, count));
}

static bool fact_into(const json_t *object, struct ek_fact *fact)
{
    fact->value = lab_json_number(json_object_get(object, "value"));
    text_into(json_object_get(object, "beside"), fact->beside, sizeof fact->beside); // null: ""
    fact->at_end = json_is_true(json_object_get(object, "at_end"));
    return text_into(json_object_get(object, "name"), fact->name, sizeof fact->name) &&
           text_into(json_object_get(object, "text"), fact->text, sizeof fact->text);
}

bool lab_json_into_theory(const json_t *object, struct ek_theory *theory, struct ek_fact *facts, size_t *count)
{
    const json_t *array = json_object_get(object, "facts");
    if (!json_is_array(array) || json_array_size(array) > EK_FACTS_MAX) {
        return false;
    }
    *theory = (struct ek_theory){.gamma_exact = lab_json_number(json_object_get(object, "gamma_exact")),
                                 .gamma_closed = lab_json_number(json_object_get(object, "gamma_closed")),
                                 .parameter = lab_json_number(json_object_get(object, "parameter")),
                                 .parameter_best = lab_json_number(json_object_get(object, "parameter_best")),
                                 .operations = lab_json_number(json_object_get(object, "operations")),
                                 .steps = lab_json_number(json_object_get(object, "steps"))};
    theory->has_exact = !isnan(theory->gamma_exact);
    theory->has_closed = !isnan(theory->gamma_closed);
    bool noted = text_into(json_object_get(object, "note"), theory->note, sizeof theory->note);
    for (*count = 0; *count < json_array_size(array); ++*count) {
        if (!fact_into(json_array_get(array, *count), &facts[*count])) {
            return false;
        }
    }
    return noted;
}

void lab_json_write(FILE *out, json_t *value, size_t flags)
{
    char *text = json_dumps(value, FLAGS | flags); // json_dumpf would call fwrite for every comma
    fputs(text ? text : end("a text for JSON is not UTF-8: check the names of files and specs"), out);
    free(text);
    json_decref(value);
}

void lab_json_write_reals(FILE *out, const double *real, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        lab_json_write(out, lab_json_real(real[i]), JSON_ENCODE_ANY);
    }
    fputc(']', out);
}

bool lab_json_read_reals(const json_t *array, double *real, size_t count)
{
    bool good = json_array_size(array) == count;
    for (size_t i = 0; good && i < count; i++) {
        real[i] = lab_json_number(json_array_get(array, i));
    }
    return good;
}
