// SPDX-License-Identifier: MIT
#include "topologies/families/blocks.h"

#include <assert.h>

#include "topologies/spectra/eigensolvers.h"
#include "base/cursor.h"

bool topo_block_solve(double *matrix, uint32_t order, double value[TOPO_BLOCK_MAX], struct ek_error *error)
{
    assert(order > 0 && order <= TOPO_BLOCK_MAX);
    enum topo_linear result = topo_linear_symmetric(matrix, order, value);
    if (result == TOPO_LINEAR_NO_MEMORY) {
        return topo_eigenvalues_no_memory(error);
    }
    return result == TOPO_LINEAR_DONE ||
           base_fail(error, EK_BAD_INPUT, "method",
                     "the eigenvalues of this topology were not found: use a method with a parameter, as in "
                     "diffusion:0.1");
}

bool topo_block_add(struct topo_eigenvalues *values, double *matrix, uint32_t order, uint64_t times,
                    struct ek_error *error)
{
    double value[TOPO_BLOCK_MAX];
    if (!topo_block_solve(matrix, order, value, error)) {
        return false;
    }
    for (uint32_t i = 0; i < order; i++) {
        topo_eigenvalues_add(values, value[i], times);
    }
    return true;
}
