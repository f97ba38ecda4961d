// SPDX-License-Identifier: MIT
// Counts the links of a graph file, and fills the rows of a topology with them.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/family.h"
#include "topologies/files/graph_file.h"
#include "topologies/topology.h"
#include "topologies/window.h"

bool topo_graph_fail(struct topo_graph_file *file, const char *format, ...)
{
    char sentence[400];
    va_list arguments;
    if (file->error->status != EK_OK) { // a part of the file could not be read, so the last line is cut
        return false;
    }
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return base_fail(file->error, EK_BAD_INPUT, "topology", "%s:%u: %s", file->lines.path, file->lines.line, sentence);
}

bool topo_graph_add(struct topo_graph_file *file, uint64_t from, uint64_t to)
{
    assert(from != to && from < TOPO_PROCESSORS_MAX && to < TOPO_PROCESSORS_MAX);
    if (++file->listings > UINT32_MAX) {
        return topo_graph_fail(file, "more than %u links are listed: give a smaller graph", UINT32_MAX);
    }
    return file->take(file, (uint32_t)from, (uint32_t)to);
}

bool topo_graph_pass(struct topo_graph_file *file, topo_graph_take *take)
{
    base_lines_rewind(&file->lines);
    file->error->status = EK_OK;
    file->listings = 0;
    file->take = take;
    return file->read(file) && file->error->status == EK_OK;
}

// Makes room for processors up to p.
static bool grow(struct topo_graph_file *file, uint32_t p)
{
    size_t room = file->room == 0 ? 1024 : 2 * file->room;
    room = p < room ? room : (size_t)p + 1;
    uint32_t *degree = realloc(file->degree, room * sizeof *degree);
    file->degree = degree ? degree : file->degree;
    uint32_t *parent = degree ? realloc(file->parent, room * sizeof *parent) : NULL;
    file->parent = parent ? parent : file->parent;
    if (!parent) {
        return base_fail(file->error, EK_BAD_INPUT, "topology", "%s has more processors than memory can hold",
                         file->lines.path);
    }
    for (size_t i = file->room; i < room; i++) {
        degree[i] = 0;
        parent[i] = (uint32_t)i;
    }
    file->room = room;
    return true;
}

static bool count(struct topo_graph_file *file, uint32_t from, uint32_t to)
{
    uint32_t high = from > to ? from : to;
    if (high >= file->room && !grow(file, high)) {
        return false;
    }
    file->degree[from]++;
    file->degree[to] += file->listed != TOPO_LISTED_TWICE;
    file->joins += topo_join(file->parent, from, to);
    file->forth = file->forth || from < to;
    file->back = file->back || from > to;
    file->print += topo_link_print(from, to);
    return true;
}

bool topo_graph_count(struct topo_graph_file *file)
{
    bool good = topo_graph_pass(file, count);
    uint32_t last = file->processors > 0 ? (uint32_t)file->processors - 1 : 0;
    if (good && file->listed == TOPO_LISTED_ONCE_OR_TWICE && !(file->forth && file->back)) {
        file->listed = TOPO_LISTED_ONCE;
    }
    return good && (last < file->room || grow(file, last));
}

bool topo_graph_counts_links(const struct topo_graph_file *file)
{
    return file->listed != TOPO_LISTED_ONCE_OR_TWICE;
}

uint64_t topo_graph_links(const struct topo_graph_file *file)
{
    return file->listed == TOPO_LISTED_TWICE ? file->listings / 2 : file->listings;
}

// Puts a neighbour into the row of p, from the end of the row to its begin. Fails if the row is full.
static bool put(struct topo_graph_file *file, uint32_t p, uint32_t neighbour)
{
    if (file->degree[p] == 0) {
        return false;
    }
    file->topology->neighbour[file->topology->first[p] + --file->degree[p]] = neighbour;
    return true;
}

static bool fill(struct topo_graph_file *file, uint32_t from, uint32_t to)
{
    const struct ek_topology *topology = file->topology;
    bool twice = file->listed == TOPO_LISTED_TWICE;
    bool known = from < topology->processors && to < topology->processors;
    bool here = known && topo_stores(topology, from), there = known && topo_stores(topology, to);
    file->across += here != there ? (there ? topo_link_print(from, to) : -topo_link_print(from, to)) : 0;
    bool good = known && (!here || put(file, from, to)) && (!there || twice || put(file, to, from));
    return good || topo_graph_fail(file, "the file has changed while it was read: give it again when it is complete");
}

// Returns whether all rows have become full.
static bool is_full(const struct topo_graph_file *file)
{
    uint32_t p = topo_stored_begin(file->topology);
    while (p < topo_stored_end(file->topology) && file->degree[p] == 0) {
        p++;
    }
    return p == topo_stored_end(file->topology);
}

bool topo_graph_fill(struct topo_graph_file *file, struct ek_topology *topology)
{
    bool twice = file->listed == TOPO_LISTED_TWICE;
    file->topology = topology;
    if (topology->window) {
        topology->window->print = file->print;
    }
    if (!topo_rows_take(topology, file->degree, file->error) || !topo_graph_pass(file, fill)) {
        return false;
    }
    bool paired = !twice || !topology->window || file->across == 0;
    return is_full(file) && topo_rows_join(topology) && paired;
}
