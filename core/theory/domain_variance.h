// SPDX-License-Identifier: MIT
// Domain variances: Xu, Monien, Lüling & Lau 1995, section 4. The functions return the variance of the processors in
// the domains after one operation of one invoker with d neighbours, or of two invokers whose domains overlap. Loads are
// independent with variance sigma0^2; results are multiples of sigma0^2. N is the number of all processors.
#ifndef CORE_THEORY_DOMAIN_VARIANCE_H
#define CORE_THEORY_DOMAIN_VARIANCE_H

struct core_domain {
    double neighbours; // d in the paper
    double processors; // N
};

// Return X, the variance left in a single domain by diffusion with alpha (Eq. (9)), and the best alpha, 2/(d+3) (Eq.
// (10)).
double core_domain_diffusion(struct core_domain domain, double alpha);
double core_domain_diffusion_best(struct core_domain domain);

// Return X for dimension exchange with lambda over all links of the invoker, one after the other (Eq. (12)), and over
// one link only, which is a step of an all-port machine.
double core_domain_exchange(struct core_domain domain, double lambda);
double core_domain_exchange_step(struct core_domain domain, double lambda);

// Returns X if all processors of the domain end at the domain's mean (the last formula of section 4).
double core_domain_average(struct core_domain domain);

// Return Y, the variance left in the union of two domains by diffusion if the invokers are neighbours (Eq. (15)), and
// the best alpha, (2d-1)/(d^2+3d-2) (Eq. (18)).
double core_domain_adjacent_diffusion(struct core_domain domain, double alpha);
double core_domain_adjacent_diffusion_best(struct core_domain domain);

// Returns Y for the same diffusion if both invokers move load over the link between them, each computed from the loads
// before the operation. The paper's model uses a link once.
double core_domain_adjacent_diffusion_twice(struct core_domain domain, double alpha);

// Return Y for dimension exchange if the invokers are neighbours: an upper bound (Eq. (16)), and the value after one
// step over the link between them.
double core_domain_adjacent_exchange(struct core_domain domain, double lambda);
double core_domain_adjacent_exchange_step(struct core_domain domain, double lambda);

// Return Y if the invokers share s neighbours: for diffusion (Eq. (20)); an upper bound for dimension exchange with
// lambda = 1/2 (Eq. (21)); and the value after one exchange step in which each invoker uses a link to a neighbour of
// its own.
double core_domain_sharing_diffusion(struct core_domain domain, double shared, double alpha);
double core_domain_sharing_exchange(struct core_domain domain, double shared);
double core_domain_sharing_exchange_step(struct core_domain domain, double shared, double lambda);

#endif
