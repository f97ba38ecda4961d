// SPDX-License-Identifier: MIT
// `evenkeel papers`: tests the claims of the papers.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/sweep_progress.h"
#include "cli/line/complain.h"
#include "cli/line/shared_options.h"
#include "cli/page/book.h"
#include "cli/report/papers_report.h"
#include "cli/tables/paste.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "lab/record/json.h"
#include "lab/text/clean_text.h"

struct options {
    const char *store, *report; // report is NULL if not given
    uint64_t seed, jobs;        // jobs is 0 if not given
    struct cli_picture picture;
    enum cli_format format;
    bool all, list, quick, again, quiet;
};

// The longest run of a claim takes some seconds.
enum { RUN_LIMIT_S = 600 };

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    {.name = "all", .help = "test every claim", .kind = EK_AXIS_SWITCH, .place = PLACE(all)},
    {.name = "list", .help = "list the claims and run nothing", .kind = EK_AXIS_SWITCH, .place = PLACE(list)},
    {.name = "quick",
     .help = "use fewer seeds, for wider intervals, and leave out long checks",
     .more =
         "Uses a quarter of the seeds, but at least twenty if a claim has so many. Leaves out the checks whose runs "
         "take minutes; the last line says how many.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(quick)},
    CLI_OPTION_SEED("run all claims with other seeds: 2, 3, ...", PLACE(seed)),
    CLI_OPTION_STORE("papers.sqlite", PLACE(store)),
    CLI_OPTION_STORE_JOBS(PLACE(jobs)),
    CLI_OPTION_AGAIN(PLACE(again)),
    {.name = "report",
     .form = "FILE",
     .help = "write the verdicts as a book: a page of HTML",
     .more = "With gnuplot, the book has a picture of each figure and table.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(report),
     .file = CLI_WRITES},
    CLI_OPTIONS_LOOK(PLACE(picture)),
    CLI_OPTION_FORMAT_TO_PASTE(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    {0}};

// The output, written while claims are judged.
struct session {
    const struct cli_call *call;
    const struct options *options;
    json_t *claims;          // with --format json
    size_t of[LAB_VERDICTS]; // number of claims with each verdict
    struct report_book book;
};

// Returns the claims that the arguments name, in the order of the papers.
static const struct lab_claim **choose(const struct cli_call *call, const struct options *options,
                                       const struct lab_papers *papers, size_t *count, struct ek_error *error)
{
    const struct lab_claim **chosen = calloc(papers->count, sizeof(struct lab_claim *));
    bool good = chosen || base_refuse(error, "there is no memory for the claims");
    const bool all = options->all || (options->list && call->words_count == 0);
    *count = 0;
    for (size_t w = 0; good && w < call->words_count; w++) {
        size_t i = 0;
        while (i < papers->count && !lab_claim_named(&papers->claim[i], call->words[w])) {
            i++;
        }
        good = i < papers->count ||
               base_refuse(error, "'%.60s' is no claim, paper or kind of claims: evenkeel papers --list shows them",
                           call->words[w]);
    }
    for (size_t i = 0; good && i < papers->count; i++) {
        bool named = all;
        for (size_t w = 0; w < call->words_count; w++) {
            named = named || lab_claim_named(&papers->claim[i], call->words[w]);
        }
        if (named) {
            chosen[(*count)++] = &papers->claim[i];
        }
    }
    good = good && (*count > 0 || base_refuse(error, "name claims, as in evenkeel papers xu-52 liquid figure, or give "
                                                     "--all; evenkeel papers --list shows them"));
    if (!good) {
        free(chosen);
        return NULL;
    }
    return chosen;
}

static bool looked(void *context, const struct lab_evidence *evidence, size_t count, struct lab_store *store,
                   struct ek_error *error)
{
    struct session *session = context;
    return report_book_draw(&session->book, evidence, count, store, error);
}

static bool judged(void *context, const struct lab_judgement *judgement, struct ek_error *error)
{
    struct session *session = context;
    const struct options *options = session->options;
    session->of[judgement->verdict]++;
    if (options->format == CLI_JSON) {
        json_array_append_new(session->claims, lab_judgement_object(judgement));
    } else if (options->format == CLI_CSV) {
        report_papers_csv(stdout, judgement);
    } else if (report_is_pasted(options->format)) {
        report_papers_paste(stdout, options->format, judgement);
    } else if (!options->quiet) {
        report_papers_table(stdout, judgement, session->call->words_count == 1);
    }
    return !options->report || report_book_add(&session->book, judgement, error);
}

static void write_json(json_t *claims)
{
    json_t *object = json_pack("{s:s, s:o}", "schema", "evenkeel.papers/1", "claims", claims);
    lab_json_write(stdout, object, JSON_INDENT(1));
    putchar('\n');
}

// Returns whether all claims were judged. Claims that lack runs, because those failed, are judged by the others.
static bool is_whole(const struct lab_sweep_result *swept)
{
    return swept->left == 0 && !swept->interrupted;
}

// Returns whether all claims were judged. After Ctrl-C it fills `error` instead.
static bool all_were_judged(const struct session *session, const struct lab_sweep_result *swept, size_t claims,
                            struct ek_error *error)
{
    size_t judged = 0;
    for (size_t v = 0; v < LAB_VERDICTS; v++) {
        judged += session->of[v];
    }
    if (!swept->interrupted) {
        return true;
    }
    base_refuse(error, "interrupted: %s %s in %s, and %s of %s %s judged: repeat the command, and it continues",
                cli_text_plural(swept->ran + swept->reused, "run").of, swept->ran + swept->reused == 1 ? "is" : "are",
                session->options->store, cli_text_count(judged).of, cli_text_plural(claims, "claim").of,
                judged == 1 ? "was" : "were");
    error->status = EK_UNREACHED;
    return false;
}

// Returns the exit status. If it is not 0, prints a sentence first.
static enum ek_status conclude(const struct session *session, const struct lab_sweep_result *swept, size_t claims,
                               struct ek_error *error)
{
    if (cli_sweep_complete(swept, error) && all_were_judged(session, swept, claims, error) &&
        (swept->refused == 0 || base_refuse(error, "%s of the claims cannot be carried out: %.450s",
                                            cli_text_plural(swept->refused, "run").of, swept->refusals.of[0].why))) {
        return EK_OK;
    }
    fflush(stdout);
    return cli_complain(error);
}

// Prints the last line.
static void print_counts(const struct session *session, const struct lab_claim *const *claims, size_t count)
{
    const bool wide = session->options->quick && session->of[LAB_VERDICT_UNDECIDED] > 0;
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        left_out += claims[i]->left_out;
    }
    report_papers_counts(stdout, session->of);
    if (left_out > 0) {
        printf(" (--quick left out %s)", cli_text_plural(left_out, "long check").of);
    }
    puts(wide ? " (--quick uses few seeds: without it more may be decided)" : "");
}

