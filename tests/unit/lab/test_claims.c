// SPDX-License-Identifier: MIT
// Claims: how they are read, and that a verdict follows from the runs. Small claims with a known verdict have each
// kind of expectation, once as it holds and once as it does not.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/papers/experiment_line.h"
#include "lab/papers/verdict.h"
#include "lab/record/extract.h"

static char folder[] = "/tmp/evenkeel-papers-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.sqlite", folder);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(papers, .init = make_folder, .fini = remove_folder);

#define CLAIM "[a-1]\nplace = here\nkind = claim\nclaim = so\n"
#define RINGS "run = --topology ring:4,ring:8 --method ade --load peak:80 --steps 1 --stop never --seed 1..4\n"
#define DRAWN "run = --topology ring:8 --method ade --load uniform:0:100 --steps 1 --stop never --seed 1..40\n"

static struct ek_error error;
static double timeout_s;   // of each run; 0: none
static bool charts = true; // whether they are drawn

// The result of a trial.
struct outcome {
    enum lab_verdict verdict;
    char why[1000];
    struct lab_evidence evidence[8];
    char group[8][40], command[8][300];
    size_t count;
    size_t looked; // number of checks that were tried
};

static bool looked(void *context, const struct lab_evidence *evidence, size_t count, struct lab_store *store,
                   struct ek_error *unused)
{
    (void)evidence, (void)count, (void)store, (void)unused;
    ((struct outcome *)context)->looked++;
    return true;
}

static bool judged(void *context, const struct lab_judgement *judgement, struct ek_error *unused)
{
    (void)unused;
    struct outcome *outcome = context;
    outcome->verdict = judgement->verdict;
    snprintf(outcome->why, sizeof outcome->why, "%s", judgement->why);
    cr_assert_leq(judgement->count, 8);
    outcome->count = judgement->count;
    for (size_t i = 0; i < judgement->count; i++) {
        const struct lab_evidence *evidence = &judgement->evidence[i];
        outcome->evidence[i] = *evidence;
        snprintf(outcome->group[i], sizeof outcome->group[i], "%s", evidence->group ? evidence->group : "");
        snprintf(outcome->command[i], sizeof outcome->command[i], "%s", evidence->command);
    }
    return true;
}

static char *read_file(void *context, const char *name, size_t *length, struct ek_error *why)
{
    (void)context, (void)name, (void)length;
    snprintf(why->sentence, sizeof why->sentence, "there are no files here");
    return NULL;
}

static bool attempt(const char *text, bool quick, uint64_t seed, struct outcome *outcome,
                    struct lab_sweep_result *swept)
{
    struct lab_papers papers;
    *outcome = (struct outcome){0};
    error = (struct ek_error){.at = -1};
    cr_assert(lab_papers_read(&papers, text, &error), "%s", error.sentence);
    const struct lab_claim *claim = &papers.claim[0];
    struct lab_claims_request trial = {.claim = &claim,
                                       .count = 1,
                                       .quick = quick,
                                       .seed = seed,
                                       .sweep = {.request = {.reader = {.read = read_file}, .shard = 1, .shards = 1},
                                                 .store = path,
                                                 .jobs = 1,
                                                 .timeout_s = timeout_s}};
    struct lab_claims_sink jury = {.context = outcome, .on_check = charts ? looked : NULL, .on_claim = judged};
    bool good = lab_claims_run(&trial, &jury, swept, &error);
    lab_papers_destroy(&papers);
    return good;
}

static struct outcome outcome_of(const char *text)
{
    struct outcome outcome;
    struct lab_sweep_result swept;
    cr_assert(attempt(text, false, 1, &outcome, &swept), "%s", error.sentence);
    cr_assert_eq(swept.refused + swept.failed + swept.left, 0);
    lab_sweep_result_destroy(&swept);
    return outcome;
}

#define expect_verdict(text, wanted)                                                                                   \
    do {                                                                                                               \
        struct outcome of_text = outcome_of(text);                                                                     \
        cr_expect_eq(of_text.verdict, wanted, "%s\nis %s: %s", text, lab_verdict_name(of_text.verdict), of_text.why);  \
    } while (0)

