// SPDX-License-Identifier: MIT
// Spectra of the Laplacian: by the family's closed form if it has one, else by LAPACK. Beyond LAPACK's reach ARPACK
// finds the two extremes only.
#include "topologies/spectra/spectrum.h"

#include <assert.h>
#include <stdlib.h>

#include "topologies/spectra/eigenvalues.h"
#include "topologies/spectra/eigensolvers.h"
#include "base/cursor.h"
#include "topologies/topology.h"

// The largest graph without closed form whose extremes are found within about a second.
enum { QUICK_MAX = 2500 };

static bool dense_eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values,
                              struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (n > TOPO_SPECTRUM_DENSE_MAX) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "all eigenvalues of a graph without closed form are found for up to %d processors, and this "
                         "topology has %u: use a method that needs only the two extremes, or a method with a parameter",
                         TOPO_SPECTRUM_DENSE_MAX, n);
    }
    double *value = malloc(n * sizeof *value);
    bool done = topo_eigenvalues_allocate(values, n, error) && (value || topo_eigenvalues_no_memory(error)) &&
                topo_spectrum_dense(topology, value, error);
    if (done) {
        value[0] = 0.0; // the graph is connected, so this is 0 up to rounding
        for (uint32_t i = 0; i < n; i++) {
            topo_eigenvalues_add(values, value[i], 1);
        }
        topo_eigenvalues_merge(values, TOPO_EQUAL);
        values->how = "LAPACK";
    }
    free(value);
    return done;
}

bool topo_spectrum_eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values,
                               struct ek_error *error)
{
    return topology->closed_form ? topology->closed_form->eigenvalues(topology, values, error)
                                 : dense_eigenvalues(topology, values, error);
}

bool topo_spectrum_settle(struct topo_eigenvalues *values, struct ek_spectrum *spectrum, struct ek_error *error)
{
    topo_eigenvalues_merge(values, TOPO_EQUAL);
    *spectrum = (struct ek_spectrum){
        .how = values->how, .count = values->count - 1, .value = malloc(values->count * sizeof *spectrum->value)};
    if (!spectrum->value) {
        return topo_eigenvalues_no_memory(error);
    }
    for (size_t i = 1; i < values->count; i++) {
        spectrum->value[i - 1] = values->at[i].value;
    }
    if (spectrum->count > 0) {
        spectrum->second = spectrum->value[0];
        spectrum->largest = spectrum->value[spectrum->count - 1];
        assert(spectrum->second > 0.0);
    }
    return true;
}

static bool find_all(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    struct topo_eigenvalues values = {0};
    bool done = topo_spectrum_eigenvalues(topology, &values, error);
    uint64_t total = 0;
    for (size_t i = 0; i < values.count && done; i++) {
        total += values.at[i].times;
    }
    assert(!done || total == topology->processors);
    done = done && topo_spectrum_settle(&values, spectrum, error);
    free(values.at);
    return done;
}

// Returns the largest graph without closed form on which the spectrum depends: the topology itself, or a part of it, as
// the group of an OTIS network or a factor of a product. Returns NULL if all have closed forms.
static const struct ek_topology *formless(const struct ek_topology *topology)
{
    if (topology->group) {
        return formless(topology->group);
    }
    const struct ek_topology *largest = topology->closed_form ? NULL : topology;
    for (uint32_t d = 0; topology->factor && d < topology->dimensions; d++) {
        const struct ek_topology *part = formless(topology->factor[d]);
        largest = part && (!largest || part->processors > largest->processors) ? part : largest;
    }
    return largest;
}

bool topo_spectrum_quick(const struct ek_topology *topology)
{
    const struct ek_topology *graph = formless(topology);
    return !graph || graph->processors <= QUICK_MAX;
}

// Finds the two extremes by ARPACK. If ARPACK fails and the graph is small enough, LAPACK finds them. ARPACK is much
// faster when it succeeds. LAPACK always succeeds on graphs of this size.
static bool iterated_extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    spectrum->how = "ARPACK";
    if (topo_spectrum_iterated(topology, &spectrum->second, &spectrum->largest, error)) {
        return true;
    }
    return topology->processors <= TOPO_SPECTRUM_DENSE_MAX && find_all(topology, spectrum, error);
}

bool ek_spectrum_find(const struct ek_topology *topology, bool all, struct ek_spectrum *spectrum,
                      struct ek_error *error)
{
    *spectrum = (struct ek_spectrum){0};
    if (all) {
        return find_all(topology, spectrum, error);
    }
    const struct ek_topology *graph = topology->factor ? NULL : formless(topology); // factors are solved one by one
    if (graph && graph->processors > (graph == topology ? TOPO_EXTREMES_DENSE_MAX : TOPO_SPECTRUM_DENSE_MAX)) {
        return iterated_extremes(topology, spectrum, error);
    }
    const struct ek_closed_form *form = topology->closed_form;
    return form && form->extremes ? form->extremes(topology, spectrum, error) : find_all(topology, spectrum, error);
}

void ek_spectrum_destroy(struct ek_spectrum *spectrum)
{
    free(spectrum->value);
    *spectrum = (struct ek_spectrum){0};
}

bool topo_spectrum_dense(const struct ek_topology *topology, double *value, struct ek_error *error)
{
    size_t n = topology->processors;
    double *laplacian = calloc(n * n, sizeof *laplacian);
    if (!laplacian) {
        return topo_eigenvalues_no_memory(error);
    }
    for (size_t p = 0; p < n; p++) {
        laplacian[p * n + p] = topology->first[p + 1] - topology->first[p];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            laplacian[p * n + topology->neighbour[port]] = -1.0;
        }
    }
    enum topo_linear result = topo_linear_symmetric(laplacian, topology->processors, value);
    free(laplacian);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return topo_eigenvalues_no_memory(error);
    }
    return result == TOPO_LINEAR_DONE ||
           base_fail(
               error, EK_BAD_INPUT, "method",
               "the eigenvalues of %u processors were not found: use a method with a parameter, as in diffusion:0.1",
               topology->processors);
}

// Applies the Laplacian with one eigenvalue changed. The constant vector has the eigenvalue 0. This eigenvalue is moved
// to `mean`, the mean of all others, so that the constant vector is at neither end of the spectrum.
static void apply_laplacian(const struct topo_operator *laplacian, const double *x, double *y)
{
    const struct ek_topology *topology = laplacian->topology;
    double sum = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        sum += x[p];
    }
    double shift = laplacian->parameter * sum / topology->processors;
    for (uint32_t p = 0; p < topology->processors; p++) {
        double difference = 0.0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            difference += x[p] - x[topology->neighbour[port]];
        }
        y[p] = difference + shift;
    }
}

bool topo_spectrum_iterated(const struct ek_topology *topology, double *second, double *largest, struct ek_error *error)
{
    double mean = topology->ports / (topology->processors - 1.0);
    struct topo_operator laplacian = {.apply = apply_laplacian, .topology = topology, .parameter = mean};
    enum topo_linear result = topo_linear_extremes(&laplacian, second, largest);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return topo_eigenvalues_no_memory(error);
    }
    return result == TOPO_LINEAR_DONE ||
           base_fail(error, EK_BAD_INPUT, "method",
                     "the extreme eigenvalues of %u processors did not converge in a bounded number of iterations: use "
                     "a method with a parameter, as in diffusion:0.1",
                     topology->processors);
}
