// SPDX-License-Identifier: MIT
// What the readers of graph files share. A file is read several times, from its begin to its end, and each time a
// function takes the links that it lists:
//
//   1. topo_graph_count counts the links of each processor.
//   2. topo_graph_fill writes the rows of the processors, or of those that the topology stores (struct topo_window).
//   3. If the file lists a link too often or too rarely, topo_graph_explain finds the line.
//
// So no list of all links is kept. A matrix may list some links once and others twice. The lengths of its rows are then
// not known in advance, so its links are collected and sorted instead (topo_graph_collect).
#ifndef TOPOLOGIES_FILES_GRAPH_FILE_H
#define TOPOLOGIES_FILES_GRAPH_FILE_H

#include "topologies/pairs.h"
#include "base/cursor.h"
#include "base/lines.h"

struct ek_topology;

// How often a file lists a link: an edge list once; a matrix once, or on both sides of its diagonal; METIS at both
// ends.
enum topo_listed { TOPO_LISTED_ONCE, TOPO_LISTED_ONCE_OR_TWICE, TOPO_LISTED_TWICE };

enum { TOPO_LINE_MAX_LENGTH = 1100 }; // Matrix Market allows lines of 1024 characters

struct topo_graph_file;

typedef bool topo_graph_take(struct topo_graph_file *file, uint32_t from, uint32_t to);

struct topo_graph_file {
    struct base_lines lines;
    struct ek_error *error;
    bool (*read)(struct topo_graph_file *file); // the reader of its format
    topo_graph_take *take;                      // takes each link that is listed; it is never one of a processor to
                                                // itself
    uint64_t listings;                          // links listed so far, as often as they are listed
    uint64_t processors;
    enum topo_listed listed;
    bool weighted;   // the file has weights or values, which are ignored
    bool market;     // it is a Matrix Market file
    unsigned values; // numbers that follow the two processors of an entry in a Matrix Market file

    // The results of topo_graph_count. topo_graph_fill counts the degrees down to 0.
    uint32_t *degree; // [room] by processor
    uint32_t *parent; // [room] by processor: a path to the root of its component
    size_t room;
    uint32_t joins;   // how often a link joined two components
    bool forth, back; // some link is listed from its lower end to its upper one; the other way round
    uint64_t print;   // a fingerprint of all links

    struct ek_topology *topology; // whose rows are filled
    uint64_t across; // fingerprints of the links that lead into the window, less those of the links that lead out

    // The result of topo_graph_collect.
    struct topo_pair *pairs;
    size_t count;
    size_t pairs_room;

    char line[TOPO_LINE_MAX_LENGTH];
};

// Fails with the sentence after the file's name and the number of the last line that was read. The first error of a
// pass is kept.
bool topo_graph_fail(struct topo_graph_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Hands a link that the file lists to `take`; processors are numbered from 0.
bool topo_graph_add(struct topo_graph_file *file, uint64_t from, uint64_t to);

// Reads the whole file once, and hands each link to `take`.
bool topo_graph_pass(struct topo_graph_file *file, topo_graph_take *take);

bool topo_graph_count(struct topo_graph_file *file);

// Returns the number of links after they were counted. It is 0 if it is not known yet: the links must be collected.
bool topo_graph_counts_links(const struct topo_graph_file *file);
uint64_t topo_graph_links(const struct topo_graph_file *file);

// Allocates and fills rows of the topology, whose size is set. Returns false with the error's status EK_OK if a link is
// listed too often, or by one end only in a METIS file. topo_graph_explain then reports this link, and returns false.
bool topo_graph_fill(struct topo_graph_file *file, struct ek_topology *topology);
bool topo_graph_explain(struct topo_graph_file *file);

// Collects the links, sorts them and leaves each once. Fails if a link is listed too often or too rarely.
bool topo_graph_collect(struct topo_graph_file *file);

// Recognises and reads METIS files.
bool topo_metis_looks(struct base_lines *lines);
bool topo_metis_read(struct topo_graph_file *file);

#endif
