// SPDX-License-Identifier: MIT
// Graph files of METIS (Karypis & Kumar, METIS manual 5.1, section 4.1.1), which Chaco and KaHIP write too. The first
// line is "vertices edges [format [weights]]"; each next line lists the neighbours of one vertex, numbered from 1.
// Comments begin with '%'. An empty line is a vertex without neighbours. Sizes and weights are ignored.
#include "base/characters.h"
#include "topologies/family.h"
#include "topologies/files/graph_file.h"

// The contents of the first line.
struct head {
    uint64_t vertices, edges;
    unsigned before;  // numbers before a vertex's neighbours: its size and its weights
    bool edge_weight; // each neighbour is followed by the weight of the edge
};

// A word of a line. A longer one than there is room for is cut.
struct word {
    char text[32]; // ends with '\0'
    size_t length; // also of a word that was cut
};

// Takes the next word of the line. Returns false at the end of the line.
static bool next_word(struct base_lines *lines, struct word *word)
{
    int next;
    while ((next = base_lines_peek_here(lines)) >= 0 && base_is_blank((char)next)) {
        lines->at++;
    }
    word->length = 0;
    for (; (next = base_lines_peek_here(lines)) >= 0 && !base_is_blank((char)next); lines->at++) {
        if (word->length + 1 < sizeof word->text) {
            word->text[word->length] = (char)next;
        }
        word->length++;
    }
    word->text[word->length < sizeof word->text ? word->length : sizeof word->text - 1] = '\0';
    return word->length > 0;
}

// Returns whether the word is a whole number. A word that was cut is none.
static bool whole_of(const struct word *word, uint64_t *value)
{
    *value = 0;
    for (const char *c = word->text; *c; c++) {
        if (!base_is_digit(*c) || *value > UINT32_MAX) {
            return false;
        }
        *value = *value * 10 + (uint64_t)(*c - '0');
    }
    return word->length < sizeof word->text;
}

// Begins the next line that is no comment. Returns false at the end of the file.
static bool next_line(struct base_lines *lines)
{
    while (base_lines_begin(lines)) {
        if (base_lines_peek_here(lines) != '%') {
            return true;
        }
        base_lines_end(lines);
    }
    return false;
}

// Reads the format: up to three digits, which say whether vertices have sizes, vertices have weights and edges have
// weights.
static bool read_format(const struct word *word, struct head *head)
{
    uint64_t digits;
    if (!whole_of(word, &digits) || word->length > 3 || digits > 111 || digits % 10 > 1 || digits / 10 % 10 > 1) {
        return false;
    }
    head->edge_weight = digits % 10;
    head->before = (unsigned)(digits / 100 + digits / 10 % 10);
    return true;
}

static bool read_head(struct base_lines *lines, struct head *head)
{
    *head = (struct head){0};
    struct word word[5];
    unsigned count = 0;
    while (count < 5 && next_word(lines, &word[count])) {
        count++;
    }
    base_lines_end(lines);
    uint64_t weights = 1;
    bool good = count >= 2 && count <= 4 && whole_of(&word[0], &head->vertices) && whole_of(&word[1], &head->edges) &&
                (count < 3 || read_format(&word[2], head)) &&
                (count < 4 || (whole_of(&word[3], &weights) && weights <= 1000));
    bool weighted = good && count > 2 && word[2].length >= 2 && word[2].text[word[2].length - 2] == '1';
    head->before += weighted ? (unsigned)weights - 1 : 0;
    return good && head->vertices > 0;
}

// The lines after the head.
struct lines_found {
    uint64_t count, full; // all lines, and those up to the last one with numbers: there may be empty lines at the end
    uint64_t numbers, most;
    bool ragged; // the lines differ in their numbers of numbers
};

// Returns whether the rest of the file consists of numbers only.
static bool find_lines(struct base_lines *lines, struct lines_found *found)
{
    uint64_t first = 0;
    struct word word;
    for (; next_line(lines); base_lines_end(lines)) {
        uint64_t here = 0;
        for (; next_word(lines, &word); here++) {
            if (!base_is_digit(*word.text)) {
                return false;
            }
        }
        found->count++;
        found->full = here > 0 ? found->count : found->full;
        first = found->count == 1 ? here : first;
        found->most = here > found->most ? here : found->most;
        found->ragged = found->ragged || here != first;
        found->numbers += here;
    }
    return true;
}

