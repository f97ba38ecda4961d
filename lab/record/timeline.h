// SPDX-License-Identifier: MIT
// A recorded run as a time line: its operations, the neighbours that took part in each and for how long, and the
// parcels between them. The time line of a long run holds only the beginning. The record that comes with it has a trace
// and frames of the whole run.
#ifndef LAB_RECORD_TIMELINE_H
#define LAB_RECORD_TIMELINE_H

#include <stdio.h>

#include "lab/record/record.h"

// Times are in seconds since the run's start. `begun` and `ended` are numbers that count the events of all turns. They
// order a processor's events of the same time.
struct lab_timeline {
    struct lab_operation {
        uint32_t processor; // the invoker
        double from, to;
        uint64_t begun, ended; // UINT64_MAX: it has not ended
        double got;            // the load it moved to the invoker; NaN if it did not complete
        bool left;             // no neighbour took part, so the operation does not count
    } * operation;
    struct lab_stay { // a neighbour's part in an operation
        size_t operation;
        uint32_t processor;
        double from, to;
        uint64_t begun, ended; // UINT64_MAX: it has not ended
    } * stay;
    struct lab_parcel {
        uint32_t from, to;
        double sent, taken; // NaN: it was not received
        double load;
        size_t next; // the next parcel over the same direction of the link, while under way
    } * parcel;
    size_t operations, stays, parcels;
    double end;                        // the last moment of the time line
    bool cut;                          // the run continued after `end`
    uint64_t turns;                    // of the whole run
    uint64_t trace_every, frame_every; // the record's trace and frames have every so many turns, and the last
};

// Replays a recording and makes its time line and its record, whose trace and frames are those of the replay. The
// caller destroys both. Returns false if the file is not a recording, cannot be replayed, or has no record because it
// was cut off.
bool lab_timeline_make(struct lab_timeline *timeline, struct lab_record *record, const char *path,
                       struct ek_error *error);
void lab_timeline_destroy(struct lab_timeline *timeline);

// Writes the time line as a JSON object. The stream remembers errors of writing.
void lab_timeline_write(FILE *out, const struct lab_timeline *timeline);

#endif
