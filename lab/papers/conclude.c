// SPDX-License-Identifier: MIT
// Derives verdicts from evidence, with a sentence that gives the reason.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/verdict.h"
#include "lab/record/json.h"
#include "lab/text/memory_stream.h"

const char *lab_verdict_name(enum lab_verdict verdict)
{
    static const char *const names[] = {[LAB_VERDICT_HOLDS] = "holds",
                                        [LAB_VERDICT_MENDED] = "mended",
                                        [LAB_VERDICT_FAILS] = "fails",
                                        [LAB_VERDICT_UNDECIDED] = "undecided"};
    return names[verdict];
}

const char *lab_verdict_as_written(enum lab_verdict verdict)
{
    return lab_verdict_name(verdict == LAB_VERDICT_MENDED ? LAB_VERDICT_FAILS : verdict);
}

const char *lab_verdict_words(enum lab_verdict verdict)
{
    return verdict == LAB_VERDICT_MENDED ? "fails; mended version holds" : lab_verdict_name(verdict);
}

const char *lab_holds_name(enum lab_holds holds)
{
    static const char *const names[] = {
        [LAB_HOLDS_YES] = "yes", [LAB_HOLDS_NO] = "no", [LAB_HOLDS_OPEN] = "open", [LAB_HOLDS_SHOWN] = "shown"};
    return names[holds];
}

// The results of all checks of one role, or of one reading.
struct tally {
    size_t yes, no, open;
    size_t runs;
    const struct lab_evidence *first; // the first that fails, or else the first that is open, or NULL
};

static struct tally count(const struct lab_judgement *judgement, enum lab_role role, const char *reading)
{
    struct tally tally = {0};
    for (size_t i = 0; i < judgement->count; i++) {
        const struct lab_evidence *evidence = &judgement->evidence[i];
        const struct lab_check *check = evidence->check;
        if (check->role != role || (reading && strcmp(reading, check->reading) != 0)) {
            continue;
        }
        tally.yes += evidence->holds == LAB_HOLDS_YES;
        tally.open += evidence->holds == LAB_HOLDS_OPEN;
        tally.runs += evidence->runs;
        if (evidence->holds == LAB_HOLDS_NO && tally.no++ == 0) {
            tally.first = evidence;
        } else if (evidence->holds == LAB_HOLDS_OPEN && !tally.first) {
            tally.first = evidence;
        }
    }
    return tally;
}

static void write_number(FILE *out, const struct lab_interval *interval)
{
    if (!isfinite(interval->value)) {
        fputs("nothing was measured", out);
    } else if (isfinite(interval->low)) {
        fprintf(out, "measured %.4g (%.4g to %.4g)", interval->value, interval->low, interval->high);
    } else {
        fprintf(out, "measured %.10g", interval->value);
    }
}

static void write_evidence(FILE *out, const struct lab_evidence *evidence)
{
    fputs(lab_check_subject(evidence->check), out);
    if (evidence->group) {
        fprintf(out, " (%s)", evidence->group);
    }
    if (lab_check_is_condition(evidence->check)) {
        fprintf(out, ": true in %.0f of %zu runs", evidence->measured.value, evidence->runs);
    } else {
        fputs(": ", out);
        write_number(out, &evidence->measured);
        fprintf(out, ", expected %s", evidence->expected);
    }
    if (evidence->lacking > 0) {
        fprintf(out, "; %zu more %s no result", evidence->lacking, evidence->lacking == 1 ? "run has" : "runs have");
    }
}

static void write_tally(FILE *out, const struct tally *tally)
{
    fprintf(out, "%zu %s, in %zu runs", tally->yes, tally->yes == 1 ? "check holds" : "checks hold", tally->runs);
}

// Writes the result of each reading. Finds out whether all readings hold, and whether all of them fail.
static void write_readings(const struct lab_judgement *judgement, FILE *out, bool *all, bool *none)
{
    bool any = false;
    *all = *none = true;
    for (size_t i = 0; i < judgement->count; i++) {
        const char *reading = judgement->evidence[i].check->reading;
        size_t first = 0;
        while (reading && (!judgement->evidence[first].check->reading ||
                           strcmp(judgement->evidence[first].check->reading, reading) != 0)) {
            first++;
        }
        if (!reading || first < i) {
            continue;
        }
        struct tally tally = count(judgement, LAB_ROLE_READING, reading);
        *all = *all && !tally.first;
        *none = *none && tally.no > 0;
        fprintf(out, "%sread as %s it %s: ", any ? "; " : "", reading,
                !tally.first   ? "holds"
                : tally.no > 0 ? "fails"
                               : "is undecided");
        if (tally.first) {
            write_evidence(out, tally.first);
        } else {
            write_tally(out, &tally);
        }
        any = true;
    }
}

