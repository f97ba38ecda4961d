// SPDX-License-Identifier: MIT
// Collects the links of a graph file, then leaves each link once.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "topologies/family.h"
#include "topologies/files/graph_file.h"

bool topo_graph_fail(struct topo_graph_file *file, const char *format, ...)
{
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return base_fail(file->error, EK_BAD_INPUT, "topology", "%s:%u: %s", file->lines.path, file->lines.line, sentence);
}

bool topo_graph_add(struct topo_graph_file *file, uint64_t from, uint64_t to)
{
    if (file->count == file->room) {
        size_t room = file->room == 0 ? 1024 : 2 * file->room;
        struct topo_pair *pairs = room <= SIZE_MAX / sizeof *pairs ? realloc(file->pairs, room * sizeof *pairs) : NULL;
        if (!pairs) {
            return base_fail(file->error, EK_BAD_INPUT, "topology", "%s has more links than memory can hold",
                             file->lines.path);
        }
        file->pairs = pairs;
        file->room = room;
    }
    assert(from != to && from < TOPO_PROCESSORS_MAX && to < TOPO_PROCESSORS_MAX);
    file->pairs[file->count++] = (struct topo_pair){.low = (uint32_t)(from < to ? from : to),
                                                    .high = (uint32_t)(from < to ? to : from),
                                                    .line = file->lines.line,
                                                    .reversed = from > to};
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

bool topo_graph_merge(struct topo_graph_file *file)
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