Test(papers, what_holds_and_what_does_not)
{
    static const struct {
        const char *check;
        enum lab_verdict verdict;
    } checks[] = {
        {RINGS "always = processors < 9", LAB_VERDICT_HOLDS},
        {RINGS "always = processors < 8", LAB_VERDICT_FAILS},
        {RINGS "always = NULL", LAB_VERDICT_FAILS},
        {RINGS "some = processors = 8", LAB_VERDICT_HOLDS},
        {RINGS "some = processors = 9", LAB_VERDICT_FAILS},
        {RINGS "quantity = max(processors)\nequals = 8", LAB_VERDICT_HOLDS},
        {RINGS "quantity = max(processors)\nequals = 8.001", LAB_VERDICT_FAILS},
        {RINGS "quantity = max(processors)\nequals = 8.001\ntolerance = 0.01", LAB_VERDICT_HOLDS},
        {RINGS "quantity = links\nby = processors\nequals = 4, 8", LAB_VERDICT_HOLDS},
        {RINGS "quantity = links\nby = processors\nequals = 8, 4", LAB_VERDICT_FAILS},
        {RINGS "quantity = links\nby = processors\nrises = strictly", LAB_VERDICT_HOLDS},
        {RINGS "quantity = links\nby = processors\nfalls = strictly", LAB_VERDICT_FAILS},
        {RINGS "quantity = colours\nby = processors\nrises = strictly", LAB_VERDICT_FAILS},
        {RINGS "quantity = sum(links)\nper = count(*)\nequals = 6", LAB_VERDICT_HOLDS},
        {RINGS "quantity = links\nagrees = 8 +- 4", LAB_VERDICT_HOLDS},
        {DRAWN "quantity = total_initial\nagrees = 400", LAB_VERDICT_UNDECIDED}, // the interval is wider than 100
        {DRAWN "quantity = total_initial\nagrees = 400\ntolerance = 200", LAB_VERDICT_HOLDS},
        {DRAWN "quantity = total_initial\nagrees = 400\ntolerance = 50", LAB_VERDICT_UNDECIDED},
        {DRAWN "quantity = total_initial\nagrees = 500\ntolerance = 50", LAB_VERDICT_FAILS},
        {DRAWN "quantity = total_initial\nagrees = 500", LAB_VERDICT_FAILS},
        {DRAWN "quantity = total_initial\nagrees = 500 +- 60", LAB_VERDICT_HOLDS},
        {DRAWN "quantity = total_initial\nagrees = 400 +- 60", LAB_VERDICT_HOLDS}, // the interval is narrower than 120
        {DRAWN "quantity = total_initial\nmost = 500", LAB_VERDICT_HOLDS},
        {DRAWN "quantity = total_initial\nmost = 300", LAB_VERDICT_FAILS},
        {DRAWN "quantity = total_initial\nmost = 400", LAB_VERDICT_UNDECIDED},
        {DRAWN "quantity = total_initial\nleast = 300", LAB_VERDICT_HOLDS},
        {DRAWN "quantity = total_initial\nleast = 500", LAB_VERDICT_FAILS},
        {DRAWN "quantity = total_initial\nleast = 400", LAB_VERDICT_UNDECIDED},
        {"run = --topology ring:8,ring:9 --method ade --steps 1 --stop never --seed 1..20\n"
         "quantity = total_initial\nby = processors\nrises = strictly",
         LAB_VERDICT_UNDECIDED},                                      // the intervals overlap
        {DRAWN "quantity = stayed\nmost = 1", LAB_VERDICT_UNDECIDED}, // real loads do not count it
        {DRAWN "quantity = total_initial\nper = CASE WHEN seed < 9 THEN total_initial END\nequals = 1",
         LAB_VERDICT_HOLDS}, // seeds without a partner are left out
        {DRAWN "always = abs((SELECT sum(value) FROM json_each(record(run, 'final'))) - total_initial) < 1e-9",
         LAB_VERDICT_HOLDS},
        {DRAWN "always = json_array_length(record(run, 'trace')) = steps + 1", LAB_VERDICT_HOLDS},
        {"run = --topology ring:16,ring:8,ring:4 --method ade --steps 1 --stop never --seed 1..3\n"
         "always = json_array_length(record(run, 'final')) = processors AND record(run, 'topology') ->> '$.processors' "
         "= "
         "processors",
         LAB_VERDICT_HOLDS},
        {DRAWN "always = record(run, 'nothing') IS NULL AND record(run) LIKE '%evenkeel.run/1%'", LAB_VERDICT_HOLDS},
        {"run = --topology torus:4x4 --method dde --load peak:80\nalways = fact(run, 'spread_most') = 2 AND fact(run, "
         "'no such') IS NULL",
         LAB_VERDICT_HOLDS}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        char text[1000];
        snprintf(text, sizeof text, CLAIM "%s\n", checks[i].check);
        expect_verdict(text, checks[i].verdict);
    }
}

