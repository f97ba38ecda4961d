// SPDX-License-Identifier: MIT
// The flows over links, as a run reports them.
#ifndef TESTS_FLOWS_H
#define TESTS_FLOWS_H

#include <criterion/criterion.h>
#include <math.h>

#include "threads/api/report.h"

// Returns the net flow from processor i to its neighbour j.
static inline double tests_flow_of(const struct ek_report *report, uint32_t i, uint32_t j)
{
    for (size_t link = 0; link < report->flow_count; link++) {
        const struct ek_flow_report *flow = &report->flow[link];
        if (flow->from == i && flow->to == j) {
            return flow->net;
        }
        if (flow->from == j && flow->to == i) {
            return -flow->net;
        }
    }
    cr_assert_fail("there is no link between %u and %u", i, j);
    return NAN;
}

#endif
