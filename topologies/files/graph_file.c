// SPDX-License-Identifier: MIT
// file:PATH, a graph read from text in one of three formats:
// * An edge list has one link `i j` a line, numbered from 0. A weight or NetworkX's attributes in braces may follow.
// * A Matrix Market file (Boisvert, Pozo & Remington 1996) has a sparse matrix, whose entries off the diagonal are
// links.
// * METIS: see metis.c.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/family.h"
#include "topologies/topology.h"
#include "topologies/files/graph_file.h"

enum { PROCESSOR_MAX = TOPO_PROCESSORS_MAX - 1 };

static const char MARKET[] = "%%MatrixMarket";

// Reports an error in the line that was read last.
static bool fail_line(struct topo_graph_file *file, const struct ek_error *wrong)
{
    return topo_graph_fail(file, "%.399s", wrong->sentence);
}

// Reads the next line that is not empty. Returns false at the end, or with the error's status set if a line is wrong.
static bool next_line(struct topo_graph_file *file)
{
    while (base_lines_next(&file->lines, file->line, sizeof file->line, file->error)) {
        if (file->line[0] != '%') {
            return true;
        }
    }
    return false;
}

static void skip_blanks(struct base_cursor *cursor)
{
    while (base_cursor_accept(cursor, ' ') || base_cursor_accept(cursor, '\t')) {
    }
}

static bool read_whole(struct base_cursor *cursor, const char *what, uint64_t minimum, uint64_t maximum,
                       uint64_t *value)
{
    skip_blanks(cursor);
    return base_cursor_whole(cursor, what, minimum, maximum, value);
}

static bool end_line(struct base_cursor *cursor)
{
    skip_blanks(cursor);
    return base_cursor_end(cursor);
}

// Skips what an edge list has after two processors: a weight, or NetworkX's attributes in braces.
static bool read_attributes(struct topo_graph_file *file, struct base_cursor *cursor)
{
    skip_blanks(cursor);
    if (base_cursor_peek(cursor) == '\0') {
        return true;
    }
    file->weighted = file->weighted || strcmp(cursor->text + cursor->at, "{}") != 0;
    if (base_cursor_accept(cursor, '{')) {
        cursor->at = strlen(cursor->text);
        return cursor->text[cursor->at - 1] == '}' ||
               base_cursor_fail(cursor, cursor->at, "write '}' at the end of the attributes in braces");
    }
    double ignored;
    bool blank = cursor->text[cursor->at - 1] == ' ' || cursor->text[cursor->at - 1] == '\t';
    return !blank || base_cursor_real(cursor, "the link's weight", -DBL_MAX, DBL_MAX, &ignored);
}

// Skips the values of a matrix entry, as many as the banner requires.
static bool read_values(struct topo_graph_file *file, struct base_cursor *cursor)
{
    for (unsigned i = 0; i < file->values; i++) {
        double ignored;
        skip_blanks(cursor);
        if (!base_cursor_real(cursor, "the entry's value", -DBL_MAX, DBL_MAX, &ignored)) {
            return false;
        }
    }
    return true;
}

// Reads an entry: two processors, numbered from `base`, and their weight, attributes or values.
static bool read_entry(struct topo_graph_file *file)
{
    struct ek_error wrong;
    struct base_cursor cursor = base_cursor_start("topology", file->line, &wrong);
    uint64_t base = file->market ? 1 : 0;
    uint64_t last = file->market ? file->processors : PROCESSOR_MAX;
    uint64_t from;
    uint64_t to;
    bool good =
        read_whole(&cursor, "the first number", base, last, &from) &&
        (base_cursor_peek(&cursor) == ' ' || base_cursor_peek(&cursor) == '\t' ||
         base_cursor_fail(&cursor, cursor.at, "a line needs two numbers with a blank between them, as in 0 1")) &&
        read_whole(&cursor, "the second number", base, last, &to) &&
        (file->market ? read_values(file, &cursor) : read_attributes(file, &cursor));
    if (!good || !end_line(&cursor)) {
        return fail_line(file, &wrong);
    }
    if (from != to) {
        uint64_t largest = (from > to ? from : to) - base;
        file->processors = largest >= file->processors ? largest + 1 : file->processors;
        return topo_graph_add(file, from - base, to - base);
    }
    return file->market || // the diagonal of a matrix means no links
           topo_graph_fail(file, "processor %u is linked to itself: leave this link out", (unsigned)from);
}

static bool read_edge_list(struct topo_graph_file *file)
{
    while (next_line(file)) {
        if (!read_entry(file)) {
            return false;
        }
    }
    if (file->error->status != EK_OK) {
        return false;
    }
    return file->listings > 0 || base_fail(file->error, EK_BAD_INPUT, "topology",
                                           "%s has no links: write one link a line, as in 0 1", file->lines.path);
}

