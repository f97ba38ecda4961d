// SPDX-License-Identifier: MIT
#include "lab/studies/schedule_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/recording.h"
#include "lab/studies/schedule_maker.h"
#include "threads/api/run.h"

char *lab_schedule_within(const struct ek_experiment *experiment, uint64_t number)
{
    if (!lab_explores_machines(experiment)) {
        return NULL;
    }
    const char *given = experiment->within ? experiment->within : "1";
    size_t factor = strcspn(given, ":");
    uint64_t first = given[factor] ? strtoull(given + factor + 1, NULL, 10) : 0;
    size_t size = factor + 24;
    char *text = malloc(size);
    if (text) {
        snprintf(text, size, "%.*s:%lu", (int)factor, given, (unsigned long)(uint32_t)(first + number));
    }
    return text;
}

// Adds the schedule's report to the record, as run 0. Returns false if memory is short.
static bool keep_report(struct ek_explore *explore, const struct ek_machine *machine, const char *command,
                        struct lab_record *record, struct ek_error *error)
{
    struct ek_report report;
    struct ek_error violation; // the report has it too
    ek_explore_report(explore, &report, &violation);
    bool begun = lab_record_begin(record, machine, command, 1, false, error);
    if (begun && lab_record_add(record, &report, error)) {
        return true;
    }
    ek_report_destroy(&report);
    if (begun) {
        lab_record_destroy(record);
    }
    return false;
}

static bool make(const struct lab_schedule_origin *origin, struct ek_machine *machine, const char *command,
                 struct lab_record *record, struct ek_error *error)
{
    struct ek_explore *explore =
        origin->tape
            ? ek_explore_after(machine, origin->tape, origin->until, origin->strategy, origin->turns_most, NULL, error)
            : ek_explore_begin(machine, origin->strategy, origin->turns_most, NULL, error);
    if (!explore) {
        return false;
    }
    struct ek_error what; // a check that fails is what is recorded
    enum ek_explored how = origin->step ? ek_explore_follow(explore, origin->step, origin->count, &what)
                                        : ek_explore_schedule(explore, origin->number, &what);
    if (how == EK_EXPLORED_REFUSED) {
        *error = what;
    }
    bool good = how != EK_EXPLORED_REFUSED && keep_report(explore, machine, command, record, error);
    ek_explore_destroy(explore); // closes the tapes
    return good;
}

// Runs the schedule of an experiment that keeps its loads, and writes its recording.
static bool record(const struct lab_schedule_origin *origin, struct ek_experiment *experiment, const char *path,
                   const char *command, struct ek_error *error)
{
    struct lab_recorder *recorder = lab_recorder_create(path, command, experiment, error);
    if (!recorder) {
        return false;
    }
    struct lab_record made = {0};
    struct ek_machine *machine = ek_prepare(experiment, error);
    bool good = machine && lab_recorder_begin(recorder, machine, error) && make(origin, machine, command, &made, error);
    struct ek_error unwritten = {.at = -1};
    if (!lab_recorder_end(recorder, good ? &made : NULL, &unwritten) && good) {
        *error = unwritten;
        good = false;
    }
    if (made.count > 0) {
        lab_record_destroy(&made);
    }
    ek_machine_destroy(machine);
    return good;
}

bool lab_schedule_record(const struct lab_schedule_origin *origin, const char *path, const char *command,
                         struct ek_error *error)
{
    struct ek_experiment experiment = *origin->experiment;
    experiment.keep_loads = true;
    char *within = lab_schedule_within(&experiment, origin->number);
    if (!within && lab_explores_machines(&experiment)) {
        return base_refuse(error, "there is no memory to record a schedule");
    }
    struct lab_schedule_origin numbered = *origin;
    if (within) { // the machine has its number, so that a replay has it too
        experiment.within = within;
        numbered.number = 0;
    }
    bool good = record(&numbered, &experiment, path, command, error);
    free(within);
    return good;
}
