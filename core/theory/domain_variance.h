// SPDX-License-Identifier: MIT
// Domain variances: Xu, Monien, Lüling & Lau 1995, section 4. What one operation of one invoker with d neighbours, or
// of two whose domains overlap, leaves of the variance of the processors in their domains, from independent loads
// with variance sigma0^2, as a multiple of sigma0^2. N is the number of all processors.
#ifndef CORE_THEORY_DOMAIN_VARIANCE_H
#define CORE_THEORY_DOMAIN_VARIANCE_H

struct core_domain {
    double neighbours; // d of the paper
    double processors; // N
};

// X, what is left in a single domain. Eq. (9): by diffusion with alpha; and the alpha that leaves least, 2/(d+3) of
// Eq. (10).
double core_domain_diffusion(struct core_domain domain, double alpha);
double core_domain_diffusion_best(struct core_domain domain);

// Eq. (12): by dimension exchange with lambda over all links of the invoker, one after the other; and over one of them
// alone, which is what fits into a step of an all-port machine.
double core_domain_exchange(struct core_domain domain, double lambda);
double core_domain_exchange_step(struct core_domain domain, double lambda);

// The last formula of section 4: where everybody in the domain ends at the domain's mean.
double core_domain_average(struct core_domain domain);

// Y, what is left in the union of two domains. Eq. (15): where two neighbours invoke, by diffusion; and the alpha that
// leaves least, (2d-1)/(d^2+3d-2) of Eq. (18).
double core_domain_adjacent_diffusion(struct core_domain domain, double alpha);
double core_domain_adjacent_diffusion_best(struct core_domain domain);

// The same where each of the two moves load over their common link, by the loads before either has: the paper's model
// uses a link once.
double core_domain_adjacent_diffusion_twice(struct core_domain domain, double alpha);

// Eq. (16): at most so much by dimension exchange; and what is left by one step, in which the two use their common
// link.
double core_domain_adjacent_exchange(struct core_domain domain, double lambda);
double core_domain_adjacent_exchange_step(struct core_domain domain, double lambda);

// Eq. (20): where two invoke that share s neighbours, by diffusion. Eq. (21): at most so much by dimension exchange
// with lambda = 1/2; and what is left by one step, in which each uses a link to a neighbour of its own.
double core_domain_apart_diffusion(struct core_domain domain, double shared, double alpha);
double core_domain_apart_exchange(struct core_domain domain, double shared);
double core_domain_apart_exchange_step(struct core_domain domain, double shared, double lambda);

#endif
