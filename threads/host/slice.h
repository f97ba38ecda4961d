// SPDX-License-Identifier: MIT
// Time slices. A thread that yields gives up the rest of its slice, even if it has used little of it. If another
// program is busy on the core, that program gets most of the time of threads that yield to one another. So workers that
// share a core request short slices (bench/README.md has the effect, and the cases without one).
#ifndef THREADS_HOST_SLICE_H
#define THREADS_HOST_SLICE_H

// Requests the shortest slices, 0.1 ms, for the calling thread, if Linux supports that (6.12 and later). `workers`
// threads run on `cores`. Nothing is requested if each worker has a core, or if too many workers share one. A refused
// request changes nothing.
void host_slice_shorten(unsigned workers, unsigned cores);

#endif
