// SPDX-License-Identifier: MIT
#include "lab/record/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/fields.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

// Prepares the recorded experiment. Its method or topology can be a plugin's, and the plugin may not be loaded.
static struct ek_machine *prepare(const char *path, const struct ek_experiment *experiment, struct ek_error *error)
{
    struct ek_machine *machine = ek_prepare(experiment, error);
    if (!machine && (strcmp(error->axis, "method") == 0 || strcmp(error->axis, "topology") == 0)) {
        char why[sizeof error->sentence];
        snprintf(why, sizeof why, "%s", error->sentence);
        base_refuse(error, "%.200s cannot be repeated: add --plugin if it was recorded with one; %.300s", path, why);
    }
    return machine;
}

bool lab_replay_open(struct lab_replay *replay, const char *path, struct ek_error *error)
{
    *replay = (struct lab_replay){0};
    if (!lab_recording_read(path, &replay->recorded, error)) {
        return false;
    }
    replay->machine = prepare(path, &replay->recorded.experiment, error);
    replay->replay = replay->machine ? ek_replay_begin(replay->machine, 0, &replay->recorded.tape, error) : NULL;
    if (!replay->replay) {
        lab_replay_close(replay);
    }
    return replay->replay;
}

void lab_replay_close(struct lab_replay *replay)
{
    if (replay->replay) {
        ek_replay_destroy(replay->replay);
    }
    if (replay->machine) {
        ek_machine_destroy(replay->machine);
    }
    lab_recording_destroy(&replay->recorded);
    replay->replay = NULL;
    replay->machine = NULL;
}

enum ek_replay_status lab_replay_turn(struct lab_replay *replay, struct ek_error *error)
{
    return ek_replay_turn(replay->replay, &replay->turn, error);
}

struct lab_replay_state lab_replay_state_now(const struct lab_replay *replay)
{
    const double *held = ek_replay_loads(replay->replay);
    uint32_t processors = ek_machine_outline(replay->machine)->processors;
    struct lab_replay_state moment = {.turn = replay->turn.number,
                                      .time = 1e-9 * (double)replay->turn.time_ns,
                                      .minimum = held[0],
                                      .maximum = held[0],
                                      .in_flight = ek_replay_in_flight(replay->replay)};
    double total = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        total += held[p];
        moment.minimum = fmin(moment.minimum, held[p]);
        moment.maximum = fmax(moment.maximum, held[p]);
    }
    moment.mean = total / processors;
    moment.spread = moment.maximum - moment.minimum;
    double share =
        (total + moment.in_flight) / processors; // the variance is taken around the mean of all load, in flight too
    for (uint32_t p = 0; p < processors; p++) {
        moment.variance += (held[p] - share) * (held[p] - share);
    }
    return moment;
}

// The fields of free timing that depend on the turns alone. Fields that the auditor observed or the system counted are
// left out. In virtual time all fields but those of the host depend on the experiment.
static const char *const decided[] = {"operations", "invocations", "parcels",      "moved",    "messages",
                                      "generated",  "consumed",    "minimum_ever", "flow_l1",  "flow_l2",
                                      "minimum",    "maximum",     "held_final",   "in_flight"};
static const char *const decided_free[] = {"engagements", "overlaps", "refusals",   "abandoned",
                                           "stalls",      "turns",    "empty_turns"};

static bool differs(const char *name, const char *then, const char *now, struct ek_error *error)
{
    return base_refuse(error,
                       "the recording does not fit this build: %s is %.100s in its record and %.100s when replayed: "
                       "record the run again",
                       name, then, now);
}

static bool same_text(const struct lab_field *field, const void *then, const void *now, struct ek_error *error)
{
    const char *before = lab_field_text(field, then);
    const char *after = lab_field_text(field, now);
    return strcmp(before, after) == 0 || differs(field->name, before, after, error);
}

static bool same_number(const struct lab_field *field, const void *then, const void *now, struct ek_error *error)
{
    double before = lab_field_value(field, then);
    double after = lab_field_value(field, now);
    if (before == after || (isnan(before) && isnan(after))) {
        return true;
    }
    char was[32], is[32];
    snprintf(was, sizeof was, "%.17g", before);
    snprintf(is, sizeof is, "%.17g", after);
    return differs(field->name, was, is, error);
}

// Compares all fields but those of the host.
static bool same_fields(const struct lab_field *fields, const void *then, const void *now, struct ek_error *error)
{
    bool same = true;
    for (const struct lab_field *field = fields; same && field->name; field++) {
        bool present = lab_field_present(field, then);
        if (field->of_host || (!present && !lab_field_present(field, now))) {
            continue;
        }
        if (present != lab_field_present(field, now)) {
            return differs(field->name, present ? "there" : "missing", present ? "missing" : "there", error);
        }
        switch (field->kind) {
        case LAB_GROUP:
        case LAB_LIST:
            same =
                same_fields(field->parts, (const char *)then + field->offset, (const char *)now + field->offset, error);
            break;
        case LAB_NAME:
        case LAB_TEXT:
            same = same_text(field, then, now, error);
            break;
        case LAB_WHOLE:
        case LAB_UNSIGNED:
        case LAB_REAL:
        case LAB_SWITCH:
            same = same_number(field, then, now, error);
            break;
        }
    }
    return same;
}

static bool same_numbers(const struct lab_field *fields, const char *const *names, size_t count, const void *then,
                         const void *now, struct ek_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct lab_field *field = fields;
        while (strcmp(field->name, names[i]) != 0) {
            field++;
        }
        if (!same_number(field, then, now, error)) {
            return false;
        }
    }
    return true;
}

static bool agrees(const struct ek_report *then, const struct ek_report *now, uint32_t processors,
                   struct ek_error *error)
{
    for (uint32_t p = 0; p < processors; p++) {
        if (memcmp(&then->final[p], &now->final[p], sizeof now->final[p]) != 0) {
            return base_refuse(error,
                               "the recording does not fit this build: processor %u ends with %.17g in the record and "
                               "%.17g when replayed: record the run again",
                               p, then->final[p], now->final[p]);
        }
    }
    if (then->has_virtual && then->ended != EK_ENDED_VIOLATION) { // an explorer notices more, and ends at once
        return same_fields(lab_report_fields, then, now, error);
    }
    const struct lab_field *running = lab_field_named("free")->parts;
    return same_numbers(lab_report_fields, decided, sizeof decided / sizeof *decided, then, now, error) &&
           same_numbers(running, decided_free, sizeof decided_free / sizeof *decided_free, &then->free, &now->free,
                        error);
}

bool lab_replay_matches(struct lab_replay *replay, struct ek_error *error)
{
    const struct ek_report *then = &replay->recorded.record.runs[0];
    uint32_t processors = ek_machine_outline(replay->machine)->processors;
    if (replay->recorded.record.topology.processors != processors) {
        return base_refuse(error, "the recording holds the record of another run: record the run again");
    }
    struct ek_report now;
    struct ek_error violation; // the recorded run had the same violation
    ek_replay_report(replay->replay, then->ended, then->elapsed_s, &now, &violation);
    bool good = then->final && now.final
                    ? agrees(then, &now, processors, error)
                    : base_refuse(error, "the recording has no final loads to compare with: record the run again");
    ek_report_destroy(&now);
    return good;
}
