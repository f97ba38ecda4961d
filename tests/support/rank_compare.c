// SPDX-License-Identifier: MIT
// Ranks that are compared with one process.
#include "tests/support/rank_compare.h"
#include "topologies/topology.h"

#include <stdio.h>
#include <string.h>

struct tests_ranks_placed tests_placed;

// Returns whether only ranks refuse the experiment.
static bool not_for_ranks(const struct ek_experiment *experiment, const struct ek_machine *machine, unsigned ranks)
{
    return experiment->overlaps || ek_machine_topology(machine)->processors < ranks;
}

// Returns the requested values that differ, beyond those that any two runs are compared by.
static const char *extras_differ(const struct ek_report *rank, const struct ek_report *one, uint32_t processors)
{
    size_t flows = one->flow_count * sizeof *one->flow;
    size_t quotas = one->quota_dimensions * processors * sizeof *one->quota;
    size_t frames = one->frame_count * processors * sizeof *one->frame_load;
    if (rank->flow_count != one->flow_count || (flows > 0 && memcmp(rank->flow, one->flow, flows) != 0)) {
        return "flow";
    }
    if (rank->quota_dimensions != one->quota_dimensions ||
        (quotas > 0 && memcmp(rank->quota, one->quota, quotas) != 0)) {
        return "quota";
    }
    if (rank->frame_count != one->frame_count ||
        (frames > 0 && memcmp(rank->frame_load, one->frame_load, frames) != 0)) {
        return "frames";
    }
    return strcmp(rank->why, one->why) == 0 ? NULL : "why";
}

const char *tests_rank_differs(const struct tests_outcome *rank, const struct tests_outcome *one)
{
    if (rank->status != one->status) {
        return rank->error.sentence;
    }
    if (!one->machine) {
        return strcmp(rank->error.sentence, one->error.sentence) == 0 ? NULL : rank->error.sentence;
    }
    uint32_t processors = ek_machine_topology(one->machine)->processors;
    uint32_t kept = one->report.final ? processors : 0;
    const char *name = tests_report_differs(&rank->report, &one->report, kept);
    return name ? name : extras_differ(&rank->report, &one->report, processors);
}

bool tests_ranks_compare(const struct ek_experiment *experiment, unsigned ranks)
{
    struct tests_outcome one;
    struct tests_room room = {.count = ranks, .deaf_after = UINT32_MAX, .divide = tests_placed.divide};
    struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
    char what[256];
    snprintf(what, sizeof what, "%s on %s, %u ranks, seed %llu", experiment->method, experiment->topology, ranks,
             (unsigned long long)experiment->seed);
    tests_try(experiment, 0, &one);
    bool refused = one.machine && not_for_ranks(experiment, one.machine, ranks);
    for (unsigned r = 0; r < ranks; r++) {
        seat[r].experiment = *experiment;
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < ranks; r++) {
        const char *difference = refused ? (seat[r].outcome.status == EK_BAD_INPUT ? NULL : "not refused")
                                         : tests_rank_differs(&seat[r].outcome, &one);
        tests_note(difference == NULL, what, difference ? difference : "");
        const struct ek_report *report = &seat[r].outcome.report;
        tests_placed.blocks = report->blocks;
        tests_placed.cut = report->cut;
        tests_placed.cut_in_order = report->cut_in_order;
        tests_outcome_destroy(&seat[r].outcome);
    }
    bool compared = one.machine && !refused;
    tests_outcome_destroy(&one);
    return compared;
}
