// SPDX-License-Identifier: MIT
// Diffusion with a weight for each link: w_i := w_i + sum over j of a_ij (w_j - w_i), a_ij = a_ji. Metropolis weights
// are those of Boillat 1990 and of Xiao, Boyd & Lall 2005; others come from a file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/theory/convergence.h"
#include "core/theory/facts.h"
#include "topologies/spectra/spectrum.h"

struct weights {
    const uint32_t *first; // of the topology
    double link[];         // by port
};

static inline double weighted_flow(const struct ek_view *view, unsigned port)
{
    const struct weights *weights = view->plan->data;
    return weights->link[weights->first[view->processor] + port] * (view->load - view->announced[port]);
}

static inline double weighted_flow_tokens(const struct ek_view *view, unsigned port)
{
    return ek_whole(weighted_flow(view, port));
}

static void weighted_block(struct ek_block *block)
{
    ek_block_flows(block, weighted_flow);
}

static void weighted_block_tokens(struct ek_block *block)
{
    ek_block_flows(block, weighted_flow_tokens);
}

static struct weights *allocate(struct ek_plan *plan, const struct ek_topology *topology, struct ek_error *error)
{
    struct weights *weights = malloc(sizeof *weights + topology->ports * sizeof *weights->link);
    if (!weights) {
        base_fail(error, EK_BAD_INPUT, "method", "no memory for the weights of %u links", topology->links);
        return NULL;
    }
    weights->first = topology->first;
    plan->data = weights;
    return weights;
}

// Settles what follows from the weights. If they are all equal, an operation is one of diffusion. A small weight rounds
// small differences of tokens down to nothing, so they stay.
static void settle(struct ek_plan *plan, const struct weights *weights, const struct ek_setting *setting)
{
    double least = INFINITY;
    double most = 0.0;
    for (uint32_t port = 0; port < setting->topology->ports; port++) {
        least = fmin(least, weights->link[port]);
        most = fmax(most, weights->link[port]);
    }
    plan->parameter = least == most ? most : NAN;
    if (setting->units == EK_TOKENS && !setting->capacity && least > 0.0 && least < INFINITY) {
        snprintf(plan->stop, sizeof plan->stop, "neighbours:%.0f", core_difference_kept(least));
    }
}

// a_ij = 1/(1 + max(d_i, d_j))
static bool metropolis_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                               struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    struct weights *weights = core_parameter_none(parameter, at, error) ? allocate(plan, topology, error) : NULL;
    for (uint32_t p = 0; weights && p < topology->processors; p++) {
        uint32_t degree = topology->first[p + 1] - topology->first[p];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            uint32_t other = topology->first[q + 1] - topology->first[q];
            weights->link[port] = 1.0 / (1.0 + (degree > other ? degree : other));
        }
    }
    if (weights) {
        settle(plan, weights, setting);
    }
    return weights != NULL;
}

// Returns whether two neighbours that each invoke an operation over their link can move more than the whole difference
// (in prepare.c, domains_of says when that is so for diffusion).
static bool can_swap(const struct weights *weights, const struct ek_topology *topology)
{
    for (uint32_t p = 0; p < topology->processors; p++) {
        double sum = 0.0;
        double most = 0.0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            sum += weights->link[port];
            most = fmax(most, weights->link[port]);
        }
        if (sum + most > 1.0 + 1e-12) {
            return true;
        }
    }
    return false;
}

struct reading {
    const struct ek_topology *topology;
    double *link;
    uint32_t count; // of links that have their weight
};

static bool take_line(void *context, struct base_cursor *line)
{
    static const char LOOKS[] = "a line has two processors and the weight of their link, as in 0 1 0.25";
    struct reading *reading = context;
    const struct ek_topology *topology = reading->topology;
    uint32_t port;
    double weight;
    if (!core_spec_link(line, LOOKS, topology, &port) || !core_spec_gap(line, LOOKS) ||
        !base_cursor_real(line, "the weight", 0.0, 1.0, &weight)) {
        return false;
    }
    if (!isnan(reading->link[port])) {
        return base_cursor_fail(line, 0, "this link has its weight already: leave one line out");
    }
    reading->link[port] = reading->link[topology->twin[port]] = weight;
    reading->count++;
    return true;
}

