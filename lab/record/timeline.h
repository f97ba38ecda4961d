// SPDX-License-Identifier: MIT
// A recorded run on a time line: its operations, who took part in them and how long, and the parcels between. Of a long
// run the beginning.
#ifndef LAB_RECORD_TIMELINE_H
#define LAB_RECORD_TIMELINE_H

#include <stdio.h>

#include "lab/record/record.h"

// Times are in seconds since the run's start; `begun` and `ended` count the events of all turns, by which a processor's
// are told apart that have the same time.
struct lab_timeline {
    struct lab_operation {
        uint32_t processor; // that invoked it
        double from, to;
        uint64_t begun, ended; // UINT64_MAX: it has not
        double got;            // the load that it moved to its processor; NaN where it did not end so
        bool left;             // nobody took part: it is none
    } * operation;
    struct lab_stay { // of a neighbour in an operation
        size_t operation;
        uint32_t processor;
        double from, to;
        uint64_t begun, ended; // UINT64_MAX: it has not
    } * stay;
    struct lab_parcel {
        uint32_t from, to;
        double sent, taken; // NaN: it was not
        double load;
        size_t next; // over the same way, while it is under way
    } * parcel;
    size_t operations, stays, parcels;
    double end; // so far it goes
    bool cut;   // the run went on
};

// Makes the run of a recording again, for its time line and its record, which are to be destroyed. False and `error`
// where it is none, is cut off, so that it has no record, or cannot be made again.
bool lab_timeline_make(struct lab_timeline *timeline, struct lab_record *record, const char *path,
                       struct ek_error *error);
void lab_timeline_destroy(struct lab_timeline *timeline);

// Writes it as a JSON object. Errors of writing stay with the stream.
void lab_timeline_write(FILE *out, const struct lab_timeline *timeline);

#endif
