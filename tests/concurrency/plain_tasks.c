// SPDX-License-Identifier: MIT
// Tasks on threads that race, without rounds and in rounds: parcels, best values, detections and letters. Every run
// ends with the result of a single processor, and no task is lost.
#include <stdio.h>

#include "tests/support/rank_threads.h"

static const struct ek_experiment machines[] = {
    {.timing = "free", .method = "adf"},
    {.timing = "free", .method = "ade", .carrier = "pool:2", .ports = "one", .detect = "safra"},
    {.timing = "free", .method = "adf", .announce = "pushed", .mailbox = "spsc:1", .detect = "mattern"},
    {.timing = "free", .method = "adf", .delay = "uniform:5us:50us", .mailbox = "wfcq", .detect = "safra"},
    {.timing = "free", .method = "ade", .faults = "link:2000,processor:200,repair:1ms", .perturb = 0.05},
    {.timing = "free", .method = "odf", .domains = "exclusive", .give = "newest", .grain = 7, .detect = "mattern"},
    {.timing = "virtual", .method = "adf", .carrier = "pool:3", .detect = "safra"},
    {.timing = "virtual", .method = "ade", .carrier = "pool:4", .delay_load = "uniform:1us:9us"},
    {.method = "liquid:c4", .carrier = "pool:3"},
    {.method = "steal:random", .carrier = "pool:3"},
    {.method = "steal:lifeline"},
    {.method = "cwn", .carrier = "pool:2"},
    {.timing = "free", .method = "steal:random", .carrier = "pool:2", .detect = "safra"},
    {.timing = "free", .method = "steal:lifeline", .mailbox = "spsc:1", .perturb = 0.05},
    {.timing = "free", .method = "cwn", .delay = "uniform:5us:50us", .mailbox = "wfcq", .detect = "mattern"},
    {.timing = "free", .method = "place:random", .hops = 3, .faults = "link:2000,processor:200,repair:1ms"},
    {.timing = "free", .method = "gradient", .carrier = "pool:3", .mailbox = "mutex", .keep_links = true},
    {.timing = "virtual", .method = "initiated:receiver", .carrier = "pool:3", .detect = "mattern"},
};

// Runs the experiment. Returns its result, or 0 with a sentence if it fails.
static uint64_t result_of(struct ek_experiment experiment, char *why, size_t size)
{
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    bool good = outcome.machine && outcome.status == EK_OK && outcome.report.ended == EK_ENDED_DONE;
    uint64_t result = good ? outcome.report.tasks.result : 0;
    snprintf(why, size, "%s", outcome.error.sentence);
    tests_outcome_destroy(&outcome);
    return result;
}

int main(void)
{
    static const char *const programs[] = {"queens:6", "tsp:7:3", "flowshop:7x4:3"};
    char why[400], detail[500];
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        struct ek_experiment alone = {.topology = "chain:1", .method = "none", .tasks = programs[k]};
        uint64_t wanted = result_of(alone, why, sizeof why);
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
            struct ek_experiment experiment = machines[i];
            experiment.topology = "torus:3x3";
            experiment.tasks = programs[k];
            experiment.profile = i % 2 ? 9 : 0; // workers write the profiles of their processors
            uint64_t result = result_of(experiment, why, sizeof why);
            snprintf(detail, sizeof detail, "machine %zu: %llu, not %llu %s", i, (unsigned long long)result,
                     (unsigned long long)wanted, why);
            tests_note(wanted > 0 && result == wanted, programs[k], detail);
        }
    }
    return tests_result();
}
