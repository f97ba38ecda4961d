// SPDX-License-Identifier: MIT
// Builds lists of eigenvalues with their multiplicities, and merges equal ones.
#include "topologies/spectra/eigenvalues.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

enum { VALUES_MAX = 1 << 22 };

bool topo_eigenvalues_no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "", "there is not enough memory for the eigenvalues of this topology");
}

bool topo_eigenvalues_allocate(struct topo_eigenvalues *values, size_t count, struct ek_error *error)
{
    assert(count > 0);
    *values = (struct topo_eigenvalues){.how = "closed form"};
    if (count > VALUES_MAX) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "this topology has more than %d distinct eigenvalues: use a smaller topology, or a method "
                         "that needs only the two extremes",
                         VALUES_MAX);
    }
    values->at = malloc(count * sizeof *values->at);
    return values->at || topo_eigenvalues_no_memory(error);
}

void topo_eigenvalues_add(struct topo_eigenvalues *values, double value, uint64_t times)
{
    if (times > 0) {
        values->at[values->count++] = (struct topo_eigenvalue){value, times};
    }
}

static int ascending(const void *left, const void *right)
{
    double a = ((const struct topo_eigenvalue *)left)->value;
    double b = ((const struct topo_eigenvalue *)right)->value;
    return (a > b) - (a < b);
}

void topo_eigenvalues_merge(struct topo_eigenvalues *values, double tolerance)
{
    assert(values->count > 0);
    qsort(values->at, values->count, sizeof *values->at, ascending);
    size_t kept = 0;
    for (size_t i = 1; i < values->count; i++) {
        struct topo_eigenvalue next = values->at[i];
        if (next.value <= values->at[kept].value * (1.0 + tolerance)) {
            values->at[kept].times += next.times;
        } else {
            values->at[++kept] = next;
        }
    }
    values->count = kept + 1;
}

const char *topo_eigenvalues_how(const char *how, const char *other)
{
    static const char *const means[] = {"ARPACK", "LAPACK"}; // the weakest first
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        if (strcmp(how, means[i]) == 0 || strcmp(other, means[i]) == 0) {
            return means[i];
        }
    }
    return how;
}

bool topo_eigenvalues_sum(struct topo_eigenvalues *values, const struct topo_eigenvalues *others,
                          struct ek_error *error)
{
    struct topo_eigenvalues sums;
    if (!topo_eigenvalues_allocate(&sums, values->count * others->count, error)) {
        return false;
    }
    for (size_t i = 0; i < values->count; i++) {
        for (size_t j = 0; j < others->count; j++) {
            topo_eigenvalues_add(&sums, values->at[i].value + others->at[j].value,
                                 values->at[i].times * others->at[j].times);
        }
    }
    topo_eigenvalues_merge(&sums, TOPO_ROUNDED);
    sums.how = topo_eigenvalues_how(values->how, others->how);
    free(values->at);
    *values = sums;
    return true;
}
