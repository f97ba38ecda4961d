// SPDX-License-Identifier: MIT
// The variance that one or two invokers leave in their domains (Xu et al. 1995): the formulas against the operators,
// and the paper's numbers.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/theory/domain_variance.h"
#include "topologies/topology.h"

static void expect_near(double got, double want, double tolerance, const char *what)
{
    cr_expect(fabs(got - want) <= tolerance, "%s: %.12g, not %.12g", what, got, want);
}

// Invokers on a torus. Column j of `w` shows where the load of processor j has gone.
struct domains {
    struct ek_topology *topology;
    const uint32_t *invoker;
    unsigned invokers;
    double *w; // [processor][first load]
};

static bool invokes(const struct domains *domains, uint32_t p)
{
    for (unsigned i = 0; i < domains->invokers; i++) {
        if (domains->invoker[i] == p) {
            return true;
        }
    }
    return false;
}

// Adds parts * (row q of `from` - row p) to row p of `to`.
static void pull(struct domains *domains, const double *from, uint32_t p, uint32_t q, double part)
{
    uint32_t n = domains->topology->processors;
    for (uint32_t j = 0; j < n; j++) {
        domains->w[p * n + j] += part * (from[q * n + j] - from[p * n + j]);
    }
}

// Runs one step over the links of these colours with an end that invokes, all from the loads before the step.
static void balance(struct domains *domains, uint32_t colour_from, uint32_t colour_end, double part)
{
    const struct ek_topology *topology = domains->topology;
    size_t bytes = (size_t)topology->processors * topology->processors * sizeof(double);
    double *from = malloc(bytes);
    cr_assert(from);
    memcpy(from, domains->w, bytes);
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            bool takes_part = topology->colour[port] >= colour_from && topology->colour[port] < colour_end;
            if (takes_part && (invokes(domains, p) || invokes(domains, q))) {
                pull(domains, from, p, q, part);
            }
        }
    }
    free(from);
}

// Returns the variance in the union of the domains.
static double variance_left(const struct domains *domains)
{
    const struct ek_topology *topology = domains->topology;
    uint32_t n = topology->processors;
    double variance = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        bool inside = invokes(domains, p);
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            inside = inside || invokes(domains, topology->neighbour[port]);
        }
        for (uint32_t j = 0; j < n && inside; j++) {
            variance += domains->w[p * n + j] * domains->w[p * n + j];
        }
        variance -= inside ? 1.0 / n : 0.0;
    }
    return variance;
}

// Runs `exchanges` colours one after the other, beginning with `colour`, or all links at once if `exchanges` is 0.
static double exact_variance(const char *spec, const uint32_t *invoker, unsigned invokers, uint32_t colour,
                             uint32_t exchanges, double part)
{
    struct ek_error error;
    struct domains domains = {.topology = ek_topology_create(spec, 1, (struct ek_reader){0}, &error),
                              .invoker = invoker,
                              .invokers = invokers};
    cr_assert(domains.topology, "%s: %s", spec, error.sentence);
    uint32_t n = domains.topology->processors;
    domains.w = calloc((size_t)n * n, sizeof *domains.w);
    cr_assert(domains.w);
    for (uint32_t p = 0; p < n; p++) {
        domains.w[p * n + p] = 1.0;
    }
    if (exchanges == 0) {
        balance(&domains, 0, domains.topology->colours, part);
    }
    for (uint32_t c = colour; c < colour + exchanges; c++) {
        balance(&domains, c, c + 1, part);
    }
    double variance = variance_left(&domains);
    free(domains.w);
    ek_topology_destroy(domains.topology);
    return variance;
}

// On tori with even sides each processor has a link of each colour. Processor 2 shares one neighbour with 0, and k+1
// shares two.
static const struct {
    const char *spec;
    double d, n;
    uint32_t colours;
    uint32_t two_on, diagonal; // 0: there is none
} tori[] = {{"ring:16", 2, 16, 2, 2, 0}, {"torus:8x8", 4, 64, 4, 2, 9}, {"torus:6x6x6", 6, 216, 6, 2, 7}};

