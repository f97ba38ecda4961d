// SPDX-License-Identifier: MIT
// Domain variances, Eqs. (9) to (21) of Xu, Monien, Lüling & Lau 1995. A load that ends as sum a_i w_i has the
// variance (sum a_i^2 - 1/N) sigma0^2 about the mean (Lemma 4.1). Eq. (18), which prints half of its value and lacks
// -2d/N, and the all-port formula for two domains, which prints 2d-4-s for 2d-2-s, are mended.
#include "core/theory/domain_variance.h"

#include <math.h>

static double square(double a)
{
    return a * a;
}

// The variance at one end of a pair after the two exchanged: that end holds the parts 1-a and a of their loads.
static double pair_end(struct core_domain domain, double a)
{
    return square(1.0 - a) + square(a) - 1.0 / domain.processors;
}

// The variance of a processor that took no part.
static double untouched(struct core_domain domain)
{
    return 1.0 - 1.0 / domain.processors;
}

// 1 + q + ... + q^(n-1)
static double geometric(double q, double n)
{
    return q == 1.0 ? n : (1.0 - pow(q, n)) / (1.0 - q);
}

double core_domain_diffusion(struct core_domain domain, double alpha)
{
    double d = domain.neighbours;
    return square(d * alpha) + 3.0 * d * square(alpha) - 4.0 * d * alpha + d + 1.0 - (d + 1.0) / domain.processors;
}

double core_domain_diffusion_best(struct core_domain domain)
{
    return 2.0 / (domain.neighbours + 3.0);
}

double core_domain_exchange(struct core_domain domain, double lambda)
{
    double d = domain.neighbours;
    double q = square(1.0 - lambda);
    double invoker = pow(q, d) + square(lambda) * geometric(q, d);
    double neighbours = 0.0; // neighbour i meets what the exchanges before left at the invoker
    for (double i = 0.0; i < d; i++) {
        neighbours += q + square(lambda) * (pow(q, i) + square(lambda) * geometric(q, i));
    }
    return invoker + neighbours - (d + 1.0) / domain.processors;
}

double core_domain_exchange_step(struct core_domain domain, double lambda)
{
    return 2.0 * pair_end(domain, lambda) + (domain.neighbours - 1.0) * untouched(domain);
}

double core_domain_average(struct core_domain domain)
{
    return 1.0 - (domain.neighbours + 1.0) / domain.processors;
}

double core_domain_adjacent_diffusion(struct core_domain domain, double alpha)
{
    return 2.0 * core_domain_diffusion(domain, alpha) - 2.0 * pair_end(domain, alpha);
}

// An invoker ends with 1-(d+1)a of its own load, 2a of the other's and a of each of its d-1 other neighbours'; of
// these, each has no other part than in a single domain.
double core_domain_adjacent_diffusion_twice(struct core_domain domain, double alpha)
{
    double d = domain.neighbours;
    double invoker = square(1.0 - (d + 1.0) * alpha) + (d + 3.0) * square(alpha) - 1.0 / domain.processors;
    return 2.0 * (invoker + (d - 1.0) * pair_end(domain, alpha));
}

double core_domain_adjacent_diffusion_best(struct core_domain domain)
{
    double d = domain.neighbours;
    return (2.0 * d - 1.0) / (square(d) + 3.0 * d - 2.0);
}

// The variance of the neighbour that an invoker meets last. No other neighbour has less, so each that an overlap counts
// twice has at least so much.
static double last_neighbour(struct core_domain domain, double lambda)
{
    double q = square(1.0 - lambda);
    double before = domain.neighbours - 1.0;
    return q + square(lambda) * (pow(q, before) + square(lambda) * geometric(q, before)) - 1.0 / domain.processors;
}

double core_domain_adjacent_exchange(struct core_domain domain, double lambda)
{
    return 2.0 * core_domain_exchange(domain, lambda) - 2.0 * last_neighbour(domain, lambda);
}

double core_domain_adjacent_exchange_step(struct core_domain domain, double lambda)
{
    return 2.0 * pair_end(domain, lambda) + (2.0 * domain.neighbours - 2.0) * untouched(domain);
}

double core_domain_apart_diffusion(struct core_domain domain, double shared, double alpha)
{
    return 2.0 * core_domain_diffusion(domain, alpha) - shared * (1.0 - 2.0 * square(alpha) - 1.0 / domain.processors);
}

double core_domain_apart_exchange(struct core_domain domain, double shared)
{
    return 2.0 * core_domain_exchange(domain, 0.5) - shared * last_neighbour(domain, 0.5);
}

double core_domain_apart_exchange_step(struct core_domain domain, double shared, double lambda)
{
    return 4.0 * pair_end(domain, lambda) + (2.0 * domain.neighbours - 2.0 - shared) * untouched(domain);
}
