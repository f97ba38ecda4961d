// SPDX-License-Identifier: MIT
// Verdicts on claims, the reasons for them, and what `papers` writes of them, from evidence written by hand.
#include <jansson.h>
#include <math.h>

#include "cli/report/papers_report.h"
#include "tests/support/golden.h"

static struct lab_check checks[] = {
    {.name = "",
     .what = "the steps, as printed",
     .run = "--method ade",
     .quantity = "steps",
     .expectation = LAB_EXPECT_EQUALS,
     .expected = "4"},
    {.name = "all",
     .what = "no load is lost",
     .run = "--method ode",
     .expectation = LAB_EXPECT_ALWAYS,
     .expected = "total_final = total_initial"},
    {.name = "corrected",
     .as = "mended",
     .role = LAB_ROLE_MENDED,
     .what = "the steps, corrected",
     .quantity = "steps + 1",
     .expectation = LAB_EXPECT_AGREES,
     .expected = "5"},
    {.name = "one way",
     .as = "reading a",
     .role = LAB_ROLE_READING,
     .reading = "a",
     .what = "one reading",
     .quantity = "moved",
     .expectation = LAB_EXPECT_MOST,
     .expected = "9"},
    {.name = "other way",
     .as = "reading b",
     .role = LAB_ROLE_READING,
     .reading = "b",
     .quantity = "messages",
     .expectation = LAB_EXPECT_LEAST,
     .expected = "9"},
    {.name = "beside", .as = "shown", .role = LAB_ROLE_SHOWN, .what = "for information", .quantity = "parcels"}};
enum { CHECKS = sizeof checks / sizeof *checks };

static struct lab_claim claim = {.id = "xu-07",
                                 .place = "Eq. (7)",
                                 .kind = "formula",
                                 .claim = "Dimension exchange takes four steps.",
                                 .paper = "It takes 4 steps <on> a \"ring\".",
                                 .check = checks,
                                 .checks = CHECKS};

static char group[] = "ring:8, ade", command[] = "evenkeel sweep --method ade";
static char mended[] = "It takes five.", remark[] = "The paper counts from 1.", open[] = "The paper does not say how.";

// The evidence of check i has numbers of its own. An interval of measured numbers only where i is even.
static struct lab_evidence evidence_of(size_t i, enum lab_holds holds)
{
    struct lab_evidence evidence = {.check = &checks[i],
                                    .group = i % 3 == 1 ? group : NULL,
                                    .command = command,
                                    .paper = i == 0 ? 4.0 : NAN,
                                    .measured = {.value = 10.5 + (double)i, .low = NAN, .high = NAN},
                                    .runs = 20 + i,
                                    .lacking = i,
                                    .holds = holds};
    if (i % 2 == 0) {
        evidence.measured.low = 9.0 + (double)i;
        evidence.measured.high = 12.0 + (double)i;
    }
    snprintf(evidence.expected, sizeof evidence.expected, "%s", holds == LAB_HOLDS_SHOWN ? "" : "4 to the last digit");
    return evidence;
}

// Concludes from results with a letter for each check: yes, no, open, shown, or "-" for a check without evidence.
static struct lab_judgement conclude(const char *results)
{
    static struct lab_evidence evidence[CHECKS];
    struct ek_error error;
    struct lab_judgement judgement = {.claim = &claim, .evidence = evidence};
    for (size_t i = 0; results[i]; i++) {
        if (results[i] != '-') {
            evidence[judgement.count++] = evidence_of(i, results[i] == 'y'   ? LAB_HOLDS_YES
                                                         : results[i] == 'n' ? LAB_HOLDS_NO
                                                         : results[i] == 'o' ? LAB_HOLDS_OPEN
                                                                             : LAB_HOLDS_SHOWN);
        }
    }
    cr_assert(lab_judgement_conclude(&judgement, &error));
    return judgement;
}

static void show(const char *results)
{
    struct lab_judgement judgement = conclude(results);
    printf("\n== %s\n", results);
    printf("%s, as written %s: %s\n", lab_verdict_name(judgement.verdict), lab_verdict_as_written(judgement.verdict),
           judgement.why);
    report_papers_table(stdout, &judgement, true);
    report_papers_csv(stdout, &judgement);
    json_t *object = lab_judgement_object(&judgement);
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    puts(text);
    free(text);
    json_decref(object);
    free(judgement.why);
}

// Verdicts without what is written of them.
static void conclude_each(void)
{
    static const char *const all[] = {"yy",   "yo",   "yn",    "no",     "oo",     "ny",    "y-y",   "n-n",
                                      "n-o",  "n-y",  "---yy", "---yn",  "---ny",  "---no", "---nn", "---oo",
                                      "y--y", "y--n", "n--y",  "-----s", "y----s", ""};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct lab_judgement judgement = conclude(all[i]);
        printf("%-6s %s: %s\n", all[i], lab_verdict_name(judgement.verdict), judgement.why);
        free(judgement.why);
    }
}

Test(papers_report, all_of_it)
{
    struct golden golden = golden_begin();
    report_papers_claim(stdout, &claim);
    report_papers_csv(stdout, NULL);
    show("yy---s");
    show("no");
    claim.mended = mended;
    claim.remark = remark;
    show("n-y");
    show("---yn");
    puts("");
    conclude_each();
    claim.open = open;
    claim.mended = NULL;
    puts("\nopen");
    conclude_each();
    const size_t counts[][LAB_VERDICTS] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1, 1}, {2, 0, 3, 4}, {0, 1002, 0, 1}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        report_papers_counts(stdout, counts[i]);
        putchar('\n');
    }
    golden_end(&golden, "tests/data/reports/papers.txt");
}
