// SPDX-License-Identifier: MIT
// circulant:N:1,2,5 (Elspas & Turner 1970): processor p of N is linked to p + s and p - s modulo N for each jump s. The
// links of a jump make rings of N/gcd(N,s). If all these rings are even, each jump has two colours, which alternate
// around its rings, and the jump N/2 has one. Otherwise the general colouring is used.
#include <math.h>
#include <stdlib.h>

#include "topologies/places/places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/topology.h"

static const double PI = 3.14159265358979323846;

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b > 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The place of p in its ring of jump s is the number k with p = p mod g + k*s (mod N), g = gcd(N,s). It is even if
// (p - p mod g)/g times the inverse of s/g modulo N/g is even; N/g is even, so the inverse is odd.
static bool at_odd_place(uint32_t n, uint32_t p, uint32_t jump)
{
    return p / gcd(n, jump) % 2 == 1;
}

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    uint32_t n = draft->topology->processors;
    uint32_t colour = 0;
    for (uint32_t i = 0; i < draft->number[0]; i++) {
        uint32_t jump = draft->jump[i];
        uint32_t before = p >= jump ? p - jump : p + n - jump;
        uint32_t after = p + jump < n ? p + jump : p + jump - n;
        bool ring = before != after; // otherwise the jump is N/2
        row[2 * i] = (struct topo_neighbour){after, colour + (ring && at_odd_place(n, p, jump))};
        row[2 * i + 1] = (struct topo_neighbour){before, colour + (ring && at_odd_place(n, before, jump))};
        colour += 1 + ring;
    }
    return 2 * draft->number[0];
}

// Returns eigenvalue j: the sum over the jumps of 4 sin^2(pi j s/N), half of it for the jump N/2.
static double eigenvalue(const struct ek_topology *topology, uint32_t j)
{
    uint32_t n = topology->processors;
    double sum = 0.0;
    for (uint32_t port = 0; port < topology->first[1]; port++) { // the ports of processor 0
        uint32_t jump = topology->neighbour[port];
        double sine = sin(PI * (double)((uint64_t)j * jump % n) / n);
        sum += 2.0 * sine * sine; // the jumps N - s are ports, too
    }
    return sum;
}

static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (!topo_eigenvalues_allocate(values, (size_t)n / 2 + 1, error)) {
        return false;
    }
    for (uint32_t j = 0; j <= n / 2; j++) {
        topo_eigenvalues_add(values, eigenvalue(topology, j), j > 0 && 2 * (uint64_t)j != n ? 2 : 1);
    }
    topo_eigenvalues_merge(values, TOPO_ROUNDED);
    return true;
}

static bool extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    (void)error;
    spectrum->second = INFINITY;
    for (uint32_t j = 1; j <= topology->processors / 2; j++) {
        double value = eigenvalue(topology, j);
        spectrum->second = fmin(spectrum->second, value);
        spectrum->largest = fmax(spectrum->largest, value);
    }
    spectrum->how = "closed form";
    return true;
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    topo_places_circle(place, topology->processors);
    return true;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues, .extremes = extremes};

// Appends a jump. An error (a second time, no memory) points at offset `at`.
static bool add_jump(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint32_t jump)
{
    uint32_t count = draft->number[0];
    for (uint32_t i = 0; i < count; i++) {
        if (draft->jump[i] == jump) {
            return base_cursor_fail(cursor, at, "the jump %u is there twice: leave one out", jump);
        }
    }
    uint32_t *jumps = realloc(draft->jump, ((size_t)count + 1) * sizeof *jumps);
    if (!jumps) {
        return base_cursor_fail(cursor, at, "there is no memory left for a topology");
    }
    draft->jump = jumps;
    draft->jump[draft->number[0]++] = jump;
    return true;
}

// Reads the jumps. Within a product, a comma before a letter ends the list.
static bool read_jumps(struct topo_draft *draft, struct base_cursor *cursor, uint64_t n)
{
    bool more = true;
    while (more) {
        size_t at = cursor->at;
        uint64_t jump;
        if (!base_cursor_whole(cursor, "a jump", 1, n / 2, &jump) || !add_jump(draft, cursor, at, (uint32_t)jump)) {
            return false;
        }
        char next = base_cursor_peek(cursor) == ',' ? cursor->text[cursor->at + 1] : '\0';
        bool ends = draft->request->listed && !(next >= '0' && next <= '9');
        more = !ends && base_cursor_accept(cursor, ',');
    }
    return true;
}

// Sets the colours if all rings are even, else has them searched for. Returns the number of links.
static uint64_t settle(struct topo_draft *draft, uint32_t n)
{
    uint64_t links = 0;
    uint32_t colours = 0;
    bool even = true;
    for (uint32_t i = 0; i < draft->number[0]; i++) {
        uint32_t jump = draft->jump[i];
        bool ring = 2 * (uint64_t)jump != n;
        links += ring ? n : n / 2;
        colours += 1 + ring;
        even = even && n / gcd(n, jump) % 2 == 0;
    }
    draft->searches = TOPO_SEARCH_FROM_ONE | (even ? 0 : TOPO_SEARCH_COLOURS);
    draft->topology->colours = even ? colours : 0;
    draft->extra_bytes = even ? topo_diameter_bytes(n) : 0;
    return links;
}

bool topo_read_circulant(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t n;
    if (!base_cursor_expect(cursor, ':', "circulant, as in circulant:12:1,5")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 2, TOPO_PROCESSORS_MAX, &n) ||
        !base_cursor_expect(cursor, ':', "the number of processors, as in circulant:12:1,5")) {
        return false;
    }
    size_t jumps_at = cursor->at;
    if (!read_jumps(draft, cursor, n)) {
        return false;
    }
    uint32_t common = (uint32_t)n;
    for (uint32_t i = 0; i < draft->number[0]; i++) {
        common = gcd(common, draft->jump[i]);
    }
    if (common > 1) {
        return base_cursor_fail(cursor, jumps_at,
                                "all jumps and %llu are multiples of %u, so the graph falls into %u parts: add a jump",
                                (unsigned long long)n, common, common);
    }
    if (!topo_draft_size(draft, cursor, at, n, settle(draft, (uint32_t)n))) {
        return false;
    }
    draft->topology->closed_form = &closed_form;
    draft->topology->places = places;
    return topo_draft_rows(draft, cursor, at, 2 * draft->number[0], find_row);
}
