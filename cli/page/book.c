// SPDX-License-Identifier: MIT
// Writes the book. Texts of claims are escaped, so they cannot contain markup.
#include "cli/page/book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/figures/figure.h"
#include "cli/figures/gnuplot.h"
#include "cli/report/papers_report.h"
#include "cli/terminal/read_file.h"
#include "cli/terminal/text.h"
#include "lab/files/atomic_file.h"
#include "lab/results/results_figure.h"
#include "lab/text/markup.h"

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the book");
}

// Writes <NAME class=CLASS>text</NAME>, or nothing if the text is empty.
static void write_element(FILE *out, const char *name, const char *class, const char *text)
{
    if (text && *text) {
        fprintf(out, "<%s class=\"%s\">", name, class);
        lab_markup_write(out, text);
        fprintf(out, "</%s>\n", name);
    }
}

bool report_book_begin(struct report_book *book, const struct lab_papers *papers, const char *file,
                       const struct cli_picture *picture, struct ek_error *error)
{
    *book = (struct report_book){.papers = papers, .draws = report_program_found("gnuplot")};
    if (!report_look_read(picture, true, &book->look, error)) {
        return false;
    }
    return lab_stream_begin(&book->verdicts) && lab_stream_begin(&book->chapters) && lab_stream_begin(&book->pictures)
               ? lab_file_possible(file, error)
               : no_memory(error);
}

// Returns the paper that makes this claim, or NULL.
static const struct lab_paper *paper_of(const struct lab_papers *papers, const struct lab_claim *claim)
{
    for (size_t i = 0; i < papers->papers; i++) {
        const size_t length = strlen(papers->paper[i].name);
        if (strncmp(claim->id, papers->paper[i].name, length) == 0 && claim->id[length] == '-') {
            return &papers->paper[i];
        }
    }
    return NULL;
}

static void begin_chapter(struct report_book *book, const struct lab_paper *paper)
{
    book->paper = paper;
    write_element(book->chapters.out, "h2", "paper", paper->title);
    write_element(book->chapters.out, "p", "model", paper->model);
    fputs("<tr class=\"paper\"><th colspan=\"4\">", book->verdicts.out);
    lab_markup_write(book->verdicts.out, paper->title);
    fputs("</th></tr>\n", book->verdicts.out);
}

// Adds a line to the table of all verdicts.
static void add_line(FILE *out, const struct lab_judgement *judgement)
{
    const struct lab_claim *claim = judgement->claim;
    const char *verdict = lab_verdict_name(judgement->verdict);
    fprintf(out, "<tr><td><a href=\"#%s\">%s</a></td><td>", claim->id, claim->id);
    lab_markup_write(out, claim->place);
    fputs("</td><td>", out);
    lab_markup_write(out, claim->claim);
    fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n", verdict, lab_verdict_words(judgement->verdict));
}

static void write_measured(FILE *out, const struct lab_interval *measured)
{
    fprintf(out, "<td>%s", cli_text_real(measured->value).of);
    if (isfinite(measured->low)) {
        fprintf(out, "<br><small>%s to %s</small>", cli_text_real(measured->low).of, cli_text_real(measured->high).of);
    }
    fputs("</td>", out);
}

// Writes the first cells of a line of numbers: the check's name and text, in the check's first line only, and the
// group.
static void write_subject(FILE *out, const struct lab_evidence *evidence, bool first)
{
    const struct lab_check *check = evidence->check;
    fputs("<td>", out);
    if (first) {
        lab_markup_write(out, check->name);
        write_element(out, "small", "as", check->as);
    }
    fputs("</td><td>", out);
    if (first) {
        lab_markup_write(out, lab_check_subject(check));
    }
    write_element(out, "div", "group", evidence->group);
    fputs("</td>", out);
}

static void add_numbers(FILE *out, const struct lab_judgement *judgement)
{
    fputs("<table class=\"numbers\"><tr><th>check</th><th>what</th><th>expected</th><th>measured</th><th>runs</th>"
          "<th>holds?</th></tr>\n",
          out);
    for (size_t i = 0; i < judgement->count; i++) {
        const struct lab_evidence *evidence = &judgement->evidence[i];
        fputs("<tr>", out);
        write_subject(out, evidence, i == 0 || evidence[-1].check != evidence->check);
        write_element(out, "td", "expected", *evidence->expected ? evidence->expected : " ");
        write_measured(out, &evidence->measured);
        fprintf(out, "<td>%zu</td><td class=\"%s\">%s</td></tr>\n", evidence->runs, lab_holds_name(evidence->holds),
                lab_holds_name(evidence->holds));
    }
    fputs("</table>\n", out);
}

