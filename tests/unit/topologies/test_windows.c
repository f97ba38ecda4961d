// SPDX-License-Identifier: MIT
// Windows: topologies that store the rows of some processors only. The rows are those of the whole topology, for every
// family and every kind of file, wherever the window is.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/text_parts.h"
#include "topologies/build.h"
#include "topologies/family.h"
#include "topologies/topology.h"
#include "topologies/window.h"

enum { PARTS = 3 };

struct asked {
    uint32_t part;       // the third of the processors to store
    uint64_t bytes_most; // of the last topology that was permitted
};

static bool store_part(void *context, const struct ek_topology *outline, uint32_t *begin, uint32_t *end)
{
    const struct asked *asked = context;
    *begin = outline->processors * asked->part / PARTS;
    *end = outline->processors * (asked->part + 1) / PARTS;
    return true;
}

static bool permit(void *context, const struct ek_topology *outline, uint64_t bytes, size_t at, struct ek_error *error)
{
    struct asked *asked = context;
    (void)outline;
    (void)at;
    (void)error;
    asked->bytes_most = bytes;
    return true;
}

static struct ek_topology *make_part(const char *spec, struct base_files files, struct asked *asked,
                                     struct ek_error *error)
{
    struct topo_permit permits = {.allows = permit, .stores_part = store_part, .context = asked};
    *error = (struct ek_error){0};
    return topo_create_permitted(spec, 1, files, permits, error);
}

// Checks the rows of a part, and the ends of links that leave it.
static void check_part(const char *spec, const struct ek_topology *whole, const struct ek_topology *part)
{
    uint32_t begin = part->window->begin, end = part->window->end;
    uint64_t leaving = 0;
    bool *used = calloc(part->ports + 1, sizeof *used);
    cr_assert(part->processors == whole->processors && part->links == whole->links && part->hosts == whole->hosts &&
                  part->degree_min == whole->degree_min && part->degree_max == whole->degree_max,
              "%s", spec);
    cr_assert(memcmp(part->first, whole->first, (whole->processors + 1) * sizeof *whole->first) == 0, "%s", spec);
    for (uint32_t port = part->first[begin]; port < part->first[end]; port++) {
        uint32_t twin = part->twin[port];
        cr_assert_eq(part->neighbour[port], whole->neighbour[port], "%s", spec);
        cr_assert_eq(part->dimension[port], whole->dimension[port], "%s", spec);
        cr_assert_eq(part->direction[port], whole->direction[port], "%s", spec);
        if (topo_stores(part, part->neighbour[port])) {
            cr_assert_eq(twin, whole->twin[port], "%s", spec);
        } else {
            cr_assert(twin < part->ports && (twin < part->first[begin] || twin >= part->first[end]) && !used[twin],
                      "%s: the far end of port %u", spec, port);
            used[twin] = true;
            leaving++;
        }
    }
    cr_assert_eq(part->window->leaving, leaving, "%s", spec);
    free(used);
}

// Makes a topology as a whole and in parts. Returns the fingerprint, which all parts share.
static uint64_t check(const char *spec, struct base_files files)
{
    struct ek_error error;
    struct ek_topology *whole = ek_topology_create(spec, 1, files.reader, &error);
    cr_assert(whole, "%s: %s", spec, error.sentence);
    uint64_t print = 0, leaving = 0;
    size_t bytes = 0;
    for (struct asked asked = {.part = 0}; asked.part < PARTS; asked.part++) {
        struct ek_topology *part = make_part(spec, files, &asked, &error);
        cr_assert(part, "%s: %s", spec, error.sentence);
        check_part(spec, whole, part);
        cr_assert(asked.part == 0 || part->window->print == print, "%s: the fingerprint", spec);
        print = part->window->print;
        leaving += part->window->leaving;
        bytes += ek_topology_bytes(part);
        ek_topology_destroy(part);
    }
    size_t shared = (PARTS - 1) * (whole->processors + 1) * sizeof *whole->first;
    cr_assert(bytes < ek_topology_bytes(whole) + PARTS * (shared + 64), "%s: %zu bytes of all parts", spec, bytes);
    cr_assert(leaving % 2 == 0 && print != 0, "%s", spec);
    ek_topology_destroy(whole);
    return print;
}

Test(windows, families)
{
    static const char *const specs[] = {"chain:50",
                                        "torus:9x8",
                                        "hypercube:6",
                                        "complete:20",
                                        "star:30",
                                        "otis(mesh:3x3)",
                                        "product(hex:3x3,ring:4)",
                                        "hsn(3,ring:3)",
                                        "tree:3:3",
                                        "ccc:4",
                                        "butterfly:3",
                                        "debruijn:2:6",
                                        "shuffle:6",
                                        "foldedcube:5",
                                        "cayley:star:4",
                                        "hex:7x8",
                                        "moore:9x7",
                                        "random:60:4",
                                        "random:60:50",
                                        "smallworld:60:4:0.2",
                                        "geometric:60:0.3",
                                        "powerlaw:60:3",
                                        "dragonfly:4:2",
                                        "slimfly:5",
                                        "fattree:4",
                                        "margulis:6"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        check(specs[i], (struct base_files){.part = NULL});
    }
}