static bool file_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    struct weights *weights = allocate(plan, topology, error);
    if (!weights) {
        return false;
    }
    struct reading reading = {.topology = topology, .link = weights->link};
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    for (uint32_t port = 0; port < topology->ports; port++) {
        weights->link[port] = NAN;
    }
    cursor.at += strlen("file:");
    size_t start = cursor.at;
    if (!core_spec_lines(&cursor, setting->reader, take_line, &reading)) {
        return false;
    }
    if (reading.count < topology->links) {
        return base_cursor_fail(
            &cursor, start, "the file has weights for %u links, but the topology has %u: write a line for each link",
            reading.count, topology->links);
    }
    settle(plan, weights, setting);
    snprintf(plan->domains, sizeof plan->domains, "%s", setting->free && can_swap(weights, topology) ? "once" : "");
    return true;
}

// With L the Laplacian of the weighted links, an operation is I - L*C^-1.
static void weighted_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    enum { QUICK = 1000 }; // processors for which LAPACK takes less than a second
    const struct weights *weights = plan->data;
    const double *capacity = outlook->to_target ? NULL : outlook->capacity;
    struct ek_spectrum spectrum;
    struct ek_error ignored;
    if (outlook->topology->processors > QUICK || outlook->topology->links == 0 ||
        !topo_spectrum_find_by_link(outlook->topology, weights->link, capacity, &spectrum, &ignored)) {
        return;
    }
    double gamma = fmax(fabs(1.0 - spectrum.second), fabs(1.0 - spectrum.largest));
    core_facts_add_factor(facts, outlook, gamma, 0.0,
                          gamma < 1.0 ? "the largest |1-l|, l a nonzero eigenvalue of the Laplacian with these weights"
                                      : "the largest |1-l|, l a nonzero eigenvalue of the Laplacian with these "
                                        "weights. It is not below 1, so some loads never balance");
    ek_spectrum_destroy(&spectrum);
}

static const struct ek_rule weighted_rule = {.flow = weighted_flow, .flow_tokens = weighted_flow_tokens};

static const struct ek_rounds_part weighted_rounds = {.block = weighted_block, .block_tokens = weighted_block_tokens};

static const struct ek_free_part free_by_rule = {0};

// The part that the rows of both methods share.
#define WEIGHTED_ROW                                                                                                   \
    .supports.units = EK_REAL | EK_TOKENS, .supports.ports = EK_ALL_PORTS | EK_ONE_PORT, .supports.capacities = true,  \
    .supports.delays = true, .supports.turns = true, .links = EK_LINKS_ALL, .matrix = EK_MATRIX_DIFFUSION,             \
    .destroy = method_free_data, .facts = weighted_facts, .rule = &weighted_rule, .rounds = &weighted_rounds,          \
    .free = &free_by_rule

static const struct ek_texts metropolis_texts = {
    .title = "diffusion with Metropolis weights",
    .example = "metropolis --topology star:16",
    .equation = "w_i := w_i + sum over neighbours j of (w_j - w_i) / (1 + max(d_i, d_j)), d_i the number of i's "
                "neighbours; tokens: each amount rounded down",
    .optimum = "There is no parameter. On a regular graph it is adf. No processor gives more than d/(d+1) of what it "
               "holds, so it converges on every graph.",
    .assumes = "Both ends of a link know each other's degree.",
    .source = "Boillat, Load balancing and Poisson equation in a graph, Concurrency: Practice and Experience 2(4), "
              "1990; the name: Xiao, Boyd & Lall, A scheme for robust distributed sensor fusion based on average "
              "consensus, IPSN 2005",
    .findings =
        "Where degrees differ it can beat every single alpha. On a star of nine with a chain of eight at one "
        "leaf gamma is 0.98815; the best alpha has 0.98934, and adf 0.99463. On a mesh of 8x8 the best alpha is "
        "better (0.96120; metropolis 0.96770, adf 0.96955), and on two cliques with one link between them "
        "metropolis is as slow as adf.",
};

const struct ek_method core_method_metropolis = {WEIGHTED_ROW, .name = "metropolis", .texts = &metropolis_texts,
                                                 .prepare = metropolis_prepare};

// Only the title is shown, since `explain` prints the texts of diffusion.
static const struct ek_texts file_texts = {.title = "diffusion with a given parameter", .parameter = "file:PATH"};

const struct ek_method core_method_diffusion_file = {WEIGHTED_ROW, .name = "diffusion", .texts = &file_texts,
                                                     .supports.overdraws = true, .prepare = file_prepare};
