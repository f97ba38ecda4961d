// SPDX-License-Identifier: MIT
// What `check` writes of methods that keep their promises, break some, or leave some untested.
#include "cli/report/check_report.h"
#include "lab/studies/check_method.h"
#include "tests/support/golden.h"

static struct lab_checked checked;

static void break_promise(enum lab_promise promise, uint64_t seed, const char *why, const char *beside)
{
    struct lab_promise_found *found = &checked.found[promise];
    found->broken = true;
    found->seed = seed;
    checked.broken++;
    snprintf(found->why, sizeof found->why, "%s", why);
    snprintf(found->command, sizeof found->command, "evenkeel run --seed %d", (int)seed);
    snprintf(found->beside, sizeof found->beside, "%s", beside);
}

static void show(enum cli_format format, bool quiet)
{
    const struct report_check shown = {
        .format = format, .quiet = quiet, .command = "evenkeel check \"a\"", .seed = 1002};
    report_check_begin(&shown);
    checked = (struct lab_checked){.promises = lab_promises, .count = LAB_PROMISES, .experiments = 12, .refused = 3};
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        checked.found[promise].runs = 1001 + (uint64_t)promise;
    }
    report_check_method(&shown, "good", &checked, true);
    checked.found[LAB_PROMISE_TOKENS].runs = 0;
    checked.found[LAB_PROMISE_CARRIERS].runs = 1;
    checked.found[LAB_PROMISE_BOUNDS].runs = 1;
    report_check_method(&shown, "some untested", &checked, false);
    break_promise(LAB_PROMISE_MUTUAL, 1004, "one end gives more", "");
    report_check_method(&shown, "not mutual", &checked, false);
    checked.found[LAB_PROMISE_CRASH].runs = 0;
    break_promise(LAB_PROMISE_CARRIERS, 1005, "other loads", "evenkeel run --carrier pool:2");
    break_promise(LAB_PROMISE_CRASH, 1006, "signal 11", "");
    report_check_method(&shown, "breaks three", &checked, false);
    checked = (struct lab_checked){.promises = lab_promises, .count = LAB_PROMISES, .experiments = 1};
    report_check_method(&shown, "tests nothing", &checked, false);
    report_check_end(&shown);
}

Test(check_report, all_of_it)
{
    struct golden golden = golden_begin();
    show(CLI_TABLE, false);
    puts("\n== quiet");
    show(CLI_TABLE, true);
    puts("\n== JSON");
    show(CLI_JSON, false);
    golden_end(&golden, "tests/data/reports/check.txt");
}
