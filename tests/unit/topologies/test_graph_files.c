// SPDX-License-Identifier: MIT
// Graph files: edge lists with and without weights, Matrix Market, METIS and NetworkX; ignored parts; and files that
// are refused.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/diameter.h"
#include "tests/support/text_parts.h"

static bool equal(const struct ek_topology *a, const struct ek_topology *b)
{
    size_t ports = a->ports;
    return a->processors == b->processors && a->links == b->links && a->colours == b->colours &&
           a->degree_min == b->degree_min && a->degree_max == b->degree_max && a->diameter == b->diameter &&
           memcmp(a->first, b->first, (a->processors + 1) * sizeof *a->first) == 0 &&
           memcmp(a->neighbour, b->neighbour, ports * sizeof *a->neighbour) == 0 &&
           memcmp(a->twin, b->twin, ports * sizeof *a->twin) == 0 &&
           memcmp(a->colour, b->colour, ports * sizeof *a->colour) == 0 &&
           memcmp(a->direction, b->direction, ports) == 0;
}

// Reads a file as a whole, and also in parts of some bytes. Both must give the same topology, or the same error.
static struct ek_topology *from_text(const char *spec, const char *text, struct ek_error *error)
{
    struct tests_memory memory = {.text = text, .length = strlen(text)};
    *error = (struct ek_error){0};
    struct ek_topology *topology = ek_topology_create(spec, 1, tests_memory_reader(&memory), error);
    for (size_t most = 1; most <= 729; most *= 9) {
        struct ek_error other = {0};
        struct tests_parts parts = tests_parts_of(text, most);
        struct ek_topology *same = topo_create_permitted(spec, 1, tests_parts_files(&parts),
                                                         (struct topo_permit){.allows = tests_permit_any}, &other);
        cr_assert_eq(!topology, !same, "%s, in parts of %zu: %s", text, most, other.sentence);
        cr_assert(parts.count > 0, "it is not read in parts");
        cr_assert(same || strcmp(error->sentence, other.sentence) == 0, "%s, in parts of %zu: %s", text, most,
                  other.sentence);
        cr_assert(!same || equal(topology, same), "%s, in parts of %zu", text, most);
        ek_topology_destroy(same);
    }
    return topology;
}

static const char PETERSEN[] = "# the Petersen graph: degree 3, but 4 colours\r\n"
                               "0 1\r\n1 2\r\n2 3\r\n3 4\r\n4 0\r\n\r\n"
                               "5 7\n7 9\n9 6\n6 8\n8 5 # the star\n"
                               "0\t5\n  1   6\n2 7\n8 3\n9 4\n";

Test(files, edge_lists)
{
    struct ek_error error;
    struct ek_topology *petersen = from_text("file:graph.txt", PETERSEN, &error);
    cr_assert(petersen, "%s", error.sentence);
    cr_assert_eq(petersen->processors, 10);
    cr_assert_eq(petersen->links, 15);
    cr_assert_eq(petersen->colours, 4);
    cr_assert_eq(petersen->diameter, 2);
    check(petersen, 1);
    struct ek_topology *pair = from_text("file:x", "1 0", &error);
    cr_assert_eq(pair->processors, 2);
    check(pair, 0);
    struct ek_topology *otis = from_text("otis(otis(file:a(b).txt))", "0 1\n1 2\n", &error);
    cr_assert(otis, "%s", error.sentence);
    cr_assert_str_eq(otis->group->group->spec, "file:a(b).txt");
    cr_assert_eq(otis->processors, 81);
    check(otis, 3);
}

