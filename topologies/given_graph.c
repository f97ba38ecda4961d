// SPDX-License-Identifier: MIT
// Graphs given as arrays of links: by a program, or by a registered family.
#include <stdlib.h>
#include <string.h>

#include "topologies/family.h"
#include "topologies/topology.h"

// Converts link `index` to a pair, after checking its ends.
static bool take_link(struct base_cursor *cursor, size_t at, const struct ek_graph *graph, size_t index,
                      struct topo_pair *pair)
{
    struct ek_link link = graph->link[index];
    if (link.from >= graph->processors || link.to >= graph->processors) {
        return base_cursor_fail(cursor, at,
                                "link %zu is between processors %u and %u, but the last of the %u processors is %u",
                                index, link.from, link.to, graph->processors, graph->processors - 1);
    }
    if (link.from == link.to) {
        return base_cursor_fail(cursor, at, "link %zu links processor %u to itself: leave it out", index, link.from);
    }
    pair->low = link.from < link.to ? link.from : link.to;
    pair->high = link.from < link.to ? link.to : link.from;
    return true;
}

// Takes and sorts the links. A link that occurs twice is an error.
static bool take_links(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_graph *graph)
{
    for (size_t i = 0; i < graph->links; i++) {
        if (!take_link(cursor, at, graph, i, &draft->pairs[i])) {
            return false;
        }
    }
    topo_pairs_sort(draft->pairs, graph->links);
    for (size_t i = 1; i < graph->links; i++) {
        const struct topo_pair *pair = &draft->pairs[i];
        if (pair->low == pair[-1].low && pair->high == pair[-1].high) {
            return base_cursor_fail(cursor, at, "the link between processors %u and %u is there twice: leave one out",
                                    pair->low, pair->high);
        }
    }
    return true;
}

bool topo_take_graph(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_graph *graph)
{
    if (graph->processors == 0) {
        return base_cursor_fail(cursor, at, "a graph needs at least one processor");
    }
    draft->extra_bytes = graph->links * sizeof *draft->pairs;
    draft->searches = TOPO_SEARCH_COLOURS | TOPO_SEARCH_DIAMETER;
    if (!topo_draft_size(draft, cursor, at, graph->processors, graph->links)) {
        return false;
    }
    topo_draft_pairs(draft, calloc(graph->links + 1, sizeof *draft->pairs)); // not NULL even without links
    if (!draft->pairs) {
        return base_cursor_fail(cursor, at, "there is no memory left for a topology");
    }
    return take_links(draft, cursor, at, graph) &&
           topo_pairs_connected(draft->pairs, graph->links, graph->processors, cursor->error);
}

// Copies the text after a colon, up to the ')' of an enclosing spec or the ',' of a product; NULL if there is no colon.
// Returns false if there is no memory.
static bool read_parameter(struct base_cursor *cursor, bool listed, char **parameter)
{
    *parameter = NULL;
    if (!base_cursor_accept(cursor, ':')) {
        return true;
    }
    size_t length = strcspn(cursor->text + cursor->at, listed ? ",)" : ")");
    *parameter = malloc(length + 1);
    if (!*parameter) {
        return base_cursor_fail(cursor, cursor->at, "there is no memory left for a topology");
    }
    memcpy(*parameter, cursor->text + cursor->at, length);
    (*parameter)[length] = '\0';
    cursor->at += length;
    return true;
}

// Reports why the family made no graph: with the family's own sentence if it gave one.
static bool blame(struct base_cursor *cursor, size_t at, const struct ek_family *family)
{
    char said[sizeof cursor->error->sentence];
    memcpy(said, cursor->error->sentence, sizeof said);
    said[sizeof said - 1] = '\0';
    return *said ? base_cursor_fail(cursor, at, "%s", said)
                 : base_cursor_fail(cursor, at, "%s makes no graph of this", family->name);
}

bool topo_read_registered(struct topo_draft *draft, struct base_cursor *cursor, const struct ek_family *family)
{
    size_t at = cursor->at;
    char *parameter;
    if (!read_parameter(cursor, draft->request->listed, &parameter)) {
        return false;
    }
    struct ek_graph graph = {0};
    cursor->error->sentence[0] = '\0';
    struct ek_link *link =
        family->make(parameter, draft->request->seed, &graph.processors, &graph.links, cursor->error);
    graph.link = link;
    bool good = link ? topo_take_graph(draft, cursor, at, &graph) : blame(cursor, at, family);
    draft->topology->drawn = family->drawn;
    free(parameter);
    free(link);
    return good;
}
