// SPDX-License-Identifier: MIT
// The sentences at the end of a run and their reasons: the ledger's verdicts, rest, runs without progress, and runs
// whose sentences were wrong once.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/theory/rest.h"
#include "tests/support/runs.h"
#include "threads/machine/machine.h"
#include "threads/watch/no_progress.h"
#include "threads/watch/ledger.h"

TestSuite(endings, .timeout = 120);

Test(endings, a_sum_keeps_what_rounding_takes)
{
    double value[2003];
    for (int i = 0; i < 2003; i++) {
        value[i] = i % 2 == 0 ? 1e16 : 1.0;
    }
    for (int i = 0; i < 2002; i += 4) {
        value[i] = -1e16; // 501 of them, and 501 of the others
    }
    value[2002] = 0.0;
    cr_assert_eq(core_measure_sum(value, 2003), 1001.0 - 1e16, "%.17g", core_measure_sum(value, 2003));
    cr_assert_eq(core_measure_sum((double[]){1e308, 1e308}, 2), INFINITY);
}

static enum watch_verdict verdict_of(double held, double initial, double additions, double lowest, enum ek_units units)
{
    struct ek_error violation;
    struct watch_ledger ledger = {.initial = initial,
                                  .initial_size = initial,
                                  .generated = 50.0,
                                  .consumed = 30.0,
                                  .in_flight = 20.0,
                                  .held = held,
                                  .additions = additions,
                                  .lowest = lowest};
    return watch_ledger_look(&ledger, 8, units, "", &violation);
}

// A thousand additions to loads of 850 in all, including generated load, may lose 1000 * 2^-52 * 850 = 1.89e-10, and
// no more. The load held and in flight must equal the load at the start plus generated minus consumed load.
Test(endings, the_ledger_knows_rounding_from_loss)
{
    cr_expect_eq(verdict_of(800.0, 800.0, 1000, 0, EK_REAL), WATCH_BALANCES);
    cr_expect_eq(verdict_of(800.0 + 1.8e-10, 800.0, 1000, 0, EK_REAL), WATCH_BALANCES);
    cr_expect_eq(verdict_of(800.0 + 2.0e-10, 800.0, 1000, 0, EK_REAL), WATCH_VIOLATED);
    cr_expect_eq(verdict_of(800.0 - 2.0e-10, 800.0, 1000, 0, EK_REAL), WATCH_VIOLATED);
    cr_expect_eq(verdict_of(800.0, 800.0, 1e9, 0, EK_TOKENS), WATCH_BALANCES);
    cr_expect_eq(verdict_of(801.0, 800.0, 1e9, 0, EK_TOKENS), WATCH_VIOLATED);
    // Loads far below zero mean loads far above it, whose rounding errors are larger. But a millionth of 800 is
    // 8e-4.
    cr_expect_eq(verdict_of(800.0 + 1e-7, 800.0, 1000, -1e6, EK_REAL), WATCH_BALANCES);
    cr_expect_eq(verdict_of(800.0 + 1e-3, 800.0, 1000, -1e12, EK_REAL), WATCH_MEANINGLESS);
    cr_expect_eq(verdict_of(800.0 + 1e-3, 800.0, 1000, -1e6, EK_REAL), WATCH_VIOLATED);
    cr_expect_eq(verdict_of(INFINITY, 800.0, 1000, 0, EK_REAL), WATCH_MEANINGLESS);
    cr_expect_eq(verdict_of(NAN, 800.0, 1000, 0, EK_REAL), WATCH_MEANINGLESS);
}

Test(endings, no_progress_is_suspected_when_the_least_distance_stays)
{
    struct watch_no_progress progress;
    watch_no_progress_begin(&progress, 100.0, 0, 8);
    for (uint64_t operation = 1; operation <= 7; operation++) {
        watch_no_progress_note(&progress, 100.0, operation);
        cr_assert(!progress.suspected, "before the first look");
    }
    watch_no_progress_note(&progress, 50.0, 8);
    cr_assert(!progress.suspected);
    for (uint64_t operation = 9; operation <= 16; operation++) {
        watch_no_progress_note(&progress, 50.0 + (double)(operation % 3), operation);
        cr_assert_eq(progress.suspected, operation == 16, "operation %d", (int)operation);
    }
    watch_no_progress_note(&progress, 49.0, 31);
    watch_no_progress_note(&progress, 60.0, 32);
    cr_assert(!progress.suspected, "it came nearer after all");
    cr_assert_eq(watch_no_progress_patience(1 << 20, 16, 4), 65536);
    cr_assert_eq(watch_no_progress_patience(1 << 20, 256, 4), 4096);
    cr_assert_eq(watch_no_progress_patience(1 << 20, 1 << 16, 4), 1024);
    cr_assert_eq(watch_no_progress_patience(1 << 20, 1 << 16, 32768), 131072);
    cr_assert_eq(watch_no_progress_patience(1 << 20, 1 << 16, -1), 262144);
}

