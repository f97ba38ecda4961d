// SPDX-License-Identifier: MIT
// TemperedLB: Lifflander et al. 2021. An operation is the whole algorithm, whose steps are rounds of gossip and
// transfers. Numbers that cross links are no lists of loads or objects, and letters carry tasks. So the steps pass
// without messages of the machine, and core/objects/tempered.c then plays the processors.
#include <math.h>

#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/objects/tempered.h"
#include "core/parameter.h"
#include "core/theory/facts.h"
#include "topologies/topology.h"

enum { ITERATIONS_USUAL = 4, TIMES_MOST = 100, ROUNDS_MOST = 64 };

static const char *known_criterion(size_t index)
{
    static const char *const names[] = {"modified", "grapevine"}; // as enum core_tempered_criterion
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *known_share(size_t index)
{
    static const char *const names[] = {"max", "original", "self", "eligible"}; // as enum core_tempered_share
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

// Returns whether `fanout` to the power of `rounds` is at least the number of processors.
static bool reaches(uint64_t fanout, uint64_t rounds, uint32_t processors)
{
    uint64_t reached = 1;
    for (uint64_t i = 0; i < rounds && reached < processors; i++) {
        reached *= fanout;
    }
    return reached >= processors;
}

// Finds the fanout and the rounds that are not given, 0, so that the news can reach all processors. If both are left
// out, the rounds are the root of log2 of the number of processors.
static void settle_reach(uint64_t *fanout, uint64_t *rounds, uint32_t processors)
{
    if (*fanout == 0) {
        long usual = lround(sqrt(log2((double)processors)));
        *rounds = usual > 0 ? (uint64_t)usual : 1;
        for (*fanout = 1; !reaches(*fanout, *rounds, processors);) {
            ++*fanout;
        }
    }
    if (*rounds == 0) {
        for (*rounds = 1; *rounds < ROUNDS_MOST && !reaches(*fanout, *rounds, processors);) {
            ++*rounds;
        }
    }
}

// Reads CRITERION:SHARES:ITERATIONS:TRIALS:FANOUT:ROUNDS, of which the last ones may be left out.
static bool read_rule(struct core_tempered *rule, const char *parameter, int at, uint32_t processors,
                      struct ek_error *error)
{
    size_t criterion = 0, share = 0;
    uint64_t iterations = ITERATIONS_USUAL, trials = 1, fanout = 0, rounds = 0;
    struct base_cursor cursor = core_parameter_start(parameter ? parameter : "", at, error);
    if (parameter &&
        !(base_cursor_known(&cursor, "criterion", known_criterion, &criterion) &&
          (!base_cursor_accept(&cursor, ':') || base_cursor_known(&cursor, "kind of shares", known_share, &share)) &&
          method_letter_whole(&cursor, "the number of iterations", 1, TIMES_MOST, &iterations) &&
          method_letter_whole(&cursor, "the number of trials", 1, TIMES_MOST, &trials) &&
          method_letter_whole(&cursor, "the fanout", 1, UINT32_MAX, &fanout) &&
          method_letter_whole(&cursor, "the number of rounds", 1, ROUNDS_MOST, &rounds) && base_cursor_end(&cursor))) {
        return false;
    }
    settle_reach(&fanout, &rounds, processors);
    *rule = (struct core_tempered){.criterion = (enum core_tempered_criterion)criterion,
                                   .share = (enum core_tempered_share)share,
                                   .fanout = (uint32_t)fanout,
                                   .rounds = (uint32_t)rounds,
                                   .iterations = (uint32_t)iterations,
                                   .trials = (uint32_t)trials};
    return true;
}

static bool tempered_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                             struct ek_error *error)
{
    struct core_tempered rule;
    if (setting->topology->processors > CORE_TEMPERED_PROCESSORS_MOST) {
        return base_fail_at(error, "topology", 0, "tempered is for at most %u processors: use a smaller topology",
                            (unsigned)CORE_TEMPERED_PROCESSORS_MOST);
    }
    if (!read_rule(&rule, parameter, at, setting->topology->processors, error)) {
        return false;
    }
    plan->operations = 1;
    return method_letter_data(plan, &rule, sizeof rule, error);
}

static uint64_t steps_of(const struct core_tempered *rule)
{
    return (uint64_t)rule->trials * rule->iterations * (rule->rounds + 1);
}

// Nothing crosses a link in these steps.
static enum ek_next tempered_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct core_tempered *rule = plan->data;
    if (moment->index == steps_of(rule)) {
        return EK_NEXT_OPERATION_ENDS;
    }
    step->count = moment->index % (rule->rounds + 1) < rule->rounds ? EK_COUNT_SCAN : EK_COUNT_EXCHANGE;
    return EK_NEXT_STEP;
}

