// SPDX-License-Identifier: MIT
// Explains why the first method of a ranking is first: what a step or an operation of it achieves, what it moves, and
// whether the difference to the second method is significant. The means of other fields are in the ranking's table.
// The verdict says what the runs show, claims no more than the samples support, and says what to do if that is too
// little.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/statistics/samples.h"
#include "lab/studies/rank.h"
#include "lab/text/memory_stream.h"
#include "threads/api/report.h"

static double mean_of(const struct lab_ranked *row, const char *name)
{
    return lab_record_summarise(&row->record, lab_field_named(name)).mean;
}

// Returns the share of the distance from balance that remains after a step, or after an operation.
static double remaining_share(const struct lab_ranked *row, bool steps)
{
    double factor = mean_of(row, "factor");
    return steps ? pow(factor, mean_of(row, "operations") / mean_of(row, "steps")) : factor;
}

static void explain_factors(FILE *out, const struct lab_ranked *first, const struct lab_ranked *second, bool steps)
{
    const double share[2] = {remaining_share(first, steps), remaining_share(second, steps)};
    const struct ek_theory *theory[2] = {&first->record.theory, &second->record.theory};
    if (first->record.method.direct && !second->record.method.direct) {
        fprintf(out, " %s is direct: it ends after a fixed sequence of steps, while %s approaches balance gradually.",
                first->name, second->name);
    }
    if (share[0] < share[1]) {
        fprintf(out, " On average %s of %s leaves %.4g of the distance from balance; with %s it leaves %.4g.",
                steps ? "a step" : "an operation", first->name, share[0], second->name, share[1]);
    }
    // The theory is about real loads.
    if (strcmp(lab_record_axis(&first->record, "units"), "real") == 0 && theory[0]->has_exact && theory[1]->has_exact) {
        fprintf(out, " In the long run, by theory, an operation leaves %.4g, and with %s %.4g.", theory[0]->gamma_exact,
                second->name, theory[1]->gamma_exact);
    }
}

// Returns the load that moved in addition to the net flow, without rounding errors.
static double moved_in_vain(const struct lab_ranked *row, double net)
{
    double moved = mean_of(row, "moved");
    return moved - net > 1e-9 * moved ? moved - net : 0.0;
}

static void explain_flows(FILE *out, const struct lab_ranked *first, const struct lab_ranked *second)
{
    const double net[2] = {mean_of(first, "flow_l1"), mean_of(second, "flow_l1")};
    if (isfinite(net[0]) && isfinite(net[1])) {
        fprintf(out, " Its net flows over links add up to %.6g, and %.6g more moves to and fro; with %s %.6g and %.6g.",
                net[0], moved_in_vain(first, net[0]), second->name, net[1], moved_in_vain(second, net[1]));
    }
}

// Sentences print times of this computer in microseconds, and virtual times in a unit that fits them.
struct scale {
    double factor;
    const char *name, *unit; // of the field that ranks
};

static struct scale scale_of(const struct lab_rank *rank)
{
    if (strcmp(rank->by->name, "virtual_s") == 0) {
        const double first = rank->rows[0].mean.value;
        return first >= 1.0    ? (struct scale){1.0, "virtual time", " s"}
               : first >= 1e-3 ? (struct scale){1e3, "virtual time", " ms"}
                               : (struct scale){1e6, "virtual time", " us"};
    }
    bool time = strcmp(rank->by->name, "elapsed_s") == 0;
    return time ? (struct scale){1e6, "time", " us"} : (struct scale){1.0, rank->by->name, ""};
}

// Returns how many methods share a place.
static size_t count_at(const struct lab_rank *rank, size_t place)
{
    size_t count = 0;
    while (lab_rank_place(rank, place - 1 + count) == place) {
        count++;
    }
    return count;
}

// Returns how many methods share the first place.
static size_t count_first(const struct lab_rank *rank)
{
    return count_at(rank, 1);
}

// Writes "ade is first by steps", or "ade and ode share the first place by steps".
static void write_first(FILE *out, const struct lab_rank *rank, const struct scale *scale)
{
    const size_t count = count_first(rank);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", rank->rows[i].name);
    }
    fprintf(out, " %s by %s", count > 1 ? "share the first place" : "is first", scale->name);
}

