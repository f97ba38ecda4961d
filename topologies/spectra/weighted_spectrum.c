// SPDX-License-Identifier: MIT
// Spectra with capacities (Elsässer, Monien & Preis 2002), and with weights of links. L*C^-1 is similar to the
// symmetric C^-1/2 L C^-1/2, whose eigenvalues LAPACK finds; ARPACK finds the extremes of larger graphs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/spectra/eigenvalues.h"
#include "topologies/spectra/eigensolvers.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"
#include "base/debug.h"
#include "topologies/topology.h"

static const double ROUNDED = 1e-13; // relative to the largest eigenvalue: a value below this may be 0

static bool not_found(enum topo_linear result, const struct ek_topology *topology, struct ek_error *error)
{
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return topo_eigenvalues_no_memory(error);
    }
    return base_fail(error, EK_BAD_INPUT, "method",
                     "the eigenvalues of %u processors with these weights were not found in a bounded number of "
                     "iterations: use diffusion with a parameter, as in diffusion:0.1, or the weighting target",
                     topology->processors);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

size_t topo_spectrum_distinct(double *value, size_t count)
{
    assert(count > 0);
    qsort(value, count, sizeof *value, ascending);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (value[i] > value[kept - 1] * (1.0 + TOPO_EQUAL)) {
            value[kept++] = value[i];
        }
    }
    return kept;
}

bool topo_spectrum_take(double *value, size_t count, const char *how, struct ek_spectrum *spectrum,
                        struct ek_error *error)
{
    *spectrum = (struct ek_spectrum){.how = how, .value = value};
    if (!value) {
        return topo_eigenvalues_no_memory(error);
    }
    spectrum->count = topo_spectrum_distinct(value, count) - 1;
    memmove(value, value + 1, spectrum->count * sizeof *value); // the smallest is 0 up to rounding
    if (spectrum->count == 0) {
        return true;
    }
    spectrum->second = value[0];
    spectrum->largest = value[spectrum->count - 1];
    if (spectrum->second > ROUNDED * spectrum->largest) {
        return true;
    }
    ek_spectrum_destroy(spectrum);
    return base_fail(
        error, EK_BAD_INPUT, "method",
        "the smallest eigenvalues of this topology cannot be distinguished from 0: use capacities that differ less");
}

// The matrix C^-1/2 L C^-1/2, where L has the weights of the links.
struct weighted {
    const struct ek_topology *topology;
    const double *root; // [processors] square roots of the capacities
    const double *link; // by port, or NULL if all are 1
};

static double link_weight(const double *link, uint32_t port)
{
    return link ? link[port] : 1.0;
}

// Returns the processor's element of the diagonal.
static double diagonal(const struct weighted *weighted, uint32_t p)
{
    double sum = 0.0;
    for (uint32_t port = weighted->topology->first[p]; port < weighted->topology->first[p + 1]; port++) {
        sum += link_weight(weighted->link, port);
    }
    return sum / (weighted->root[p] * weighted->root[p]);
}

static bool dense(const struct weighted *weighted, struct ek_spectrum *spectrum, struct ek_error *error)
{
    const struct ek_topology *topology = weighted->topology;
    const double *root = weighted->root;
    size_t n = topology->processors;
    double *matrix = calloc(n * n, sizeof *matrix);
    double *value = malloc(n * sizeof *value);
    enum topo_linear result = TOPO_LINEAR_NO_MEMORY;
    if (matrix && value) {
        for (uint32_t p = 0; p < n; p++) {
            matrix[p * n + p] = diagonal(weighted, p);
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                uint32_t q = topology->neighbour[port];
                matrix[p * n + q] = -link_weight(weighted->link, port) / (root[p] * root[q]);
            }
        }
        result = topo_linear_symmetric(matrix, topology->processors, value);
    }
    free(matrix);
    if (result != TOPO_LINEAR_DONE) {
        free(value);
        return not_found(result, topology, error);
    }
    return topo_spectrum_take(value, n, "LAPACK", spectrum, error);
}