Test(files, matrix_market)
{
    static const char *const triangles[] = {
        "%%MatrixMarket matrix coordinate pattern symmetric\n% comment\n3 3 3\n2 1\n3 1\n3 2\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 2 -1\n2 1 -1\n1 3 -1\n3 1 -1\n2 3 -1e-3\n3 2 .5\n",
        ("%%MatrixMarket MATRIX Coordinate Integer Symmetric\r\n\r\n"
         "3 3 5\r\n1 1 2\r\n2 1 7\r\n%\r\n2 2 2\r\n3 1 1\r\n3 2 1\r\n"),
        "%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n2 1 0 1\n3 1 0 1\n3 2 1 0\n",
    };
    struct ek_error error;
    for (size_t i = 0; i < sizeof triangles / sizeof *triangles; i++) {
        struct ek_topology *triangle = from_text("file:m.mtx", triangles[i], &error);
        cr_assert(triangle, "%zu: %s", i, error.sentence);
        cr_assert_eq(triangle->processors, 3);
        cr_assert_eq(triangle->links, 3);
        check(triangle, 1);
    }
    struct ek_topology *alone =
        from_text("file:m.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", &error);
    cr_assert(alone, "%s", error.sentence);
    cr_assert_eq(alone->links, 0);
    check(alone, 0);
}

#define MARKET "%%MatrixMarket matrix coordinate "

Test(files, that_are_wrong)
{
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"", "g.txt has no links"},
        {"# nothing\n\n", "g.txt has no links"},
        {"0 1\n2 2\n", "g.txt:2: processor 2 is linked to itself"},
        {"0 1\n\n# x\n1 0\n", "g.txt:4: line 1 lists this link already"},
        {"0 1\n1 2\n0 1\n", "g.txt:3: line 1 lists this link already"},
        {"0 1\n1 -2\n", "g.txt:2: the second number must be a whole number"},
        {"0 1\n1\n", "g.txt:2: a line needs two numbers"},
        {"0 1 2x\n", "g.txt:1: 'x' cannot follow"},
        {"0 1x\n", "g.txt:1: 'x' cannot follow"},
        {"0,1\n", "g.txt:1: a line needs two numbers"},
        {"a b\n", "g.txt:1: the first number must be a whole number"},
        {"0 67108864\n", "g.txt:1: the second number must be a whole number from 0 to 67108863"},
        {"0 99999999999999999999\n", "g.txt:1: the second number"},
        {"0 1.0\n", "g.txt:1: '.' cannot follow"},
        {"0 1\n\001\n", "g.txt:2: this is no text"},
        {"0 2\n", "the graph falls into 2 parts of 2 and 1 processors"},
        {"0 1\n3 4\n4 5\n3 5\n9 8\n", "the graph falls into 6 parts of 3, 2, 2, 1, 1 and 1 more"},
        {"0 1\n3 4\n4 5\n3 5\n9 8\n7 6\n", "the graph falls into 5 parts of 3, 2, 2, 2 and 1 processors"},
        {"0 1\n2 3\n3 4\n5 6\n6 7\n7 8\n 20 21\n", "the graph falls into 15 parts of 4, 3, 2, 2, 1 and 10 more"},
        {MARKET "pattern general\n", "g.txt ends before the matrix's size"},
        {MARKET "pattern general\n2 2\n", "g.txt:2: the number of entries"},
        {MARKET "pattern general\n2 3 1\n1 2\n", "g.txt:2: the matrix of a graph has as many columns as rows"},
        {MARKET "pattern general\n0 0 0\n", "g.txt:2: the number of rows must be a whole number from 1"},
        {MARKET "pattern general\n2 2 1\n0 1\n", "g.txt:3: the first number must be a whole number from 1 to 2"},
        {MARKET "pattern general\n2 2 1\n1 3\n", "g.txt:3: the second number must be a whole number from 1 to 2"},
        {MARKET "pattern general\n2 2 2\n1 2\n", "g.txt ends before the entries that it announces"},
        {MARKET "pattern general\n2 2 1\n1 2\n2 1\n", "g.txt:4: there are more entries than the 1"},
        {MARKET "pattern general\n2 2 2\n1 2\n1 2\n", "g.txt:4: line 3 lists this link already"},
        {MARKET "pattern general\n2 2 3\n1 2\n2 1\n2 1\n", "g.txt:5: line 3 lists this link already"},
        {MARKET "pattern general\n2 2 1\n1 2 5\n", "g.txt:3: '5' cannot follow"},
        {MARKET "real general\n2 2 1\n1 2\n", "g.txt:3: the entry's value"},
        {MARKET "real general\n2 2 1\n1 2 x\n", "g.txt:3: the entry's value"},
        {MARKET "real general\n2 2 1\n1 2 1 1\n", "g.txt:3: '1' cannot follow"},
        {MARKET "real\n2 2 1\n1 2 1\n", "g.txt:1: only Matrix Market coordinate matrices are read"},
        {MARKET "real general junk\n2 2 1\n1 2 1\n", "g.txt:1: 'j' cannot follow"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n",
         "g.txt:1: only Matrix Market coordinate matrices are read"},
        {MARKET "pattern general\n3 3 1\n1 2\n", "the graph falls into 2 parts of 2 and 1 processors"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        cr_assert_null(from_text("file:g.txt", cases[i].text, &error), "%s", cases[i].text);
        cr_assert_eq(error.status, EK_BAD_INPUT);
        cr_assert_str_eq(error.axis, "topology");
        cr_assert_eq(error.at, -1);
        cr_assert(strstr(error.sentence, cases[i].part), "%s: %s", cases[i].text, error.sentence);
    }
}

