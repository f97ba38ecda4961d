// SPDX-License-Identifier: MIT
// cayley:star:N and cayley:pancake:N, the star graph and the pancake graph (Akers & Krishnamurthy 1989). Processors are
// the N! orders of the digits 0 .. N-1, numbered in lexicographic order. In the star graph generator i exchanges the
// first digit with the i-th one; in the pancake graph it reverses the first i digits. A generator is its own inverse,
// so its links are a colour: generator i, from 2 on, has the colour i - 2.
#include <stdlib.h>
#include <string.h>

#include "topologies/places/places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/topology.h"

enum { DIGITS_MAX = 11 };

static const struct {
    const char *name;
    bool reverses;
} kinds[] = {{"star", false}, {"pancake", true}};

static const char *known_kind(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index].name : NULL;
}

// Returns the place'th element of a set of digits, one bit each.
static unsigned digit_at(uint32_t set, uint32_t place)
{
    while (place-- > 0) {
        set &= set - 1;
    }
    return (unsigned)__builtin_ctz(set);
}

// Finds the order of n digits that has the number p.
static void order_of(uint32_t p, uint32_t n, uint8_t *order)
{
    uint32_t place[DIGITS_MAX];
    for (uint32_t i = 1; i <= n; i++) {
        place[n - i] = p % i;
        p /= i;
    }
    uint32_t left = (1U << n) - 1;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = (uint8_t)digit_at(left, place[i]);
        left &= ~(1U << order[i]);
    }
}

// Returns the number of elements of a set of up to 12 digits: in pairs of bits, in fours, and their sum.
static uint32_t elements(uint32_t set)
{
    set -= set >> 1 & 0x555;
    set = (set & 0x333) + (set >> 2 & 0x333);
    return (set & 0xF) + (set >> 4 & 0xF) + (set >> 8);
}

static uint32_t number_of(const uint8_t *order, uint32_t n)
{
    uint32_t number = 0;
    uint32_t left = (1U << n) - 1;
    for (uint32_t i = 0; i < n; i++) {
        number = number * (n - i) + elements(left & ((1U << order[i]) - 1));
        left &= ~(1U << order[i]);
    }
    return number;
}

static void exchange(uint8_t *order, uint32_t i, uint32_t j)
{
    uint8_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
}

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    uint32_t n = draft->number[0];
    bool reverses = draft->number[1];
    uint8_t order[DIGITS_MAX];
    uint8_t next[DIGITS_MAX];
    order_of(p, n, order);
    for (uint32_t last = 1; last < n; last++) {
        memcpy(next, order, sizeof next);
        for (uint32_t i = 0; i < (reverses ? (last + 1) / 2 : 1); i++) {
            exchange(next, i, last - i);
        }
        row[last - 1] = (struct topo_neighbour){number_of(next, n), last - 1};
    }
    return n - 1;
}

// Both graphs of three digits are rings of six.
static void place_ring(struct ek_place *place)
{
    struct ek_place ring[6];
    uint8_t order[DIGITS_MAX] = {0, 1, 2};
    topo_places_circle(ring, 6);
    for (uint32_t i = 0; i < 6; i++) {
        place[number_of(order, 3)] = ring[i];
        exchange(order, 0, 1 + i % 2);
    }
}

// Draws the orders of n digits: for each last digit a copy of the orders of n - 1 digits, which are in `inner`.
// `nested` is room for all orders.
static void place_copies(uint32_t n, uint32_t orders, const struct ek_place *inner, struct ek_place *nested,
                         struct ek_place *place)
{
    struct ek_place circle[DIGITS_MAX];
    uint8_t order[DIGITS_MAX];
    topo_places_circle(circle, n);
    topo_places_nest(circle, n, inner, orders / n, nested);
    for (uint32_t p = 0; p < orders; p++) {
        order_of(p, n, order);
        uint8_t last = order[n - 1];
        for (uint32_t i = 0; i + 1 < n; i++) {
            order[i] = (uint8_t)(order[i] - (order[i] > last));
        }
        place[p] = nested[last * (orders / n) + number_of(order, n - 1)];
    }
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    uint32_t n = topology->number[0];
    if (n < 3) {
        topo_places_row(place, topology->processors, 1.0, 0.0);
        return true;
    }
    struct ek_place *inner = malloc(topology->processors * sizeof *inner);
    struct ek_place *nested = malloc(topology->processors * sizeof *nested);
    bool good = (inner && nested) || topo_places_no_memory(error);
    if (good) {
        place_ring(place);
        uint32_t orders = 6;
        for (uint32_t digits = 4; digits <= n; digits++) {
            memcpy(inner, place, orders * sizeof *inner);
            orders *= digits;
            place_copies(digits, orders, inner, nested, place);
        }
    }
    free(inner);
    free(nested);
    return good;
}