Test(papers, roles)
{
#define CHECK(name, role, condition) "[a-1 " name "]\nas = " role "\nalways = " condition "\n"
#define GOOD "processors < 9"
#define WRONG "processors < 8"
    expect_verdict(CLAIM RINGS CHECK("x", "written", GOOD) CHECK("y", "shown", WRONG), LAB_VERDICT_HOLDS);
    expect_verdict(CLAIM RINGS CHECK("x", "written", WRONG) CHECK("y", "mended", GOOD), LAB_VERDICT_MENDED);
    expect_verdict(CLAIM RINGS CHECK("x", "written", WRONG) CHECK("y", "mended", WRONG), LAB_VERDICT_FAILS);
    expect_verdict(CLAIM RINGS CHECK("x", "written", WRONG) CHECK("y", "mended", GOOD) CHECK("z", "mended", WRONG),
                   LAB_VERDICT_FAILS);
    expect_verdict(CLAIM RINGS CHECK("x", "written", GOOD) CHECK("y", "mended", WRONG), LAB_VERDICT_HOLDS);
    expect_verdict(CLAIM RINGS CHECK("x", "reading one", GOOD) CHECK("y", "reading two", WRONG), LAB_VERDICT_UNDECIDED);
    expect_verdict(CLAIM RINGS CHECK("x", "reading one", GOOD) CHECK("y", "reading two", GOOD), LAB_VERDICT_HOLDS);
    expect_verdict(CLAIM RINGS CHECK("x", "reading one", WRONG) CHECK("y", "reading two", WRONG), LAB_VERDICT_FAILS);
    expect_verdict(
        CLAIM RINGS CHECK("x", "reading one", WRONG) "[a-1 y]\nas = reading two\nquantity = stayed\nmost = 1\n",
        LAB_VERDICT_UNDECIDED);
    expect_verdict(CLAIM "open = lost\n" RINGS CHECK("x", "written", GOOD), LAB_VERDICT_UNDECIDED);
    expect_verdict(CLAIM "open = lost\n" RINGS CHECK("x", "written", WRONG), LAB_VERDICT_FAILS);
}

// A mended claim fails as the paper has it, and the words say so.
Test(papers, names_of_verdicts)
{
    static const char *const names[LAB_VERDICTS][3] = {{"holds", "holds", "holds"},
                                                       {"mended", "fails", "fails; mended version holds"},
                                                       {"fails", "fails", "fails"},
                                                       {"undecided", "undecided", "undecided"}};
    for (size_t v = 0; v < LAB_VERDICTS; v++) {
        cr_expect_str_eq(lab_verdict_name((enum lab_verdict)v), names[v][0]);
        cr_expect_str_eq(lab_verdict_as_written((enum lab_verdict)v), names[v][1]);
        cr_expect_str_eq(lab_verdict_words((enum lab_verdict)v), names[v][2]);
    }
}

Test(papers, evidence)
{
    struct outcome outcome = outcome_of(CLAIM RINGS "always = processors < 8\n[a-1 b]\nwhat = links\nquantity = "
                                                    "links\nby = processors\nagrees = 4, 9 +- 0.5\n");
    cr_expect_eq(outcome.verdict, LAB_VERDICT_FAILS);
    cr_expect_eq(outcome.looked, 2);
    cr_assert_eq(outcome.count, 3);
    cr_expect_str_eq(outcome.why, "processors < 8: true in 4 of 8 runs");
    cr_expect_str_eq(outcome.command[0], "evenkeel run --topology ring:8 --load peak:80 --stop never "
                                         "--steps 1 --carrier pool:1 --seed 1");
    cr_expect_eq(outcome.evidence[0].measured.value, 4.0);
    cr_expect_eq(outcome.evidence[0].runs, 8);
    cr_expect_str_eq(outcome.command[1], "evenkeel sweep --topology ring:4,ring:8 --method ade --load peak:80 --stop "
                                         "never --steps 1 --seed 1..4");
    cr_expect_str_eq(outcome.group[1], "4");
    cr_expect_eq(outcome.evidence[1].paper, 4.0);
    cr_expect_eq(outcome.evidence[1].measured.value, 4.0);
    cr_expect(isnan(outcome.evidence[1].measured.low), "a constant has no interval");
    cr_expect_eq(outcome.evidence[1].holds, LAB_HOLDS_YES);
    cr_expect_str_eq(outcome.group[2], "8");
    cr_expect_eq(outcome.evidence[2].holds, LAB_HOLDS_NO);
    cr_expect_str_eq(outcome.evidence[2].expected, "9 +- 0.5");
    cr_expect_eq(outcome.evidence[1].runs, 4);
    cr_expect_eq(outcome.evidence[2].runs, 4, "each group has its own runs");

    outcome = outcome_of(CLAIM DRAWN "quantity = total_initial\nagrees = 400\n[a-1 p]\nas = shown\nwhat = steps\nx = "
                                     "processors\ny = steps\n");
    cr_expect_str_eq(outcome.evidence[0].expected, "400, in an interval no wider than 100");
    cr_expect_eq(outcome.looked, 2);
    cr_assert_eq(outcome.count, 2, "a picture alone is evidence: it is drawn and has its command");
    cr_expect_eq(outcome.evidence[1].holds, LAB_HOLDS_SHOWN);
    cr_expect_eq(outcome.evidence[1].runs, 40);
    cr_expect(isnan(outcome.evidence[1].measured.value));
    cr_expect_str_eq(outcome.command[1], outcome.command[0]);
}