// Returns whether the file is METIS and not an edge list. It is METIS if one of these conditions holds, which no edge
// list can satisfy:
// (1) A line has more than three numbers.
// (2) There are as many lines as the first line says, and their lengths differ.
// (3) There are as many lines and as many numbers as the first line says. An edge list with this property would begin
//     with a processor linked to itself.
bool topo_metis_looks(struct base_lines *lines)
{
    struct head head;
    struct lines_found found = {0};
    if (!next_line(lines) || !read_head(lines, &head) || !find_lines(lines, &found)) {
        return false;
    }
    uint64_t wanted = head.vertices * head.before + 2 * head.edges * (head.edge_weight ? 2 : 1);
    return found.most > 3 ||
           (found.full <= head.vertices && head.vertices <= found.count && (found.ragged || found.numbers == wanted));
}

static bool read_neighbour(struct topo_graph_file *file, const struct head *head, uint64_t vertex,
                           const struct word *word)
{
    uint64_t other;
    if (!whole_of(word, &other) || other < 1 || other > head->vertices) {
        return topo_graph_fail(file, "'%.30s' is no neighbour: METIS numbers vertices from 1, here to %llu", word->text,
                               (unsigned long long)head->vertices);
    }
    if (other == vertex) {
        return topo_graph_fail(file, "vertex %llu lists itself as a neighbour: leave this entry out",
                               (unsigned long long)vertex);
    }
    return topo_graph_add(file, vertex - 1, other - 1);
}

static bool read_vertex(struct topo_graph_file *file, const struct head *head, uint64_t vertex)
{
    struct word word;
    for (unsigned i = 0; i < head->before; i++) {
        if (!next_word(&file->lines, &word)) {
            return topo_graph_fail(file, "vertex %llu has fewer weights than the first line requires",
                                   (unsigned long long)vertex);
        }
    }
    while (next_word(&file->lines, &word)) {
        if (!read_neighbour(file, head, vertex, &word)) {
            return false;
        }
        if (head->edge_weight && !next_word(&file->lines, &word)) {
            return topo_graph_fail(file, "the last edge of vertex %llu has no weight", (unsigned long long)vertex);
        }
    }
    base_lines_end(&file->lines);
    return true;
}

// Reads the lines of all vertices, and makes sure that none follows.
static bool read_vertices(struct topo_graph_file *file, const struct head *head)
{
    struct word word;
    for (uint64_t vertex = 1; vertex <= head->vertices; vertex++) {
        if (!next_line(&file->lines)) {
            return file->error->status == EK_OK &&
                   topo_graph_fail(file, "the file ends before vertex %llu of %llu: is it complete?",
                                   (unsigned long long)vertex, (unsigned long long)head->vertices);
        }
        if (!read_vertex(file, head, vertex)) {
            return false;
        }
    }
    for (; next_line(&file->lines); base_lines_end(&file->lines)) {
        if (next_word(&file->lines, &word)) {
            return topo_graph_fail(file, "there are more lines than the %llu vertices of the first line",
                                   (unsigned long long)head->vertices);
        }
    }
    return file->error->status == EK_OK;
}

bool topo_metis_read(struct topo_graph_file *file)
{
    struct head head;
    if (!next_line(&file->lines) || !read_head(&file->lines, &head)) {
        return topo_graph_fail(file, "a METIS file begins with the numbers of vertices and edges, as in 7 11");
    }
    if (head.vertices > TOPO_PROCESSORS_MAX) {
        return topo_graph_fail(file, "there are more than %d vertices: give a smaller graph", TOPO_PROCESSORS_MAX);
    }
    file->listed = TOPO_LISTED_TWICE;
    file->processors = head.vertices;
    file->weighted = head.before > 0 || head.edge_weight;
    return read_vertices(file, &head) &&
           (file->listings == 2 * head.edges ||
            topo_graph_fail(file, "there are %llu neighbours, but %llu edges have two ends each",
                            (unsigned long long)file->listings, (unsigned long long)head.edges));
}
