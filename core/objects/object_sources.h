// SPDX-License-Identifier: MIT
// Where objects come from (axis `objects`).
#ifndef CORE_OBJECTS_OBJECT_SOURCES_H
#define CORE_OBJECTS_OBJECT_SOURCES_H

#include "core/axes/load.h"
#include "core/objects/object_set.h"

enum core_object_source_kind {
    CORE_OBJECTS_WEIGHTS, // as many as the load places, with drawn weights
    CORE_OBJECTS_FILE,    // a line each
    CORE_OBJECTS_VT,      // LB data files of DARMA/vt
    CORE_OBJECTS_MESH     // the cells of a mesh
};

struct core_object_source {
    enum core_object_source_kind kind;
    struct core_load weight; // its distribution, in whole numbers
    uint64_t seed;           // of the weights
    uint32_t width, height;  // of the mesh
    size_t path;             // where the path begins in the spec
};

// Returns a source as a list shows it, or NULL past the last.
const struct ek_choice *core_object_source_choice(size_t index);

// Reads a spec. Returns false with `error` filled if it is wrong.
bool core_object_source_parse(struct core_object_source *source, const char *spec, struct ek_error *error);

// Write the objects of a source to an empty set. `placed` is the number of objects that the load places, by processor;
// a mesh is placed cell by cell in the order of its rows.
bool core_objects_draw(struct core_object_set *set, const struct core_object_source *source, const double *placed,
                       uint32_t processors, struct base_cursor *spec);
bool core_objects_read_file(struct core_object_set *set, uint32_t processors, struct ek_reader reader,
                            struct base_cursor *spec);

#endif