// Adds the commands that reproduce these numbers, each once.
static void add_commands(FILE *out, const struct lab_judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++) {
        size_t first = 0;
        while (strcmp(judgement->evidence[first].command, judgement->evidence[i].command) != 0) {
            first++;
        }
        if (first == i) {
            write_element(out, "pre", "command", judgement->evidence[i].command);
        }
    }
}

static bool add_picture(struct report_book *book, const struct lab_check *check, const struct lab_figure *figure,
                        struct ek_error *error)
{
    FILE *out = book->pictures.out;
    size_t length;
    char *svg = report_figure_bytes(figure, &book->look, "picture.svg", &length, error);
    const char *from = svg ? strstr(svg, "<svg") : NULL; // without the XML declaration, which only a separate file has
    if (from) {
        fputs("<figure>", out);
        fwrite(from, 1, length - (size_t)(from - svg), out);
        write_element(out, "figcaption", "what", check->what ? check->what : check->quantity);
        fputs("</figure>\n", out);
    }
    free(svg);
    return from;
}

// Adds the picture that `evenkeel results` would draw of a check's runs.
static bool add_runs_picture(struct report_book *book, const struct lab_check *check, struct lab_store *store,
                             struct ek_error *error)
{
    const struct lab_question question = {.columns = check->y,
                                          .over = check->x,
                                          .trace = check->trace_of,
                                          .group = check->group,
                                          .confidence = lab_papers_confidence};
    struct lab_figure figure = {0};
    const char *log = check->log ? check->log : "";
    bool good = lab_results_figure(store, &question, strchr(log, 'x'), strchr(log, 'y'), &figure, error) &&
                add_picture(book, check, &figure, error);
    lab_figure_destroy(&figure);
    return good;
}

// Returns whether the evidence of one check can be drawn as a curve. There must be at least three groups, the groups
// must be numbers, and the check must be more than a bound or an equality.
static bool is_curve(const struct lab_evidence *evidence, size_t count)
{
    const enum lab_expectation expectation = evidence->check->expectation;
    if (expectation == LAB_EXPECT_EQUALS || expectation == LAB_EXPECT_MOST || expectation == LAB_EXPECT_LEAST) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char *end = NULL;
        if (!evidence[i].group || (strtod(evidence[i].group, &end), *end) || end == evidence[i].group) {
            return false;
        }
    }
    return count >= 3;
}

// Adds a picture of a quantity over its groups, with the paper's numbers if it has some.
static bool add_curve(struct report_book *book, const struct lab_evidence *evidence, size_t count,
                      struct ek_error *error)
{
    const struct lab_check *check = evidence->check;
    struct lab_figure figure = {.swept = true};
    figure.x.logarithmic = check->log && strchr(check->log, 'x');
    figure.y.logarithmic = check->log && strchr(check->log, 'y');
    snprintf(figure.x.label, sizeof figure.x.label, "%.90s", check->x && !check->y ? check->x : check->by);
    struct lab_series *measured = lab_figure_add(&figure, LAB_SERIES_LINE, count, true, error);
    bool banded = false;
    for (size_t i = 0; measured && i < count; i++) {
        measured->x[i] = strtod(evidence[i].group, NULL);
        measured->y[i] = evidence[i].measured.value;
        measured->low[i] = evidence[i].measured.low;
        measured->high[i] = evidence[i].measured.high;
        banded = banded || isfinite(evidence[i].measured.low);
    }
    if (measured) {
        snprintf(measured->label, sizeof measured->label, "measured");
    }
    if (banded) {
        lab_figure_name_band(&figure, &lab_papers_confidence);
    }
    bool good = measured;
    if (good && isfinite(evidence->paper)) {
        struct lab_series *paper = lab_figure_add(&figure, LAB_SERIES_POINTS, count, false, error);
        good = paper;
        for (size_t i = 0; good && i < count; i++) {
            paper->x[i] = strtod(evidence[i].group, NULL);
            paper->y[i] = evidence[i].paper;
        }
        if (good) {
            snprintf(paper->label, sizeof paper->label, check->role == LAB_ROLE_MENDED ? "mended" : "the paper");
        }
    }
    good = good && add_picture(book, check, &figure, error);
    lab_figure_destroy(&figure);
    return good;
}