// Returns the verdict, and writes the reason.
static enum lab_verdict conclude(const struct lab_judgement *judgement, FILE *out)
{
    const struct lab_claim *claim = judgement->claim;
    const struct tally written = count(judgement, LAB_ROLE_WRITTEN, NULL);
    const struct tally mended = count(judgement, LAB_ROLE_MENDED, NULL);
    const struct tally readings = count(judgement, LAB_ROLE_READING, NULL);
    enum lab_verdict verdict = LAB_VERDICT_UNDECIDED;
    bool all = true, none = false;
    if (readings.yes + readings.no + readings.open > 0) {
        write_readings(judgement, out, &all, &none);
        const bool more = written.no > 0 || (!none && (claim->open || written.open > 0 || (all && written.yes > 0)));
        fputs(more ? "; " : "", out);
    }
    if (written.no > 0 || none) {
        verdict = LAB_VERDICT_FAILS;
        if (written.no > 0) {
            write_evidence(out, written.first);
        }
        if (mended.yes > 0 && !mended.first) {
            verdict = LAB_VERDICT_MENDED;
            fprintf(out, "; mended: %s (", claim->mended ? claim->mended : "");
            write_tally(out, &mended);
            fputs(")", out);
        } else if (mended.first) {
            fputs(mended.no > 0 ? "; the mended claim fails too: " : "; the mended claim is undecided: ", out);
            write_evidence(out, mended.first);
        }
    } else if (claim->open) {
        fputs(claim->open, out);
    } else if (written.open > 0) {
        write_evidence(out, written.first);
    } else if (all && written.yes + readings.yes > 0) {
        verdict = LAB_VERDICT_HOLDS;
        if (written.yes > 0) {
            write_tally(out, &written);
        }
    }
    return verdict;
}

bool lab_judgement_conclude(struct lab_judgement *judgement, struct ek_error *error)
{
    struct lab_stream why;
    if (lab_stream_begin(&why)) {
        judgement->verdict = conclude(judgement, why.out);
    }
    judgement->why = lab_stream_end(&why);
    return judgement->why || base_refuse(error, "there is no memory for a verdict");
}

void lab_judgement_destroy(struct lab_judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++) {
        free(judgement->evidence[i].group);
        free(judgement->evidence[i].command);
    }
    free(judgement->evidence);
    free(judgement->why);
    *judgement = (struct lab_judgement){0};
}

static json_t *evidence_object(const struct lab_evidence *evidence)
{
    const struct lab_check *check = evidence->check;
    const struct lab_interval *measured = &evidence->measured;
    return json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:s?, s:I, s:s, s:I}", "check",
                     check->name, "as", check->as ? check->as : "written", "group", evidence->group, "command",
                     evidence->command, "quantity", lab_check_subject(check), "sql",
                     lab_check_is_condition(check) ? check->expected : check->quantity, "paper",
                     lab_json_real(evidence->paper), "measured", lab_json_real(measured->value), "error",
                     lab_json_real(isfinite(measured->low) ? 0.5 * (measured->high - measured->low) : NAN), "low",
                     lab_json_real(measured->low), "high", lab_json_real(measured->high), "expected",
                     *evidence->expected ? evidence->expected : NULL, "runs", (json_int_t)evidence->runs, "holds",
                     lab_holds_name(evidence->holds), "lacking", (json_int_t)evidence->lacking);
}

json_t *lab_judgement_object(const struct lab_judgement *judgement)
{
    json_t *evidence = json_array();
    for (size_t i = 0; i < judgement->count; i++) {
        json_array_append_new(evidence, evidence_object(&judgement->evidence[i]));
    }
    json_t *object = lab_claim_object(judgement->claim);
    json_object_set_new(object, "verdict", json_string(lab_verdict_name(judgement->verdict)));
    json_object_set_new(object, "as_written", json_string(lab_verdict_as_written(judgement->verdict)));
    json_object_set_new(object, "why", json_string(judgement->why));
    json_object_set_new(object, "evidence", evidence);
    return object;
}

json_t *lab_claim_object(const struct lab_claim *claim)
{
    return json_pack("{s:s, s:s%, s:s, s:s, s:s, s:s?, s:s?, s:s?}", "id", claim->id, "paper", claim->id,
                     strcspn(claim->id, "-"), "place", claim->place, "kind", claim->kind, "claim", claim->claim, "says",
                     claim->paper, "mended", claim->mended, "remark", claim->remark);
}
