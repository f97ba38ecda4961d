// SPDX-License-Identifier: MIT
// Switches, processors of capacity 0: they begin without load, hold none in balance, and what they cannot do is
// refused.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/must.h"
#include "threads/api/axis.h"

// The hosts share all load, on every timing, and by methods of each kind.
Test(switches, hold_nothing_in_balance)
{
    static const char *const methods[] = {"ade", "adf", "fos", "sos", "opt", "local-average", "matching"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = "fattree:4", .method = methods[m], .carrier = "pool:1"}, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->converged || m == 4, "%s", methods[m]);
        for (uint32_t p = 0; p < 36; p++) {
            double wanted = p < 16 ? report->total_initial / 16.0 : 0.0;
            cr_expect(p < 16 || report->initial[p] == 0.0, "%s: switch %u has %g", methods[m], p, report->initial[p]);
            cr_expect(fabs(report->final[p] - wanted) < 0.01, "%s, %u: %g", methods[m], p, report->final[p]);
        }
        tests_outcome_destroy(&outcome);
    }
}

// The capacities of the hosts are those of the axis; the default of the weighting is the target.
Test(switches, beside_capacities)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "fattree:4", .method = "sos", .capacity = "semi", .carrier = "pool:1"},
             &outcome);
    const struct ek_report *report = &outcome.report;
    for (size_t i = 0; ek_axis_at(i); i++) {
        cr_expect(strcmp(ek_axis_at(i)->option, "weighting") != 0 ||
                  strcmp(ek_machine_axis(outcome.machine, i), "target") == 0);
    }
    for (uint32_t p = 0; p < 36; p++) {
        double capacity = p < 8 ? 2.0 : p < 16 ? 1.0 : 0.0;
        cr_expect(fabs(report->final[p] - capacity * report->total_initial / 24.0) < 0.01, "%u", p);
    }
    tests_outcome_destroy(&outcome);
}

Test(switches, refuse_what_they_cannot_do)
{
    static const struct {
        struct ek_experiment experiment;
        const char *part, *axis;
    } cases[] = {
        {{.method = "fos", .weighting = "capacity"}, "cannot be divided by the capacity of a switch", "weighting"},
        {{.method = "dem", .load = "peak:64"}, "targets are not whole", "method"},
        {{.method = "mwa", .units = "tokens", .load = "peak:64"}, "targets are not whole", "method"},
        {{.method = "adf", .work = "normal:100:30:100", .steps_max = 3},
         "a switch does no work, and work is for all processors: use a topology without",
         "topology"},
        {{.method = "steal:random", .tasks = "queens:6", .units = "tasks"},
         "a switch executes no tasks: use a topology without switches, as in hypercube:4",
         "topology"},
        {{.method = "adf", .objects = "weights:uniform:1:9", .units = "objects"},
         "a switch holds no objects: use a topology without",
         "topology"},
        {{.method = "adf", .load = "peak:64@16"}, "from 0 to 15", "load"},
        {{.method = "adf", .timing = "turns"}, "use capacity homo, or timing rounds", "capacity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct ek_error error = {0};
        experiment.topology = "fattree:4";
        experiment.carrier = "pool:1";
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect_null(machine, "%zu", i);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect(strstr(error.sentence, cases[i].part), "%zu: %s", i, error.sentence);
        cr_expect(strcmp(error.axis, cases[i].axis) == 0, "%zu: %s", i, error.axis);
        ek_machine_destroy(machine);
    }
}