// Returns the place of a name in the figure, or the number of names if it is not there.
static size_t place_of(const struct lab_figure *figure, const char *name)
{
    size_t at = 0;
    while (at < figure->names && strcmp(figure->name[at], name) != 0) {
        at++;
    }
    return at;
}

// Splits a group: "GDE, mesh:8x8" is the bar of the series GDE on the name mesh:8x8. Returns the length of the series,
// which is 0 if the group is only a name.
static size_t split_group(const char *group, const char **name)
{
    const char *comma = NULL;
    for (const char *next = group; (next = strstr(next, ", ")); next++) {
        comma = next;
    }
    *name = comma ? comma + 2 : group;
    return comma ? (size_t)(comma - group) : 0;
}

// Returns the series of bars with this label; adds it if there is none. NULL: no memory.
static struct lab_series *series_of(struct lab_figure *figure, const char *label, size_t length, size_t most,
                                    struct ek_error *error)
{
    for (size_t s = 0; s < figure->count; s++) {
        if (strlen(figure->series[s].label) == length && strncmp(figure->series[s].label, label, length) == 0) {
            return &figure->series[s];
        }
    }
    struct lab_series *series = lab_figure_add(figure, LAB_SERIES_BARS, most, true, error);
    if (series) {
        snprintf(series->label, sizeof series->label, "%.*s", (int)length, label);
    }
    return series;
}

// Adds a picture with a bar for each group of a check.
static bool add_bars(struct report_book *book, const struct lab_evidence *evidence, size_t count,
                     struct ek_error *error)
{
    const struct lab_check *check = evidence->check;
    struct lab_figure figure = {.y.logarithmic = check->log && strchr(check->log, 'y')};
    bool good = true, banded = false;
    for (size_t i = 0; good && i < count; i++) {
        const char *name = "";
        size_t length = evidence[i].group ? split_group(evidence[i].group, &name) : 0;
        size_t at = place_of(&figure, name);
        struct lab_series *series = series_of(&figure, length > 0 ? evidence[i].group : "measured",
                                              length > 0 ? length : strlen("measured"), count, error);
        good = series && (at < figure.names || lab_figure_add_name(&figure, name, error));
        if (good) {
            series->x[at] = (double)at;
            series->y[at] = evidence[i].measured.value;
            series->low[at] = evidence[i].measured.low;
            series->high[at] = evidence[i].measured.high;
            banded = banded || isfinite(evidence[i].measured.low);
        }
    }
    if (banded) {
        lab_figure_name_band(&figure, &lab_papers_confidence);
    }
    good = good && add_picture(book, check, &figure, error);
    lab_figure_destroy(&figure);
    return good;
}

bool report_book_draw(struct report_book *book, const struct lab_evidence *evidence, size_t count,
                      struct lab_store *store, struct ek_error *error)
{
    const struct lab_check *check = count > 0 ? evidence->check : NULL;
    if (!check || !book->draws) {
        return true;
    }
    const bool own = check->y || check->trace_of;
    if (check->chart) {
        return add_bars(book, evidence, count, error);
    }
    const bool curve = is_curve(evidence, count) && (!own || isfinite(evidence->paper));
    return (!curve || add_curve(book, evidence, count, error)) && (!own || add_runs_picture(book, check, store, error));
}

