// SPDX-License-Identifier: MIT
// Objects of a run on several processes. Every process has the whole set, so an object crosses as its number and its
// moves.
#ifndef THREADS_CARGO_OBJECTS_OVER_RANKS_H
#define THREADS_CARGO_OBJECTS_OVER_RANKS_H

#include "threads/cargo/objects.h"

enum { CARGO_OBJECT_CROSSES = 2 }; // the doubles of an object that crosses

// Take the objects of the parcel of a port, which crosses to another process, and put those that have come into the
// parcel of the port from which they were sent. Each has CARGO_OBJECT_CROSSES doubles.
void cargo_objects_pack(struct cargo_objects *objects, uint32_t port, double *to);
void cargo_objects_unpack(struct cargo_objects *objects, uint32_t port, const double *from, uint32_t count);

// Writes the objects in the parcels of this process, in turns those that have crossed a link since the last call, each
// with the processor to which it goes, as CARGO_OBJECT_CROSSES doubles. Returns their number. `note_moves` notes that
// objects are at these processors.
size_t cargo_objects_write_moves(struct cargo_objects *objects, double *to);
void cargo_objects_note_moves(struct cargo_objects *objects, const double *from, size_t count);

// Brings the objects of all processes together when the run has ended. Returns false with `error` filled if there is no
// memory, if an object is there twice, or if a process does not answer; then `lost` is true.
bool cargo_objects_gather(struct cargo_objects *objects, bool *lost, struct ek_error *error);

#endif
