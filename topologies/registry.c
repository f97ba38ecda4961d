// SPDX-License-Identifier: MIT
// The registry of topology families, and the way from a spec to a topology.
#include "topologies/family.h"
#include "topologies/topology.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    struct ek_choice choice;
    topo_read_spec *read;
} families[] = {
    {"chain", {"chain:K", "K processors in a row, numbered along it"}, topo_read_chain},
    {"ring", {"ring:K", "K processors in a circle, numbered around it"}, topo_read_ring},
    {"mesh",
     {"mesh:KxKx…", "a grid of any number of dimensions; the first dimension varies fastest in the numbers"},
     topo_read_mesh},
    {"torus", {"torus:KxKx…", "a grid whose sides of 3 and more wrap around, numbered like a mesh"}, topo_read_torus},
    {"hypercube",
     {"hypercube:D", "2^D processors, linked where one bit of their numbers differs"},
     topo_read_hypercube},
    {"kary", {"kary:K^D", "the torus of D sides of K; the digits of a number are its place"}, topo_read_kary},
    {"complete", {"complete:N", "every processor linked to every other"}, topo_read_complete},
    {"star", {"star:N", "processor 0 linked to each of the N-1 others"}, topo_read_star},
    {"otis",
     {"otis(G)", "swapped network: a G for each processor of G, (g,p) linked to (p,g); (g,p) is number g*n+p"},
     topo_read_otis},
    {"product",
     {"product(G,H,…)", "the product of any graphs: a link of G changes x0 in the number x0 + n0*(x1 + n1*(x2 + ...))"},
     topo_read_product},
    {"hsn",
     {"hsn(L,G)",
      "hierarchical swapped network: words of L digits; G links the last digits, swaps exchange it with another"},
     topo_read_hsn},
    {"tree", {"tree:K:DEPTH", "the complete tree of K children each, numbered level by level"}, topo_read_tree},
    {"ccc",
     {"ccc:D", "cube-connected cycles: corner x of a hypercube is a ring of D, numbered x*D + i"},
     topo_read_ccc},
    {"butterfly",
     {"butterfly:D", "D+1 levels of 2^D rows, without wrap; level l, row w is number l*2^D + w"},
     topo_read_butterfly},
    {"debruijn",
     {"debruijn:K:D", "words of D digits in base K, linked to the words shifted by one digit"},
     topo_read_debruijn},
    {"shuffle",
     {"shuffle:D", "shuffle-exchange: 2^D processors, linked to the last bit flipped and to the bits rotated"},
     topo_read_shuffle},
    {"circulant", {"circulant:N:S,S,…", "p linked to p+S and p-S modulo N for each jump S"}, topo_read_circulant},
    {"foldedcube", {"foldedcube:D", "a hypercube with links between complements more"}, topo_read_foldedcube},
    {"cayley",
     {"cayley:star|pancake:N", "the N! orders of N digits: exchange the first with another, or reverse the first ones"},
     topo_read_cayley},
    {"hex", {"hex:RxC", "a parallelogram of R rows of C, each linked to six neighbours"}, topo_read_hex},
    {"moore", {"moore:WxH", "a mesh with diagonals: eight neighbours"}, topo_read_moore},
    {"random",
     {"random:N:DEGREE", "a random regular graph, simple and connected, drawn from the seed"},
     topo_read_random},
    {"smallworld",
     {"smallworld:N:K:P", "a ring with links to the K nearest, each moved with probability P (Watts & Strogatz)"},
     topo_read_smallworld},
    {"geometric",
     {"geometric:N:RADIUS", "N points drawn in a square of side 1, linked if at most RADIUS apart"},
     topo_read_geometric},
    {"powerlaw",
     {"powerlaw:N:M", "each new processor linked to M others, drawn by their degrees (Barabási & Albert)"},
     topo_read_powerlaw},
    {"dragonfly",
     {"dragonfly:A:H", "A*H+1 complete groups of A routers with H global links each; every two groups linked once"},
     topo_read_dragonfly},
    {"slimfly", {"slimfly:Q", "the graph of McKay, Miller & Širáň: 2*Q^2 routers, diameter 2"}, topo_read_slimfly},
    {"fattree",
     {"fattree:K", "K^3/4 hosts under a tree of switches with K ports; the switches come after the hosts"},
     topo_read_fattree},
    {"margulis", {"margulis:N", "expander on N*N processors (Margulis; Gabber & Galil)"}, topo_read_margulis},
    {"file", {"file:PATH", "a graph from a file: edge list, METIS or Matrix Market"}, topo_read_file},
};

enum { FAMILIES = sizeof families / sizeof *families, REGISTERED_MAX = 64 };

static const struct ek_family *registered[REGISTERED_MAX];
static size_t registered_count;

const struct ek_choice *topo_family_choice(size_t index)
{
    if (index < FAMILIES) {
        return &families[index].choice;
    }
    return index - FAMILIES < registered_count ? &registered[index - FAMILIES]->choice : NULL;
}

static const char *known_family(size_t index)
{
    if (index < FAMILIES) {
        return families[index].name;
    }
    return index - FAMILIES < registered_count ? registered[index - FAMILIES]->name : NULL;
}

static bool is_known(const char *name)
{
    size_t i = 0;
    while (known_family(i) && strcmp(known_family(i), name) != 0) {
        i++;
    }
    return known_family(i) != NULL;
}

