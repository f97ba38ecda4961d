// SPDX-License-Identifier: MIT
// The blocks of a recording.
#ifndef LAB_RECORD_RECORDING_BLOCK_H
#define LAB_RECORD_RECORDING_BLOCK_H

#include "lab/record/recording.h"

// A file begins with these bytes. Blocks follow. Each block is a zstd frame that states its size, followed by 8 bytes
// with the XXH64 hash of the frame. The hash is not of the content, because several frames may have the same content.
// The content begins with three numbers of 8 bytes, least significant byte first: the number of the recording, the
// block's index from 0, and its kind. By these numbers the reader detects a block that is foreign, lost or doubled.
#define LAB_RECORDING_MAGIC LAB_RECORDING_BEGINS " 2\n"

enum { LAB_BLOCK_HEAD_BYTES = 24, LAB_BLOCK_BYTES = 64 * 1024, LAB_BLOCK_SUM_BYTES = 8 };

enum lab_block {
    LAB_BLOCK_HEAD = 1, // JSON: version, command, workers, axes
    LAB_BLOCK_FILE,     // a file that a spec names: its path, a 0, its text
    LAB_BLOCK_TAPE,     // pieces: the worker's index and the length, 4 bytes each, then the bytes
    LAB_BLOCK_END       // JSON: the record
};

#endif
