// SPDX-License-Identifier: MIT
// What a tape of a run in free timing holds: the looks of each worker, one after the other, as bytes. record.c writes
// them, replay.c reads them; nothing else of a turn is left to chance (look.h).
//
//   a look around   varint: the clock's advance in grains of LOOK_STREAM_GRAIN_NS, shifted left by one; the low bit
//   says
//                   that more has changed. Then a byte of enum look_stream_change, and of what changed by a number,
//                   that number as a varint: the epoch, the permits in hand, the version of the link table.
//   a look at       of those ports whose other end is another worker's, a bit each, from the lowest, in whole bytes:
//   ports           something was seen. Of those, each a varint: the messages that wait, shifted left by one; the low
//                   bit says that there is another room than was known. Then that room as a varint.
//
// A varint has seven bits a byte, the lowest first; the high bit says that another byte follows.
#ifndef THREADS_DRIVERS_RECORDER_LOOK_STREAM_H
#define THREADS_DRIVERS_RECORDER_LOOK_STREAM_H

// The clock is cut to grains while it is recorded, so that a look around takes two bytes mostly.
enum { LOOK_STREAM_GRAIN_NS = 128 };

// Flags as they are now, and what follows as a number.
enum look_stream_change {
    LOOK_STREAM_OVER = 1,
    LOOK_STREAM_DRAINING = 2,
    LOOK_STREAM_TRIGGERED = 4,
    LOOK_STREAM_PERMITS_LEFT = 8,
    LOOK_STREAM_EPOCH = 16,
    LOOK_STREAM_PERMITS = 32,
    LOOK_STREAM_LINKS = 64
};

#endif
