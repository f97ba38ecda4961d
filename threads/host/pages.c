// SPDX-License-Identifier: MIT
// A step passes through all arrays of a run side by side. In pages of 4 KiB these are more streams than a core has
// address translations for, and steps of a million processors take noticeably longer (bench/README.md).
#define _DEFAULT_SOURCE // madvise
#include "threads/host/pages.h"

#include <sys/mman.h>

void host_pages_request(const struct base_arena *memory)
{
    enum { PAGE = 1 << 21 };
    for (unsigned i = 0; i < memory->count; i++) {
        uintptr_t block = (uintptr_t)memory->array[i].block;
        uintptr_t begin = (block + PAGE - 1) / PAGE * PAGE;
        uintptr_t end = (block + memory->array[i].bytes) / PAGE * PAGE;
        if (begin < end) {
            madvise((void *)begin, end - begin, MADV_HUGEPAGE);
        }
    }
}
