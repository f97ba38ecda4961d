// SPDX-License-Identifier: MIT
// Diffusion between the processors whose objects communicate most: the first two stages of Taylor, Chandrasekar & Kale
// 2026. The third one, the choice of objects, is the axis `choose`.
#include <math.h>
#include <stdlib.h>

#include "core/methods/methods.h"
#include "core/objects/partners.h"
#include "core/parameter.h"
#include "core/theory/facts.h"
#include "topologies/build.h"
#include "topologies/topology.h"

enum { PARTNERS_USUAL = 4, PARTNERS_MOST = 1024 };

static bool read_most(const char *parameter, int at, uint64_t *most, struct ek_error *error)
{
    struct base_cursor cursor = core_parameter_start(parameter ? parameter : "", at, error);
    *most = PARTNERS_USUAL;
    return !parameter ||
           (base_cursor_whole(&cursor, "the most partners of a processor", CORE_PARTNERS_LEAST, PARTNERS_MOST, most) &&
            base_cursor_end(&cursor));
}

static bool check_objects(const struct ek_setting *setting, struct ek_error *error)
{
    if (setting->objects->pairs == 0) {
        return base_fail_at(error, "objects", 0,
                            "partners are processors whose objects communicate: use objects mesh:16x16, or vt:PATTERN");
    }
    return setting->topology->processors <= CORE_PARTNERS_PROCESSORS_MOST ||
           base_fail_at(error, "topology", 0, "partners are found for at most %u processors: use a smaller topology",
                        (unsigned)CORE_PARTNERS_PROCESSORS_MOST);
}

static bool allow(void *context, const struct ek_topology *outline, uint64_t bytes_most, size_t at,
                  struct ek_error *error)
{
    (void)context;
    (void)outline;
    (void)bytes_most;
    (void)at;
    (void)error;
    return true;
}

// alpha = 1/(1+K), so that no processor gives more than it holds.
static bool partners_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                             struct ek_error *error)
{
    uint64_t most;
    if (!read_most(parameter, at, &most, error) || !check_objects(setting, error)) {
        return false;
    }
    struct ek_graph graph = {.processors = setting->topology->processors};
    struct ek_link *link = core_partners_find(setting->objects, graph.processors, (uint32_t)most, &graph.links);
    if (!link) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the method");
    }
    graph.link = link;
    plan->overlay = topo_create_of("partners", &graph, (struct topo_permit){.allows = allow}, error);
    free(link);
    plan->parameter = 1.0 / (1.0 + (double)most);
    return plan->overlay != NULL;
}

static void partners_release(struct ek_plan *plan)
{
    ek_topology_destroy(plan->overlay);
    plan->overlay = NULL;
}

static void partners_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    (void)outlook;
    const unsigned needs = CORE_NEEDS_ROUNDS | CORE_NEEDS_ALL_INVOKE;
    struct ek_spectrum spectrum;
    core_facts_add(facts, CORE_NEEDS_NOTHING, "partner_links", plan->overlay->links, NULL,
                   "Load moves over %u links between partners. A processor has at most %u partners, and a path between "
                   "two processors at most %d links.",
                   plan->overlay->links, plan->overlay->degree_max, (int)plan->overlay->diameter);
    if (core_facts_extremes(facts, needs, "gamma", plan->overlay, NULL, &spectrum)) {
        double gamma =
            fmax(fabs(1.0 - plan->parameter * spectrum.second), fabs(1.0 - plan->parameter * spectrum.largest));
        core_facts_add(facts, needs, "gamma", gamma, NULL,
                       "The factor by which an operation shrinks the distance from balance in the long run, if load "
                       "divides: the largest |1-l/(1+K)|, l a nonzero eigenvalue of the Laplacian of these links.");
        ek_spectrum_destroy(&spectrum);
    }
}

static const struct ek_texts partners_texts = {
    .title = "diffusion over links of most bytes",
    .parameter = "K",
    .example = "partners:4 --topology torus:8x8 --objects mesh:32x32 --load peak:1024 --choose communicating",
    .equation =
        "w_i := w_i + (1/(1+K)) * sum over partners j of (w_j - w_i). A processor has at most K partners: those "
        "whose objects exchange most bytes with its own at the start",
    .steps = "An operation is one step; with one port it has a step for each colour of the links between partners. "
             "Partners are found before the run.",
    .optimum = "K is from 2 to 1024, 4 if it is not given. First a tree joins all processors: it grows from processor "
               "0, each time by the link of most bytes from a processor with a free place. Then, in at most 20 rounds, "
               "each processor asks the next ones by bytes, as many as half of its free places. An asked processor "
               "agrees while it has a free place, and holds that place in this round. --choose communicating gives "
               "the objects that exchange most bytes with the receiver's; --migrate end moves each object once.",
    .assumes = "A partner is one link away, wherever it is in the topology, which only says how many processors there "
               "are.",
    .source = "Taylor, Chandrasekar & Kale, Communication-aware diffusion load balancing for persistently interacting "
              "objects, arXiv:2603.23329, 2026; DiffusionLB in Charm++",
    .findings = "In Charm++ a processor counts only the bytes that it sends, messages arrive in any order, and in the "
                "second stage a processor levels its load with all partners that have less. Here the order is that of "
                "bytes, then of processors, so a run repeats.",
};

const struct ek_method core_method_partners = {
    .name = "partners",
    .texts = &partners_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .turns = true, .objects = true},
    .links = EK_LINKS_ALL,
    .prepare = partners_prepare,
    .destroy = partners_release,
    .facts = partners_facts,
    .rule = &method_diffusion_rule,
    .rounds = &method_diffusion_rounds,
};