// Applies the weighted Laplacian with one eigenvalue changed. The vector of square roots has the eigenvalue 0. This
// eigenvalue is moved to `mean`, the mean of all others, so that the vector is at neither end of the spectrum.
static void apply_weighted(const struct topo_operator *laplacian, const double *x, double *y)
{
    const struct ek_topology *topology = laplacian->topology;
    const double *root = laplacian->root;
    double along = 0.0;
    double squares = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        along += root[p] * x[p];
        squares += root[p] * root[p];
    }
    double shift = laplacian->parameter * along / squares;
    for (uint32_t p = 0; p < topology->processors; p++) {
        double difference = 0.0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            difference += link_weight(laplacian->weight, port) * (x[p] / root[p] - x[q] / root[q]);
        }
        y[p] = difference / root[p] + shift * root[p];
    }
}

// Finds the two extremes by ARPACK. If LAPACK can find them too, ARPACK gives up after a small part of LAPACK's work:
// it is many times as fast on tori and random graphs, but slow on long chains.
static bool iterated(const struct weighted *weighted, struct ek_spectrum *spectrum, struct ek_error *error)
{
    const struct ek_topology *topology = weighted->topology;
    const double n = topology->processors;
    double trace = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        trace += diagonal(weighted, p);
    }
    struct topo_operator laplacian = {.apply = apply_weighted,
                                      .topology = topology,
                                      .parameter = trace / (n - 1.0),
                                      .root = weighted->root,
                                      .weight = weighted->link,
                                      .work_max = n > TOPO_SPECTRUM_DENSE_MAX ? 0.0 : n * n * n / 16.0};
    spectrum->how = "ARPACK";
    enum topo_linear result = topo_linear_extremes(&laplacian, &spectrum->second, &spectrum->largest);
    return result == TOPO_LINEAR_DONE || not_found(result, topology, error);
}

static bool all_alike(const double *capacity, uint32_t count)
{
    for (uint32_t p = 1; p < count; p++) {
        if (capacity[p] != capacity[0]) {
            return false;
        }
    }
    return true;
}

static bool scaled(const struct ek_topology *topology, double capacity, bool all, struct ek_spectrum *spectrum,
                   struct ek_error *error)
{
    if (!ek_spectrum_find(topology, all, spectrum, error)) {
        return false;
    }
    spectrum->second /= capacity;
    spectrum->largest /= capacity;
    for (size_t i = 0; i < spectrum->count; i++) {
        spectrum->value[i] /= capacity;
    }
    return true;
}

// Finds the spectrum: all of it, or of a larger graph the two extremes if ARPACK finds them. LAPACK decides whether a
// tiny eigenvalue is 0.
static bool find(const struct ek_topology *topology, const double *link, const double *capacity, bool all,
                 struct ek_spectrum *spectrum, struct ek_error *error)
{
    static const double TINY = 1e-6; // relative to the largest eigenvalue
    uint32_t n = topology->processors;
    double *root = malloc(n * sizeof *root);
    *spectrum = (struct ek_spectrum){0};
    if (!root) {
        return topo_eigenvalues_no_memory(error);
    }
    for (uint32_t p = 0; p < n; p++) {
        BASE_DEBUG_ASSERT(!capacity || capacity[p] > 0.0);
        root[p] = capacity ? sqrt(capacity[p]) : 1.0;
    }
    struct weighted weighted = {.topology = topology, .root = root, .link = link};
    bool done = !all && n > TOPO_EXTREMES_DENSE_MAX && iterated(&weighted, spectrum, error);
    if (n <= TOPO_SPECTRUM_DENSE_MAX && !(done && spectrum->second > TINY * spectrum->largest)) {
        done = dense(&weighted, spectrum, error);
    }
    free(root);
    return done;
}

bool topo_spectrum_find_weighted(const struct ek_topology *topology, const double *capacity, bool all,
                                 struct ek_spectrum *spectrum, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (!capacity || all_alike(capacity, n)) {
        return scaled(topology, capacity ? capacity[0] : 1.0, all, spectrum, error);
    }
    if (all && n > TOPO_SPECTRUM_DENSE_MAX) {
        *spectrum = (struct ek_spectrum){0};
        return base_fail(error, EK_BAD_INPUT, "method",
                         "with capacities all eigenvalues are found for up to %d processors, and this topology has %u: "
                         "use fos or sos, or the weighting target",
                         TOPO_SPECTRUM_DENSE_MAX, n);
    }
    return find(topology, NULL, capacity, all, spectrum, error);
}

bool topo_spectrum_find_by_link(const struct ek_topology *topology, const double *link, const double *capacity,
                                struct ek_spectrum *spectrum, struct ek_error *error)
{
    return find(topology, link, capacity, false, spectrum, error);
}