// A check that fails is the reason, even if one before it is open.
Test(papers, reasons)
{
    struct outcome outcome = outcome_of(CLAIM RINGS "quantity = stayed\nmost = 1\n[a-1 b]\nalways = processors < 8\n");
    cr_expect_eq(outcome.verdict, LAB_VERDICT_FAILS);
    cr_expect_str_eq(outcome.why, "processors < 8: true in 4 of 8 runs");

    outcome = outcome_of(CLAIM RINGS CHECK("x", "written", WRONG) CHECK("y", "mended", WRONG));
    cr_expect_str_eq(outcome.why,
                     "processors < 8: true in 4 of 8 runs; the mended claim fails too: processors < 8: true "
                     "in 4 of 8 runs");
    outcome = outcome_of(
        CLAIM RINGS CHECK("x", "written", WRONG) "[a-1 y]\nas = mended\nwhat = stayed\nquantity = stayed\nmost = 1\n");
    cr_expect_eq(outcome.verdict, LAB_VERDICT_FAILS);
    cr_expect(strstr(outcome.why, "; the mended claim is undecided: stayed: nothing was measured"), "%s", outcome.why);
}

// A quantity rises from group to group of its own check; the evidence of a check before it is none of them.
Test(papers, rises_after_another_check)
{
    struct outcome outcome = outcome_of(
        CLAIM RINGS "always = processors < 9\n[a-1 b]\nquantity = links\nby = processors\nrises = strictly\n");
    cr_expect_eq(outcome.verdict, LAB_VERDICT_HOLDS, "%s", outcome.why);
    cr_expect_str_eq(outcome.evidence[1].expected, "rises from here");
    cr_expect_str_eq(outcome.evidence[2].expected, "above 4");
}

// Returns the value that SQL finds in the store of the claims.
static int64_t found(const char *sql)
{
    struct lab_store *store = lab_store_open(path, LAB_STORE_READ, &error);
    int64_t value = -1;
    cr_assert(store && lab_store_number(store, sql, &value, &error), "%s", error.sentence);
    lab_store_close(store);
    return value;
}

