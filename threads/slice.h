// SPDX-License-Identifier: MIT
// Time slices. A thread that yields forfeits the rest of its slice, however little of it was used: where another
// program is busy on the core, threads that yield to one another give it most of the time. So workers that share a core
// ask for short slices.
#ifndef EK_SLICE_H
#define EK_SLICE_H

// Asks for the calling thread's slices to be as short as they can be: 0.1 ms, where Linux knows how (6.12 and later).
// Elsewhere, and where that is refused, they stay as they are.
void ek_slice_shorten(void);

#endif