// A partition of a number in descending rows, as a Young diagram.
struct diagram {
    uint32_t rows;
    uint32_t row[DIGITS_MAX];
};

// Returns the number of standard tableaux of a diagram of n boxes: n! divided by the product of the hook lengths.
static uint64_t tableaux(const struct diagram *diagram)
{
    uint64_t factorial = 1;
    uint64_t hooks = 1;
    uint64_t boxes = 0;
    for (uint32_t r = 0; r < diagram->rows; r++) {
        for (uint32_t c = 0; c < diagram->row[r]; c++) {
            uint32_t below = 0;
            for (uint32_t i = r + 1; i < diagram->rows && diagram->row[i] > c; i++) {
                below++;
            }
            hooks *= diagram->row[r] - c + below;
            factorial *= ++boxes;
        }
    }
    return factorial / hooks;
}

// Adds what a diagram contributes: the eigenvalue n-1 - (column - row) for each box that can be taken away, as often as
// there are tableaux of the diagram times tableaux without that box.
static void add_diagram(struct diagram diagram, uint32_t n, uint64_t *times)
{
    uint64_t whole = tableaux(&diagram);
    for (uint32_t r = 0; r < diagram.rows; r++) {
        if (r + 1 == diagram.rows || diagram.row[r + 1] < diagram.row[r]) {
            uint32_t value = n - 1 - (diagram.row[r] - 1) + r;
            diagram.row[r]--;
            times[value] += whole * tableaux(&diagram);
            diagram.row[r]++;
        }
    }
}

// Moves to the next partition in descending lexicographic order. Returns false after the last one, of ones only.
static bool next_diagram(struct diagram *diagram)
{
    uint32_t ones = 0;
    while (diagram->rows > 0 && diagram->row[diagram->rows - 1] == 1) {
        diagram->rows--;
        ones++;
    }
    if (diagram->rows == 0) {
        return false;
    }
    uint32_t most = --diagram->row[diagram->rows - 1];
    for (uint32_t rest = ones + 1; rest > 0; rest -= diagram->row[diagram->rows++]) {
        diagram->row[diagram->rows] = rest < most ? rest : most;
    }
    return true;
}

// The sum of the star graph's generators is a Jucys-Murphy element, whose eigenvalues are the contents, column - row,
// of the boxes that can be taken away from a Young diagram (Chapuy & Féray 2012).
static bool star_eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values,
                             struct ek_error *error)
{
    uint32_t n = topology->degree_max + 1;
    uint64_t times[2 * DIGITS_MAX] = {0};
    struct diagram diagram = {.rows = 1, .row = {n}};
    if (!topo_eigenvalues_allocate(values, 2 * DIGITS_MAX, error)) {
        return false;
    }
    do {
        add_diagram(diagram, n, times);
    } while (next_diagram(&diagram));
    for (uint32_t value = 0; value < 2 * n; value++) {
        topo_eigenvalues_add(values, value, times[value]);
    }
    return true;
}

static const struct ek_closed_form star_form = {.eigenvalues = star_eigenvalues};

bool topo_read_cayley(struct topo_draft *draft, struct base_cursor *cursor)
{
    size_t kind;
    uint64_t digits;
    if (!base_cursor_expect(cursor, ':', "cayley, as in cayley:star:5") ||
        !base_cursor_known(cursor, "Cayley graph", known_kind, &kind) ||
        !base_cursor_expect(cursor, ':', "the kind of Cayley graph, as in cayley:star:5")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of digits", 1, DIGITS_MAX, &digits)) {
        return false;
    }
    uint64_t n = 1;
    for (uint64_t i = 2; i <= digits; i++) {
        n *= i;
    }
    draft->extra_bytes = kinds[kind].reverses ? topo_diameter_bytes(n) : 0;
    draft->searches = kinds[kind].reverses ? TOPO_SEARCH_FROM_ONE : 0; // of the pancake graph no formula is known
    if (!topo_draft_size(draft, cursor, at, n, n * (digits - 1) / 2)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->colours = (uint32_t)digits - 1;
    topology->closed_form = kinds[kind].reverses ? NULL : &star_form;
    topology->diameter = 3 * (int64_t)(digits - 1) / 2; // of the star graph
    topology->places = places;
    topology->number[0] = (uint32_t)digits;
    draft->number[0] = (uint32_t)digits;
    draft->number[1] = kinds[kind].reverses;
    return topo_draft_rows(draft, cursor, at, (uint32_t)digits, find_row);
}