// The store keeps what the checks read, and nothing else. A run whose store lacks something is made again.
Test(papers, the_store_keeps_what_the_checks_read)
{
#define READS(condition) "[a-1 " condition "]\nalways = " condition " IS NOT NULL\n"
    enum { NUMBERS = 0, RECORD = LAB_KEEP_RECORD, THEORY = LAB_KEEP_THEORY, EXTRACT = LAB_KEEP_EXTRACT };
    const unsigned variance = lab_extract_columns("'variance'"), mean = lab_extract_columns("'mean'");
    const struct {
        const char *checks;
        bool drawn;
        int64_t kept;
        uint64_t reused;
    } cases[] = {
        {READS("links"), false, NUMBERS, 0},
        {READS("links + colours"), false, NUMBERS, 8},
        {READS("record(run, 'final')"), false, EXTRACT | LAB_WITH_FINAL, 0},
        {READS("links"), false, EXTRACT | LAB_WITH_FINAL, 8},
        {READS("record(run, 'trace')"), false, EXTRACT | LAB_WITH_TRACE, 0},
        {READS("record(run, 'trace') ->> '$[0].variance'"), false, EXTRACT | LAB_WITH_TRACE | variance, 0},
        {READS("record(run, 'trace') ->> '$[0].mean'"), false, EXTRACT | LAB_WITH_TRACE | mean, 0},
        {READS("record(run, 'initial')") READS("record(run, 'trace')"), false,
         EXTRACT | LAB_WITH_INITIAL | LAB_WITH_TRACE, 8}, // the runs that the second check reads are those of the first
        {READS("record(run, 'links') IS NULL"), false, EXTRACT | LAB_EXTRACT_LINKS, 0},
        {READS("record(run, 'topology')"), false, EXTRACT | LAB_EXTRACT_TOPOLOGY, 0},
        {"quantity = avg(record(min(run, 8), 'final') ->> 0)\nleast = 0\n", false, EXTRACT | LAB_WITH_FINAL, 0},
        {READS("theory_gamma_exact"), false, THEORY, 0},
        {READS("fact(run, 'flow_l2_least')"), false, EXTRACT | LAB_EXTRACT_FACTS | THEORY, 0},
        {"always = links\nx = links\ny = steps\n", false, EXTRACT | LAB_EXTRACT_FACTS | THEORY, 8},
        {READS("record(run)") READS("record(run, 'topology')"), false, RECORD | LAB_WITH_ALL, 8},
        {READS("record(run, 'host')"), false, RECORD | LAB_WITH_ALL, 8},
        {READS("record(run, 'topology')") READS("record(run, 'trace') ->> '$[0].mean'"), false, RECORD | LAB_WITH_ALL,
         16},
        {"always = links\ntrace-of = variance\n", true, RECORD | THEORY | LAB_WITH_TRACE, 0},
        {READS("links"), true, RECORD | THEORY | LAB_WITH_TRACE, 8},
        {READS("fact(run, 'flow_l2_least')"), false, RECORD | THEORY | LAB_WITH_TRACE, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        struct outcome outcome;
        struct lab_sweep_result swept;
        snprintf(text, sizeof text, CLAIM RINGS "%s", cases[i].checks);
        charts = cases[i].drawn;
        cr_assert(attempt(text, false, 1, &outcome, &swept), "%s", error.sentence);
        cr_expect_eq(swept.reused, cases[i].reused, "%s: reused %d", text, (int)swept.reused);
        lab_sweep_result_destroy(&swept);
        cr_expect_eq(outcome.verdict, LAB_VERDICT_HOLDS, "%s: %s", text, outcome.why);
        cr_expect_eq(found("SELECT count(*) FROM runs"), 8);
        cr_expect_eq(found("SELECT min(kept) FROM runs"), cases[i].kept, "%s: %d", text,
                     (int)found("SELECT min(kept) FROM runs"));
        cr_expect_eq(found("SELECT max(kept) FROM runs"), cases[i].kept);
        cr_expect_eq(found("SELECT count(*) FROM records"), cases[i].kept & RECORD ? 8 : 0, "%s", text);
        cr_expect_eq(found("SELECT count(*) FROM extracts"), cases[i].kept & EXTRACT ? 8 : 0, "%s", text);
        cr_expect_eq(found("SELECT count(theory_gamma_exact) FROM runs"), cases[i].kept & THEORY ? 8 : 0, "%s", text);
    }
}

// A store whose rows promise more than its extracts have is damaged.
Test(papers, an_extract_without_a_promised_field)
{
    static const char *const reads[] = {"record(run, 'initial')", "fact(run, 'flow_l2_least')"};
    charts = false;
    struct outcome outcome = outcome_of(CLAIM RINGS "always = record(run, 'final') IS NOT NULL\n");
    struct lab_store *store = lab_store_open(path, LAB_STORE_ADD, &error);
    cr_assert(outcome.verdict == LAB_VERDICT_HOLDS && store);
    cr_assert(lab_store_execute(store, "UPDATE runs SET kept = 4095, checksum = NULL", &error), "%s", error.sentence);
    lab_store_close(store);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        char text[500];
        struct lab_sweep_result swept;
        snprintf(text, sizeof text, CLAIM RINGS "always = %s IS NULL\n", reads[i]);
        cr_expect_not(attempt(text, false, 1, &outcome, &swept));
        lab_sweep_result_destroy(&swept);
        cr_expect(strstr(error.sentence, "the store does not keep this part of the run's record"), "%s",
                  error.sentence);
    }
}

