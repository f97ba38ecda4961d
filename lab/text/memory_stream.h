// SPDX-License-Identifier: MIT
// Text that is written into memory through a stream. open_memstream tells only who writes it that there was no memory
// for a piece, by what fprintf returns, and neither ferror nor fclose say so after that: what is made with it would
// lack the piece and look whole.
#ifndef LAB_TEXT_MEMORY_STREAM_H
#define LAB_TEXT_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct lab_stream {
    FILE *out; // to be written to until the end
    char *of;
    size_t length, room;
    bool lost; // something had no room
};

// The struct must stay where it is until the end. False without memory.
bool lab_stream_begin(struct lab_stream *text);

// All that was written, behind it a 0; to be freed. NULL where a piece was lost. `length` says how long it is.
char *lab_stream_end(struct lab_stream *text);

#endif
