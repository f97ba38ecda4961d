// SPDX-License-Identifier: MIT
// Domain variances, Eqs. (9) to (21) of Xu, Monien, Lüling & Lau 1995. A load that becomes sum a_i w_i has the variance
// (sum a_i^2 - 1/N) sigma0^2 about the mean (Lemma 4.1). Two formulas are corrected: Eq. (18), printed with half of its
// value and without -2d/N, and the all-port formula for two domains, printed with 2d-4-s for 2d-2-s.
#include "core/theory/domain_variance.h"

#include <math.h>

static double square(double a)
{
    return a * a;
}

// Returns the variance at one end of a pair after their exchange: this end holds the parts 1-a and a of both loads.
static double pair_end(struct core_domain domain, double a)
{
    return square(1.0 - a) + square(a) - 1.0 / domain.processors;
}

// Returns the variance of a processor that took no part.
static double untouched(struct core_domain domain)
{
    return 1.0 - 1.0 / domain.processors;
}

// Returns 1 + q + ... + q^(n-1).
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
    double neighbours = 0.0; // neighbour i exchanges with the load that the earlier exchanges left to the invoker
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

// Each invoker ends with 1-(d+1)a of its own load, 2a of the other's, and a of the loads of its d-1 other neighbours.
// These neighbours end as in a single domain.
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

// Returns the variance of the neighbour with which an invoker exchanges last. No other neighbour has less. So each
// neighbour that an overlap counts twice has at least this variance.
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

double core_domain_sharing_diffusion(struct core_domain domain, double shared, double alpha)
{
    return 2.0 * core_domain_diffusion(domain, alpha) - shared * (1.0 - 2.0 * square(alpha) - 1.0 / domain.processors);
}

double core_domain_sharing_exchange(struct core_domain domain, double shared)
{
    return 2.0 * core_domain_exchange(domain, 0.5) - shared * last_neighbour(domain, 0.5);
}

double core_domain_sharing_exchange_step(struct core_domain domain, double shared, double lambda)
{
    return 4.0 * pair_end(domain, lambda) + (2.0 * domain.neighbours - 2.0 - shared) * untouched(domain);
}
