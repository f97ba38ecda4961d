// SPDX-License-Identifier: MIT
// Collects the links of a graph file as pairs, then leaves each link once. The pairs know their lines, so an error can
// name them.
#include <stdio.h>
#include <stdlib.h>

#include "topologies/files/graph_file.h"
#include "topologies/topology.h"
#include "topologies/window.h"

// Collects a link, if an end of it belongs to the processors whose rows are filled.
static bool collect(struct topo_graph_file *file, uint32_t from, uint32_t to)
{
    if (file->topology && !topo_stores(file->topology, from) && !topo_stores(file->topology, to)) {
        return true;
    }
    if (file->count == file->pairs_room) {
        size_t room = file->pairs_room == 0 ? 1024 : 2 * file->pairs_room;
        struct topo_pair *pairs = room <= SIZE_MAX / sizeof *pairs ? realloc(file->pairs, room * sizeof *pairs) : NULL;
        if (!pairs) {
            return base_fail(file->error, EK_BAD_INPUT, "topology", "%s has more links than memory can hold",
                             file->lines.path);
        }
        file->pairs = pairs;
        file->pairs_room = room;
    }
    file->pairs[file->count] = topo_pair_of(from, to);
    file->pairs[file->count].line = file->lines.line;
    file->pairs[file->count++].reversed = from > to;
    return true;
}

// Returns whether the file lists a pair as often as its format requires.
static bool check_listed(struct topo_graph_file *file, const struct topo_pair *pair, bool both)
{
    file->lines.line = pair->line;
    return both || file->listed != TOPO_LISTED_TWICE ||
           topo_graph_fail(file, "vertex %u lists neighbour %u, which does not list it",
                           (pair->reversed ? pair->high : pair->low) + 1,
                           (pair->reversed ? pair->low : pair->high) + 1);
}

// Sorts the links and leaves each once. Fails if a link is listed too often, or by one end only in a METIS file.
static bool merge(struct topo_graph_file *file)
{
    topo_pairs_sort(file->pairs, file->count);
    size_t kept = 0;
    bool both = true; // the pair that was kept last is listed by both its ends
    for (size_t i = 0; i < file->count; i++) {
        struct topo_pair pair = file->pairs[i];
        const struct topo_pair *last = kept > 0 ? &file->pairs[kept - 1] : NULL;
        if (!last || last->low != pair.low || last->high != pair.high) {
            if (last && !check_listed(file, last, both)) {
                return false;
            }
            file->pairs[kept++] = pair;
            both = false;
        } else if (file->listed != TOPO_LISTED_ONCE && !both && last->reversed != pair.reversed) {
            both = true;
        } else {
            file->lines.line = pair.line;
            return topo_graph_fail(file, "line %u lists this link already: leave one of them out", last->line);
        }
    }
    file->count = kept;
    return kept == 0 || check_listed(file, &file->pairs[kept - 1], both);
}

bool topo_graph_collect(struct topo_graph_file *file)
{
    return topo_graph_pass(file, collect) && merge(file);
}

bool topo_graph_explain(struct topo_graph_file *file)
{
    return topo_graph_collect(file) && base_fail(file->error, EK_BAD_INPUT, "topology",
                                                 "%s has changed while it was read: give it again", file->lines.path);
}