static bool rests_without(const uint8_t *usable, const char *method, const char *link_limit, const double *held)
{
    struct ek_error error;
    struct ek_experiment experiment = {
        .topology = "chain:4", .method = method, .units = "tokens", .link_limit = link_limit};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    double announced[2];
    struct core_rest rest = {.plan = &machine->plan.method_plan,
                             .topology = machine->plan.topology,
                             .links = &machine->plan.links,
                             .held = held,
                             .flow = machine->plan.method->rule ? machine->plan.method->rule->flow_tokens : NULL,
                             .announced = announced,
                             .usable = usable};
    bool holds = core_rest_shows(machine->plan.method, &machine->plan.method_plan) && core_rest_holds(&rest);
    ek_machine_destroy(machine);
    return holds;
}

static bool rests(const char *method, const char *link_limit, const double *held)
{
    return rests_without(NULL, method, link_limit, held);
}

// The ports of chain:4 in order: 0-1, 1-0, 1-2, 2-1, 2-3, 3-2. Load could move from 2 to 1 only.
Test(endings, a_failed_link_is_that_of_its_processor)
{
    const double steep[] = {0, 1, 3, 4};
    cr_expect(rests_without((const uint8_t[]){1, 1, 0, 0, 1, 1}, "ade", "none", steep));
    cr_expect(!rests_without((const uint8_t[]){0, 0, 1, 1, 1, 1}, "ade", "none", steep));
    cr_expect(!rests_without((const uint8_t[]){1, 1, 1, 1, 0, 0}, "ade", "none", steep));
}

// The loads alone show rest only if the rule remembers nothing.
Test(endings, a_rule_with_memory_shows_no_rest)
{
    const struct ek_method *method = ek_method_find("ade");
    cr_expect(core_rest_shows(method, &(const struct ek_plan){.parameter = 0.5}));
    cr_expect_not(core_rest_shows(method, &(const struct ek_plan){.parameter = 0.5, .port_doubles = 1}));
    cr_expect_not(core_rest_shows(method, &(const struct ek_plan){.parameter = 0.5, .state_doubles = 1}));
}

Test(endings, rest_is_what_no_link_changes)
{
    const double stairs[] = {0, 1, 2, 3};
    const double steep[] = {0, 1, 3, 4};
    cr_expect(rests("ade", "none", stairs));
    cr_expect(!rests("ade", "none", steep));
    cr_expect(!rests("ade", "1", steep));
    cr_expect(rests("ade", "0", steep), "links that carry nothing");
    cr_expect(rests("gde:0.4", "none", steep)); // floor(0.4 * 2) is 0
    cr_expect(!rests("gde:0.4", "none", (double[]){0, 0, 0, 3}));
    cr_expect(rests("adf", "none", steep)); // floor(2/3) is 0
    cr_expect(!rests("adf", "none", (double[]){0, 0, 0, 3}));
    cr_expect(!rests("local-average", "none", (double[]){2, 2, 2, 2}), "not seen in the loads of a link");
}

struct ending {
    struct ek_experiment experiment;
    enum ek_ended ended;
    enum ek_status status;
    uint64_t operations; // 0: any
    const char *why;     // a part of the sentence, or NULL: none
};

