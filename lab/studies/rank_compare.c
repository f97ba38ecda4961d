// SPDX-License-Identifier: MIT
#include "lab/studies/rank_compare.h"

#include <math.h>
#include <stdlib.h>

#include "lab/statistics/effect_size.h"
#include "lab/statistics/holm.h"
#include "threads/api/report.h"

double lab_rank_value(const struct lab_field *by, const struct ek_report *run)
{
    return lab_field_present(by, run) ? lab_field_value(by, run) : NAN;
}

// The numbers that tell runs with different draws apart: at their beginning, at their end, and the field that ranks.
enum { NUMBERS = 8 };

static void take_numbers(double numbers[NUMBERS], const struct lab_field *by, const struct ek_report *run)
{
    const double taken[NUMBERS] = {
        run->variance_initial,   run->total_initial,    run->variance_final,  run->moved,
        (double)run->operations, (double)run->messages, (double)run->flow_l2, lab_rank_value(by, run)};
    for (size_t i = 0; i < NUMBERS; i++) {
        numbers[i] = taken[i];
    }
}

struct lab_drawn lab_rank_drawn(const struct lab_field *by, const struct ek_report *run,
                                const struct ek_report *partner)
{
    double numbers[2 * NUMBERS];
    take_numbers(numbers, by, run);
    take_numbers(numbers + NUMBERS, by, partner ? partner : run);
    return (struct lab_drawn){.seed = run->seed, .outcome = lab_outcome(numbers, 2 * NUMBERS)};
}

// Compares a method with the first one. Both have the same number of runs. Returns false if memory is short.
static bool compare(struct lab_rank *rank, struct lab_ranked *row)
{
    const struct lab_record *first = &rank->rows[0].record, *record = &row->record;
    const size_t count = record->count;
    double *values = calloc(2 * count, sizeof *values), *firsts = values ? values + count : NULL;
    struct lab_drawn *drawn = calloc(count, sizeof *drawn);
    const bool good = values && drawn;
    bool equal = true;
    for (size_t i = 0; good && i < count; i++) {
        values[i] = lab_rank_value(rank->by, &record->runs[i]);
        firsts[i] = lab_rank_value(rank->by, &first->runs[i]);
        equal = equal && values[i] == firsts[i];
        drawn[i] = lab_rank_drawn(rank->by, &record->runs[i], &first->runs[i]);
    }
    if (good) {
        const size_t samples = lab_samples(drawn, count);
        const bool few = samples < LAB_SAMPLES_MIN;
        const struct lab_interval more = lab_interval_difference(values, firsts, count, row->mean.by);
        row->behind = (struct lab_behind){.more = few ? lab_interval_without_bounds(more) : more,
                                          .samples = samples,
                                          .p = few ? NAN : lab_difference_p(values, firsts, count),
                                          .superiority = lab_superiority(firsts, values, count),
                                          .equal = equal};
    }
    free(values);
    free(drawn);
    return good;
}

bool lab_rank_significant(const struct lab_behind *behind)
{
    return behind->p <= 0.05;
}

bool lab_rank_compare(struct lab_rank *rank)
{
    double *p = calloc(rank->ranked + 1, sizeof *p);
    bool good = p;
    for (size_t i = 1; good && i < rank->ranked; i++) {
        good = compare(rank, &rank->rows[i]);
        p[i - 1] = rank->rows[i].behind.p;
    }
    good = good && (rank->ranked < 2 || lab_holm(p, rank->ranked - 1));
    for (size_t i = 1; good && i < rank->ranked; i++) {
        rank->rows[i].behind.p = p[i - 1];
    }
    free(p);
    return good;
}
