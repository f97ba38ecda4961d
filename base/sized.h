// SPDX-License-Identifier: MIT
// Structs of the public header that grow. A later version of the header may add fields at the end of such a struct, so
// a program passes its size, as its own header has it. Where the sizes differ, the library uses the part that both
// know.
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "base/common.h"

// Copies a struct of `from_size` bytes into another version of it, which has `to_size` bytes. Fields that only the
// latter has become 0. Returns whether all was copied: false if a field that only the former has is not 0.
bool base_sized_copy(void *to, size_t to_size, const void *from, size_t from_size);

#endif
