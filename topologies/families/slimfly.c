// SPDX-License-Identifier: MIT
// slimfly:Q, the graph of McKay, Miller & Širáň ("A note on large graphs of diameter two and given maximum degree", J.
// Combinatorial Theory B 74, 1998) for a prime power Q = 4w + d, d one of -1, 0, 1, as the network of Besta & Hoefler
// ("Slim Fly: a cost effective low-diameter network topology", SC 2014). Over the field of Q elements with a generator
// z, there are routers (0, x, y) and (1, m, c), with the numbers x*Q + y and Q*Q + m*Q + c, and the links
//     (0, x, y) - (0, x, y')  if y - y' is in X,
//     (1, m, c) - (1, m, c')  if c - c' is in z X,
//     (0, x, y) - (1, m, c)   if y = m x + c.
// X has the even powers of z below Q - 1 if d is 0 or 1. If d is -1, it has the even powers below 2w and the odd powers
// from 2w - 1 on, up to 4w - 3. Each router has (3Q - d)/2 links, and the diameter is 2.
#include <math.h>
#include <stdlib.h>

#include "topologies/families/galois.h"
#include "topologies/family.h"
#include "topologies/places/places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/topology.h"

enum { Q_MIN = 3, Q_MAX = 5791 };

static const double PI = 3.14159265358979323846;

static int remainder_of(uint32_t q)
{
    return q % 4 == 3 ? -1 : (int)(q % 4);
}

// Writes the exponents of X, and returns their number: (q - d)/2.
static uint32_t exponents_of(uint32_t q, uint32_t *exponent)
{
    uint32_t w = (q + 1) / 4;
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < q; i++) {
        bool in = remainder_of(q) == -1 ? (i % 2 == 0 ? i < 2 * w : i + 1 >= 2 * w) : i % 2 == 0;
        if (in) {
            exponent[count++] = i;
        }
    }
    return count;
}

// The field with the exponents of X, whose number is `count`.
struct fly {
    struct topo_galois field;
    uint32_t *exponent;
    uint32_t count;
};

static bool make_fly(struct fly *fly, uint32_t q)
{
    fly->exponent = malloc(q * sizeof *fly->exponent);
    bool good = topo_galois_make(&fly->field, q) && fly->exponent;
    fly->count = good ? exponents_of(q, fly->exponent) : 0;
    return good;
}

static void destroy_fly(struct fly *fly)
{
    topo_galois_destroy(&fly->field);
    free(fly->exponent);
}

// Returns element i of X, or of z X if `side` is 1.
static uint32_t element(const struct fly *fly, uint32_t side, uint32_t i)
{
    return fly->field.power[(fly->exponent[i] + side) % (fly->field.q - 1)];
}

static void add_links(struct topo_draft *draft, const struct fly *fly)
{
    uint32_t q = fly->field.q;
    for (uint32_t x = 0; x < q; x++) {
        for (uint32_t y = 0; y < q; y++) {
            for (uint32_t side = 0; side < 2; side++) {
                for (uint32_t i = 0; i < fly->count; i++) {
                    uint32_t other = topo_galois_add(&fly->field, y, element(fly, side, i));
                    if (other > y) { // the other end finds y as well, as X = -X
                        topo_draft_pairs_add(draft, (side * q + x) * q + y, (side * q + x) * q + other);
                    }
                }
            }
            for (uint32_t m = 0; m < q; m++) { // y stands for c here
                uint32_t to = topo_galois_add(&fly->field, topo_galois_multiply(&fly->field, m, x), y);
                topo_draft_pairs_add(draft, x * q + to, (q + m) * q + y);
            }
        }
    }
}

// Returns the sum over X (or z X) of the characters of the field's additive group with parameter t. It is real.
static double character_sum(const struct fly *fly, uint32_t side, uint32_t t)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < fly->count; i++) {
        uint32_t trace = topo_galois_trace(&fly->field, topo_galois_multiply(&fly->field, t, element(fly, side, i)));
        sum += cos(2.0 * PI * trace / fly->field.p);
    }
    return sum;
}

