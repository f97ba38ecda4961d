// SPDX-License-Identifier: MIT
#include "cli/report/papers_report.h"

#include <math.h>

#include "cli/tables/csv.h"
#include "cli/tables/paste.h"
#include "cli/terminal/text.h"

enum { INDENT = 13, COLUMNS = 100 };

static void print_head(FILE *out, const struct lab_claim *claim, const struct cli_line *line)
{
    enum { ID = 11 };
    fprintf(out, "%-*s", ID, claim->id);
    cli_text_after(out, ID, line->of, INDENT, COLUMNS);
}

void report_papers_claim(FILE *out, const struct lab_claim *claim)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%s, %s", claim->kind, claim->place);
    print_head(out, claim, &line);
    cli_text_wrap(out, claim->claim, INDENT, COLUMNS);
}

// Prints one piece of evidence. Returns whether a word was cut.
static bool print_evidence(FILE *out, const struct lab_evidence *evidence)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%s%s%s%s", lab_check_subject(evidence->check), evidence->group ? " (" : "",
                 evidence->group ? evidence->group : "", evidence->group ? ")" : "");
    cli_line_add(&line, ": %s%s", lab_check_is_condition(evidence->check) ? "true in " : "",
                 cli_text_real(evidence->measured.value).of);
    if (isfinite(evidence->measured.low)) {
        cli_line_add(&line, " (%s to %s)", cli_text_real(evidence->measured.low).of,
                     cli_text_real(evidence->measured.high).of);
    }
    if (*evidence->expected) {
        cli_line_add(&line, ", expected %s", evidence->expected);
    }
    fprintf(out, "  %-9s", lab_holds_name(evidence->holds));
    bool cut = cli_text_shorten(out, 11, line.of, INDENT, COLUMNS);
    return cli_text_shorten(out, 0, evidence->command, INDENT + 2, COLUMNS) || cut;
}

void report_papers_table(FILE *out, const struct lab_judgement *judgement, bool evidence)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%s (%s, %s)", lab_verdict_words(judgement->verdict), judgement->claim->kind,
                 judgement->claim->place);
    print_head(out, judgement->claim, &line);
    cli_text_wrap(out, judgement->claim->claim, INDENT, COLUMNS);
    bool cut = cli_text_shorten(out, 0, judgement->why, INDENT, COLUMNS);
    for (size_t i = 0; evidence && i < judgement->count; i++) {
        cut = print_evidence(out, &judgement->evidence[i]) || cut;
    }
    if (cut) {
        cli_text_after(out, 0, "Texts that end in \"...\" are cut: see --format json", 2, COLUMNS);
    }
}

void report_papers_paste(FILE *out, enum cli_format format, const struct lab_judgement *judgement)
{
    static const char *const headings[] = {"claim", "place", "what is claimed", "verdict", "why"};
    if (!judgement) {
        report_paste_head(out, format, "llplp", headings);
        return;
    }
    const struct lab_claim *claim = judgement->claim;
    report_paste_line(out, format, sizeof headings / sizeof *headings,
                      (const char *const[]){claim->id, claim->place, claim->claim,
                                            lab_verdict_words(judgement->verdict), judgement->why});
}

void report_papers_paste_claim(FILE *out, enum cli_format format, const struct lab_claim *claim)
{
    static const char *const headings[] = {"claim", "kind", "place", "what is claimed"};
    if (!claim) {
        report_paste_head(out, format, "lllp", headings);
        return;
    }
    report_paste_line(out, format, sizeof headings / sizeof *headings,
                      (const char *const[]){claim->id, claim->kind, claim->place, claim->claim});
}

void report_papers_counts(FILE *out, const size_t of[LAB_VERDICTS])
{
    static const char *const words[LAB_VERDICTS][2] = {
        [LAB_VERDICT_HOLDS] = {"holds", "hold"},
        [LAB_VERDICT_MENDED] = {"fails but holds when mended", "fail but hold when mended"},
        [LAB_VERDICT_FAILS] = {"fails", "fail"},
        [LAB_VERDICT_UNDECIDED] = {"is undecided", "are undecided"}};
    size_t claims = 0;
    for (size_t v = 0; v < LAB_VERDICTS; v++) {
        claims += of[v];
    }
    fprintf(out, "%s", cli_text_plural(claims, "claim").of);
    const char *before = ": ";
    for (size_t v = 0; v < LAB_VERDICTS; v++) {
        if (of[v] > 0) {
            fprintf(out, "%s%s %s", before, cli_text_count(of[v]).of, words[v][of[v] != 1]);
            before = ", ";
        }
    }
}

void report_papers_csv(FILE *out, const struct lab_judgement *judgement)
{
    if (!judgement) {
        fputs("claim,verdict,check,as,group,quantity,expected,command,paper,measured,low,high,runs,holds,as_written,"
              "lacking\n",
              out);
    }
    for (size_t i = 0; judgement && i < judgement->count; i++) {
        const struct lab_evidence *evidence = &judgement->evidence[i];
        const struct lab_interval *measured = &evidence->measured;
        const char *texts[] = {judgement->claim->id,
                               lab_verdict_name(judgement->verdict),
                               evidence->check->name,
                               evidence->check->as ? evidence->check->as : "written",
                               evidence->group ? evidence->group : "",
                               lab_check_subject(evidence->check),
                               evidence->expected,
                               evidence->command};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            fputs(t > 0 ? "," : "", out);
            report_csv_text(out, texts[t]);
        }
        report_csv_reals(out, (double[]){evidence->paper, measured->value, measured->low, measured->high}, 4);
        fprintf(out, ",%zu,%d,%s,%zu\n", evidence->runs, evidence->holds == LAB_HOLDS_YES,
                lab_verdict_as_written(judgement->verdict), evidence->lacking);
    }
}
