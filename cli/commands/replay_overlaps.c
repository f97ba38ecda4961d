// SPDX-License-Identifier: MIT
#include "cli/commands/replay_overlaps.h"

#include <stdlib.h>

#include "base/error.h"
#include "cli/report/overlaps_report.h"
#include "lab/record/json.h"

enum { SPHERES_MAX = 1 << 24 };

struct cli_overlaps {
    struct lab_replay *replay;
    struct ek_overlaps *of;
    struct ek_sphere *sphere; // [count]
    size_t count, most;
    bool no_room;
    struct ek_overlaps_report report;
};

// Keeps a sphere. If memory is short, the next cli_overlaps_add reports it.
static void take(void *context, const struct ek_sphere *sphere)
{
    struct cli_overlaps *overlaps = context;
    if (overlaps->count == overlaps->most) {
        size_t most = 2 * overlaps->most + 64;
        struct ek_sphere *more = overlaps->count < SPHERES_MAX ? realloc(overlaps->sphere, most * sizeof *more) : NULL;
        if (!more) {
            overlaps->no_room = true;
            return;
        }
        overlaps->sphere = more;
        overlaps->most = most;
    }
    overlaps->sphere[overlaps->count++] = *sphere;
}

static bool has_room(const struct cli_overlaps *overlaps, struct ek_error *error)
{
    return !overlaps->no_room || base_refuse(error, "there is no memory for so many spheres: give --until TURN");
}

struct cli_overlaps *cli_overlaps_begin(struct lab_replay *replay, struct ek_error *error)
{
    struct cli_overlaps *overlaps = calloc(1, sizeof *overlaps);
    if (!overlaps) {
        base_refuse(error, "there is no memory for overlaps");
        return NULL;
    }
    overlaps->replay = replay;
    overlaps->of = ek_overlaps_begin(replay->machine, ek_replay_loads(replay->replay), take, overlaps, error);
    if (!overlaps->of) {
        cli_overlaps_destroy(overlaps);
        return NULL;
    }
    return overlaps;
}

void cli_overlaps_destroy(struct cli_overlaps *overlaps)
{
    if (overlaps->of) {
        ek_overlaps_destroy(overlaps->of);
    }
    free(overlaps->sphere);
    free(overlaps);
}

bool cli_overlaps_add(struct cli_overlaps *overlaps, struct ek_error *error)
{
    return ek_overlaps_add(overlaps->of, &overlaps->replay->turn, error) && has_room(overlaps, error);
}

bool cli_overlaps_end(struct cli_overlaps *overlaps, struct ek_error *error)
{
    return ek_overlaps_end(overlaps->of, &overlaps->report, error) && has_room(overlaps, error);
}

json_t *cli_overlaps_object(const struct cli_overlaps *overlaps)
{
    json_t *spheres = json_array();
    for (size_t i = 0; i < overlaps->count; i++) {
        const struct ek_sphere *sphere = &overlaps->sphere[i];
        json_t *object = json_pack("{s:I, s:I, s:s, s:I, s:I, s:o, s:o}", "begin", (json_int_t)sphere->begin, "end",
                                   (json_int_t)sphere->end, "kind", report_overlaps_name(sphere->kind), "operations",
                                   (json_int_t)sphere->operations, "processors", (json_int_t)sphere->processors,
                                   "before", lab_json_real(sphere->before), "after", lab_json_real(sphere->after));
        if (json_array_append_new(spheres, object) != 0) {
            json_decref(spheres);
            return NULL;
        }
    }
    const struct ek_overlaps_report *report = &overlaps->report;
    return json_pack("{s:{s:I, s:I, s:I, s:I}, s:o, s:o}", "pairs", "adjacent", (json_int_t)report->adjacent,
                     "one_shared", (json_int_t)report->one_shared, "two_shared", (json_int_t)report->two_shared, "many",
                     (json_int_t)report->many, "effects", lab_json_object(lab_effects_fields, &report->effects),
                     "spheres", spheres);
}

void cli_overlaps_write_csv(const struct cli_overlaps *overlaps)
{
    puts("begin,end,kind,operations,processors,before,after");
    for (size_t i = 0; i < overlaps->count; i++) {
        const struct ek_sphere *sphere = &overlaps->sphere[i];
        printf("%llu,%llu,%s,%u,%u,%.17g,%.17g\n", (unsigned long long)sphere->begin, (unsigned long long)sphere->end,
               report_overlaps_name(sphere->kind), sphere->operations, sphere->processors, sphere->before,
               sphere->after);
    }
}

bool cli_overlaps_write_table(const struct cli_overlaps *overlaps, struct ek_error *error)
{
    struct lab_record record = {0}; // for the facts of theory
    struct ek_report report = {.has_effects = true, .effects = overlaps->report.effects};
    if (!lab_record_begin(&record, overlaps->replay->machine, overlaps->replay->recorded.command, 1, true, error)) {
        return false;
    }
    report.effects.unknown = 0; // printed separately
    bool good = lab_record_add(&record, &report, error);
    if (good) {
        report_overlaps_write(stdout, &record, &overlaps->report, overlaps->sphere, overlaps->count);
    }
    lab_record_destroy(&record);
    return good;
}