static enum ek_status try(struct session *session, const struct lab_claim *const *claims, size_t count)
{
    const struct options *options = session->options;
    struct ek_error error = {.at = -1};
    struct cli_progress progress = cli_progress_begin(options->quiet, true);
    struct lab_claims_request request = {
        .claim = claims,
        .count = count,
        .quick = options->quick,
        .seed = options->seed,
        .sweep = {.request = {.reader = cli_reader(), .again = options->again, .shard = 1, .shards = 1},
                  .store = options->store,
                  .jobs = (unsigned)options->jobs,
                  .timeout_s = RUN_LIMIT_S,
                  .stopped = cli_interrupt_came,
                  .progress = cli_sweep_progress,
                  .context = &progress}};
    struct lab_claims_sink sink = {.context = session, .on_check = options->report ? looked : NULL, .on_claim = judged};
    struct lab_sweep_result swept;
    if (options->format == CLI_CSV) {
        report_papers_csv(stdout, NULL);
    } else if (report_is_pasted(options->format)) {
        report_papers_paste(stdout, options->format, NULL);
    }
    cli_interrupt_catch();
    bool good = lab_claims_run(&request, &sink, &swept, &error);
    cli_interrupt_release();
    cli_progress_clear(&progress);
    const bool whole = good && is_whole(&swept);
    if (report_is_pasted(options->format)) {
        report_paste_foot(stdout, options->format);
    }
    if (whole && options->format == CLI_JSON) {
        write_json(json_incref(session->claims));
    } else if (whole && options->format == CLI_TABLE && !options->quiet) {
        print_counts(session, claims, count);
    }
    good = good && (!whole || !options->report || report_book_write(&session->book, options->report, &error));
    enum ek_status status = good ? conclude(session, &swept, count, &error) : cli_complain(&error);
    lab_sweep_result_destroy(&swept);
    return status;
}

static void list(const struct options *options, const struct lab_claim *const *claims, size_t count)
{
    if (options->format == CLI_JSON) {
        json_t *array = json_array();
        for (size_t i = 0; i < count; i++) {
            json_array_append_new(array, lab_claim_object(claims[i]));
        }
        write_json(array);
        return;
    }
    const bool pasted = report_is_pasted(options->format);
    if (pasted) {
        report_papers_paste_claim(stdout, options->format, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        if (pasted) {
            report_papers_paste_claim(stdout, options->format, claims[i]);
        } else {
            report_papers_claim(stdout, claims[i]);
        }
    }
    if (pasted) {
        report_paste_foot(stdout, options->format);
    }
}

static bool begin_book(struct session *session, const struct lab_papers *papers, struct ek_error *error)
{
    const struct options *options = session->options;
    const char *given = report_look_given(&options->picture);
    if (options->report) {
        return report_book_begin(&session->book, papers, options->report, &options->picture, error);
    }
    return !given || base_refuse(error, "--%s is about the pictures of a book: add --report FILE", given);
}

static enum ek_status papers(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    struct lab_papers all;
    if (!lab_papers_own(&all, &error)) {
        return cli_complain(&error);
    }
    if (options->quick) {
        lab_papers_remove_long(&all);
    }
    size_t count;
    const struct lab_claim **claims = choose(call, options, &all, &count, &error);
    struct session session = {.call = call, .options = options, .claims = json_array()};
    enum ek_status status = EK_BAD_INPUT;
    if (!claims || !begin_book(&session, &all, &error)) {
        status = cli_complain(&error);
    } else if (options->list) {
        list(options, claims, count);
        snprintf(call->found->text, sizeof call->found->text, "%s", claims[0]->id);
        status = EK_OK;
    } else {
        status = try(&session, claims, count);
    }
    report_book_end(&session.book);
    json_decref(session.claims);
    free(claims);
    lab_papers_destroy(&all);
    return status;
}

const struct cli_command cli_papers = {
    .name = "papers",
    .theme = CLI_THEME_STUDY,
    .argument = "CLAIM",
    .optional = true,
    .several = true,
    .summary = "test what the papers claim: every system, equation, theorem, figure, table",
    .more = "CLAIM is a claim (xu-52), a paper (xu, dde, liquid, otis, delays, bounds) or a kind of claims (figure). "
            "--all stands for all claims, and --list lists them. Each claim is tested by runs that --store keeps: if "
            "the command is interrupted, run it again to continue. The runs decide whether the claim holds, fails, "
            "fails but holds when mended, or stays undecided, and why. docs/papers.md explains how claims are "
            "written.",
    .options = own,
    .size = sizeof(struct options),
    .act = papers};
