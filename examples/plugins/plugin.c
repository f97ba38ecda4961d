// SPDX-License-Identifier: MIT
// A plugin: a method and a family of topologies for the command.
//     cc -shared -fPIC plugin.c $(pkg-config --cflags evenkeel) -o plugin.so
//     evenkeel run --plugin ./plugin.so --topology petersen:7:2 --method share:4
//
// petersen:N:K is the generalised Petersen graph (Watkins 1969): an outer ring 0 .. N-1, a spoke from each i to N + i,
// and an inner link from each N + i to N + (i + K) mod N.
#include <evenkeel.h>
#include <stdio.h>
#include <stdlib.h>

static struct ek_link *make_petersen(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                                     struct ek_error *error)
{
    (void)seed;
    unsigned n = 5, k = 2;
    if (parameter && (sscanf(parameter, "%u:%u", &n, &k) != 2 || n < 3 || n > 100000 || k < 1 || 2 * k >= n)) {
        snprintf(error->sentence, sizeof error->sentence, "petersen needs N:K with N from 3 to 100000 and 0 < 2 K < N");
        return NULL;
    }
    struct ek_link *link = malloc(3 * n * sizeof *link);
    for (uint32_t i = 0; link && i < n; i++) {
        link[3 * i] = (struct ek_link){i, (i + 1) % n};
        link[3 * i + 1] = (struct ek_link){i, n + i};
        link[3 * i + 2] = (struct ek_link){n + i, n + (i + k) % n};
    }
    *processors = 2 * n;
    *links = 3 * n;
    return link;
}

static const struct ek_family petersen = {
    .name = "petersen", .choice = {"petersen:N:K", "the generalised Petersen graph"}, .make = make_petersen};

// share:D moves a D-th of the difference over each link: diffusion with alpha = 1/D.
static bool share_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                          struct ek_error *error)
{
    double d = parameter ? strtod(parameter, NULL) : setting->topology->degree_max + 1.0;
    if (!(d >= setting->topology->degree_max + 1.0)) {
        error->status = EK_BAD_INPUT;
        error->at = at;
        snprintf(error->axis, sizeof error->axis, "method");
        snprintf(error->sentence, sizeof error->sentence, "share needs a D of %u at least, the degree and 1 more",
                 setting->topology->degree_max + 1);
        return false;
    }
    plan->parameter = 1.0 / d;
    return true;
}

static double share_flow(const struct ek_view *view, unsigned port)
{
    return view->plan->parameter * (view->load - view->announced[port]);
}

static const struct ek_method share = {
    .name = "share",
    .texts = &(const struct ek_texts){.title = "a D-th of the difference",
                                      .parameter = "D",
                                      .equation = "give (w_i - w_j) / D over each link"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .matrix = EK_MATRIX_DIFFUSION,
    .prepare = share_prepare,
    .rule = &(const struct ek_rule){.flow = share_flow},
    .rounds = &(const struct ek_rounds_part){0},
};

static const struct ek_method *const methods[] = {&share, NULL};
static const struct ek_family *const families[] = {&petersen, NULL};
const struct ek_plugin evenkeel_plugin = {.version = EK_VERSION, .methods = methods, .families = families};
