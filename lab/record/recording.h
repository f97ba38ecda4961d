// SPDX-License-Identifier: MIT
// Recordings: files from which a run in free timing can be made again (docs/recording.md has the format). One holds the
// experiment with the files that its specs name, what the workers saw, and the record of the run.
#ifndef LAB_RECORD_RECORDING_H
#define LAB_RECORD_RECORDING_H

#include "lab/record/record.h"
#include "threads/api/replay.h"

// How the files of all versions begin.
#define LAB_RECORDING_BEGINS "evenkeel recording"

// Writing one.
struct lab_recorder;

// Makes the file. `experiment` becomes one that is recorded, and must be used with this recording only. NULL and
// `error` where the file cannot be made or there is no memory.
struct lab_recorder *lab_recorder_create(const char *path, const char *command, struct ek_experiment *experiment,
                                         struct ek_error *error);

// Writes down of which machine it is, before it runs.
bool lab_recorder_begin(struct lab_recorder *recording, const struct ek_machine *machine, struct ek_error *error);

// Writes what is left and the record of its one run, and closes the file, which is on the disk then. False and `error`
// where anything could not be written, now or before. `record` may be NULL: there is none.
bool lab_recorder_end(struct lab_recorder *recording, const struct lab_record *record, struct ek_error *error);

// Reading one.
struct lab_recording {
    char *command;                   // that made it
    struct ek_experiment experiment; // whose texts and files it owns
    bool whole;                      // it has its end, and `record`
    struct lab_record record;        // of the run, with its loads and trace
    uint64_t bytes, tape_bytes;      // of the file; of all tapes together
    struct ek_tape tape;             // the tapes from their beginning, once
    struct lab_recording_parts *parts;
};

// False and `error` where it is no recording, is damaged, is another version's, or does not fit into the memory. What
// is only cut off is read as far as it goes.
bool lab_recording_read(const char *path, struct lab_recording *recorded, struct ek_error *error);
void lab_recording_destroy(struct lab_recording *recorded);

#endif