// Writes how certain the difference is, and how large, if there are enough samples.
static void write_certainty(FILE *out, const struct lab_rank *rank, const struct scale *scale)
{
    const struct lab_behind *behind = &rank->rows[1].behind;
    char how[64];
    lab_confidence_write(&behind->more.by, how, sizeof how);
    fprintf(out, " (%.4g to %.4g, %s; p %s %.2g", scale->factor * behind->more.low, scale->factor * behind->more.high,
            how, behind->p < 0.001 ? "<" : "=", fmax(behind->p, 0.001));
    if (rank->ranked > 2) {
        fprintf(out, " by Holm's correction for %zu comparisons", rank->ranked - 1);
    }
    fprintf(out, "): the difference %s. %s takes less with a probability of %.4g, where ties count half.",
            lab_rank_significant(behind) ? "is significant" : "may be chance", rank->rows[0].name, behind->superiority);
}

// Compares the first two methods seed by seed.
static void write_difference(FILE *out, const struct lab_rank *rank, const struct scale *scale)
{
    const struct lab_ranked *second = &rank->rows[1];
    if (second->behind.equal && second->record.count > 1) {
        fprintf(out, " %s take the same with every seed.", count_first(rank) > 2 ? "The first two" : "Both");
    } else if (isfinite(second->behind.p)) {
        fprintf(out, " With the same %zu seeds %s takes %.4g%s more", second->record.count, second->name,
                scale->factor * second->behind.more.value, scale->unit);
        write_certainty(out, rank, scale);
    }
}

// Returns the reason why only one method has a place.
static const char *why_alone(const struct lab_rank *rank)
{
    bool any = false; // another method reached the criterion in every run
    for (size_t i = 1; i < rank->ran; i++) {
        any = any || rank->rows[i].reached == rank->rows[i].record.runs_asked;
    }
    return rank->ran == 1 ? "no other method ran"
           : any          ? "of the others, those that reached the criterion in every run do not report this field"
                          : "no other method reached the criterion in every run";
}

// Explains why the first method is before the second. No other method shares the first place.
static void explain_first(FILE *out, const struct lab_rank *rank, const struct scale *scale)
{
    const struct lab_ranked *first = &rank->rows[0], *second = &rank->rows[1];
    const char *by = rank->by->name;
    const size_t seconds = count_at(rank, 2);
    if (seconds > 1) {
        fprintf(out, "; %zu methods share the second place, such as %s, each", seconds, second->name);
    } else {
        fprintf(out, "; %s is second", second->name);
    }
    fprintf(out, " with %.6g%s.", scale->factor * second->mean.value, scale->unit);
    if (strcmp(by, "steps") == 0 || strcmp(by, "operations") == 0) {
        explain_factors(out, first, second, strcmp(by, "steps") == 0);
    } else if (strcmp(by, "moved") == 0 || strncmp(by, "flow_", 5) == 0 || strcmp(by, "normalised_cost") == 0) {
        explain_flows(out, first, second);
    }
}

static void explain(FILE *out, const struct lab_rank *rank)
{
    const struct scale scale = scale_of(rank);
    const bool shared = count_first(rank) > 1;
    if (rank->ranked == 0) {
        return;
    }
    write_first(out, rank, &scale);
    fprintf(out, "%s with %.6g%s", shared ? ", each" : "", scale.factor * rank->rows[0].mean.value, scale.unit);
    if (rank->ranked == 1) {
        fprintf(out, ": %s.", why_alone(rank));
        return;
    }
    if (shared) {
        fputc('.', out);
    } else {
        explain_first(out, rank, &scale);
    }
    write_difference(out, rank, &scale);
}

char *lab_rank_why(const struct lab_rank *rank)
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        explain(text.out, rank);
    }
    return lab_stream_end(&text);
}

// Returns the number of samples of the comparison that has the fewest.
static size_t count_samples(const struct lab_rank *rank)
{
    size_t fewest = rank->rows[1].behind.samples;
    for (size_t i = 2; i < rank->ranked; i++) {
        fewest = rank->rows[i].behind.samples < fewest ? rank->rows[i].behind.samples : fewest;
    }
    return fewest;
}

// Objects from files are the same with every seed.
static bool has_one_load(const struct lab_rank *rank)
{
    const struct lab_record *record = &rank->rows[0].record;
    return record->runs[0].has_objects && strcmp(lab_record_axis(record, "load"), "placed") == 0;
}

