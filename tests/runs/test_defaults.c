// SPDX-License-Identifier: MIT
// A method with all other axes at their defaults reaches its end, on its own kind of topology, in every timing and
// unit that it supports.
#include <criterion/criterion.h>
#include <string.h>

#include "core/method.h"
#include "tests/support/runs.h"
#include "threads/api/axis.h"

// The spec of each method that needs a parameter, and the topology that it is made for. The others run on a torus.
static const struct {
    const char *method, *spec, *topology;
} grounds[] = {
    {"gde", "gde:0.5", NULL},
    {"diffusion", "diffusion:0.2", NULL},
    {"twa", "twa:middle", "chain:20"},
    {"mwa", NULL, "mesh:6x4"},
    {"dem", NULL, "hypercube:5"},
    {"liquid", "liquid:c5", NULL},
    {"nna", NULL, "ring:20"},
    {"splitting", "splitting:1/2", "ring:20"},
    {"random-neighbours", "random-neighbours:2", NULL},
    {"sender", "sender:1/(deg+1)", NULL},
    {"rotor", "rotor:4", NULL},
    {"push-sum", "push-sum:60", NULL},
    {"broadcast-gossip", "broadcast-gossip:1000", NULL},
    {"adi", "adi(opt)", NULL},
    {"mdi", "mdi(opt)", NULL},
    {"de", "de(opt)", NULL},
    {"de-adi", "de-adi(opt)", NULL},
    {"ded", "ded(fos)", "otis(mesh:2x3)"},
};

static struct ek_experiment own_ground(const struct ek_method *method)
{
    struct ek_experiment experiment = {.topology = "torus:6x6", .method = method->name, .carrier = "pool:2"};
    for (size_t i = 0; i < sizeof grounds / sizeof *grounds; i++) {
        if (strcmp(grounds[i].method, method->name) == 0) {
            experiment.method = grounds[i].spec ? grounds[i].spec : method->name;
            experiment.topology = grounds[i].topology ? grounds[i].topology : experiment.topology;
        }
    }
    if (method->supports.objects) {
        experiment.objects = "mesh:16x16";
        experiment.migrate = "end";
    }
    return experiment;
}

Test(defaults, every_method_ends_well_on_its_own_ground)
{
    static const char *const timings[] = {"rounds", "turns", "free"};
    static const char *const units[] = {"real", "tokens"};
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        const bool can[] = {true, method->supports.turns, method->free};
        if (strcmp(method->name, "none") == 0 || method->letters) { // it balances no loads
            continue;
        }
        for (unsigned k = 0; k < 6; k++) {
            struct ek_experiment experiment = own_ground(method);
            experiment.timing = timings[k % 3];
            experiment.units = experiment.objects ? NULL : units[k / 3];
            if (!can[k % 3] || !(method->supports.units & (k / 3 == 0 ? EK_REAL : EK_TOKENS))) {
                continue;
            }
            struct tests_outcome outcome;
            tests_try(&experiment, 0, &outcome);
            cr_expect(outcome.status == EK_OK && outcome.report.converged, "%s, %s, %s: %d, %s%s", experiment.method,
                      experiment.timing, units[k / 3], (int)outcome.status, outcome.report.why, outcome.error.sentence);
            tests_outcome_destroy(&outcome);
        }
    }
}

static void expect_axis(struct ek_experiment experiment, const char *option, const char *value, bool given)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    size_t index = 0;
    while (strcmp(ek_axis_at(index)->option, option) != 0) {
        index++;
    }
    cr_expect_str_eq(ek_machine_axis(machine, index), value, "%s %s", experiment.method, option);
    cr_expect_eq(ek_machine_given(machine, index), given, "%s %s", experiment.method, option);
    ek_machine_destroy(machine);
}

// The method's row decides who invokes by default. The user's choice overrides it.
Test(defaults, a_method_says_who_invokes)
{
    const struct ek_experiment average = {.topology = "torus:6x6", .method = "local-average"};
    expect_axis(average, "invoke", "probability:0.0588235", true); // 1 / (4^2 + 1)
    expect_axis((struct ek_experiment){.topology = "complete:16", .method = "random-neighbours:2"}, "invoke",
                "probability:0.0625", true); // every processor is within reach
    struct ek_experiment other = average;
    other.invoke = "always";
    expect_axis(other, "invoke", "always", false);
    other.invoke = "below:200";
    expect_axis(other, "invoke", "below:200", true);
    other = average;
    other.timing = "free";
    expect_axis(other, "invoke", "always", false);
    expect_axis(other, "domains", "exclusive", true);
    other.domains = "overlap";
    expect_axis(other, "domains", "overlap", false);
    expect_axis((struct ek_experiment){.timing = "free", .method = "adf"}, "domains", "overlap", false);
}

// While work comes, a load may still change.
Test(defaults, random_neighbours_rest_when_no_work_comes)
{
    struct ek_experiment experiment = {.topology = "ring:6",
                                       .method = "random-neighbours:2",
                                       .load = "constant:10",
                                       .carrier = "pool:1",
                                       .work = "constant:0=1",
                                       .operations_max = 500};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.report.ended == EK_ENDED_OPERATIONS && outcome.status == EK_UNREACHED);
    tests_outcome_destroy(&outcome);
    experiment.work = "none";
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.report.ended == EK_ENDED_ITSELF && outcome.report.operations < 500);
    tests_outcome_destroy(&outcome);
}

// Diffusion with alpha above 1/(1+D) uses a link for one of two operations in free timing, unless the user chooses
// otherwise or loads are pushed.
Test(defaults, a_link_serves_one_where_two_would_swap_loads)
{
    static const struct {
        const char *method, *timing, *announce, *domains, *value;
        bool given;
    } cases[] = {{"fos", "free", NULL, NULL, "once", true},
                 {"odf", "free", NULL, NULL, "once", true},
                 {"diffusion:0.21", "free", NULL, NULL, "once", true},
                 {"diffusion:0.2", "free", NULL, NULL, "overlap", false},
                 {"ade", "free", NULL, NULL, "overlap", false},
                 {"fos", "free", NULL, "overlap", "overlap", false},
                 {"fos", "free", NULL, "exclusive", "exclusive", true},
                 {"fos", "free", "pushed", NULL, "overlap", false},
                 {"fos", "rounds", NULL, NULL, "overlap", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_axis((struct ek_experiment){.topology = "torus:6x6",
                                           .method = cases[i].method,
                                           .timing = cases[i].timing,
                                           .announce = cases[i].announce,
                                           .domains = cases[i].domains},
                    "domains", cases[i].value, cases[i].given);
    }
}
