// SPDX-License-Identifier: MIT
// Measurements of contention as JSON: every sample, and the means and ratios that follow from them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/json.h"
#include "lab/studies/contention.h"
#include "lab/text/clean_text.h"

static const char SCHEMA[] = "evenkeel.contention/1";

static json_t *interval_object(const struct lab_interval *interval)
{
    return json_pack("{s:o, s:o, s:o}", "value", lab_json_real(interval->value), "low", lab_json_real(interval->low),
                     "high", lab_json_real(interval->high));
}

static json_t *ratio_object(const struct lab_point *point, const struct lab_point *to, enum lab_cost cost)
{
    struct lab_interval ratio = lab_contention_ratio(point, to, cost);
    json_t *object = interval_object(&ratio);
    const char *difference = lab_contention_difference(&ratio);
    json_object_set_new(object, "difference", difference ? json_string(difference) : json_null());
    return object;
}

static json_t *samples_array(const double *first, size_t count, size_t stride)
{
    json_t *samples = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(samples, lab_json_real(first[i * stride]));
    }
    return samples;
}

// Returns one cost of a point. A base is compared with the baseline only.
static json_t *cost_object(const struct lab_contention *contention, const struct lab_contention *baseline,
                           const struct lab_point *point, enum lab_cost cost)
{
    struct lab_interval mean = lab_contention_mean(point, cost);
    json_t *object = json_pack("{s:o}", "mean", interval_object(&mean));
    const struct lab_point *base = &contention->point[point->base];
    const struct lab_point *before = baseline ? lab_contention_same(baseline, point) : NULL;
    json_object_set_new(object, "to_base", base == point ? json_null() : ratio_object(point, base, cost));
    if (baseline) {
        json_object_set_new(object, "to_baseline", before ? ratio_object(point, before, cost) : json_null());
    }
    json_object_set_new(object, "samples", samples_array(&point->sample[0][cost], point->count, LAB_COSTS));
    return object;
}

static json_t *point_object(const struct lab_contention *contention, const struct lab_contention *baseline,
                            const struct lab_point *point)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:I, s:o, s:I}", "axis", point->axis, "value", point->value, "command",
                  point->command, "base", (json_int_t)point->base, "refused",
                  point->refusal[0] ? json_string(point->refusal) : json_null(), "runs", (json_int_t)point->count);
    for (size_t c = 0; c < LAB_COSTS; c++) {
        json_object_set_new(object, lab_cost_names[c], cost_object(contention, baseline, point, (enum lab_cost)c));
    }
    return object;
}

static json_t *limits_object(const struct lab_contention *contention)
{
    json_t *limits = json_object();
    for (size_t f = 0; f < LAB_HOST_LIMITS; f++) {
        struct lab_interval mean = lab_contention_limit(contention, (enum lab_host_limit)f);
        json_object_set_new(limits, lab_host_limit_names[f],
                            json_pack("{s:o, s:o}", "mean", interval_object(&mean), "samples",
                                      samples_array(contention->host_limit[f], contention->turns, 1)));
    }
    return limits;
}

void lab_contention_write(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline)
{
    char confidence[64];
    lab_confidence_write(&lab_contention_confidence, confidence, sizeof confidence);
    json_t *points = json_array();
    for (size_t i = 0; i < contention->count; i++) {
        json_array_append_new(points, point_object(contention, baseline, &contention->point[i]));
    }
    json_t *whole = json_pack("{s:s, s:s, s:s, s:{s:s, s:I, s:I}, s:I, s:s, s:o, s:o, s:o, s:o}", "schema", SCHEMA,
                              "command", contention->command, "version", contention->version, "host", "processor",
                              contention->host.processor, "cores", (json_int_t)contention->host.cores, "memory_bytes",
                              (json_int_t)contention->host.memory_bytes, "runs_asked", (json_int_t)contention->runs,
                              "confidence", confidence, "others_share", lab_json_real(contention->others), "baseline",
                              baseline ? json_string(baseline->command) : json_null(), "computer",
                              limits_object(contention), "points", points);
    lab_json_write(out, whole, JSON_INDENT(1));
}

static bool read_text(const json_t *object, const char *name, char **to)
{
    const char *text = json_string_value(json_object_get(object, name));
    *to = text ? lab_text_clean_copy(text) : NULL;
    return *to != NULL;
}

