// SPDX-License-Identifier: MIT
// Reports that a program receives. Its struct may have another size than the library's (base/sized.h).
#ifndef THREADS_MACHINE_REPORT_MEMORY_H
#define THREADS_MACHINE_REPORT_MEMORY_H

#include "base/common.h"

struct ek_report;

// Moves the report `own` into the program's `given`, which has `size` bytes. Arrays that the program's version does not
// have are freed.
void machine_report_give(struct ek_report *own, struct ek_report *given, size_t size);

#endif