// The counterexample is the smallest run: that with the fewest processors, the least load and the first seed.
Test(papers, smallest_counterexample)
{
    struct outcome outcome = outcome_of(CLAIM "run = --topology ring:16,ring:8 --method ade --load peak:{960..80+-80} "
                                              "--steps 1 --stop never --seed 1..2\nalways = processors < 8\n");
    cr_expect_str_eq(outcome.command[0], "evenkeel run --topology ring:8 --load peak:80 --stop never --steps 1 "
                                         "--carrier pool:1 --seed 1");
}

// The paper's number is itself a mean of this many cases. So the difference of two means is tested.
Test(papers, cases)
{
    struct outcome alone = outcome_of(CLAIM DRAWN "quantity = total_initial\nagrees = 0\n");
    const struct lab_interval interval = alone.evidence[0].measured;
    const double reach = interval.high - interval.value;
    char text[1000];
    for (int within = 0; within < 2; within++) {
        const double number =
            interval.value + (within ? 1.99 : 2.01) * reach; // of 40 / 3 cases: sqrt(1 + 3) times as far
        snprintf(text, sizeof text,
                 CLAIM DRAWN "quantity = total_initial\nagrees = %.17g\ncases = 13.3333333\ntolerance = %.17g\n",
                 number, 4.01 * reach);
        expect_verdict(text, within ? LAB_VERDICT_HOLDS : LAB_VERDICT_FAILS);
        char expected[200];
        snprintf(expected, sizeof expected,
                 "%.10g, itself a mean of 13.3333333 cases: at most %.4g away, in an interval no wider than %.4g",
                 number, 2.0 * reach, 4.01 * reach);
        struct outcome outcome = outcome_of(text);
        cr_expect_str_eq(outcome.evidence[0].expected, expected);
    }
}