// The characters of y and c reduce the adjacency matrix to (a I, F; F*, b I) for each t, F F* = Q I, with the character
// sums a of X and b of z X; its eigenvalues are (a + b)/2 +- sqrt(((a - b)/2)^2 + Q), Q times each. For t = 0, F is all
// ones, and a = b = |X|: the eigenvalues are |X| +- Q, and 2(Q - 1) times |X|.
static void add_eigenvalues(const struct fly *fly, struct topo_eigenvalues *values)
{
    uint32_t q = fly->field.q;
    double degree = (double)fly->count + q;
    topo_eigenvalues_add(values, 0.0, 1);
    topo_eigenvalues_add(values, q, 2 * ((uint64_t)q - 1));
    topo_eigenvalues_add(values, 2.0 * q, 1);
    for (uint32_t t = 1; t < q; t++) {
        double a = character_sum(fly, 0, t);
        double b = character_sum(fly, 1, t);
        double root = sqrt((a - b) * (a - b) / 4.0 + q);
        topo_eigenvalues_add(values, degree - (a + b) / 2.0 - root, q);
        topo_eigenvalues_add(values, degree - (a + b) / 2.0 + root, q);
    }
    topo_eigenvalues_merge(values, TOPO_EQUAL);
    values->how = "closed form";
}

static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    struct fly fly = {0};
    uint32_t q = topology->number[0];
    bool good = topo_eigenvalues_allocate(values, 2 * (size_t)q + 1, error) &&
                (make_fly(&fly, q) || topo_eigenvalues_no_memory(error));
    if (good) {
        add_eigenvalues(&fly, values);
    }
    destroy_fly(&fly);
    return good;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues};

// Places the routers (0, x, y) in an outer ring and the routers (1, m, c) in an inner one; each x and m is a small
// ring.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    static const double INNER = 0.56; // of the outer ring's radius
    uint32_t q = topology->number[0];
    struct ek_place *outer = malloc(2 * (size_t)q * sizeof *outer);
    struct ek_place *inner = malloc(q * sizeof *inner);
    bool good = (outer && inner) || topo_places_no_memory(error);
    if (good) {
        topo_places_circle(outer, q);
        topo_places_circle(outer + q, q);
        topo_places_turn(outer + q, q, PI / q);
        for (uint32_t i = q; i < 2 * q; i++) {
            outer[i] = (struct ek_place){INNER * outer[i].x, INNER * outer[i].y};
        }
        topo_places_circle(inner, q);
        topo_places_nest(outer, 2 * q, inner, q, place);
    }
    free(outer);
    free(inner);
    return good;
}

bool topo_read_slimfly(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t q;
    if (!base_cursor_expect(cursor, ':', "slimfly, as in slimfly:5")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of elements of the field", Q_MIN, Q_MAX, &q)) {
        return false;
    }
    if (!topo_is_prime_power(q) || q % 4 == 2) {
        return base_cursor_fail(cursor, at,
                                "there is no field of %llu elements: use a power of a prime, such as 5, 7, 8 or 9",
                                (unsigned long long)q);
    }
    uint64_t degree = (3 * q - (uint64_t)(int64_t)remainder_of((uint32_t)q)) / 2;
    if (!topo_draft_pairs_begin(draft, cursor, at, 2 * q * q, q * q * degree)) {
        return false;
    }
    struct fly fly = {0};
    bool good = make_fly(&fly, (uint32_t)q) || base_cursor_fail(cursor, at, "there is no memory left for a topology");
    if (good) {
        add_links(draft, &fly);
        topo_draft_pairs_end(draft);
    }
    destroy_fly(&fly);
    draft->topology->number[0] = (uint32_t)q;
    draft->topology->closed_form = &closed_form;
    draft->topology->places = places;
    return good;
}