bool ek_family_register(const struct ek_family *family, struct ek_error *error)
{
    if (!base_cursor_can_name(family->name) || is_known(family->name)) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "a family needs a name that no other family has, of at most 31 letters, digits and '-'");
    }
    if (!family->make || !family->choice.form || !family->choice.summary) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "the family %s lacks its function make, or its choice, which a list shows", family->name);
    }
    if (registered_count == REGISTERED_MAX) {
        return base_fail(error, EK_BAD_INPUT, "topology", "no more than %d families can be registered", REGISTERED_MAX);
    }
    registered[registered_count++] = family;
    return true;
}

static bool read_family(struct topo_draft *draft, struct base_cursor *cursor)
{
    size_t at = cursor->at;
    char name[32];
    if (!base_cursor_name(cursor, name, sizeof name)) {
        return base_cursor_fail(cursor, at, "a topology begins with its family, as in torus:8x8");
    }
    for (size_t i = 0; i < FAMILIES; i++) {
        if (strcmp(name, families[i].name) == 0) {
            return families[i].read(draft, cursor);
        }
    }
    for (size_t i = 0; i < registered_count; i++) {
        if (strcmp(name, registered[i]->name) == 0) {
            return topo_read_registered(draft, cursor, registered[i]);
        }
    }
    return base_cursor_unknown(cursor, at, "topology", name, known_family);
}

// Copies the part of the spec from `at` to the cursor. Returns NULL if there is no memory.
static char *copy_spec(const struct base_cursor *cursor, size_t at)
{
    size_t length = cursor->at - at;
    char *spec = malloc(length + 1);
    if (spec) {
        memcpy(spec, cursor->text + at, length);
        spec[length] = '\0';
    }
    return spec;
}

// Reads a spec of any family as far as it goes, into a draft that has nothing but its request.
static bool read_whole(struct topo_draft *draft, struct base_cursor *cursor)
{
    size_t at = cursor->at;
    draft->topology = calloc(1, sizeof *draft->topology);
    if (!draft->topology) {
        return base_cursor_fail(cursor, at, "there is no memory left for a topology");
    }
    if (!read_family(draft, cursor)) {
        return false;
    }
    draft->topology->spec = copy_spec(cursor, at);
    return draft->topology->spec || base_cursor_fail(cursor, at, "there is no memory left for a topology");
}

// Builds the topology of a draft if `good` is set, and destroys the draft. Returns NULL if it is not set or building
// fails.
static struct ek_topology *finish(struct topo_draft *draft, bool good, struct ek_error *error)
{
    struct ek_topology *topology = NULL;
    if (good && topo_draft_build(draft, error)) {
        topology = draft->topology;
        draft->topology = NULL;
    }
    topo_draft_destroy(draft);
    return topology;
}

struct ek_topology *topo_create_permitted(const char *spec, uint64_t seed, struct base_files files,
                                          struct topo_permit permit, struct ek_error *error)
{
    struct topo_request request = {.seed = seed, .files = files, .permit = permit, .read = read_whole};
    struct base_cursor cursor = base_cursor_start("topology", spec, error);
    struct topo_draft draft = {.request = &request};
    struct ek_topology *topology = finish(&draft, read_whole(&draft, &cursor) && base_cursor_end(&cursor), error);
    if (!topology) { // the permit does not know the spec
        base_error_show(error, spec);
    }
    return topology;
}

struct ek_topology *topo_create_of(const char *name, const struct ek_graph *graph, struct topo_permit permit,
                                   struct ek_error *error)
{
    struct topo_request request = {.permit = permit};
    struct base_cursor cursor = base_cursor_start("topology", name, error);
    cursor.at = strlen(name); // the whole name
    struct topo_draft draft = {.request = &request, .topology = calloc(1, sizeof *draft.topology)};
    if (draft.topology) {
        draft.topology->spec = copy_spec(&cursor, 0);
    }
    if (!draft.topology || !draft.topology->spec) {
        topo_draft_destroy(&draft);
        base_cursor_fail(&cursor, 0, "there is no memory left for a topology");
        return NULL;
    }
    return finish(&draft, topo_take_graph(&draft, &cursor, BASE_NOWHERE, graph), error);
}

// Allows arrays of at most as many bytes as the context says.
static bool allow_bytes(void *context, const struct ek_topology *outline, uint64_t bytes_most, size_t at,
                        struct ek_error *error)
{
    (void)bytes_most;
    const size_t *most = context;
    size_t bytes = ek_topology_bytes(outline);
    return bytes <= *most ||
           base_fail_at(error, "topology", at, "this takes %zu MiB, and %zu are free: use a smaller topology",
                        (bytes >> 20) + 1, *most >> 20);
}

struct ek_topology *ek_topology_create_within(const char *spec, uint64_t seed, struct ek_reader reader,
                                              size_t bytes_max, struct ek_error *error)
{
    struct topo_permit permit = {.allows = allow_bytes, .context = &bytes_max};
    return topo_create_permitted(spec, seed, (struct base_files){.reader = reader}, permit, error);
}

struct ek_topology *ek_topology_create(const char *spec, uint64_t seed, struct ek_reader reader, struct ek_error *error)
{
    return ek_topology_create_within(spec, seed, reader, SIZE_MAX, error);
}
