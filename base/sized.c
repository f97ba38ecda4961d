// SPDX-License-Identifier: MIT
// Copies between two versions of a struct.
#include "base/sized.h"

#include <string.h>

bool base_sized_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
    const char *byte = from;
    size_t common = to_size < from_size ? to_size : from_size;
    memcpy(to, from, common);
    memset((char *)to + common, 0, to_size - common);
    for (size_t i = common; i < from_size; i++) {
        if (byte[i] != 0) {
            return false;
        }
    }
    return true;
}