Test(files, that_cannot_be_read)
{
    struct ek_error error = {0};
    struct tests_memory nothing = {0};
    cr_assert_null(ek_topology_create("otis(file:gone)", 1, tests_memory_reader(&nothing), &error));
    cr_assert_str_eq(error.sentence, "the test has no such file");
    cr_assert_str_eq(error.axis, "topology");
    cr_assert_eq(error.at, 10);
    cr_assert_null(ek_topology_create("file:", 1, tests_memory_reader(&nothing), &error));
    cr_assert_eq(error.at, 5);
    struct tests_memory zero = {.text = "0 1\0001 2\n", .length = 8};
    cr_assert_null(ek_topology_create("file:g", 1, tests_memory_reader(&zero), &error));
    cr_assert(strstr(error.sentence, "g:1: this is no text"), "%s", error.sentence);
}

static uint64_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// Graphs of every density, with hubs, as edge lists: each case of the colouring occurs many times.
Test(files, irregular_graphs_are_coloured)
{
    static char text[200000];
    uint64_t state = 1;
    for (unsigned i = 0; i < 300; i++) {
        unsigned n = 3 + (unsigned)(next_number(&state) % 40);
        unsigned often = 1 + (unsigned)(next_number(&state) % 100);
        int length = 0;
        for (unsigned a = 0; a < n; a++) {
            for (unsigned b = a + 1; b < n; b++) {
                if (b == a + 1 || next_number(&state) % 100 < often / (a == 0 ? 1 : 2)) {
                    length += snprintf(text + length, sizeof text - (size_t)length, "%u %u\n", b, a);
                }
            }
        }
        struct ek_error error;
        struct ek_topology *graph = from_text("file:g.txt", text, &error);
        cr_assert(graph, "%s", error.sentence);
        check(graph, 1);
    }
}

// A hub with 66,000 links is coloured quickly: neither the tables nor the searches depend on the degrees.
Test(files, a_large_star)
{
    enum { LEAVES = 66000 }; // more than 16 bits can count
    char *text = malloc(LEAVES * 16);
    int length = 0;
    for (int leaf = 1; leaf <= LEAVES; leaf++) {
        length += snprintf(text + length, 16, "0 %d\n", leaf);
    }
    struct ek_error error;
    struct ek_topology *star = from_text("file:star.txt", text, &error);
    free(text);
    cr_assert(star, "%s", error.sentence);
    cr_assert_eq(star->degree_max, LEAVES);
    cr_assert_eq(star->colours, LEAVES);
    cr_assert(ek_topology_valid(star, &error), "%s", error.sentence);
    ek_topology_destroy(star);
}