// The first four runs once reported that they had converged, or lost load. The others were given up, or had no
// sentence.
static const struct ending endings[] = {
    {{.topology = "complete:16", .method = "adf", .load = "peak:1600", .delay = "fixed:10", .steps_max = 100},
     EK_ENDED_STEPS,
     EK_UNREACHED,
     100,
     "the limit on steps ended the run"},
    {{.topology = "complete:16",
      .method = "sender:1.5/deg",
      .load = "peak:1600",
      .delay = "fixed:2",
      .stop = "error:0.01",
      .steps_max = 20000},
     EK_ENDED_DIVERGES,
     EK_UNREACHED,
     0,
     "numbers have lost their meaning"},
    {{.topology = "complete:16", .method = "sender:1.5/deg", .delay = "fixed:2", .stop = "never", .steps_max = 20000},
     EK_ENDED_DIVERGES,
     EK_UNREACHED,
     0,
     "numbers have lost their meaning"},
    {{.topology = "ring:8", .method = "adf", .load = "peak:800", .link_limit = "0.001"},
     EK_ENDED_CRITERION,
     EK_OK,
     0,
     NULL},
    {{.topology = "complete:16",
      .method = "sender:1/(2deg)",
      .load = "peak:1600",
      .delay = "fixed:10",
      .stop = "error:0.01",
      .steps_max = 200000},
     EK_ENDED_CRITERION,
     EK_OK,
     4764, // the result of the delay paper's equation, iterated separately
     NULL},
    {{.topology = "ring:15",
      .method = "sender:1/(deg+1)",
      .load = "peak:1500",
      .delay = "fixed:5",
      .stop = "error:0.01",
      .steps_max = 200000},
     EK_ENDED_CRITERION,
     EK_OK,
     10855, // the same
     NULL},
    {{.topology = "ring:4", .method = "adf", .invoke = "probability:0.0001", .steps_max = 1000000},
     EK_ENDED_CRITERION,
     EK_OK,
     0,
     NULL},
    {{.topology = "ring:4", .method = "adf", .invoke = "probability:0.0001", .steps_max = 3000},
     EK_ENDED_STEPS,
     EK_UNREACHED,
     3000,
     "the limit on steps ended the run"},
    {{.topology = "torus:4x4", .method = "ade", .units = "tokens", .load = "peak:641", .stop = "spread:0"},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     2,
     "nothing can move any more: this is as far as whole tokens get with this method"},
    {{.topology = "ring:4", .method = "adf", .load = "peak:8", .link_limit = "0"},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     1,
     "nothing can move any more: this is as far as the method gets"},
    {{.topology = "torus:4x4",
      .method = "ade",
      .units = "tokens",
      .load = "peak:641",
      .stop = "spread:0",
      .invoke = "probability:0.1"},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     0,
     "nothing can move any more"},
    // The hub draws a neighbour each time, and meets the one without load in the eleventh operation. Until then
    // no load moves, and the same loads return.
    {{.topology = "star:4",
      .method = "random-neighbours:1:1",
      .units = "tokens",
      .load = "list:2,2,2,0",
      .invoke = "at:0",
      .stop = "spread:1",
      .seed = 1,
      .steps_max = 1000},
     EK_ENDED_CRITERION,
     EK_OK,
     11,
     NULL},
    // In the 16th operation no load moves, none is in flight, and the loads 5 4 3 4 would not move. But an
    // announcement from before arrives later, and moves the last load.
    {{.topology = "ring:4",
      .method = "diffusion:0.5",
      .units = "tokens",
      .load = "uniform:0:9",
      .delay = "uniform:0:5",
      .stop = "spread:0",
      .seed = 27,
      .steps_max = 400},
     EK_ENDED_CRITERION,
     EK_OK,
     24,
     NULL},
    {{.topology = "ring:8", .method = "adf", .load = "peak:8", .invoke = "below:-1"},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     1,
     "no processor invokes an operation"},
    {{.topology = "torus:4x4", .method = "gde:1", .load = "peak:100"},
     EK_ENDED_REPEATS,
     EK_UNREACHED,
     0,
     "the loads repeat every 2 operations for ever, with a spread of 100: with lambda = 1 each pair swaps its loads"},
    {{.topology = "torus:8x8", .method = "ade", .stop = "variance:0"},
     EK_ENDED_REPEATS,
     EK_UNREACHED,
     0,
     "these are rounding errors, which no method removes"},
    {{.topology = "ring:4", .method = "gde:0", .load = "peak:8"},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     1,
     "with lambda = 0 nothing moves"},
    {{.topology = "ring:4", .method = "diffusion:0.5", .load = "peak:8"},
     EK_ENDED_REPEATS,
     EK_UNREACHED,
     0,
     "has the eigenvalue -1 on this topology: differences along it change sign for ever; use an alpha above 0 and "
     "below 2/lmax = 0.5, the best one is 0.333333"},
    {{.topology = "ring:4", .method = "diffusion:0.6", .load = "peak:8"},
     EK_ENDED_DIVERGES,
     EK_UNREACHED,
     0,
     "the eigenvalue -1.4 on this topology: differences along it grow from operation to operation"},
    {{.topology = "ring:4", .method = "diffusion:0", .load = "peak:8"},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     1,
     "has the eigenvalue 1 on this topology: nothing moves"},
    {{.topology = "torus:4x4", .method = "sos", .stop = "variance:0"},
     EK_ENDED_GIVEN_UP,
     EK_UNREACHED,
     0,
     "perhaps this is as far as the method gets; that is no proof: a run with a limit on steps, operations or time "
     "goes "
     "on"},
    {{.topology = "ring:4",
      .method = "random-neighbours:1:1",
      .units = "tokens",
      .load = "list:2,2,2,1",
      .stop = "spread:0",
      .seed = 1,
      .operations_max = 140000},
     EK_ENDED_OPERATIONS,
     EK_UNREACHED,
     140000,
     "the number of operations doubled; perhaps this is as far as whole tokens get with this method"},
    {{.topology = "torus:4x4", .method = "sos", .stop = "variance:0", .operations_max = 140000},
     EK_ENDED_OPERATIONS,
     EK_UNREACHED,
     140000,
     "did not fall while the number of operations doubled; perhaps"},
    // Nothing moves from the start. After the delay and two operations every announcement is newer than the last move.
    {{.topology = "ring:4",
      .method = "adf",
      .units = "tokens",
      .load = "list:1,0,1,0",
      .delay = "fixed:3",
      .stop = "spread:0",
      .steps_max = 400},
     EK_ENDED_FROZEN,
     EK_UNREACHED,
     5,
     "move nothing at differences d of up to 2"},
    // Direct methods end by themselves. They have converged only if their result is what they guarantee.
    {{.topology = "hypercube:3", .method = "dem", .load = "peak:1000", .invoke = "at:0"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     1,
     "the method ended with a spread of 500; it guarantees a spread of at most 3 only with invoke always"},
    {{.topology = "hypercube:3", .method = "dem", .load = "peak:1000", .delay = "fixed:3"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     1,
     "a spread of 500 and with 375 in flight; it guarantees a spread of at most 3 only with delay none"},
    {{.topology = "hypercube:1", .method = "dem", .load = "list:2,0", .delay = "fixed:3"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     1,
     "a spread of 1 and with 1 in flight; it guarantees a spread of at most 1 only with delay none"},
    {{.topology = "hypercube:3", .method = "dem", .load = "peak:1000", .link_limit = "2", .invoke = "at:0"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     1,
     "only with invoke always and link-limit none"},
    {{.topology = "hypercube:3", .method = "dem", .load = "list:0,1,1,2,1,2,2,3", .link_limit = "1"},
     EK_ENDED_ITSELF,
     EK_OK,
     1,
     NULL},
    {{.topology = "ring:8", .method = "dde", .work = "constant:0=50,3=-20"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     1,
     "the method ended with a spread of 70; it guarantees a spread of at most 1 only with work none"},
    {{.topology = "chain:3", .method = "dem:folded", .load = "list:0,100,0"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     1,
     "the method ended with a spread of 50, because the middle of an odd part has no image"},
    {{.topology = "chain:3", .method = "dem:folded", .load = "list:0,2,0"}, EK_ENDED_ITSELF, EK_OK, 1, NULL},
    {{.topology = "torus:4x4", .method = "ops", .load = "peak:1000", .invoke = "at:0", .delay = "fixed:3"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     4,
     "its result is exact only with invoke always and delay none"},
    {{.topology = "mesh:4x4", .method = "adi(opt)", .load = "peak:1000", .link_limit = "2"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     3,
     "the method ended 956 from balance; its result is exact only with link-limit none"},
    {{.topology = "otis(mesh:2x2)", .method = "ded(ops)", .load = "peak:1000", .work = "constant:0=50,3=-20"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     5,
     "its result is exact only with work none"},
    {{.topology = "ring:12", .method = "splitting:1/4", .load = "peak:1200", .invoke = "at:3"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     0,
     "the method ended with a spread of 1200; its end is certain only with invoke always"},
    {{.topology = "ring:12", .method = "splitting:1/4", .load = "peak:1200", .link_limit = "0"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     0,
     "the method ended with a spread of 1200; its end is certain only with link-limit none"},
    {{.topology = "ring:12", .method = "splitting:1/4", .load = "peak:1200", .link_limit = "50"},
     EK_ENDED_ITSELF,
     EK_OK,
     0,
     NULL},
    {{.topology = "mesh:30x30", .method = "opt"},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     408,
     "because the rounding errors of its steps have grown so far; another order of its steps, or the scheme ops"},
    {{.topology = "otis(chain:8)", .method = "ops", .capacity = "uniform:1:64", .seed = 2},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     63,
     "because the rounding errors of its steps have grown so far; the method fos"},
    {{.topology = "otis(mesh:2x2)", .method = "ded(fos)", .capacity = "uniform:1:64", .seed = 3},
     EK_ENDED_ITSELF,
     EK_UNREACHED,
     0,
     "because the first stage ends before it is exact, and where capacities differ the exchange magnifies"},
};

Test(endings, say_what_is_so)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct ek_experiment experiment = endings[i].experiment;
        experiment.carrier = "pool:1";
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect_eq(outcome.status, endings[i].status, "%zu: status %d", i, (int)outcome.status);
        cr_expect_eq(report->ended, endings[i].ended, "%zu: ended %d: %s", i, (int)report->ended, report->why);
        cr_expect_eq(report->converged, endings[i].status == EK_OK, "%zu", i);
        cr_expect(endings[i].operations == 0 || report->operations == endings[i].operations, "%zu: %d operations", i,
                  (int)report->operations);
        cr_expect(endings[i].why ? strstr(report->why, endings[i].why) != NULL : *report->why == '\0', "%zu: %s", i,
                  report->why);
        tests_outcome_destroy(&outcome);
    }
}

// A criterion may ask for more than a direct method guarantees. Then no setting is to blame, nor are rounding errors.
Test(endings, a_guarantee_that_was_kept_needs_no_excuse)
{
    static const struct ek_experiment kept[] = {
        {.topology = "mesh:4x4", .method = "dem:folded", .load = "peak:1000", .stop = "spread:0"},
        {.topology = "torus:4x4", .method = "opt", .stop = "error:0", .link_limit = "1e9"}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct tests_outcome outcome;
        tests_try(&kept[i], 0, &outcome);
        cr_expect(outcome.status == EK_UNREACHED && outcome.report.ended == EK_ENDED_ITSELF);
        cr_expect(strstr(outcome.report.why, "the method ended ") && !strstr(outcome.report.why, "because") &&
                      !strstr(outcome.report.why, "only"),
                  "%s", outcome.report.why);
        tests_outcome_destroy(&outcome);
    }
}

// Every finite scheme has a remedy, which is not itself.
Test(endings, a_scheme_does_not_recommend_itself)
{
    static const struct {
        const char *topology, *method, *remedy;
    } schemes[] = {
        {"mesh:4x4", "opt", "the scheme ops"},
        {"mesh:4x4", "ops", "the method fos"},
        {"mesh:4x4", "adi(opt)", "the scheme ops"},
        {"mesh:4x4", "adi(ops)", "the method fos"},
        {"mesh:4x4", "mdi(opt)", "the scheme ops"},
        {"mesh:4x4", "de(opt)", "the scheme ops"},
        {"mesh:4x4", "de(ops)", "the method fos"},
        {"mesh:4x4", "de-adi(opt)", "the scheme ops"},
        {"mesh:4x4", "de-adi(ops)", "the method fos"},
        {"otis(mesh:2x2)", "ded(opt)", "the scheme ops"},
        {"otis(mesh:2x2)", "ded(ops)", "the method fos"},
        {"otis(mesh:2x2)", "ded(sos)", "the scheme ops"},
    };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct ek_error error;
        struct ek_experiment experiment = {.topology = schemes[i].topology, .method = schemes[i].method};
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine, "%s", error.sentence);
        cr_expect(strstr(machine->plan.method_plan.inexact, schemes[i].remedy), "%s: %s", schemes[i].method,
                  machine->plan.method_plan.inexact);
        ek_machine_destroy(machine);
    }
}
