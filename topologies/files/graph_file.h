// SPDX-License-Identifier: MIT
// What the readers of graph files share: the file as text, and the links that were found in it so far.
#ifndef TOPOLOGIES_FILES_GRAPH_FILE_H
#define TOPOLOGIES_FILES_GRAPH_FILE_H

#include "topologies/pairs.h"
#include "base/cursor.h"
#include "base/lines.h"

// How often a file may, or has to, tell a link: an edge list once; a matrix also from both sides of its diagonal; METIS
// from both its ends.
enum topo_told { TOPO_TOLD_ONCE, TOPO_TOLD_ONCE_OR_TWICE, TOPO_TOLD_TWICE };

enum { TOPO_LINE_MAX_LENGTH = 1100 }; // Matrix Market allows lines of 1024 characters

struct topo_graph_file {
    struct base_lines lines;
    struct ek_error *error;
    struct topo_pair *pairs;
    size_t count;
    size_t room;
    uint64_t processors;
    enum topo_told told;
    bool weighted;   // there was more than links, which says nothing here
    bool market;     // it is Matrix Market,
    unsigned values; // and so many numbers follow the two processors of an entry
    char line[TOPO_LINE_MAX_LENGTH];
};

// Fails with the file's name and the number of the line that was read last in front. `format` makes the sentence.
bool topo_graph_fail(struct topo_graph_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Adds a link, of processors counted from 0. False without memory.
bool topo_graph_add(struct topo_graph_file *file, uint64_t from, uint64_t to);

// Sorts the links and leaves each once. False where one was told too often or, of METIS, by one end only.
bool topo_graph_merge(struct topo_graph_file *file);

// Whether a text is laid out as METIS has it; and reads such a one.
bool topo_metis_looks(const struct base_lines *lines);
bool topo_metis_read(struct topo_graph_file *file);

#endif
