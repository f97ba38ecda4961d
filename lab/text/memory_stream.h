// SPDX-License-Identifier: MIT
// A stream that writes into memory. With open_memstream, a lack of memory shows only in the result of the failing
// fprintf: neither ferror nor fclose reports it later, so an incomplete text would look complete. This stream remembers
// the failure.
#ifndef LAB_TEXT_MEMORY_STREAM_H
#define LAB_TEXT_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct lab_stream {
    FILE *out; // write here, until lab_stream_end
    char *of;
    size_t length, room;
    bool lost; // memory was short: a piece is missing
};

// Begins an empty text. The struct must not move until lab_stream_end. Returns false if memory is short.
bool lab_stream_begin(struct lab_stream *text);

// Ends the stream and returns the text, which is to be freed and ends with a 0. `length` is its number of bytes.
// Returns NULL if a piece is missing.
char *lab_stream_end(struct lab_stream *text);

#endif
