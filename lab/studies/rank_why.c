// SPDX-License-Identifier: MIT
// Why the first of a ranking is first: what it took is taken apart into what there was of it and how much each took,
// and what is less is said. Nothing is said that the numbers do not bear out.
#include "lab/studies/rank.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text in the making.
struct page {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void say(struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(page->at, page->left, format, arguments);
    va_end(arguments);
    size_t written = length < 0 ? 0 : (size_t)length < page->left ? (size_t)length : page->left - 1;
    page->at += written;
    page->left -= written;
}

static double mean_of(const struct lab_ranked *row, const char *name)
{
    return lab_record_summarise(&row->record, lab_field_named(name)).mean;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

// What a step, or an operation, leaves of the distance from balance: by steps, operations are as long as they were.
static double left_by(const struct lab_ranked *row, bool steps)
{
    double factor = mean_of(row, "factor");
    return steps ? pow(factor, mean_of(row, "operations") / mean_of(row, "steps")) : factor;
}

// By steps or operations: how much each of them achieves.
static void say_factors(struct page *page, const struct lab_ranked *first, const struct lab_ranked *next, bool steps)
{
    double mine = left_by(first, steps);
    double other = left_by(next, steps);
    const char *what = steps ? "step" : "operation";
    if (first->record.method.direct && !next->record.method.direct) {
        say(page, " It is direct: it comes to its end by itself, where %s nears balance operation by operation.",
            next->method);
    }
    if (mine < other) {
        say(page, " On the mean a%s %s of it left %.4g of the distance from balance, one of %s %.4g.", steps ? "" : "n",
            what, mine, next->method, other);
    }
    bool real = strcmp(lab_record_axis(&first->record, "units"), "real") == 0; // as the theory has it
    if (real && first->record.theory.has_exact && next->record.theory.has_exact) {
        say(page, " In the long run, says the theory, an operation leaves %.4g, against %.4g.",
            first->record.theory.gamma_exact, next->record.theory.gamma_exact);
    }
}

// What times are told in.
struct scale {
    double by;
    const char *unit;
};

static struct scale scale_of(const struct lab_rank *rank)
{
    return strcmp(rank->by->name, "elapsed_s") == 0 ? (struct scale){1e6, " us"} : (struct scale){1.0, ""};
}

// By what adds up over steps (in free timing over operations): how many there are, and what each takes.
static void say_product(struct page *page, const struct lab_rank *rank)
{
    struct scale scale = scale_of(rank);
    const struct lab_ranked *first = &rank->rows[0], *next = &rank->rows[1];
    const bool steps = lab_field_measured(lab_field_named("steps"), &first->record.runs[0]);
    const char *of = steps ? "steps" : "operations";
    double count[2] = {mean_of(first, of), mean_of(next, of)};
    double each[2] = {scale.by * first->mean.value / count[0], scale.by * next->mean.value / count[1]};
    if (!(isfinite(each[0]) && isfinite(each[1]))) {
        return;
    }
    const char *joint = (count[0] < count[1]) == (each[0] < each[1]) ? "and" : "but";
    if (count[0] != count[1]) {
        say(page, " It takes %s %s, %.6g against %.6g", count[0] < count[1] ? "fewer" : "more", of, count[0], count[1]);
    } else {
        say(page, " Both take %.6g %s", count[0], of);
    }
    if (each[0] != each[1]) {
        say(page, ", %s %s in each, %.4g against %.4g%s.", joint, each[0] < each[1] ? "less" : "more", each[0], each[1],
            scale.unit);
    } else {
        say(page, ", and as much in each, %.4g%s.", each[0], scale.unit);
    }
}

// What moved beside the net flow, but for what rounding makes of nothing.
static double to_and_fro(const struct lab_ranked *row, double net)
{
    double moved = mean_of(row, "moved");
    return moved - net > 1e-9 * moved ? moved - net : 0.0;
}

// By load over links: what it comes to, and what goes to and fro beside.
static void say_flows(struct page *page, const struct lab_ranked *first, const struct lab_ranked *next)
{
    double net[2] = {mean_of(first, "flow_l1"), mean_of(next, "flow_l1")};
    double beside[2] = {to_and_fro(first, net[0]), to_and_fro(next, net[1])};
    if (isfinite(net[0]) && isfinite(net[1])) {
        say(page, " Over its links %.6g goes for good and %.6g to and fro; with %s that is %.6g and %.6g.", net[0],
            beside[0], next->method, net[1], beside[1]);
    }
}

static double value_of(const struct lab_ranked *row, const struct lab_field *by, size_t run)
{
    return lab_field_value(by, &row->record.runs[run]);
}

// How many have the first place.
static size_t sharing(const struct lab_rank *rank)
{
    size_t count = 0;
    while (lab_rank_place(rank, count) == 1) {
        count++;
    }
    return count;
}

static void say_shared(struct page *page, const struct lab_rank *rank, const char *by)
{
    size_t count = sharing(rank);
    struct scale scale = scale_of(rank);
    for (size_t i = 0; i < count; i++) {
        say(page, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", rank->rows[i].method);
    }
    say(page, " share the first place by %s, each with %.6g%s.", by, scale.by * rank->rows[0].mean.value, scale.unit);
}

// How sure the order of the first two is, from the same seeds of both.
static bool say_certainty(struct page *page, const struct lab_rank *rank)
{
    struct scale scale = scale_of(rank);
    const struct lab_ranked *first = &rank->rows[0], *next = &rank->rows[1];
    size_t count = first->record.count;
    if (count == 1) {
        say(page, " Of other seeds a single run says nothing: ask for more --runs.");
        return true;
    }
    double *values = calloc(2 * count, sizeof *values);
    if (!values) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = scale.by * value_of(next, rank->by, i);
        values[count + i] = scale.by * value_of(first, rank->by, i);
    }
    struct lab_interval apart = lab_interval_difference(values, values + count, count, first->mean.by);
    free(values);
    char how[64];
    lab_confidence_write(&first->mean.by, how, sizeof how);
    if (apart.low == 0.0 && apart.high == 0.0) {
        say(page, " With every seed %s take as much.", sharing(rank) > 2 ? "the first two" : "both");
    } else {
        say(page, " Of the same %zu seeds %s takes %.4g%s more (%.4g to %.4g, %s), %s.", count, next->method,
            apart.value, scale.unit, apart.low, apart.high, how,
            apart.low > 0.0 ? "which tells them apart" : "which does not tell them apart");
    }
    return true;
}

bool lab_rank_why(const struct lab_rank *rank, char *text, size_t size)
{
    static const char *const products[] = {"messages", "elapsed_s", "parcels", "invocations", NULL};
    static const char *const flows[] = {"moved", "flow_l1", "flow_l2", "normalised_cost", NULL};
    struct page page = {text, size};
    const char *by = rank->by->name;
    bool time = strcmp(by, "elapsed_s") == 0;
    struct scale scale = scale_of(rank);
    *text = '\0';
    if (rank->ranked == 0) {
        return true;
    }
    if (sharing(rank) > 1) {
        say_shared(&page, rank, time ? "time" : by);
        return say_certainty(&page, rank);
    }
    const struct lab_ranked *first = &rank->rows[0], *next = &rank->rows[1];
    say(&page, "%s is first by %s with %.6g%s", first->method, time ? "time" : by, scale.by * first->mean.value,
        scale.unit);
    if (rank->ranked == 1) {
        say(&page, rank->ran == 1 ? ": no other method ran." : ": no other method reached the criterion in every run.");
        return true;
    }
    say(&page, ", %s next with %.6g%s.", next->method, scale.by * next->mean.value, scale.unit);
    bool steps = strcmp(by, "steps") == 0;
    if (steps || strcmp(by, "operations") == 0) {
        say_factors(&page, first, next, steps);
    } else if (is_one_of(by, products)) {
        say_product(&page, rank);
    } else if (is_one_of(by, flows)) {
        say_flows(&page, first, next);
    }
    return say_certainty(&page, rank);
}
