// SPDX-License-Identifier: MIT
// Recordings: files from which a run in free timing can be replayed (docs/recording.md has the format). A recording
// holds the experiment with the files that its specs name, the observations of each worker thread, and the record of
// the run.
#ifndef LAB_RECORD_RECORDING_H
#define LAB_RECORD_RECORDING_H

#include "lab/record/record.h"
#include "threads/api/experiment.h"
#include "threads/api/replay.h"

// The first bytes of a recording of any version.
#define LAB_RECORDING_BEGINS "evenkeel recording"

// A recording being written.
struct lab_recorder;

// Makes the file and changes `experiment` so that its run is recorded; use the experiment with this recording only.
// Returns NULL if the file cannot be made or memory is short.
struct lab_recorder *lab_recorder_create(const char *path, const char *command, struct ek_experiment *experiment,
                                         struct ek_error *error);

// Writes the experiment, before the machine runs. Then the recording gets its name, and replaces an older file of this
// name. So a killed run leaves a recording that was cut off, and an experiment that is refused keeps the older file.
bool lab_recorder_begin(struct lab_recorder *recording, const struct ek_machine *machine, struct ek_error *error);

// Writes the rest of the tapes and the record, and closes the file. If the function returns true, the whole file is on
// the disk. Returns false if any write failed, now or earlier. `record` is NULL if there is none.
bool lab_recorder_end(struct lab_recorder *recording, const struct lab_record *record, struct ek_error *error);

// A recording that was read.
struct lab_recording {
    char *command;                   // the command that made it
    struct ek_experiment experiment; // its texts and files are the recording's
    bool whole;                      // the recording is complete and has its `record`
    struct lab_record record;        // the record of the run, with loads and trace
    uint64_t bytes, tape_bytes;      // size of the file, and of all tapes together
    struct ek_tape tape;             // the tapes, which can be read once
    struct lab_recording_parts *parts;
};

// Reads a recording. A file that was cut off is read as far as it goes. Returns false if the file is not a recording,
// is damaged, is of another version, or does not fit into memory.
bool lab_recording_read(const char *path, struct lab_recording *recorded, struct ek_error *error);
void lab_recording_destroy(struct lab_recording *recorded);

#endif