// Reads `count` samples. Returns false if the object has another number of them.
static bool read_samples(const json_t *object, const char *name, double *first, size_t count, size_t stride)
{
    const json_t *samples = json_object_get(json_object_get(object, name), "samples");
    if (json_array_size(samples) != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        first[i * stride] = lab_json_number(json_array_get(samples, i));
    }
    return true;
}

static bool read_point(const json_t *object, struct lab_contention *contention)
{
    struct lab_point *point = &contention->point[contention->count++];
    *point = (struct lab_point){0};
    const json_t *base = json_object_get(object, "base");
    const json_t *runs = json_object_get(object, "runs");
    const char *refused = json_string_value(json_object_get(object, "refused"));
    if (!read_text(object, "axis", &point->axis) || !read_text(object, "value", &point->value) ||
        !read_text(object, "command", &point->command) || json_integer_value(base) < 0 ||
        json_integer_value(runs) < 0 || json_integer_value(runs) > LAB_CONTENTION_RUNS_MAX) {
        return false;
    }
    snprintf(point->refusal, sizeof point->refusal, "%s", refused ? refused : "");
    lab_text_clean(point->refusal);
    point->base = (size_t)json_integer_value(base);
    point->count = (size_t)json_integer_value(runs);
    point->sample = calloc(point->count + 1, sizeof *point->sample); // never of size 0
    bool good = point->sample != NULL;
    for (size_t c = 0; good && c < LAB_COSTS; c++) {
        good = read_samples(object, lab_cost_names[c], &point->sample[0][c], point->count, LAB_COSTS);
    }
    return good;
}

static bool read_limits(const json_t *computer, struct lab_contention *contention)
{
    contention->turns = json_array_size(json_object_get(json_object_get(computer, lab_host_limit_names[0]), "samples"));
    bool good = contention->turns <= LAB_CONTENTION_RUNS_MAX;
    for (size_t f = 0; good && f < LAB_HOST_LIMITS; f++) {
        good = read_samples(computer, lab_host_limit_names[f], contention->host_limit[f], contention->turns, 1);
    }
    return good;
}

static bool read_whole(const json_t *whole, struct lab_contention *contention)
{
    const char *version, *processor;
    const json_t *points, *computer, *others;
    json_int_t cores, memory, runs;
    if (json_unpack((json_t *)whole, "{s:s, s:{s:s, s:I, s:I}, s:I, s:o, s:o, s:o}", "version", &version, "host",
                    "processor", &processor, "cores", &cores, "memory_bytes", &memory, "runs_asked", &runs,
                    "others_share", &others, "computer", &computer, "points", &points) != 0 ||
        !json_is_array(points) || json_array_size(points) == 0 || !read_text(whole, "command", &contention->command)) {
        return false;
    }
    snprintf(contention->version, sizeof contention->version, "%s", version);
    snprintf(contention->host.processor, sizeof contention->host.processor, "%s", processor);
    lab_text_clean(contention->version);
    lab_text_clean(contention->host.processor);
    contention->host.cores = (unsigned)cores;
    contention->host.memory_bytes = (uint64_t)memory;
    contention->runs = (uint64_t)runs;
    contention->others = lab_json_number(others);
    contention->point = calloc(json_array_size(points), sizeof *contention->point);
    bool good = contention->point && read_limits(computer, contention);
    for (size_t i = 0; good && i < json_array_size(points); i++) {
        good = read_point(json_array_get(points, i), contention);
    }
    for (size_t i = 0; good && i < contention->count; i++) {
        good = contention->point[i].base < contention->count;
    }
    return good;
}

bool lab_contention_read(const char *text, size_t length, struct lab_contention *contention, struct ek_error *error)
{
    *contention = (struct lab_contention){0};
    json_error_t fault;
    json_t *whole = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
    const char *schema = json_string_value(json_object_get(whole, "schema"));
    bool good = schema && strcmp(schema, SCHEMA) == 0 && read_whole(whole, contention);
    json_decref(whole);
    if (!good) {
        lab_contention_destroy(contention);
        base_refuse(error, "the baseline is not a report of contention in JSON: give a file that contention --format "
                           "json has written");
    }
    return good;
}
