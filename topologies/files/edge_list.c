// SPDX-License-Identifier: MIT
// Links as graph files tell them: gathered, then each left once.
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
            return base_fail(file->error, EK_BAD_INPUT, "topology",
                             "%s has too many links for the memory that there is", file->lines.path);
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

// Whether a pair was told as often as it has to be.
static bool check_told(struct topo_graph_file *file, const struct topo_pair *pair, bool both)
{
    file->lines.line = pair->line;
    return both || file->told != TOPO_TOLD_TWICE ||
           topo_graph_fail(file, "vertex %u has neighbour %u, but not the other way round",
                           (pair->reversed ? pair->high : pair->low) + 1,
                           (pair->reversed ? pair->low : pair->high) + 1);
}

bool topo_graph_merge(struct topo_graph_file *file)
{
    topo_pairs_sort(file->pairs, file->count);
    size_t kept = 0;
    bool both = true; // the pair that was kept last has come from both its ends
    for (size_t i = 0; i < file->count; i++) {
        struct topo_pair pair = file->pairs[i];
        const struct topo_pair *last = kept > 0 ? &file->pairs[kept - 1] : NULL;
        if (!last || last->low != pair.low || last->high != pair.high) {
            if (last && !check_told(file, last, both)) {
                return false;
            }
            file->pairs[kept++] = pair;
            both = false;
        } else if (file->told != TOPO_TOLD_ONCE && !both && last->reversed != pair.reversed) {
            both = true;
        } else {
            file->lines.line = pair.line;
            return topo_graph_fail(file, "this link is there already, at line %u: leave one of them out", last->line);
        }
    }
    file->count = kept;
    return kept == 0 || check_told(file, &file->pairs[kept - 1], both);
}
