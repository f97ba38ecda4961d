// SPDX-License-Identifier: MIT
// Finite fields of q = p^e elements. An element is a number below q whose digits in base p are the coefficients of a
// polynomial in x, the last digit that of x^0. Products are taken modulo a polynomial of degree e for which x generates
// all nonzero elements: the one whose digits make the smallest number. If e is 1, the smallest primitive root takes the
// place of x.
#ifndef TOPOLOGIES_FAMILIES_GALOIS_H
#define TOPOLOGIES_FAMILIES_GALOIS_H

#include <stdbool.h>
#include <stdint.h>

struct topo_galois {
    uint32_t q, p, e;
    uint32_t *power; // [q - 1] the powers of the generator
    uint32_t *log;   // [q] of nonzero elements: the exponent of the generator
};

// Returns whether q is a power of a prime.
bool topo_is_prime_power(uint64_t q);

// Makes the field of q elements, q a power of a prime and at most 65536. Returns false without memory; the field is to
// be destroyed after either.
bool topo_galois_make(struct topo_galois *field, uint32_t q);
void topo_galois_destroy(struct topo_galois *field);

uint32_t topo_galois_add(const struct topo_galois *field, uint32_t a, uint32_t b);
uint32_t topo_galois_multiply(const struct topo_galois *field, uint32_t a, uint32_t b);

// Returns the trace of an element, a + a^p + a^(p^2) + ..., which is a number below p.
uint32_t topo_galois_trace(const struct topo_galois *field, uint32_t a);

#endif
