// SPDX-License-Identifier: MIT
// The format of a tape. A *tape* holds the looks of one worker (look.h) in their order, as bytes. The recorder writes
// tapes, a replay reads them. A turn computes everything else from its worker's own state.
//
//   a look around   1. varint: the clock's advance in grains of LOOK_STREAM_GRAIN_NS, shifted left by one. The lowest
//                      bit is 1 if more than the clock has changed. Only then follow
//                   2. a byte: the flags of enum look_stream_change;
//                   3. if they are flagged, each as a varint: the epoch, the worker's permits, and the version of the
//                      link table.
//   a look at       1. a bit for each port that leads to another worker, in full bytes, the lowest bit first: 1 if
//   ports              messages wait there, or there is another room than before;
//                   2. for each such port, a varint: the number of messages, shifted left by one. The lowest bit is 1
//                      if there is another room than before; then that room follows as a varint.
//
// A varint has seven bits a byte, the lowest first. The highest bit is 1 if another byte follows.
#ifndef THREADS_DRIVERS_RECORDER_LOOK_STREAM_H
#define THREADS_DRIVERS_RECORDER_LOOK_STREAM_H

// A recorded run has a clock of this resolution, so that most looks around take two bytes.
enum { LOOK_STREAM_GRAIN_NS = 128 };

// The first four are the look's flags. The others say which numbers follow.
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