static bool linked(const struct ek_topology *topology, uint32_t from, uint32_t to)
{
    bool found = false;
    for (uint32_t port = topology->first[from]; port < topology->first[from + 1]; port++) {
        found = found || topology->neighbour[port] == to;
    }
    return found;
}

// The graph of Figure 2 of the METIS manual 5.1 in each form that the manual shows, with its weights.
static const struct {
    const char *text;
    bool weighted;
} manuals[] = {
    {"7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", false},
    {"% a comment\n7 11 1\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n% another\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n"
     "5 2 4 2 7 6\n6 6 4 5\n",
     true},
    {"7 11 11\n4 5 1 3 2 2 1\n2 1 1 3 2 4 1\n5 5 3 4 2 2 2 1 2\n3 2 1 3 2 6 2 7 5\n1 1 1 3 3 6 2\n6 5 2 4 2 7 6\n"
     "2 6 6 4 5\n",
     true},
    {"7 11 010 3\n1 2 0 5 3 2\n0 2 2 1 3 4\n4 1 1 5 4 2 1\n2 2 3 2 3 6 7\n1 1 1 1 3 6\n2 2 1 5 4 7\n1 2 1 6 4\n", true},
    {"7 11 100\n9 5 3 2\n8 1 3 4\n7 5 4 2 1\n6 2 3 6 7\n5 1 3 6\n4 5 4 7\n3 6 4\n", true},
    {"\xEF\xBB\xBF"
     "7 11 000\r\n5 3 2\r\n1 3 4\r\n5 4 2 1\r\n2 3 6 7\r\n1 3 6\r\n5 4 7\r\n6 4\r\n\r\n",
     false},
};

Test(files, metis)
{
    static const uint8_t links[][2] = {{0, 4}, {0, 2}, {0, 1}, {1, 2}, {1, 3}, {2, 4},
                                       {2, 3}, {3, 5}, {3, 6}, {4, 5}, {5, 6}};
    for (size_t i = 0; i < sizeof manuals / sizeof *manuals; i++) {
        struct ek_error error;
        struct ek_topology *graph = from_text("file:g", manuals[i].text, &error);
        cr_assert(graph, "%zu: %s", i, error.sentence);
        cr_assert_eq(graph->processors, 7);
        cr_assert_eq(graph->links, 11);
        for (size_t k = 0; k < 11; k++) {
            cr_expect(linked(graph, links[k][0], links[k][1]), "%zu: link %zu", i, k);
        }
        cr_expect_eq(graph->note != NULL, manuals[i].weighted, "%zu", i);
        cr_expect(ek_topology_valid(graph, &error), "%s", error.sentence);
        ek_topology_destroy(graph);
    }
}