Test(domains, single_domains_by_their_operators)
{
    static const double parts[] = {0.1, 0.25, 0.5, 0.7};
    const uint32_t one[] = {0};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct core_domain domain = {tori[i].d, tori[i].n};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            double part = parts[k];
            expect_near(core_domain_diffusion(domain, part), exact_variance(tori[i].spec, one, 1, 0, 0, part), 1e-9,
                        tori[i].spec);
            expect_near(core_domain_exchange(domain, part),
                        exact_variance(tori[i].spec, one, 1, 0, tori[i].colours, part), 1e-9, tori[i].spec);
            expect_near(core_domain_exchange_step(domain, part), exact_variance(tori[i].spec, one, 1, 1, 1, part), 1e-9,
                        tori[i].spec);
        }
    }
}

Test(domains, overlapping_domains_by_their_operators)
{
    static const double parts[] = {0.1, 0.25, 0.5};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        const char *spec = tori[i].spec;
        struct core_domain domain = {tori[i].d, tori[i].n};
        const uint32_t adjacent[] = {0, 1}, apart[] = {0, tori[i].two_on}, diagonal[] = {0, tori[i].diagonal};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            double part = parts[k];
            expect_near(core_domain_adjacent_diffusion(domain, part), exact_variance(spec, adjacent, 2, 0, 0, part),
                        1e-9, spec);
            expect_near(core_domain_sharing_diffusion(domain, 1.0, part), exact_variance(spec, apart, 2, 0, 0, part),
                        1e-9, spec);
            // Colour 0 has the links (0, 1) and (2, 3). Each of 0 and 2 uses one to a neighbour of its
            // own.
            expect_near(core_domain_adjacent_exchange_step(domain, part), exact_variance(spec, adjacent, 2, 0, 1, part),
                        1e-9, spec);
            if (tori[i].d > 2.0) {
                expect_near(core_domain_sharing_diffusion(domain, 2.0, part),
                            exact_variance(spec, diagonal, 2, 0, 0, part), 1e-9, spec);
            }
        }
        double step = exact_variance(spec, apart, 2, 1, 1, 0.5); // (0, k-1) and (2, 1)
        expect_near(core_domain_sharing_exchange_step(domain, 1.0, 0.5), step, 1e-9, spec);
        cr_expect(exact_variance(spec, adjacent, 2, 0, tori[i].colours, 0.5) <=
                  core_domain_adjacent_exchange(domain, 0.5) + 1e-9);
        cr_expect(exact_variance(spec, apart, 2, 0, tori[i].colours, 0.5) <=
                  core_domain_sharing_exchange(domain, 1.0) + 1e-9);
    }
}

// Numbers of the paper's formulas: Eq. (13) as printed, Eq. (18) and the all-port one as corrected.
Test(domains, domain_formulas)
{
    for (double d = 1.0; d <= 20.0; d++) {
        struct core_domain domain = {d, 1000.0};
        expect_near(core_domain_exchange(domain, 0.5),
                    (3.0 * d + 5.0 + pow(2.0, 2.0 - 2.0 * d)) / 9.0 - (d + 1.0) / 1000.0, 1e-12, "13");
        expect_near(core_domain_diffusion(domain, core_domain_diffusion_best(domain)),
                    (d * d + 3.0) / (d + 3.0) - (d + 1.0) / 1000.0, 1e-12, "10");
        expect_near(2.0 * core_domain_exchange(domain, 0.5) - core_domain_adjacent_exchange(domain, 0.5),
                    2.0 * (1.0 / 3.0 + 2.0 / (3.0 * pow(2.0, 2.0 * d)) - 1.0 / 1000.0), 1e-12, "17");
    }
    struct core_domain mended = {4.0, 64.0};
    expect_near(core_domain_adjacent_diffusion(mended, core_domain_adjacent_diffusion_best(mended)), 4.1058, 5e-5,
                "18");
    struct core_domain ring = {2.0, 16.0};
    expect_near(core_domain_sharing_exchange_step(ring, 1.0, 0.5), 2.6875, 1e-12, "two domains of an all-port machine");
    expect_near(core_domain_average(ring), 1.0 - 3.0 / 16.0, 1e-15, "average");
}
