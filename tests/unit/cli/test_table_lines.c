// SPDX-License-Identifier: MIT
// The measured value beside a fact: only a run that came to its end is compared with what theory says of the end.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cli/tables/table_lines.h"
#include "threads/api/report.h"

static struct ek_report run;
static struct lab_record record;

static void expect(bool at_end, const char *measured)
{
    struct ek_fact fact = {.value = 3.0, .at_end = at_end};
    snprintf(fact.name, sizeof fact.name, "spread_most");
    snprintf(fact.beside, sizeof fact.beside, "spread_final");
    char *text = NULL;
    char found[40] = "";
    size_t length;
    FILE *out = open_memstream(&text, &length);
    report_facts_write(out, &fact, 1, &record);
    fclose(out);
    cr_expect_eq(sscanf(strstr(text, "spread_most"), "spread_most 3 %39s", found), 1, "%s", text);
    cr_expect_str_eq(found, measured);
    free(text);
}

Test(table_lines, facts_of_the_end)
{
    run = (struct ek_report){.spread_final = 77.0};
    record = (struct lab_record){.runs = &run, .count = 1};
    static const struct {
        enum ek_ended ended;
        bool converged, direct;
        const char *measured;
    } cases[] = {{EK_ENDED_CRITERION, true, false, "77"},    {EK_ENDED_CRITERION, false, false, "unreached"},
                 {EK_ENDED_ITSELF, true, true, "77"},        {EK_ENDED_ITSELF, false, false, "unreached"},
                 {EK_ENDED_STEPS, false, true, "unreached"}, {EK_ENDED_STEPS, true, false, "unreached"},
                 {EK_ENDED_FROZEN, false, true, "unreached"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run.ended = cases[i].ended;
        run.converged = cases[i].converged;
        record.method.direct = cases[i].direct;
        expect(true, cases[i].measured);
        expect(false, "77");
    }
}
