// SPDX-License-Identifier: MIT
#include "tests/support/free_ranks.h"

#include <stdint.h>
#include <string.h>

#include "topologies/topology.h"

// Returns the name of a value in which two ranks' reports of a good run differ, or NULL.
static const char *differs(const struct tests_outcome *rank, const struct tests_outcome *first)
{
    uint32_t processors = ek_machine_topology(first->machine)->processors;
    const char *name = tests_report_differs(&rank->report, &first->report, processors);
    const struct ek_report *a = &rank->report, *b = &first->report;
    struct ek_free_report free_a = a->free, free_b = b->free;
    free_a.link = free_b.link = NULL;
    if (name) {
        return name;
    }
    if (memcmp(&free_a, &free_b, sizeof free_a) != 0 || memcmp(&a->effects, &b->effects, sizeof a->effects) != 0) {
        return "what is of free timing alone";
    }
    if (b->free.link && memcmp(a->free.link, b->free.link, b->free.link_count * sizeof *b->free.link) != 0) {
        return "links";
    }
    size_t frames = b->frame_count * processors * sizeof *b->frame_load;
    if (a->frame_count != b->frame_count || (frames > 0 && memcmp(a->frame_load, b->frame_load, frames) != 0)) {
        return "frames";
    }
    return a->elapsed_s == b->elapsed_s ? NULL : "time";
}

void tests_carry_free(struct tests_room *room, struct tests_seat *seat, const struct ek_experiment *experiment)
{
    room->deaf_after = room->deaf_after > 0 ? room->deaf_after : UINT32_MAX;
    for (unsigned r = 0; r < room->count; r++) {
        seat[r] = (struct tests_seat){.experiment = *experiment};
        seat[r].experiment.timing = "free";
        seat[r].experiment.keep_loads = seat[r].experiment.keep_trace = true;
    }
    tests_carry(room, seat);
    for (unsigned r = 1; r < room->count; r++) {
        const struct tests_outcome *first = &seat[0].outcome, *rank = &seat[r].outcome;
        const char *sentence = rank->error.sentence;
        tests_note(rank->status == first->status && strcmp(sentence, first->error.sentence) == 0, "a rank", sentence);
        bool ended = first->status == EK_OK || first->status == EK_UNREACHED;
        const char *name = ended ? differs(rank, first) : NULL;
        tests_note(name == NULL, "another rank's report", name ? name : "");
    }
}

void tests_leave(const struct tests_room *room, struct tests_seat *seat)
{
    for (unsigned r = 0; r < room->count; r++) {
        tests_outcome_destroy(&seat[r].outcome);
    }
}

int tests_free_ranks_main(const struct tests_check *checks, size_t checks_count, int count, char **argument)
{
    for (size_t i = 0; i < checks_count; i++) {
        bool wanted = count == 1;
        for (int k = 1; k < count; k++) {
            wanted = wanted || strcmp(argument[k], checks[i].name) == 0;
        }
        if (wanted) {
            checks[i].check();
        }
    }
    return tests_result();
}
