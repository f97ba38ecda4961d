// SPDX-License-Identifier: MIT
// The blocks of a recording, as they are written and read.
#ifndef LAB_RECORD_RECORDING_BLOCK_H
#define LAB_RECORD_RECORDING_BLOCK_H

#include <stdint.h>

#include "lab/record/recording.h"

// A file begins with these bytes. Behind them come blocks, each a zstd frame with its size, and the XXH64 of the frame
// in 8 bytes: not of its content, which several frames may have. A block begins with the recording's own number, its
// place among the blocks from 0, and what it is, 8 bytes each, the lowest first: what was taken from elsewhere, lost or
// doubled does not fit.
#define LAB_RECORDING_MAGIC LAB_RECORDING_BEGINS " 2\n"

enum { LAB_BLOCK_HEAD_BYTES = 24, LAB_BLOCK_BYTES = 64 * 1024, LAB_BLOCK_SUM_BYTES = 8 };

enum lab_block {
    LAB_BLOCK_HEAD = 1, // JSON: version, command, workers, axes
    LAB_BLOCK_FILE,     // a file that a spec named: its path, a 0, its text
    LAB_BLOCK_TAPE,     // pieces: worker and bytes, 4 bytes each; then the bytes
    LAB_BLOCK_END       // JSON: the record
};

#endif
