// SPDX-License-Identifier: MIT
// Time slices. A thread that yields forfeits the rest of its slice, however little of it was used: where another
// program is busy on the core, threads that yield to one another give it most of the time. So workers that share a core
// ask for short slices (bench/README.md has what that brings, and where it does not pay).
#ifndef THREADS_HOST_SLICE_H
#define THREADS_HOST_SLICE_H

// Asks for the calling thread's slices to be as short as they can be, 0.1 ms, where Linux knows how (6.12 and later).
// `workers` of them run on `cores`; nothing is asked where each has a core, or where they are too many. What is refused
// stays as it was.
void host_slice_shorten(unsigned workers, unsigned cores);

#endif
