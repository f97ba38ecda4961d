// SPDX-License-Identifier: MIT
// What the readers of graph files share: the file's text, and the links found so far.
#ifndef TOPOLOGIES_FILES_GRAPH_FILE_H
#define TOPOLOGIES_FILES_GRAPH_FILE_H

#include "topologies/pairs.h"
#include "base/cursor.h"
#include "base/lines.h"

// How often a file lists a link: an edge list once; a matrix once, or on both sides of its diagonal; METIS at both
// ends.
enum topo_listed { TOPO_LISTED_ONCE, TOPO_LISTED_ONCE_OR_TWICE, TOPO_LISTED_TWICE };

enum { TOPO_LINE_MAX_LENGTH = 1100 }; // Matrix Market allows lines of 1024 characters

struct topo_graph_file {
    struct base_lines lines;
    struct ek_error *error;
    struct topo_pair *pairs;
    size_t count;
    size_t room;
    uint64_t processors;
    enum topo_listed listed;
    bool weighted;   // the file has weights or values, which are ignored
    bool market;     // it is a Matrix Market file
    unsigned values; // numbers that follow the two processors of an entry in a Matrix Market file
    char line[TOPO_LINE_MAX_LENGTH];
};

// Fails with the sentence after the file's name and the number of the last line that was read.
bool topo_graph_fail(struct topo_graph_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Adds a link; processors are numbered from 0. Returns false if there is no memory.
bool topo_graph_add(struct topo_graph_file *file, uint64_t from, uint64_t to);

// Sorts the links and leaves each once. Fails if a link is listed too often, or by one end only in a METIS file.
bool topo_graph_merge(struct topo_graph_file *file);

// Recognises and reads METIS files.
bool topo_metis_looks(const struct base_lines *lines);
bool topo_metis_read(struct topo_graph_file *file);

#endif