// The diameter of these is found by a search from one processor, which needs no stored rows.
Test(windows, families_whose_processors_are_alike)
{
    static const char *const specs[] = {"circulant:30:1,5", "circulant:32:3,16", "circulant:31:4,7,9",
                                        "cayley:pancake:4", "cayley:pancake:5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct base_files files = {.part = NULL};
        struct asked asked = {.part = 1};
        struct ek_error error;
        check(specs[i], files);
        struct ek_topology *whole = ek_topology_create(specs[i], 1, files.reader, &error);
        struct ek_topology *part = make_part(specs[i], files, &asked, &error);
        cr_assert(part->window && part->diameter == whole->diameter && whole->diameter > 1, "%s: %lld", specs[i],
                  (long long)part->diameter);
        ek_topology_destroy(whole);
        ek_topology_destroy(part);
    }
}

static uint64_t check_text(const char *text)
{
    struct tests_parts parts = tests_parts_of(text, 7);
    return check("file:g", tests_parts_files(&parts));
}

#define MARKET "%%MatrixMarket matrix coordinate pattern "

// The same graph in each format has the same fingerprint, whatever the order of its links; another graph has another.
Test(windows, files)
{
    uint64_t list = check_text("0 4\n0 2\n1 0\n2 1\n1 3\n4 2\n2 3\n3 5\n6 3\n4 5\n5 6\n");
    cr_assert_eq(check_text("5 6\n4 5\n0 1\n0 2\n0 4\n2 1\n3 1\n4 2\n2 3\n5 3\n6 3\n"), list);
    cr_assert_eq(check_text(MARKET "symmetric\n7 7 12\n5 1\n3 1\n2 1\n3 2\n4 2\n4 4\n5 3\n4 3\n6 4\n7 4\n6 5\n7 6\n"),
                 list);
    cr_assert_eq(check_text(MARKET "general\n7 7 12\n5 1\n3 1\n2 1\n1 2\n3 2\n4 2\n5 3\n4 3\n6 4\n7 4\n6 5\n7 6\n"),
                 list);
    cr_assert_eq(check_text("7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"), 2 * list);
    cr_assert_neq(check_text("0 4\n0 2\n1 0\n2 1\n1 3\n4 2\n2 3\n3 5\n6 3\n4 5\n4 6\n"), list);
}

// Some part finds each link that is listed too often or too rarely, also if it leads from part to part, with the
// sentence that is found without parts.
Test(windows, files_that_are_wrong)
{
    static const char *const texts[] = {"0 1\n1 2\n2 3\n3 4\n4 5\n0 1\n",
                                        "0 1\n1 2\n2 3\n3 4\n4 5\n2 1\n",
                                        MARKET "symmetric\n6 6 6\n2 1\n3 2\n4 3\n5 4\n6 5\n4 3\n",
                                        "6 5\n2\n1 3\n2 4 6\n3 5\n4 6\n5\n",
                                        "6 6\n2\n1 3\n2 4 5\n3 5 1\n4 6\n5\n",
                                        "6 6\n2\n1 3 3\n2 4 2\n3 5\n4 6\n5\n",
                                        "6 6\n2\n1 3\n2 4\n3 5 5\n4 6 3\n5\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tests_parts parts = tests_parts_of(texts[i], 7);
        struct ek_error error, wanted = {0};
        cr_assert_null(ek_topology_create("file:g", 1, tests_parts_files(&parts).reader, &wanted));
        unsigned found = 0;
        for (struct asked asked = {.part = 0}; asked.part < PARTS; asked.part++) {
            struct ek_topology *part = make_part("file:g", tests_parts_files(&parts), &asked, &error);
            found += !part && strcmp(error.sentence, wanted.sentence) == 0;
            ek_topology_destroy(part);
        }
        cr_assert(found > 0, "%zu: %s", i, wanted.sentence);
    }
}

// Colouring and its memory are left out.
Test(windows, are_not_coloured)
{
    struct ek_error error;
    struct asked asked = {.part = 1};
    struct ek_topology *part = make_part("random:300:4", (struct base_files){.part = NULL}, &asked, &error);
    cr_assert(part && part->colours == 0 && !part->colour && !part->ends && part->diameter == -1);
    cr_assert_eq(asked.bytes_most, 200 * 10 * 2 + 301 * 4 + 4 + 600 * sizeof(struct topo_pair));
    cr_assert_eq(ek_topology_bytes(part), 400 * 10 + 301 * 4 + 4);
    ek_topology_destroy(part);
}
