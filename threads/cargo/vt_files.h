// SPDX-License-Identifier: MIT
// LB data files of DARMA/vt: JSON, one file for each rank. A file lists the objects that its rank held in each phase of
// an application, with the time that each took, and the bytes that they exchanged. Rank r is processor r.
//
// A file named .br is compressed by Brotli (RFC 7932).
#ifndef THREADS_CARGO_VT_FILES_H
#define THREADS_CARGO_VT_FILES_H

#include <jansson.h>

#include "core/objects/object_set.h"

struct ek_placement_file;

// The phase of each rank that objects were read from, kept for writing new files. Files:
// vt_path.c finds their names, vt_files.c reads them, vt_objects.c takes objects from them, vt_write.c writes new ones.
struct cargo_vt {
    char *name;        // the pattern without its directory, and without .br
    uint32_t ranks;    // that have a file
    json_t **root;     // [ranks] the whole file
    int64_t number;    // of the phase
    json_t **phase;    // [ranks] the phase in it; borrowed
    uint32_t *rank_of; // [objects] by line: the file that an object came from
    size_t *task_of;   // [objects] by line: its place in the tasks of the phase
    uint32_t objects;
    uint32_t *sender; // [communications] of one file after another: the line of the object that sends, or
                      // CORE_NO_OBJECT if no object does
};

// Reads the files of the pattern at the cursor, in which %p or * stands for the rank. `phase` is the number of the
// phase; below 0 means the first of rank 0. Returns NULL with the error of `spec` filled if a file is wrong, or if
// there are more files than processors. Each object is appended to the set, which is to be finished.
struct cargo_vt *cargo_vt_read(struct core_object_set *set, uint32_t processors, int64_t phase, struct ek_reader reader,
                               struct base_cursor *spec);
void cargo_vt_destroy(struct cargo_vt *vt);

// Writes the files of all ranks to file[ranks], which is filled with zeros, if place[line] is the processor of each
// object. Returns false if there is no memory. The caller frees the texts and names, also then.
bool cargo_vt_write(const struct cargo_vt *vt, const uint32_t *place, uint32_t ranks, struct ek_placement_file *file);

// Returns whether a name has a place for the rank.
bool cargo_vt_names_rank(const char *name);

// Returns the name of a file of the pattern, or NULL if there is no memory. The caller frees it.
char *cargo_vt_path(const char *pattern, uint32_t rank);

#endif
