// SPDX-License-Identifier: MIT
// The cut condition by trying every set. A set and its complement have the same ratio, so the last processor stays
// outside; in the order of a Gray code each set differs from the one before by one processor.
#include "core/theory/cut.h"

#include <assert.h>
#include <math.h>

// Returns how many more links are cut when processor p changes sides: its links to the other side no longer are, and
// those to its own side now are.
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
        uint32_t p = 0; // the lowest bit of the number changes in the Gray code
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