static uint64_t tempered_place(const struct ek_plan *plan, const struct core_object_set *objects, uint32_t processors,
                               uint64_t seed, uint64_t steps, void *memory, uint32_t *place)
{
    return core_tempered_place(plan->data, objects, processors, seed, steps, memory, place);
}

static void tempered_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct core_tempered *rule = plan->data;
    (void)outlook;
    core_facts_add(
        facts, CORE_AT_END, "steps_all", (double)steps_of(rule), "steps",
        "Trials %u, iterations %u, rounds of gossip %u, fanout %u. Each iteration has a step for each round, "
        "and one for transfers. No load at the end exceeds the largest one at the start.",
        rule->trials, rule->iterations, rule->rounds, rule->fanout);
}

static const struct ek_texts tempered_texts = {
    .title = "gossip, then transfers to random peers",
    .parameter = "C:S:I:T:F:R",
    .other = "tempered:modified:max:8:10",
    .example = "tempered --topology torus:8x8 --objects mesh:32x32:uniform:1:9 --load peak:1024 --migrate end",
    .equation = "a processor below the mean load tells F others drawn at random, and all that hear of it tell on for R "
                "rounds. A processor above the mean offers its objects, one after another, each to a known peer drawn "
                "with a share of 1 - load/norm, and gives if the criterion holds. Of I iterations in each of T trials, "
                "the placement with the lowest largest load is kept",
    .steps = "The run is one operation. Each iteration has R steps of gossip, counted as scan_steps, and one of "
             "transfers, counted in exchange_steps. No message crosses a link: messages counts those of the algorithm, "
             "which go straight to their receivers.",
    .optimum = "C is modified (an object weighs less than the difference of the two loads) or grapevine (the receiver "
               "is not above the mean afterwards). S is the norm: max (the largest load of these peers, or the mean if "
               "that is more), original (the mean; peers that have reached it are left out), self (the giver's load) "
               "or eligible (as max, of all known peers that meet the criterion). I is 4 and T is 1 if they are not "
               "given, R is the root of log2 of the number of processors, and F the least with F^R at least this "
               "number; with F alone, R follows from F in this way.",
    .assumes = "The mean load, and the largest load after each iteration. A message goes to any processor.",
    .source =
        "Lifflander et al., Optimizing distributed load balancing for workloads with time-varying imbalance, IEEE "
        "CLUSTER 2021; TemperedLB in DARMA/vt",
    .findings = "As in DARMA/vt with deterministic, inform=SyncInform and ordering=FewestMigrations, but nothing moves "
                "unless the largest load falls.",
};

const struct ek_method core_method_tempered = {
    .name = "tempered",
    .texts = &tempered_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS, .objects = true},
    .links = EK_LINKS_SCHEDULED,
    .direct = true,
    .draws = true,
    .prepare = tempered_prepare,
    .destroy = method_free_data,
    .facts = tempered_facts,
    .rounds = &(const struct ek_rounds_part){.next = tempered_next, .act = method_none_act, .counts = EK_COUNTS_SCAN},
    .placement = &(const struct ek_placement_part){.bytes = core_tempered_bytes, .place = tempered_place},
};