Test(papers, seeds)
{
    static const char drawn[] = CLAIM DRAWN "quantity = total_initial\nagrees = 400\n";
    static const struct {
        bool quick;
        uint64_t seed;
        size_t runs;
        const char *seeds;
    } cases[] = {{false, 1, 40, "--seed 1..40"},
                 {true, 1, 20, "--seed 1..20"},
                 {false, 3, 40, "--seed 2000001..2000040"},
                 {true, 2, 20, "--seed 1000001..1000020"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome;
        struct lab_sweep_result swept;
        cr_assert(attempt(drawn, cases[i].quick, cases[i].seed, &outcome, &swept), "%s", error.sentence);
        cr_expect_eq(outcome.evidence[0].runs, cases[i].runs);
        cr_expect(strstr(outcome.command[0], cases[i].seeds), "%s", outcome.command[0]);
        cr_expect_eq(swept.reused, i == 1 ? 20 : 0, "runs in the store are reused");
        lab_sweep_result_destroy(&swept);
    }
}

// Runs that have no result: they were ended at the limit of steps, took too long, were refused, or did not reach their
// criterion. A check is undecided without them, unless another run decides it.
Test(papers, runs_without_a_result)
{
#define ENDLESS "run = --topology ring:4 --method ade --work normal:100:30:100 --stop variance:1e-9 --seed 1..2\n"
#define SLOW                                                                                                           \
    "run = --topology ring:4 --method ade --stop never --steps 1\n"                                                    \
    "  --topology ring:64 --method ade --stop never --steps 1000000000\n"
#define REFUSED "run = --topology hypercube:3,ring:8 --method dem --load peak:80\n"
#define FROZEN "run = --topology ring:8 --method gde:0.3 --units tokens --load uniform:0:100 --stop neighbours:1\n"
    static const struct {
        const char *check;
        enum lab_verdict verdict;
        size_t lacking, failed, refused;
    } cases[] = {{ENDLESS "quantity = steps\nleast = 1", LAB_VERDICT_UNDECIDED, 2, 0, 0},
                 {ENDLESS "quantity = steps\nunreached = counted\nleast = 1", LAB_VERDICT_UNDECIDED, 2, 0, 0},
                 {ENDLESS "always = converged", LAB_VERDICT_FAILS, 0, 0, 0},
                 {ENDLESS "always = steps = 100000 AND ended = 'steps'", LAB_VERDICT_HOLDS, 0, 0, 0},
                 {SLOW "quantity = processors\nleast = 1", LAB_VERDICT_UNDECIDED, 1, 1, 0},
                 {SLOW "always = processors = 4", LAB_VERDICT_UNDECIDED, 1, 1, 0},
                 {SLOW "always = processors = 5", LAB_VERDICT_FAILS, 1, 1, 0},
                 {SLOW "some = processors = 4", LAB_VERDICT_HOLDS, 1, 1, 0},
                 {SLOW "some = processors = 5", LAB_VERDICT_UNDECIDED, 1, 1, 0},
                 {REFUSED "quantity = processors\nequals = 8", LAB_VERDICT_UNDECIDED, 1, 0, 1},
                 {FROZEN "quantity = steps\nequals = 20", LAB_VERDICT_UNDECIDED, 1, 0, 0},
                 {FROZEN "quantity = steps\nequals = 12", LAB_VERDICT_UNDECIDED, 1, 0, 0},
                 {FROZEN "quantity = steps\nunreached = counted\nequals = 20", LAB_VERDICT_HOLDS, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000], rest[100];
        snprintf(text, sizeof text, CLAIM "%s\n", cases[i].check);
        struct outcome outcome;
        struct lab_sweep_result swept;
        timeout_s = cases[i].failed > 0 ? 0.2 : 0.0;
        cr_assert(attempt(text, false, 1, &outcome, &swept), "%s", error.sentence);
        cr_expect_eq(outcome.verdict, cases[i].verdict, "%s: %s", cases[i].check, outcome.why);
        cr_expect_eq(outcome.evidence[0].lacking, cases[i].lacking, "%s", cases[i].check);
        cr_expect_eq(swept.failed, cases[i].failed, "%s", cases[i].check);
        cr_expect_eq(swept.refused, cases[i].refused, "%s", cases[i].check);
        snprintf(rest, sizeof rest, "; %zu more %s", cases[i].lacking,
                 cases[i].lacking == 1 ? "run has no result" : "runs have no result");
        cr_expect_eq(strstr(outcome.why, rest) != NULL, cases[i].lacking > 0 && cases[i].verdict != LAB_VERDICT_HOLDS,
                     "%s", outcome.why);
        lab_sweep_result_destroy(&swept);
    }
}

// Runs of another version are made again. Other runs in the store are not touched.
Test(papers, versions)
{
    static const char text[] = CLAIM RINGS "always = processors < 9\n";
    struct outcome outcome;
    struct lab_sweep_result swept;
    for (int time = 0; time < 3; time++) {
        cr_assert(attempt(text, false, 1, &outcome, &swept), "%s", error.sentence);
        cr_expect_eq(swept.ran, time == 1 ? 0 : time == 0 ? 8 : 1);
        lab_sweep_result_destroy(&swept);
        if (time == 1) {
            struct lab_store *store = lab_store_open(path, LAB_STORE_ADD, &error);
            cr_assert_eq(
                sqlite3_exec(lab_store_sql(store), "UPDATE runs SET version = '0' WHERE id = 3", NULL, NULL, NULL),
                SQLITE_OK);
            lab_store_close(store);
        }
    }
}

Test(papers, what_is_wrong_is_said)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"[a-1]\nplace = x\n", "[a-1] needs place, kind and claim"},
        {CLAIM "colour = red\n", "[a-1] cannot have 'colour'"},
        {CLAIM "always = 1\n", "[a-1 ] has no `run`"},
        {CLAIM RINGS "most = 3\n", "[a-1 ] has no `quantity`"},
        {CLAIM RINGS "quantity = 1\nmost = 3\nleast = 3\n",
         "line 8 of the papers: [a-1] cannot have "
         "'least': there is no such name, or it is a second expectation"},
        {CLAIM RINGS "as = well\nalways = 1\n", "written, mended, shown or reading NAME, not 'well'"},
        {CLAIM "[b-1 x]\nalways = 1\n", "[b-1 x] does not follow its claim"},
        {CLAIM CLAIM "[b]\ntitle = t\n" CLAIM, "[a-1] is there twice"},
        {CLAIM "nothing\n", "line 5 of the papers"},
        {CLAIM RINGS "x = steps\n[a-1 x]\nx = steps\n", "[a-1 x] expects nothing"},
        {CLAIM RINGS "x = processors\ny = steps\n", "[a-1 ] expects nothing"},
        {CLAIM RINGS "quantity = 1\nunreached = so\n", "[a-1 ]: `unreached` is counted or not given, not 'so'"},
        {CLAIM RINGS "quantity = 1\nlength = short\n", "[a-1 ]: `length` is long or not given, not 'short'"},
        {CLAIM RINGS "quantity = 1\nby = topology\nchart = pie\n",
         "[a-1 ]: `chart` is bars, of a `quantity` with `by`, or not given, not 'pie'"},
        {CLAIM RINGS "quantity = 1\nchart = bars\n",
         "[a-1 ]: `chart` is bars, of a `quantity` with `by`, or not given, not 'bars'"},
        {CLAIM RINGS "quantity = 1\nlength = long\n", "[a-1] needs a check that is not long"},
        {CLAIM "remark = so\\\n", "'so\\' ends in a backslash"}};
    struct lab_papers papers;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_not(lab_papers_read(&papers, wrong[i].text, &error), "%s", wrong[i].text);
        cr_expect(strstr(error.sentence, wrong[i].says), "%s\nfound: %s", wrong[i].says, error.sentence);
    }
    static const struct {
        const char *text, *says;
    } unfit[] = {{CLAIM "run = ring:8\nalways = 1\n", "'ring:8' is no option of an experiment"},
                 {CLAIM "run = --topology\nalways = 1\n", "--topology has no value"},
                 {CLAIM "run = --shape ring:8\nalways = 1\n", "there is no option 'shape'"},
                 {CLAIM RINGS "always = no_such_column\n", "no such column: no_such_column"},
                 {CLAIM RINGS "quantity = links\nequals = four\n", "'four' is no list of numbers"},
                 {CLAIM RINGS "quantity = links\nby = processors\nequals = 4, 8, 12\n", "has 2 groups for 3 numbers"}};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        struct outcome outcome;
        struct lab_sweep_result swept;
        cr_expect_not(attempt(unfit[i].text, false, 1, &outcome, &swept), "%s", unfit[i].text);
        cr_expect(strstr(error.sentence, unfit[i].says), "%s\nfound: %s", unfit[i].says, error.sentence);
        lab_sweep_result_destroy(&swept);
    }
}

