// SPDX-License-Identifier: MIT
// Objects on threads that race, and in windows of virtual time: parcels, what givers know of partners, and objects that
// come back over failed links. The ledger of every run counts the objects while the threads run.
#include <stdio.h>

#include "tests/support/rank_threads.h"

static const struct ek_experiment machines[] = {
    {.timing = "free", .method = "adf", .choose = "communicating"},
    {.timing = "free", .method = "ade", .carrier = "pool:2", .ports = "one", .choose = "nearest"},
    {.timing = "free", .method = "adf", .announce = "pushed", .mailbox = "spsc:1", .choose = "communicating"},
    {.timing = "free", .method = "adf", .delay = "uniform:5us:50us", .mailbox = "wfcq", .remainder = "drop"},
    {.timing = "free",
     .method = "ade",
     .faults = "link:5000,processor:500,repair:1ms",
     .perturb = 0.05,
     .choose = "communicating",
     .seconds_max = 0.2},
    {.timing = "free", .method = "odf", .domains = "exclusive", .choose = "foreign"},
    {.timing = "free", .method = "adf", .carrier = "pool:3", .migrate = "end"},
    {.timing = "virtual", .method = "adf", .carrier = "pool:3", .choose = "communicating"},
    {.timing = "virtual", .method = "ade", .carrier = "pool:4", .byte_time = "2ns", .delay_load = "uniform:1us:9us"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = machines[i];
        char what[40], detail[700];
        experiment.topology = "torus:3x3";
        experiment.objects = "mesh:12x12:uniform:1:9";
        experiment.load = "peak:144";
        tests_try(&experiment, 0, &outcome);
        bool open_end = experiment.seconds_max > 0.0 || outcome.report.ended == EK_ENDED_GIVEN_UP;
        bool ended = outcome.status == EK_OK || (open_end && outcome.status == EK_UNREACHED);
        bool good = outcome.machine && ended && outcome.report.objects.objects_moved > 0 &&
                    outcome.report.total_final == outcome.report.total_initial;
        snprintf(what, sizeof what, "machine %zu", i);
        snprintf(detail, sizeof detail, "status %d %s", outcome.status, outcome.error.sentence);
        tests_note(good, what, detail);
        tests_outcome_destroy(&outcome);
    }
    return tests_result();
}