static void write_too_few(FILE *out, const struct lab_rank *rank, size_t samples)
{
    if (samples == 1 && has_one_load(rank)) {
        fputs(" on these objects.", out);
        return;
    }
    if (samples == 1 && rank->runs_asked > 1) {
        fprintf(out, " on this load. The %" PRIu64 " runs of a method are alike, so they are one sample: %s.",
                rank->runs_asked,
                rank->rows[0].record.runs[0].has_tasks
                    ? "another seed in --tasks gives other tasks"
                    : "draw the load from the seed, as in --load uniform:0:1000, to learn about other loads");
    } else {
        fprintf(out, " with %s. Fewer than %d samples say little about other seeds.",
                samples == 1 ? "this seed" : "these seeds", (int)LAB_SAMPLES_MIN);
    }
}

// Writes which methods cannot be told apart from the first.
static void write_uncertain(FILE *out, const struct lab_rank *rank, size_t uncertain)
{
    fprintf(out, ", but %zu independent samples do not show a significant difference to ", count_samples(rank));
    for (size_t i = count_first(rank), written = 0; written < uncertain; i++) {
        if (!lab_rank_significant(&rank->rows[i].behind)) {
            fprintf(out, "%s%s", written == 0 ? "" : written + 1 < uncertain ? ", " : " and ", rank->rows[i].name);
            written++;
        }
    }
    fputs(": use more --runs.", out);
}

static void write_certain(FILE *out, const struct lab_rank *rank)
{
    fprintf(out, "; with %zu independent samples the difference to %s is significant", count_samples(rank),
            rank->ranked - count_first(rank) > 1 ? "each other method with a place" : "the next method");
    fprintf(out, rank->ranked > 2 ? " (5 %%, Holm's correction for %zu comparisons)." : " (5 %%).", rank->ranked - 1);
}

// Writes why no method has a place. The method of the first row reached the criterion most often.
static void write_nobody(FILE *out, const struct lab_rank *rank)
{
    const struct lab_ranked *best = &rank->rows[0];
    if (best->reached == rank->runs_asked) {
        fprintf(out, "No method that reached the criterion in every run reports %s.", rank->by->name);
    } else if (best->reached > 0) {
        fprintf(out, "No method reached the criterion in every run; %s did in %zu of %" PRIu64 ".", best->name,
                best->reached, rank->runs_asked);
    } else if (best->record.runs[0].has_objects) {
        fputs("No run reached the criterion: objects do not divide, so give a weaker --stop, or try --choose nearest.",
              out);
    } else {
        fputs("No run reached the criterion, so all values are lower bounds.", out);
    }
}

// Returns whether the loads fulfilled the criterion at the start of every run of a method with a place.
static bool began_balanced(const struct lab_rank *rank)
{
    bool began = true;
    for (size_t i = 0; i < rank->ranked; i++) {
        const struct lab_record *record = &rank->rows[i].record;
        for (size_t r = 0; r < record->count; r++) {
            began = began && record->runs[r].steps + record->runs[r].operations == 0;
        }
    }
    return began;
}

// Returns whether a method that ran did not reach the criterion in every run.
static bool any_unreached(const struct lab_rank *rank)
{
    bool any = false;
    for (size_t i = rank->ranked; i < rank->ran; i++) {
        any = any || rank->rows[i].reached < rank->runs_asked;
    }
    return any;
}

static void conclude(FILE *out, const struct lab_rank *rank)
{
    const struct scale scale = scale_of(rank);
    if (rank->ranked == 0) {
        write_nobody(out, rank);
        return;
    }
    if (began_balanced(rank)) {
        fputs(
            "The loads fulfil the criterion at the start, so nothing is compared: choose another --load, or a stronger "
            "--stop.",
            out);
        return;
    }
    write_first(out, rank, &scale);
    size_t uncertain = 0;
    for (size_t i = count_first(rank); i < rank->ranked; i++) {
        uncertain += !lab_rank_significant(&rank->rows[i].behind);
    }
    if (rank->ranked == 1) {
        fprintf(out, ": %s.", why_alone(rank));
    } else if (count_samples(rank) < LAB_SAMPLES_MIN) {
        write_too_few(out, rank, count_samples(rank));
    } else if (uncertain > 0) {
        write_uncertain(out, rank, uncertain);
    } else if (count_first(rank) < rank->ranked) {
        write_certain(out, rank);
    } else {
        fputc('.', out);
    }
    if (rank->ranked > 1 && any_unreached(rank)) {
        fprintf(out, " Methods that did not reach the criterion in every run have no place.");
    }
}

char *lab_rank_verdict(const struct lab_rank *rank)
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        conclude(text.out, rank);
    }
    return lab_stream_end(&text);
}
