// SPDX-License-Identifier: MIT
// file:PATH, a graph from text. An edge list has a link `i j` a line, counted from 0. A Matrix Market file
// (Boisvert, Pozo & Remington 1996) has a sparse matrix; a link is where that has an entry off the diagonal.
#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/family.h"

enum {
    LINE_MAX_LENGTH = 1100, // Matrix Market allows lines of 1024 characters
    PROCESSOR_MAX = TOPO_PROCESSORS_MAX - 1
};

static const char MARKET[] = "%%MatrixMarket";

struct graph_file {
    struct topo_lines lines;
    struct ek_error *error;
    struct topo_pair *pairs;
    size_t count;
    size_t room;
    uint64_t processors; // Matrix Market: what the file says; edge list: the largest number + 1
    unsigned values;     // numbers that follow the two processors of an entry
    bool market;
    char line[LINE_MAX_LENGTH];
};

static bool fail_memory(struct graph_file *file)
{
    return topo_fail(file->error, EK_BAD_INPUT, "topology", -1, "%s has too many links for the memory that there is",
                     file->lines.path);
}

// Passes on what is wrong with a line, with the file's name and the line's number in front.
static bool fail_line(struct graph_file *file, const struct ek_error *wrong)
{
    return topo_fail(file->error, EK_BAD_INPUT, "topology", -1, "%s:%u: %s", file->lines.path, file->lines.line,
                     wrong->sentence);
}

static bool add_pair(struct graph_file *file, uint64_t from, uint64_t to)
{
    if (file->count == file->room) {
        size_t room = file->room == 0 ? 1024 : 2 * file->room;
        struct topo_pair *pairs = room <= SIZE_MAX / sizeof *pairs ? realloc(file->pairs, room * sizeof *pairs) : NULL;
        if (!pairs) {
            return fail_memory(file);
        }
        file->pairs = pairs;
        file->room = room;
    }
    assert(from != to && from <= PROCESSOR_MAX && to <= PROCESSOR_MAX);
    file->pairs[file->count++] = (struct topo_pair){.low = (uint32_t)(from < to ? from : to),
                                                    .high = (uint32_t)(from < to ? to : from),
                                                    .line = file->lines.line,
                                                    .reversed = from > to};
    return true;
}

// Reads the next line that holds anything but a comment. False at the end, and with the error's status set at a bad
// line.
static bool next_line(struct graph_file *file)
{
    while (topo_lines_next(&file->lines, file->line, sizeof file->line, file->error)) {
        if (!file->market || file->line[0] != '%') {
            return true;
        }
    }
    return false;
}

static void skip_blanks(struct topo_scan *scan)
{
    while (topo_scan_accept(scan, ' ') || topo_scan_accept(scan, '\t')) {
    }
}

static bool read_whole(struct topo_scan *scan, const char *what, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    skip_blanks(scan);
    return topo_scan_whole(scan, what, minimum, maximum, value);
}

static bool end_line(struct topo_scan *scan)
{
    skip_blanks(scan);
    return topo_scan_end(scan);
}

// Reads an entry: two processors, counted from `base`, and as many values as there must be, which say nothing here.
static bool read_entry(struct graph_file *file)
{
    struct ek_error wrong;
    struct topo_scan scan = topo_scan_start("topology", file->line, &wrong);
    uint64_t base = file->market ? 1 : 0;
    uint64_t last = file->market ? file->processors : PROCESSOR_MAX;
    uint64_t from;
    uint64_t to;
    bool good = read_whole(&scan, "the first number", base, last, &from) &&
                (topo_scan_peek(&scan) == ' ' || topo_scan_peek(&scan) == '\t' ||
                 topo_scan_fail(&scan, scan.at, "a line needs two numbers with a blank between, as in 0 1")) &&
                read_whole(&scan, "the second number", base, last, &to);
    for (unsigned i = 0; good && i < file->values; i++) {
        double ignored;
        skip_blanks(&scan);
        good = topo_scan_real(&scan, "the entry's value", -DBL_MAX, DBL_MAX, &ignored);
    }
    if (!good || !end_line(&scan)) {
        return fail_line(file, &wrong);
    }
    if (from != to) {
        return add_pair(file, from - base, to - base);
    }
    return file->market || // the diagonal of a matrix has no links
           topo_fail(file->error, EK_BAD_INPUT, "topology", -1,
                     "%s:%u: processor %u is linked to itself: leave this link out", file->lines.path, file->lines.line,
                     (unsigned)from);
}

