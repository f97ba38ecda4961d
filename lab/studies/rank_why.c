// SPDX-License-Identifier: MIT
// Explains why the first method of a ranking is first: what a step or an operation of it achieves, what it moves, and
// whether the difference to the second method is significant. The means of other fields are in the ranking's table.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/rank.h"
#include "lab/text/memory_stream.h"

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
                first->method, second->method);
    }
    if (share[0] < share[1]) {
        fprintf(out, " On average %s of %s leaves %.4g of the distance from balance; with %s it leaves %.4g.",
                steps ? "a step" : "an operation", first->method, share[0], second->method, share[1]);
    }
    // The theory is about real loads.
    if (strcmp(lab_record_axis(&first->record, "units"), "real") == 0 && theory[0]->has_exact && theory[1]->has_exact) {
        fprintf(out, " In the long run, by theory, an operation leaves %.4g, and with %s %.4g.", theory[0]->gamma_exact,
                second->method, theory[1]->gamma_exact);
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
                net[0], moved_in_vain(first, net[0]), second->method, net[1], moved_in_vain(second, net[1]));
    }
}

// Sentences print times in microseconds.
struct scale {
    double factor;
    const char *name, *unit; // of the field that ranks
};

static struct scale scale_of(const struct lab_rank *rank)
{
    bool time = strcmp(rank->by->name, "elapsed_s") == 0;
    return time ? (struct scale){1e6, "time", " us"} : (struct scale){1.0, rank->by->name, ""};
}

// Returns how many methods share the first place.
static size_t count_first(const struct lab_rank *rank)
{
    size_t count = 0;
    while (lab_rank_place(rank, count) == 1) {
        count++;
    }
    return count;
}

static void write_shared_place(FILE *out, const struct lab_rank *rank, const struct scale *scale)
{
    size_t count = count_first(rank);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", rank->rows[i].method);
    }
    fprintf(out, " share the first place by %s, each with %.6g%s.", scale->name,
            scale->factor * rank->rows[0].mean.value, scale->unit);
}

// Compares the first two methods seed by seed. Returns false if memory is short.
static bool write_significance(FILE *out, const struct lab_rank *rank, const struct scale *scale)
{
    const struct lab_ranked *first = &rank->rows[0], *second = &rank->rows[1];
    const size_t count = first->record.count;
    if (count == 1) {
        fputs(" A single run does not show what other seeds give: ask for more --runs.", out);
        return true;
    }
    double *values = calloc(2 * count, sizeof *values);
    if (!values) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = scale->factor * lab_field_value(rank->by, &second->record.runs[i]);
        values[count + i] = scale->factor * lab_field_value(rank->by, &first->record.runs[i]);
    }
    struct lab_interval more = lab_interval_difference(values, values + count, count, first->mean.by);
    free(values);
    char how[64];
    lab_confidence_write(&first->mean.by, how, sizeof how);
    if (more.low == 0.0 && more.high == 0.0) {
        fprintf(out, " %s take the same with every seed.", count_first(rank) > 2 ? "The first two" : "Both");
    } else {
        fprintf(out, " With the same %zu seeds %s takes %.4g%s more (%.4g to %.4g, %s): the difference %s.", count,
                second->method, more.value, scale->unit, more.low, more.high, how,
                more.low > 0.0 ? "is significant" : "may be chance");
    }
    return true;
}

static bool explain(FILE *out, const struct lab_rank *rank)
{
    const struct lab_ranked *first = &rank->rows[0], *second = &rank->rows[1];
    const struct scale scale = scale_of(rank);
    const char *by = rank->by->name;
    if (rank->ranked == 0) {
        return true;
    }
    if (count_first(rank) > 1) {
        write_shared_place(out, rank, &scale);
        return write_significance(out, rank, &scale);
    }
    fprintf(out, "%s is first by %s with %.6g%s", first->method, scale.name, scale.factor * first->mean.value,
            scale.unit);
    if (rank->ranked == 1) {
        fputs(rank->ran == 1 ? ": no other method ran." : ": no other method reached the criterion in every run.", out);
        return true;
    }
    fprintf(out, "; %s is second with %.6g%s.", second->method, scale.factor * second->mean.value, scale.unit);
    if (strcmp(by, "steps") == 0 || strcmp(by, "operations") == 0) {
        explain_factors(out, first, second, strcmp(by, "steps") == 0);
    } else if (strcmp(by, "moved") == 0 || strncmp(by, "flow_", 5) == 0 || strcmp(by, "normalised_cost") == 0) {
        explain_flows(out, first, second);
    }
    return write_significance(out, rank, &scale);
}

char *lab_rank_why(const struct lab_rank *rank)
{
    struct lab_stream text;
    bool good = lab_stream_begin(&text) && explain(text.out, rank);
    char *why = lab_stream_end(&text);
    if (!good) {
        free(why);
        return NULL;
    }
    return why;
}