// Reads the next word of a line in lower case. It is cut to `size`, since no known word is as long.
static void read_word(struct base_cursor *cursor, char *word, size_t size)
{
    size_t length = 0;
    skip_blanks(cursor);
    for (char c = base_cursor_peek(cursor); c != '\0' && c != ' ' && c != '\t'; c = base_cursor_peek(cursor)) {
        if (length + 1 < size) {
            word[length++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
        cursor->at++;
    }
    word[length] = '\0';
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

static bool read_banner(struct topo_graph_file *file)
{
    static const char *const fields[] = {"pattern", "real", "double", "integer", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    char banner[24];
    char object[24];
    char format[24];
    char field[24];
    char symmetry[24];
    struct ek_error wrong;
    struct base_cursor cursor = base_cursor_start("topology", file->line, &wrong);
    read_word(&cursor, banner, sizeof banner);
    read_word(&cursor, object, sizeof object);
    read_word(&cursor, format, sizeof format);
    read_word(&cursor, field, sizeof field);
    read_word(&cursor, symmetry, sizeof symmetry);
    if (strcmp(banner, "%%matrixmarket") != 0 || strcmp(object, "matrix") != 0 || strcmp(format, "coordinate") != 0 ||
        !is_one_of(field, fields) || !is_one_of(symmetry, symmetries)) {
        base_cursor_fail(&cursor, 0,
                         "only Matrix Market coordinate matrices are read: begin with %%%%MatrixMarket matrix "
                         "coordinate, then pattern, real, integer or complex, then general or symmetric");
        return fail_line(file, &wrong);
    }
    file->values = strcmp(field, "pattern") == 0 ? 0 : strcmp(field, "complex") == 0 ? 2 : 1;
    file->weighted = file->values > 0;
    return end_line(&cursor) || fail_line(file, &wrong);
}

static bool fail_short(struct topo_graph_file *file, const char *what)
{
    return file->error->status == EK_OK && base_fail(file->error, EK_BAD_INPUT, "topology",
                                                     "%s ends before %s: is it complete?", file->lines.path, what);
}

static bool read_size(struct topo_graph_file *file, uint64_t *entries)
{
    if (!next_line(file)) {
        return fail_short(file, "the matrix's size");
    }
    struct ek_error wrong;
    struct base_cursor cursor = base_cursor_start("topology", file->line, &wrong);
    uint64_t columns;
    bool good = read_whole(&cursor, "the number of rows", 1, TOPO_PROCESSORS_MAX, &file->processors) &&
                read_whole(&cursor, "the number of columns", 1, TOPO_PROCESSORS_MAX, &columns) &&
                read_whole(&cursor, "the number of entries", 0, UINT32_MAX, entries) && end_line(&cursor) &&
                (columns == file->processors ||
                 base_cursor_fail(&cursor, 0, "the matrix of a graph has as many columns as rows: give a square one"));
    return good || fail_line(file, &wrong);
}

static bool read_market(struct topo_graph_file *file)
{
    uint64_t entries;
    if (!base_lines_next(&file->lines, file->line, sizeof file->line, file->error)) {
        return fail_short(file, "its first line");
    }
    file->market = true;
    file->listed = TOPO_LISTED_ONCE_OR_TWICE;
    if (!read_banner(file) || !read_size(file, &entries)) {
        return false;
    }
    uint64_t count = 0;
    while (next_line(file)) {
        if (count == entries) {
            return topo_graph_fail(file, "there are more entries than the %llu that the file announces",
                                   (unsigned long long)entries);
        }
        if (!read_entry(file)) {
            return false;
        }
        count++;
    }
    return count == entries || fail_short(file, "the entries that it announces");
}

// Returns the name of a widely used format that is not read, recognised by the first characters of the text, or NULL.
static const char *foreign_format(const char *start)
{
    static const struct {
        const char *word, *format;
    } known[] = {{"graph [", "GML"},     {"graph\n[", "GML"},   {"graph", "DOT"}, {"digraph", "DOT"},
                 {"strict", "DOT"},      {"Creator", "GML"},    {"<", "XML"},     {"{", "JSON"},
                 {"*Vertices", "Pajek"}, {"*vertices", "Pajek"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(start, known[i].word, strlen(known[i].word)) == 0) {
            return known[i].format;
        }
    }
    return NULL;
}

static bool fail_foreign(struct topo_graph_file *file, const char *format)
{
    return base_fail(file->error, EK_BAD_INPUT, "topology",
                     "%s looks like %s, which is not read: write it as an edge list; in NetworkX by "
                     "write_edgelist(convert_node_labels_to_integers(G), \"graph.txt\")",
                     file->lines.path, format);
}

// Copies the first characters of the text that are no blanks and ends of lines, at most size - 1. Returns whether the
// text begins with them.
static bool read_start(struct base_lines *lines, char *start, size_t size)
{
    size_t length = 0, skipped = 0;
    int next = base_lines_begin(lines) ? base_lines_peek(lines) : -1;
    for (; next >= 0 && length + 1 < size; next = base_lines_peek(lines)) {
        bool blank = length == 0 && strchr(" \t\r\n", next);
        start[length] = (char)next;
        length += !blank;
        skipped += blank;
        lines->at++;
    }
    start[length] = '\0';
    base_lines_rewind(lines);
    return skipped == 0;
}

// Finds the reader of the file's format. Fails if it is a format that is not read.
static bool find_format(struct topo_graph_file *file)
{
    char start[sizeof MARKET];
    bool market = read_start(&file->lines, start, sizeof start) && strcmp(start, MARKET) == 0;
    const char *foreign = market ? NULL : foreign_format(start);
    file->read = market ? read_market : topo_metis_looks(&file->lines) ? topo_metis_read : read_edge_list;
    return foreign ? fail_foreign(file, foreign) : file->error->status == EK_OK;
}

// Returns whether the links connect all processors. If an edge list does not, and has no link of processor 0, it
// probably numbers the processors from 1.
static bool check_connected(struct topo_graph_file *file)
{
    uint32_t processors = (uint32_t)file->processors;
    if (topo_joined(file->parent, processors - file->joins, processors, file->error)) {
        return true;
    }
    return file->listed == TOPO_LISTED_ONCE && !file->market && file->degree[0] == 0
               ? base_fail(file->error, EK_BAD_INPUT, "topology",
                           "%s has no link of processor 0, as if it numbered them from 1: number the processors from "
                           "0, as by awk '{ print $1 - 1, $2 - 1 }'",
                           file->lines.path)
               : false;
}

// Returns the length of the path at the cursor: the rest of the spec, or of a product's factor, without the parentheses
// that close the specs around it.
static size_t path_length(const struct base_cursor *cursor, const struct topo_request *request)
{
    const char *rest = cursor->text + cursor->at;
    size_t length = request->listed ? strcspn(rest, ",") : strlen(rest);
    for (unsigned i = 0; i < request->nesting && length > 0 && rest[length - 1] == ')'; i++) {
        length--;
    }
    return length;
}

// Reads the links into the draft: into rows, or as pairs if some are listed once and others twice.
static bool read_links(struct topo_draft *draft, struct base_cursor *cursor, struct topo_graph_file *file)
{
    bool by_rows = topo_graph_counts_links(file);
    if (!by_rows && !topo_graph_collect(file)) {
        return false;
    }
    uint64_t links = by_rows ? topo_graph_links(file) : file->count;
    draft->searches = TOPO_SEARCH_COLOURS | TOPO_SEARCH_DIAMETER; // the rest is allocated already
    bool good = topo_draft_size(draft, cursor, cursor->at, file->processors, links) && check_connected(file);
    if (good && by_rows && !topo_graph_fill(file, draft->topology)) {
        good = cursor->error->status == EK_OK && topo_graph_explain(file);
    }
    topo_draft_pairs(draft, by_rows ? NULL : file->pairs);
    file->pairs = by_rows ? file->pairs : NULL;
    return good;
}

static bool read_text(struct topo_draft *draft, struct base_cursor *cursor, const char *path)
{
    struct topo_graph_file file = {.error = cursor->error};
    bool good = base_lines_open_parts(&file.lines, cursor, path, draft->request->files) && find_format(&file) &&
                topo_graph_count(&file) && read_links(draft, cursor, &file);
    draft->topology->note = file.weighted ? "its weights are ignored" : NULL;
    base_lines_close(&file.lines);
    free(file.degree);
    free(file.parent);
    free(file.pairs);
    return good;
}

bool topo_read_file(struct topo_draft *draft, struct base_cursor *cursor)
{
    if (!base_cursor_expect(cursor, ':', "file, as in file:graph.txt")) {
        return false;
    }
    size_t length = path_length(cursor, draft->request);
    char *path = malloc(length + 1);
    if (!path) {
        return base_cursor_fail(cursor, cursor->at, "there is no memory left for a topology");
    }
    memcpy(path, cursor->text + cursor->at, length);
    path[length] = '\0';
    bool good = read_text(draft, cursor, path);
    free(path);
    cursor->at += length;
    return good;
}