static bool read_edge_list(struct graph_file *file)
{
    while (next_line(file)) {
        if (!read_entry(file)) {
            return false;
        }
        uint64_t largest = file->pairs[file->count - 1].high;
        file->processors = largest >= file->processors ? largest + 1 : file->processors;
    }
    if (file->error->status != EK_OK) {
        return false;
    }
    return file->count > 0 || topo_fail(file->error, EK_BAD_INPUT, "topology", -1,
                                        "%s has no links: write two processors a line, as in 0 1", file->lines.path);
}

// Reads the next word of a line, in small letters. What does not fit is left out, as no known word is so long.
static void read_word(struct topo_scan *scan, char *word, size_t size)
{
    size_t length = 0;
    skip_blanks(scan);
    for (char c = topo_scan_peek(scan); c != '\0' && c != ' ' && c != '\t'; c = topo_scan_peek(scan)) {
        if (length + 1 < size) {
            word[length++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
        scan->at++;
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

static bool read_banner(struct graph_file *file)
{
    static const char *const fields[] = {"pattern", "real", "double", "integer", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    char banner[24];
    char object[24];
    char format[24];
    char field[24];
    char symmetry[24];
    struct ek_error wrong;
    struct topo_scan scan = topo_scan_start("topology", file->line, &wrong);
    read_word(&scan, banner, sizeof banner);
    read_word(&scan, object, sizeof object);
    read_word(&scan, format, sizeof format);
    read_word(&scan, field, sizeof field);
    read_word(&scan, symmetry, sizeof symmetry);
    if (strcmp(banner, "%%matrixmarket") != 0 || strcmp(object, "matrix") != 0 || strcmp(format, "coordinate") != 0 ||
        !is_one_of(field, fields) || !is_one_of(symmetry, symmetries)) {
        topo_scan_fail(&scan, 0,
                       "only %%%%MatrixMarket matrix coordinate is read, then pattern, real, integer or complex, then "
                       "general or symmetric");
        return fail_line(file, &wrong);
    }
    file->values = strcmp(field, "pattern") == 0 ? 0 : strcmp(field, "complex") == 0 ? 2 : 1;
    return end_line(&scan) || fail_line(file, &wrong);
}

static bool fail_short(struct graph_file *file, const char *what)
{
    return file->error->status == EK_OK && topo_fail(file->error, EK_BAD_INPUT, "topology", -1,
                                                     "%s ends before %s: is it whole?", file->lines.path, what);
}

static bool read_size(struct graph_file *file, uint64_t *entries)
{
    if (!next_line(file)) {
        return fail_short(file, "the matrix's size");
    }
    struct ek_error wrong;
    struct topo_scan scan = topo_scan_start("topology", file->line, &wrong);
    uint64_t columns;
    bool good = read_whole(&scan, "the number of rows", 1, TOPO_PROCESSORS_MAX, &file->processors) &&
                read_whole(&scan, "the number of columns", 1, TOPO_PROCESSORS_MAX, &columns) &&
                read_whole(&scan, "the number of entries", 0, UINT32_MAX, entries) && end_line(&scan) &&
                (columns == file->processors ||
                 topo_scan_fail(&scan, 0, "a graph's matrix has as many columns as rows: give a square one"));
    return good || fail_line(file, &wrong);
}

static bool read_market(struct graph_file *file)
{
    uint64_t entries;
    if (!next_line(file)) {
        return fail_short(file, "its first line");
    }
    file->market = true;
    if (!read_banner(file) || !read_size(file, &entries)) {
        return false;
    }
    uint64_t count = 0;
    while (next_line(file)) {
        if (count == entries) {
            return topo_fail(file->error, EK_BAD_INPUT, "topology", -1,
                             "%s:%u: there are more entries than the %llu that the file promises", file->lines.path,
                             file->lines.line, (unsigned long long)entries);
        }
        if (!read_entry(file)) {
            return false;
        }
        count++;
    }
    return count == entries || fail_short(file, "the entries that it promises");
}

// Sorts the pairs and leaves each link once. A matrix may give a link on both sides of its diagonal.
static bool merge_pairs(struct graph_file *file)
{
    topo_pairs_sort(file->pairs, file->count);
    size_t kept = 0;
    bool both = false; // the pair that was kept last has come from both sides of the diagonal
    for (size_t i = 0; i < file->count; i++) {
        struct topo_pair pair = file->pairs[i];
        const struct topo_pair *last = kept > 0 ? &file->pairs[kept - 1] : NULL;
        if (!last || last->low != pair.low || last->high != pair.high) {
            file->pairs[kept++] = pair;
            both = false;
        } else if (file->market && !both && last->reversed != pair.reversed) {
            both = true;
        } else {
            return topo_fail(file->error, EK_BAD_INPUT, "topology", -1,
                             "%s:%u: this link is there already, at line %u: leave one of them out", file->lines.path,
                             pair.line, last->line);
        }
    }
    file->count = kept;
    return true;
}

static bool read_graph(struct graph_file *file)
{
    size_t mark = topo_lines_mark(&file->lines);
    size_t sniffed = sizeof MARKET - 1;
    file->error->status = EK_OK;
    bool market = file->lines.length - mark >= sniffed && memcmp(file->lines.text + mark, MARKET, sniffed) == 0;
    bool good = (market ? read_market(file) : read_edge_list(file)) && merge_pairs(file);
    if (!good) {
        memcpy(file->error->axis, "topology", sizeof "topology");
    }
    return good;
}

// Takes the path, which goes to the end of the spec but for the parentheses of the otis that it stands in.
static char *take_path(struct topo_scan *scan, unsigned nesting)
{
    const char *rest = scan->text + scan->at;
    size_t length = strlen(rest);
    for (unsigned i = 0; i < nesting && length > 0 && rest[length - 1] == ')'; i++) {
        length--;
    }
    char *path = malloc(length + 1);
    if (path) {
        memcpy(path, rest, length);
        path[length] = '\0';
        scan->at += length;
    }
    return path;
}

static bool read_text(struct topo_draft *draft, struct topo_scan *scan, size_t at, const char *path)
{
    struct graph_file file = {.lines.path = path, .error = scan->error};
    struct ek_reader reader = draft->request->reader;
    char *text = reader.read(reader.context, path, &file.lines.length, scan->error);
    if (!text) {
        memcpy(scan->error->axis, "topology", sizeof "topology");
        scan->error->at = (int)at;
        return false;
    }
    file.lines.text = text;
    bool good = read_graph(&file);
    draft->beside = topo_colouring_bytes(file.processors, file.count); // the text and the pairs are there already
    good = good && topo_draft_size(draft, scan, at, file.processors, file.count) &&
           topo_pairs_connected(file.pairs, file.count, draft->topology->processors, scan->error);
    free(text);
    draft->pairs = file.pairs;
    draft->tell_links = topo_tell_pairs;
    return good;
}

bool topo_read_file(struct topo_draft *draft, struct topo_scan *scan)
{
    if (!topo_scan_expect(scan, ':', "file, as in file:graph.txt")) {
        return false;
    }
    size_t at = scan->at;
    if (!draft->request->reader.read) {
        return topo_scan_fail(scan, at, "no files can be read here: choose another topology");
    }
    char *path = take_path(scan, draft->request->nesting);
    if (!path) {
        return topo_scan_fail(scan, at, "there is no memory left for a topology");
    }
    bool good =
        *path ? read_text(draft, scan, at, path) : topo_scan_fail(scan, at, "file needs a path, as in file:graph.txt");
    free(path);
    return good;
}
