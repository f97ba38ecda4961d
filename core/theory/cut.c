// SPDX-License-Identifier: MIT
// Finds the cut ratio by trying every set. A set and its complement have the same ratio, so only sets without the last
// processor are tried. In the order of a Gray code each set differs from the previous set by one processor.
#include "core/theory/cut.h"
#include "topologies/topology.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

// Returns the growth of the number of cut links when processor p changes sides. Its links to the old side become cut,
// and its links to the new side are no longer cut.
static int links_cut_by(const struct ek_topology *topology, uint32_t set, uint32_t p)
{
    int more = 0;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        bool same_side = (set >> p & 1) == (set >> topology->neighbour[port] & 1);
        more += same_side ? 1 : -1;
    }
    return more;
}

double core_cut_ratio(const struct ek_topology *topology, const double *d)
{
    assert(topology->processors >= 2 && topology->processors <= CORE_CUT_PROCESSORS_MAX);
    uint32_t set = 0;
    int links = 0;
    double sum = 0.0;
    double ratio = 0.0;
    for (uint32_t number = 1; number < 1U << (topology->processors - 1); number++) {
        uint32_t p = 0; // the Gray code changes at the number's lowest set bit
        while (!(number >> p & 1)) {
            p++;
        }
        links += links_cut_by(topology, set, p);
        set ^= 1U << p;
        sum += set >> p & 1 ? d[p] : -d[p];
        assert(links > 0);
        ratio = fmax(ratio, fabs(sum) / links);
    }
    return ratio;
}