// If every vertex has two neighbours, a line of METIS has two numbers, as a line of an edge list has.
Test(files, rings_of_metis_and_lists_that_look_like_them)
{
    static const struct {
        const char *text;
        uint32_t processors, links;
    } cases[] = {
        {"4 4\n2 4\n1 3\n2 4\n1 3\n", 4, 4},               // METIS
        {"2 1\n2\n1\n", 2, 1},                             // METIS
        {"1 0\n\n", 1, 0},                                 // METIS: a single vertex
        {"4 1\n0 1\n1 2\n2 3\n3 4\n", 5, 5},               // a list: four lines follow, with eight numbers
        {"3 1 2\n0 1 7\n1 2 1\n2 3 1\n", 4, 4},            // a weighted one
        {"1 0\n", 2, 1},                                   // no vertex follows
        {"1 2 0.5\n0 1 1e3\n0 2\t-7\n", 3, 3},             // weights of all kinds
        {"0 1 {}\n1 2 {'weight': 3, 'a': 'b c'}\n", 3, 2}, // NetworkX
        {"% KONECT\n0 1\n% more\n1 2\n", 3, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        struct ek_topology *graph = from_text("file:g", cases[i].text, &error);
        cr_assert(graph, "%zu: %s", i, error.sentence);
        cr_expect_eq(graph->processors, cases[i].processors, "%zu: %u", i, graph->processors);
        cr_expect_eq(graph->links, cases[i].links, "%zu: %u", i, graph->links);
        ek_topology_destroy(graph);
    }
}

Test(files, what_is_ignored)
{
    static const struct {
        const char *text;
        bool noted;
    } cases[] = {{"0 1\n1 2\n", false},
                 {"0 1 {}\n1 2 {}\n", false},
                 {"0 1\n1 2 3\n", true},
                 {"0 1 {'weight': 1}\n", true},
                 {MARKET "pattern symmetric\n2 2 1\n2 1\n", false},
                 {MARKET "real symmetric\n2 2 1\n2 1 -1\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        struct ek_topology *graph = from_text("file:g", cases[i].text, &error);
        cr_assert(graph, "%zu: %s", i, error.sentence);
        cr_expect_eq(graph->note != NULL, cases[i].noted, "%zu", i);
        cr_expect(!graph->note || strcmp(graph->note, "its weights are ignored") == 0);
        ek_topology_destroy(graph);
    }
}

Test(files, metis_that_is_wrong)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"1 2\n2 3\n", "g has no link of processor 0, as if it numbered them from 1: number the processors from 0"},
        {"3 2\n2 1\n5 6\n", "g has no link of processor 0"},
        {"0 1\n2 3\n", "the graph falls into 2 parts"}, // it counts from 0
        {"3 3\n2 3\n1 3\n1 2 4\n", "g:4: '4' is no neighbour: METIS numbers vertices from 1, here to 3"},
        {"3 3\n2 3\n0 3\n1 2\n", "g:3: '0' is no neighbour: METIS numbers vertices from 1"},
        {"% x\n3 3\n2 3\n1 3 2\n1 2\n", "g:4: vertex 2 lists itself as a neighbour"},
        {"2 1\n00000000000000000000000000000002\n1\n", "g:2: '000000000000000000000000000000' is no neighbour"},
        {"3 2\n2 3\n1 3\n1\n", "g:4: there are 5 neighbours, but 2 edges have two ends each"},
        {"4 3\n2\n1 3\n2 4\n\n", "there are 5 neighbours, but 3 edges"},
        {"4 2\n2 3\n1\n\n4 4\n", "vertex 4 lists itself"},
        {"3 2\n2 3\n1 3\n\n", "g:2: vertex 1 lists neighbour 3, which does not list it"},
        {"4 3\n4\n1 3\n2 4\n3\n", "g:3: vertex 2 lists neighbour 1, which does not list it"},
        {"3 3 1\n2 5 3\n1 5 3 1\n1 1 2 1\n", "g:2: the last edge of vertex 1 has no weight"},
        {"5 3 011 2\n2 3 4 5\n1\n", "g:3: vertex 2 has fewer weights than the first line requires"},
        {"9 4\n2 3 4 5\n1\n1\n1\n", "g:5: the file ends before vertex 5 of 9: is it complete?"},
        {"2 4\n2 3 4 5\n", "g:2: '3' is no neighbour"},
        {"67108865 2\n2 3 4 5\n1\n", "g:1: there are more than 67108864 vertices: give a smaller graph"},
        {"1 4\n\n2 3 4 5\n", "g:3: there are more lines than the 1 vertices of the first line"},
        {"0 1 {'a'\n", "g:1: write '}' at the end"},
        {"0 1 2 3\n", "g:1: '3' cannot follow"},
        {"0 1\n1 2 x\n", "g:2: the link's weight"},
        {"0 1 nan\n", "g:1: the link's weight"},
        {"graph G {\n 0 -- 1;\n}\n", "g looks like DOT, which is not read: write it as an edge list"},
        {"strict digraph {0 -> 1}", "g looks like DOT"},
        {"graph [\n node [ id 0 ]\n]\n", "g looks like GML"},
        {"Creator \"x\"\ngraph\n[\n]", "g looks like GML"},
        {"<?xml version=\"1.0\"?>\n<graphml/>\n", "g looks like XML"},
        {"{\"nodes\": []}", "g looks like JSON"},
        {"*Vertices 3\n", "g looks like Pajek"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        cr_assert_null(from_text("file:g", cases[i].text, &error), "%s", cases[i].text);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect_str_eq(error.axis, "topology");
        cr_expect_eq(error.at, -1);
        cr_expect(strstr(error.sentence, cases[i].part), "%zu: %s", i, error.sentence);
    }
}