bool report_book_add(struct report_book *book, const struct lab_judgement *judgement, struct ek_error *error)
{
    const struct lab_claim *claim = judgement->claim;
    const struct lab_paper *paper = paper_of(book->papers, claim);
    if (paper && paper != book->paper) {
        begin_chapter(book, paper);
    }
    add_line(book->verdicts.out, judgement);
    FILE *out = book->chapters.out;
    const char *verdict = lab_verdict_name(judgement->verdict);
    book->of[judgement->verdict]++;
    fprintf(out, "<section id=\"%s\"><h3>%s <span class=\"%s\">%s</span> <small>", claim->id, claim->id, verdict,
            lab_verdict_words(judgement->verdict));
    lab_markup_write(out, claim->place);
    fputs("</small></h3>\n", out);
    write_element(out, "p", "claim", claim->claim);
    write_element(out, "p", "says", claim->paper);
    write_element(out, "p", "why", judgement->why);
    write_element(out, "p", "remark", claim->remark);
    add_numbers(out, judgement);
    char *pictures = lab_stream_end(&book->pictures);
    if (!pictures) {
        return no_memory(error);
    }
    fputs(pictures, out);
    free(pictures);
    if (!lab_stream_begin(&book->pictures)) { // each claim has its own pictures
        return no_memory(error);
    }
    add_commands(out, judgement);
    fputs("</section>\n", out);
    return true;
}

static const char style[] =
    "body{margin:0 auto;padding:0 1rem 3rem;max-width:60rem;font:1rem/1.5 "
    "Georgia,serif;color:#1b2128;background:#fff}h1{font-size:1.8rem}h2{margin-top:3rem;border-top:2px solid "
    "#1b2128;padding-top:1rem}h3{margin:2.2rem 0 "
    ".3rem;font-size:1.1rem}small{color:#535e6b;font-weight:normal}table{border-collapse:collapse;width:100%;font-size:"
    ".85rem}th,td{text-align:left;vertical-align:top;padding:.2rem .5rem;border-bottom:1px solid "
    "#c9d1d9}td:first-child,td:last-child{white-space:nowrap}td "
    "small,.group{display:block;color:#535e6b}.says::before{content:'The paper: "
    "';color:#535e6b}.remark{font-size:.9rem}.says{border-left:3px solid "
    "#c9d1d9;padding-left:.8rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f6f8;padding:.4rem "
    ".6rem;font-size:.8rem}.holds,.yes{color:#00632f}.mended{color:#7a4a00}.fails,.no{color:#a5132c}.undecided,.open{"
    "color:#474f9e}h3 span{font-weight:bold}figure{margin:1rem 0}figure "
    "svg{max-width:100%;height:auto}figcaption{font-size:.9rem;color:#535e6b}@media(max-width:40rem){table{display:"
    "block;overflow-x:auto}}:root{color-scheme:light "
    "dark}@media(prefers-color-scheme:dark){body{color:#e8edf2;background:"
    "#12171d}a{color:#7ab8f5}h2,th,td,.says{border-color:#3a4552}small,td "
    "small,.group,.says::before,figcaption{color:#a3b0be}"
    "pre{background:#1b222a}.holds,.yes{color:#63c58a}.mended{color:#dcae5c}.fails,.no{color:#ff8a99}.undecided,.open{"
    "color:"
    "#a9b1ff}figure svg{background:#fff}}";

bool report_book_write(struct report_book *book, const char *file, struct ek_error *error)
{
    struct lab_file whole;
    char interval[64];
    lab_confidence_write(&lab_papers_confidence, interval, sizeof interval);
    const char *verdicts = lab_stream_end(&book->verdicts), *chapters = lab_stream_end(&book->chapters);
    if (!verdicts || !chapters) {
        return no_memory(error);
    }
    if (!lab_file_open(&whole, file, error)) {
        return false;
    }
    fprintf(whole.file,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>The papers, claim by claim</title>\n<style>%s</style>\n</head>\n<body>\n"
            "<h1>The papers, claim by claim</h1>\n"
            "<p>What the papers claim, tested by runs. ",
            style);
    report_papers_counts(whole.file, book->of);
    fprintf(whole.file,
            ". Each verdict follows from the measured numbers in the claim's section, which have "
            "confidence intervals (%s). The commands below the numbers repeat the runs with evenkeel %s.</p>\n"
            "<table class=\"verdicts\">\n",
            interval, ek_version());
    fputs(verdicts, whole.file);
    fputs("</table>\n", whole.file);
    fputs(chapters, whole.file);
    fputs("</body>\n</html>\n", whole.file);
    return lab_file_close(&whole, true, error);
}

void report_book_end(struct report_book *book)
{
    free(lab_stream_end(&book->verdicts)); // a stream that has ended is freed by ending it again
    free(lab_stream_end(&book->chapters));
    free(lab_stream_end(&book->pictures));
    *book = (struct report_book){0};
}