Test(papers, long_checks_can_be_left_out)
{
    struct lab_papers papers;
    cr_assert(lab_papers_read(
        &papers, CLAIM RINGS "always = 1\n[a-1 slow]\nlength = long\nalways = 2\n[a-1 last]\nalways = 3\n", &error));
    cr_expect_eq(papers.claim[0].checks, 3);
    lab_papers_remove_long(&papers);
    const struct lab_claim *claim = &papers.claim[0];
    cr_assert_eq(claim->checks, 2);
    cr_expect_eq(claim->left_out, 1);
    cr_expect_str_eq(claim->check[0].expected, "1");
    cr_expect_str_eq(claim->check[1].expected, "3");
    lab_papers_destroy(&papers);
}

static bool has_role(const struct lab_claim *claim, enum lab_role role)
{
    bool has = false;
    for (size_t i = 0; i < claim->checks; i++) {
        has = has || claim->check[i].role == role;
    }
    return has;
}

// Each line of a check gives a command, which is printed beside the evidence. Each is one of `evenkeel sweep`.
static void expect_commands(const struct lab_claim *claim, const struct lab_check *check)
{
    char *lines = strdup(check->run), *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct lab_section section;
        struct lab_grid grid = {0};
        cr_expect(lab_experiment_line_read(&section, line, &error) && lab_section_grid(&section, &grid, &error),
                  "[%s %s]: %s", claim->id, check->name, error.sentence);
        lab_grid_destroy(&grid);
        lab_section_destroy(&section);
    }
    free(lines);
}

// Every built-in claim has a check that decides it, and each deciding check has a command that can be typed.
Test(papers, own)
{
    struct lab_papers papers;
    cr_assert(lab_papers_own(&papers, &error), "%s", error.sentence);
    cr_expect_gt(papers.count, 0);
    for (size_t i = 0; i < papers.count; i++) {
        const struct lab_claim *claim = &papers.claim[i];
        cr_expect(claim->open || has_role(claim, LAB_ROLE_WRITTEN) || has_role(claim, LAB_ROLE_READING), "%s",
                  claim->id);
        cr_expect_eq(claim->mended != NULL, has_role(claim, LAB_ROLE_MENDED), "%s", claim->id);
        for (size_t c = 0; c < claim->checks; c++) {
            expect_commands(claim, &claim->check[c]);
        }
        cr_expect(lab_claim_named(claim, claim->id));
        cr_expect_not(lab_claim_named(claim, "x"));
    }
    lab_papers_destroy(&papers);
}
