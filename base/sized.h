// SPDX-License-Identifier: MIT
// Structs of the public header that grow. A later version of the header may add fields at the end of such a struct, so
// a program passes the size that the struct has in the program's own header. If the sizes of the program and the
// library differ, the library uses only the fields that both know.
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "base/common.h"

// Copies a struct of `from_size` bytes into another version of the struct, which has `to_size` bytes. Fields that only
// `to` has become 0. Returns false if a field that only `from` has is not 0, since its value is lost.
bool base_sized_copy(void *to, size_t to_size, const void *from, size_t from_size);

#endif
