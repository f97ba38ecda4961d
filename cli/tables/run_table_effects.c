// SPDX-License-Identifier: MIT
// How operations changed the variance of their domains, by the overlaps of the domains, beside theory.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/tables/run_table.h"
#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"
#include "threads/api/report.h"

struct ek_effect;

// Returns the value of the fact with this name, or "<= value" if the fact is a bound; "" if there is none.
static struct cli_text theory_of(const struct lab_record *record, const char *name)
{
    struct cli_text text = {""};
    for (size_t i = 0; i < record->facts_count; i++) {
        const struct ek_fact *fact = &record->facts[i];
        size_t length = strlen(name);
        if (strncmp(fact->name, name, length) == 0 &&
            (fact->name[length] == '\0' || strcmp(fact->name + length, "_most") == 0)) {
            snprintf(text.of, sizeof text.of, "%s%.4g", fact->name[length] ? "<= " : "", fact->value);
        }
    }
    return text;
}

// Returns a mean, or "-" if the loads became infinite.
static struct cli_text mean_of(double value)
{
    struct cli_text text = {"-"};
    if (isfinite(value)) {
        snprintf(text.of, sizeof text.of, "%.5g", value);
    }
    return text;
}

static void print_effect(FILE *out, const struct cli_terminal *terminal, const char *label,
                         const struct ek_effect *effect, struct cli_text theory)
{
    if (effect->count == 0) {
        return;
    }
    struct cli_text left = {"-"};
    if (isnan(effect->left_error) && !isnan(effect->left)) { // of a single operation
        snprintf(left.of, sizeof left.of, "%.4g", effect->left);
    } else if (!isnan(effect->left)) {
        snprintf(left.of, sizeof left.of, "%.4g +- %.2g", effect->left, effect->left_error);
    }
    report_label(out, terminal, label);
    fprintf(out, " %10s %10s %10s %19s", cli_text_count(effect->count).of, mean_of(effect->before).of,
            mean_of(effect->after).of, left.of);
    fprintf(out, *theory.of ? " %12s\n" : "\n", theory.of);
}

void report_run_table_effects(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    struct ek_effects effects = ek_effects_pool(record->runs, record->count);
    if (!record->runs[0].has_effects || effects.alone.count + effects.overlapped.count == 0) {
        return;
    }
    const struct cli_text nothing = {""};
    struct cli_text alone = theory_of(record, "left_alone"); // without it there is no theory of the others either
    fprintf(out, "\n  variance of domains\n%*s %10s %10s %10s %19s", REPORT_LABEL, "", "operations", "before", "after",
            "left");
    fprintf(out, *alone.of ? " %12s\n" : "\n", "theory");
    print_effect(out, terminal, "alone", &effects.alone, alone);
    print_effect(out, terminal, "overlapped", &effects.overlapped, nothing);
    if (effects.adjacent.count + effects.one_shared.count + effects.two_shared.count + effects.many.count > 0) {
        fprintf(out, "%*s %10s\n", REPORT_LABEL, "", "spheres");
        print_effect(out, terminal, "adjacent", &effects.adjacent, theory_of(record, "left_adjacent"));
        print_effect(out, terminal, "1 shared", &effects.one_shared, theory_of(record, "left_one_shared"));
        print_effect(out, terminal, "2 shared", &effects.two_shared, theory_of(record, "left_two_shared"));
        print_effect(out, terminal, "others", &effects.many, nothing);
    }
    if (effects.unknown > 0) {
        report_say(out, terminal, "unknown", "%s: the log has lost part of them or of their overlaps",
                   cli_text_plural(effects.unknown, "operation").of);
    }
    fputc('\n', out);
}
