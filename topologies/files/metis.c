// SPDX-License-Identifier: MIT
// Graph files of METIS (Karypis & Kumar, METIS manual 5.1, section 4.1.1), which Chaco and KaHIP write too. The first
// line is "vertices edges [format [weights]]"; each next line lists the neighbours of one vertex, numbered from 1.
// Comments begin with '%'. An empty line is a vertex without neighbours. Sizes and weights are ignored.
#include <string.h>

#include "topologies/family.h"
#include "topologies/files/graph_file.h"

// The contents of the first line.
struct head {
    uint64_t vertices, edges;
    unsigned before;  // numbers before a vertex's neighbours: its size and its weights
    bool edge_weight; // each neighbour is followed by the weight of the edge
};

// A cursor over the words of a line, which does not end with '\0'.
struct words {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Takes the next word. Returns false at the end of the line.
static bool next_word(struct words *line, struct words *word)
{
    while (line->at < line->end && is_blank(*line->at)) {
        line->at++;
    }
    *word = (struct words){line->at, line->at};
    while (word->end < line->end && !is_blank(*word->end)) {
        word->end++;
    }
    line->at = word->end;
    return word->end > word->at;
}

static bool whole_of(struct words word, uint64_t *value)
{
    *value = 0;
    for (const char *c = word.at; c < word.end; c++) {
        if (*c < '0' || *c > '9' || *value > UINT32_MAX) {
            return false;
        }
        *value = *value * 10 + (uint64_t)(*c - '0');
    }
    return word.end > word.at;
}

// Takes the next line that is no comment. Returns false at the end of the file.
static bool next_line(struct base_lines *lines, struct words *line)
{
    lines->at += lines->at == 0 ? base_lines_mark(lines) : 0;
    while (lines->at < lines->length) {
        size_t length;
        line->at = base_lines_take(lines, &length);
        line->end = line->at + length;
        if (length == 0 || *line->at != '%') {
            return true;
        }
    }
    return false;
}

// Reads the format: up to three digits, which say whether vertices have sizes, vertices have weights and edges have
// weights.
static bool read_format(struct words word, struct head *head)
{
    uint64_t digits;
    if (!whole_of(word, &digits) || word.end - word.at > 3 || digits > 111 || digits % 10 > 1 || digits / 10 % 10 > 1) {
        return false;
    }
    head->edge_weight = digits % 10;
    head->before = (unsigned)(digits / 100 + digits / 10 % 10);
    return true;
}

static bool read_head(struct words line, struct head *head)
{
    *head = (struct head){0};
    struct words word[5];
    unsigned count = 0;
    while (count < 5 && next_word(&line, &word[count])) {
        count++;
    }
    uint64_t weights = 1;
    bool good = count >= 2 && count <= 4 && whole_of(word[0], &head->vertices) && whole_of(word[1], &head->edges) &&
                (count < 3 || read_format(word[2], head)) &&
                (count < 4 || (whole_of(word[3], &weights) && weights <= 1000));
    bool weighted = count > 2 && word[2].end - word[2].at >= 2 && word[2].end[-2] == '1';
    head->before += good && weighted ? (unsigned)weights - 1 : 0;
    return good && head->vertices > 0;
}

// Returns whether the file is METIS and not an edge list. It is METIS if one of these conditions holds, which no edge
// list can satisfy:
// (1) A line has more than three numbers.
// (2) There are as many lines as the first line says, and their lengths differ.
// (3) There are as many lines and as many numbers as the first line says. An edge list with this property would begin
//     with a processor linked to itself.
bool topo_metis_looks(const struct base_lines *lines)
{
    struct base_lines copy = *lines;
    struct words line;
    struct head head;
    if (!next_line(&copy, &line) || !read_head(line, &head)) {
        return false;
    }
    uint64_t count = 0, full = 0, numbers = 0, first = 0, most = 0;
    bool ragged = false;
    while (next_line(&copy, &line)) {
        uint64_t here = 0;
        for (struct words word; next_word(&line, &word); here++) {
            if (*word.at < '0' || *word.at > '9') {
                return false;
            }
        }
        count++;
        full = here > 0 ? count : full; // there may be extra empty lines at the end
        first = count == 1 ? here : first;
        most = here > most ? here : most;
        ragged = ragged || here != first;
        numbers += here;
    }
    uint64_t wanted = head.vertices * head.before + 2 * head.edges * (head.edge_weight ? 2 : 1);
    return most > 3 || (full <= head.vertices && head.vertices <= count && (ragged || numbers == wanted));
}

static bool read_neighbour(struct topo_graph_file *file, const struct head *head, uint64_t vertex, struct words word)
{
    uint64_t other;
    if (!whole_of(word, &other) || other < 1 || other > head->vertices) {
        return topo_graph_fail(file, "'%.*s' is no neighbour: METIS numbers vertices from 1, here to %llu",
                               (int)(word.end - word.at > 30 ? 30 : word.end - word.at), word.at,
                               (unsigned long long)head->vertices);
    }
    if (other == vertex) {
        return topo_graph_fail(file, "vertex %llu lists itself as a neighbour: leave this entry out",
                               (unsigned long long)vertex);
    }
    return topo_graph_add(file, vertex - 1, other - 1);
}

static bool read_vertex(struct topo_graph_file *file, const struct head *head, uint64_t vertex, struct words line)
{
    for (unsigned i = 0; i < head->before; i++) {
        struct words weight;
        if (!next_word(&line, &weight)) {
            return topo_graph_fail(file, "vertex %llu has fewer weights than the first line requires",
                                   (unsigned long long)vertex);
        }
    }
    for (struct words word; next_word(&line, &word);) {
        if (!read_neighbour(file, head, vertex, word)) {
            return false;
        }
        if (head->edge_weight && !next_word(&line, &word)) {
            return topo_graph_fail(file, "the last edge of vertex %llu has no weight", (unsigned long long)vertex);
        }
    }
    return true;
}

bool topo_metis_read(struct topo_graph_file *file)
{
    struct words line = {NULL, NULL};
    struct head head;
    if (!next_line(&file->lines, &line) || !read_head(line, &head)) {
        return topo_graph_fail(file, "a METIS file begins with the numbers of vertices and edges, as in 7 11");
    }
    if (head.vertices > TOPO_PROCESSORS_MAX) {
        return topo_graph_fail(file, "there are more than %d vertices", TOPO_PROCESSORS_MAX);
    }
    file->listed = TOPO_LISTED_TWICE;
    file->processors = head.vertices;
    file->weighted = head.before > 0 || head.edge_weight;
    for (uint64_t vertex = 1; vertex <= head.vertices; vertex++) {
        if (!next_line(&file->lines, &line)) {
            return topo_graph_fail(file, "the file ends before vertex %llu of %llu: is it complete?",
                                   (unsigned long long)vertex, (unsigned long long)head.vertices);
        }
        if (!read_vertex(file, &head, vertex, line)) {
            return false;
        }
    }
    while (next_line(&file->lines, &line)) {
        struct words word;
        if (next_word(&line, &word)) {
            return topo_graph_fail(file, "there are more lines than the %llu vertices of the first line",
                                   (unsigned long long)head.vertices);
        }
    }
    return file->count == 2 * head.edges ||
           topo_graph_fail(file, "there are %llu neighbours, but %llu edges have two ends each",
                           (unsigned long long)file->count, (unsigned long long)head.edges);
}
