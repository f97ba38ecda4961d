// SPDX-License-Identifier: MIT
#include "topologies/families/galois.h"

#include <assert.h>
#include <stdlib.h>

// Returns the smallest prime factor of q, q at least 2.
static uint64_t prime_of(uint64_t q)
{
    for (uint64_t p = 2; p * p <= q; p++) {
        if (q % p == 0) {
            return p;
        }
    }
    return q;
}

bool topo_is_prime_power(uint64_t q)
{
    if (q < 2) {
        return false;
    }
    uint64_t p = prime_of(q);
    while (q % p == 0) {
        q /= p;
    }
    return q == 1;
}

uint32_t topo_galois_add(const struct topo_galois *field, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t place = 1; a > 0 || b > 0; place *= field->p) {
        sum += (a % field->p + b % field->p) % field->p * place;
        a /= field->p;
        b /= field->p;
    }
    return sum;
}

// Returns a times the generator. `tail` has the digits of the generator's power e as a polynomial of lower degree.
static uint32_t step(const struct topo_galois *field, uint32_t a, uint32_t tail)
{
    uint32_t top = field->q / field->p;
    uint32_t lead = a / top; // the coefficient of x^(e-1)
    uint32_t moved = a % top * field->p;
    for (uint32_t i = 0; i < lead; i++) {
        moved = topo_galois_add(field, moved, tail);
    }
    return moved;
}

// Fills the powers. Returns whether all nonzero elements are among them.
static bool try_tail(struct topo_galois *field, uint32_t tail)
{
    uint32_t element = 1;
    for (uint32_t i = 0; i + 1 < field->q; i++) {
        if (element == 0 || (i > 0 && element == 1)) {
            return false;
        }
        field->power[i] = element;
        field->log[element] = i;
        element = field->e == 1 ? (uint32_t)((uint64_t)element * tail % field->p) : step(field, element, tail);
    }
    return element == 1;
}

bool topo_galois_make(struct topo_galois *field, uint32_t q)
{
    assert(topo_is_prime_power(q) && q <= 65536);
    *field = (struct topo_galois){.q = q, .p = (uint32_t)prime_of(q)};
    for (uint32_t rest = q; rest > 1; rest /= field->p) {
        field->e++;
    }
    field->power = malloc(q * sizeof *field->power);
    field->log = calloc(q, sizeof *field->log);
    if (!field->power || !field->log) {
        return false;
    }
    // x^e = -(the other terms): the polynomial with the smallest digits is tried first.
    for (uint32_t terms = 1; terms < q; terms++) {
        uint32_t tail = 0;
        for (uint32_t place = 1, rest = terms; rest > 0; place *= field->p, rest /= field->p) {
            tail += (field->p - rest % field->p) % field->p * place;
        }
        if (try_tail(field, field->e == 1 ? terms : tail)) {
            return true;
        }
    }
    assert(false); // every finite field has a generator
    return false;
}

void topo_galois_destroy(struct topo_galois *field)
{
    free(field->power);
    free(field->log);
}

uint32_t topo_galois_multiply(const struct topo_galois *field, uint32_t a, uint32_t b)
{
    return a == 0 || b == 0 ? 0 : field->power[(field->log[a] + field->log[b]) % (field->q - 1)];
}

uint32_t topo_galois_trace(const struct topo_galois *field, uint32_t a)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < field->e; i++) {
        sum = topo_galois_add(field, sum, a);
        if (a > 0) {
            a = field->power[(uint64_t)field->log[a] * field->p % (field->q - 1)];
        }
    }
    return sum;
}
