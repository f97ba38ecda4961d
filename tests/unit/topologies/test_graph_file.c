// SPDX-License-Identifier: MIT
// Graph files as other programs write them: METIS in all its forms, weighted lists, NetworkX; what is said to be
// ignored; and what is said of files that are wrong, or that are of another kind.
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/text_file.h"
#include "topologies/topology.h"

static struct ek_topology *from_text(const char *text, struct ek_error *error)
{
    struct tests_memory memory = {.text = text, .length = strlen(text)};
    *error = (struct ek_error){0};
    return ek_topology_create("file:g", 1, tests_memory_reader(&memory), error);
}

static bool linked(const struct ek_topology *topology, uint32_t from, uint32_t to)
{
    bool found = false;
    for (uint32_t port = topology->first[from]; port < topology->first[from + 1]; port++) {
        found = found || topology->neighbour[port] == to;
    }
    return found;
}

// The graph of Figure 2 of the METIS manual 5.1, written in each of the ways that the manual shows, with its weights.
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

Test(graphfile, metis)
{
    static const uint8_t links[][2] = {{0, 4}, {0, 2}, {0, 1}, {1, 2}, {1, 3}, {2, 4},
                                       {2, 3}, {3, 5}, {3, 6}, {4, 5}, {5, 6}};
    for (size_t i = 0; i < sizeof manuals / sizeof *manuals; i++) {
        struct ek_error error;
        struct ek_topology *graph = from_text(manuals[i].text, &error);
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

// Where every vertex has two neighbours a line has two numbers, as in an edge list.
Test(graphfile, rings_of_metis_and_lists_that_look_like_them)
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
        struct ek_topology *graph = from_text(cases[i].text, &error);
        cr_assert(graph, "%zu: %s", i, error.sentence);
        cr_expect_eq(graph->processors, cases[i].processors, "%zu: %u", i, graph->processors);
        cr_expect_eq(graph->links, cases[i].links, "%zu: %u", i, graph->links);
        ek_topology_destroy(graph);
    }
}

#define MARKET "%%MatrixMarket matrix coordinate "

Test(graphfile, what_is_ignored)
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
        struct ek_topology *graph = from_text(cases[i].text, &error);
        cr_assert(graph, "%zu: %s", i, error.sentence);
        cr_expect_eq(graph->note != NULL, cases[i].noted, "%zu", i);
        cr_expect(!graph->note || strcmp(graph->note, "its weights are ignored") == 0);
        ek_topology_destroy(graph);
    }
}

Test(graphfile, that_are_wrong)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"1 2\n2 3\n", "g has no link of processor 0, as if it counted from 1: number the processors from 0"},
        {"3 2\n2 1\n5 6\n", "g has no link of processor 0"},
        {"0 1\n2 3\n", "the graph falls into 2 parts"}, // it does count from 0
        {"3 3\n2 3\n1 3\n1 2 4\n", "g:4: '4' is no neighbour: METIS counts vertices from 1, here to 3"},
        {"3 3\n2 3\n0 3\n1 2\n", "g:3: '0' is no neighbour: METIS counts vertices from 1"},
        {"% x\n3 3\n2 3\n1 3 2\n1 2\n", "g:4: vertex 2 has itself as a neighbour"},
        {"3 2\n2 3\n1 3\n1\n", "g:4: there are 5 neighbours, and 2 edges have two ends each"},
        {"4 3\n2\n1 3\n2 4\n\n", "there are 5 neighbours, and 3 edges"},
        {"4 2\n2 3\n1\n\n4 4\n", "vertex 4 has itself"},
        {"3 2\n2 3\n1 3\n\n", "g:2: vertex 1 has neighbour 3, but not the other way round"},
        {"4 3\n4\n1 3\n2 4\n3\n", "g:3: vertex 2 has neighbour 1, but not the other way round"},
        {"3 3 1\n2 5 3\n1 5 3 1\n1 1 2 1\n", "g:2: the last edge of vertex 1 has no weight"},
        {"5 3 011 2\n2 3 4 5\n1\n", "g:3: vertex 2 has fewer weights than the first line says"},
        {"9 4\n2 3 4 5\n1\n1\n1\n", "g:5: the file ends before vertex 5 of 9: is it whole?"},
        {"2 4\n2 3 4 5\n", "g:2: '3' is no neighbour"},
        {"1 4\n\n2 3 4 5\n", "g:3: there are more lines than the 1 vertices that the first line says"},
        {"0 1 {'a'\n", "g:1: write '}' at the end"},
        {"0 1 2 3\n", "g:1: '3' is not expected"},
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
        cr_assert_null(from_text(cases[i].text, &error), "%s", cases[i].text);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect_str_eq(error.axis, "topology");
        cr_expect_eq(error.at, -1);
        cr_expect(strstr(error.sentence, cases[i].part), "%zu: %s", i, error.sentence);
    }
}

// A line can be longer than those of an edge list: a hub has all its neighbours in one.
Test(graphfile, a_star_of_metis)
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
    struct ek_topology *star = from_text(text, &error);
    cr_assert(star, "%s", error.sentence);
    cr_expect_eq(star->degree_max, LEAVES);
    cr_expect_eq(star->first[1] - star->first[0], LEAVES);
    ek_topology_destroy(star);
}
