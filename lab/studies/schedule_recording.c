// SPDX-License-Identifier: MIT
// Recordings of schedules.
#include "lab/studies/schedule_recording.h"

#include "lab/record/recording.h"

// The report of the schedule, as run 0 of the record.
static bool keep_report(struct ek_explore *explore, const struct ek_machine *machine, const char *command,
                        struct lab_record *record, struct ek_error *error)
{
    struct ek_report report;
    struct ek_error violation; // the report says it, too
    ek_explore_report(explore, &report, &violation);
    if (!lab_record_begin(record, machine, command, 1, false, error)) {
        ek_report_destroy(&report);
        return false;
    }
    if (!lab_record_add(record, &report, error)) {
        ek_report_destroy(&report);
        lab_record_destroy(record);
        return false;
    }
    return true;
}

static bool make(const struct lab_schedule_origin *scheduled, struct ek_machine *machine, const char *command,
                 struct lab_record *record, struct ek_error *error)
{
    struct ek_explore *explore =
        scheduled->tape ? ek_explore_after(machine, scheduled->tape, scheduled->until, scheduled->strategy,
                                           scheduled->turns_most, NULL, error)
                        : ek_explore_begin(machine, scheduled->strategy, scheduled->turns_most, NULL, error);
    if (!explore) {
        return false;
    }
    enum ek_explored how = scheduled->step ? ek_explore_follow(explore, scheduled->step, scheduled->count, error)
                                           : ek_explore_schedule(explore, scheduled->number, error);
    bool good = how != EK_EXPLORED_REFUSED && keep_report(explore, machine, command, record, error);
    ek_explore_destroy(explore); // ends the tapes
    return good;
}

bool lab_schedule_record(const struct lab_schedule_origin *scheduled, const char *path, const char *command,
                         struct ek_error *error)
{
    struct ek_experiment experiment = *scheduled->experiment;
    experiment.keep_loads = true;
    struct lab_recorder *recording = lab_recorder_create(path, command, &experiment, error);
    if (!recording) {
        return false;
    }
    struct lab_record made = {0};
    struct ek_machine *machine = ek_prepare(&experiment, error);
    bool good =
        machine && lab_recorder_begin(recording, machine, error) && make(scheduled, machine, command, &made, error);
    struct ek_error other = {.at = -1};
    if (!lab_recorder_end(recording, good ? &made : NULL, &other) && good) {
        *error = other;
        good = false;
    }
    if (made.count > 0) {
        lab_record_destroy(&made);
    }
    if (machine) {
        ek_machine_destroy(machine);
    }
    return good;
}
