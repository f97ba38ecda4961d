// SPDX-License-Identifier: MIT
// The objects and communications in LB data files of DARMA/vt.
#ifndef THREADS_CARGO_VT_OBJECTS_H
#define THREADS_CARGO_VT_OBJECTS_H

#include "threads/cargo/vt_files.h"

// Finds the phase in each file, and appends its objects and communications to the set. Fails at the character `at` of
// the spec. Files are named by the text there.
bool cargo_vt_take_objects(struct cargo_vt *vt, struct core_object_set *set, uint32_t processors, int64_t phase,
                           struct base_cursor *spec, size_t at);

#endif