// A line can be longer than a line of an edge list may be: a hub has all its neighbours in one line.
Test(files, a_star_of_metis)
{
    enum { LEAVES = 5000 };
    static char text[LEAVES * 8 + 100];
    int length = snprintf(text, sizeof text, "%d %d\n", LEAVES + 1, LEAVES);
    for (int leaf = 2; leaf <= LEAVES + 1; leaf++) {
        length += snprintf(text + length, sizeof text - (size_t)length, " %d", leaf);
    }
    for (int leaf = 2; leaf <= LEAVES + 1; leaf++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "\n1");
    }
    struct ek_error error;
    struct ek_topology *star = from_text("file:g", text, &error);
    cr_assert(star, "%s", error.sentence);
    cr_expect_eq(star->degree_max, LEAVES);
    cr_expect_eq(star->first[1] - star->first[0], LEAVES);
    ek_topology_destroy(star);
}

// A part that cannot be read is an error, whichever it is. A file that cannot be read in parts is read as a whole.
Test(files, that_get_lost)
{
    static const char *const texts[] = {PETERSEN, "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n",
                                        MARKET "pattern general\n3 3 5\n1 2\n2 1\n3 1\n1 3\n2 3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tests_parts parts = tests_parts_of(texts[i], 5);
        struct topo_permit permit = {.allows = tests_permit_any};
        struct ek_topology *topology = NULL;
        while (!topology) {
            struct ek_error error = {0};
            parts.count = 0;
            parts.lost++;
            topology = topo_create_permitted("file:g", 1, tests_parts_files(&parts), permit, &error);
            cr_assert(topology || strcmp(error.sentence, "the test has lost its file") == 0, "%zu, part %u: %s", i,
                      parts.lost, error.sentence);
            cr_assert(topology || (error.at == 5 && parts.count == parts.lost), "%zu: %u parts", i, parts.count);
        }
        cr_assert(parts.lost > 2 * parts.memory.length / parts.most, "%zu: only %u parts were read", i, parts.lost);
        ek_topology_destroy(topology);
    }
}

// A file whose text changes after the last part of a pass.
struct changing {
    struct tests_parts before, after;
    unsigned ends; // of passes: parts without bytes
    unsigned last; // the pass that still reads the first text
};

static bool read_changing(void *context, const char *path, uint64_t from, char *bytes, size_t *count,
                          struct ek_error *error)
{
    struct changing *file = context;
    bool good =
        tests_parts_read(file->ends < file->last ? &file->before : &file->after, path, from, bytes, count, error);
    file->ends += *count == 0;
    return good;
}

// A file that changes between two passes is refused, whatever has changed.
Test(files, that_change)
{
    static const char before[] = "0 1 2\n1 2 3\n2 3 4\n";
    static const char *const after[] = {"0 1 2\n1 2 3\n2 3 4\n0 3 4\n", "0 1 2\n1 2 3\n", "0 1 2\n1 2 3\n2 4 4\n",
                                        "0 1 2\n1 2 3\n1 3 4\n"};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        struct changing file = {
            .before = tests_parts_of(before, 100), .after = tests_parts_of(after[i], 100), .last = 1};
        struct base_files files = {.reader = {.context = &file}, .part = read_changing};
        struct topo_permit permit = {.allows = tests_permit_any};
        struct ek_error error = {0};
        cr_assert_null(topo_create_permitted("file:g", 1, files, permit, &error), "%s", after[i]);
        cr_assert(strstr(error.sentence, "has changed while it was read: give it again"), "%s: %s", after[i],
                  error.sentence);
    }
}
