// SPDX-License-Identifier: MIT
// Arrays that grow by one element at a time.
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stdlib.h>

// Returns `array`, perhaps moved, with room for one more than its `count` elements of `size` bytes. Every element must
// be added in this way: the room is then always a power of two. Returns NULL if memory is short; the array is
// unchanged.
static inline void *base_grow(void *array, size_t count, size_t size)
{
    return (count & (count - 1)) == 0 ? realloc(array, (count > 0 ? 2 * count : 1) * size) : array;
}

#endif
