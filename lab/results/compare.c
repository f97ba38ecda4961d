// SPDX-License-Identifier: MIT
// Compares two sets of runs seed by seed. Two runs with the same seed, one of each set, are *partners*. In rounds
// partners start from the same loads, so they differ only by what distinguishes the sets. If no seed of a group is in
// both sets, the sets are compared as wholes. If a limit cut runs short, their values are lower bounds: then a log-rank
// test compares the sets, and medians take the place of means.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "lab/statistics/effect_size.h"
#include "lab/statistics/holm.h"
#include "lab/results/answers.h"
#include "lab/results/group_values.h"
#include "lab/results/lines.h"

enum { FIRST, SECOND, SETS };

// The columns selected after the group's: the run, whether each set contains it, then the compared columns.
enum { AT_RUN, AT_SETS = LAB_RUN_COLUMNS, AT_COLUMNS = AT_SETS + SETS };

struct comparing {
    struct lab_rows rows;
    size_t columns;
    struct lab_group_values *values[SETS]; // [columns] each: only of partners if the group has any, else of all runs
    bool paired;                           // this group has partners
    double *now[SETS];                     // [columns] each: of the runs with the current seed
    struct lab_group_run run[SETS];        // with the current seed
    bool has[SETS];
    int64_t seed;
    struct lab_confidence confidence;
    struct lab_lines lines; // Holm's correction needs all of them
    struct lab_answer_notes *notes;
};

static void clear(struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->columns; i++) {
        for (int set = 0; set < SETS; set++) {
            lab_group_values_clear(&comparing->rows, &comparing->values[set][i]);
        }
    }
}

static const struct lab_heading *heading_of(const struct comparing *comparing, size_t column)
{
    return &comparing->rows.headings[comparing->rows.grouped + AT_COLUMNS + column];
}

// Counts the runs of a pair that failed and have no value. Returns whether there are any: then their partners do not
// count either.
static bool count_failed(struct comparing *comparing, size_t column)
{
    bool any = false;
    for (int set = 0; set < SETS; set++) {
        const bool failed = !lab_run_has_value(comparing->run[set].end, heading_of(comparing, column));
        comparing->values[set][column].failed += failed;
        any = any || failed;
    }
    return any;
}

static bool keep_pair(struct comparing *comparing, size_t column, struct ek_error *error)
{
    const double now[SETS] = {comparing->now[FIRST][column], comparing->now[SECOND][column]};
    const struct lab_group_run *run = comparing->run;
    if (count_failed(comparing, column)) {
        return true;
    }
    bool good = true;
    for (int set = 0; good && set < SETS && !isnan(now[FIRST]) && !isnan(now[SECOND]); set++) {
        good = lab_group_values_add(&comparing->rows, &comparing->values[set][column], run[set].end,
                                    heading_of(comparing, column), now[set],
                                    lab_group_run_drawn(&run[FIRST], now[FIRST], &run[SECOND], now[SECOND]), error);
    }
    return good;
}

static bool keep_alone(struct comparing *comparing, size_t column, struct ek_error *error)
{
    bool good = true;
    for (int set = 0; good && set < SETS; set++) {
        const struct lab_group_run *run = &comparing->run[set];
        const double now = comparing->now[set][column];
        good = !comparing->has[set] || lab_group_values_add(&comparing->rows, &comparing->values[set][column], run->end,
                                                            heading_of(comparing, column), now,
                                                            lab_group_run_drawn(run, now, NULL, NAN), error);
    }
    return good;
}

// Keeps the values of the current seed. For a pair of partners, a column counts only if both runs have a value.
static bool keep(struct comparing *comparing, bool both, struct ek_error *error)
{
    bool good = true;
    for (size_t i = 0; good && i < comparing->columns; i++) {
        good = both ? keep_pair(comparing, i, error) : keep_alone(comparing, i, error);
    }
    return good;
}

// Ends a seed whose runs are all read. As soon as the group has partners, only partners count.
static bool end_seed(struct comparing *comparing, struct ek_error *error)
{
    const bool both = comparing->has[FIRST] && comparing->has[SECOND];
    if (both && !comparing->paired) {
        clear(comparing);
        comparing->paired = true;
    }
    bool good = (comparing->paired && !both) || keep(comparing, both, error);
    for (int set = 0; set < SETS; set++) {
        comparing->notes->unpaired[set] += comparing->has[set] && !both;
        comparing->has[set] = false;
    }
    return good;
}

static bool take_into(struct comparing *comparing, int set, const struct lab_group_run *run, struct ek_error *error)
{
    if (comparing->has[set]) {
        return base_refuse(error,
                           "the %s set has several runs of seed %lld in one group, but partners are found by their "
                           "seed: add a column that distinguishes these runs to --group or to the set's condition",
                           set == FIRST ? "first" : "second", (long long)comparing->seed);
    }
    comparing->has[set] = true;
    comparing->run[set] = *run;
    bool good = true;
    for (size_t i = 0; good && i < comparing->columns; i++) {
        good =
            lab_rows_number(&comparing->rows, comparing->rows.grouped + AT_COLUMNS + i, &comparing->now[set][i], error);
    }
    return good;
}

static bool take_run(void *context, struct ek_error *error)
{
    struct comparing *comparing = context;
    const size_t from = comparing->rows.grouped;
    const struct lab_group_run run = lab_group_run_read(&comparing->rows, from + AT_RUN, comparing->notes);
    if (run.seed != comparing->seed && !end_seed(comparing, error)) {
        return false;
    }
    comparing->seed = run.seed;
    comparing->notes->runs++;
    for (int set = 0; set < SETS; set++) {
        if (lab_rows_entry(&comparing->rows, from + AT_SETS + (size_t)set).whole != 0 &&
            !take_into(comparing, set, &run, error)) {
            return false;
        }
    }
    return true;
}

// The result of comparing one column.
struct compared {
    size_t pairs;
    struct lab_interval difference, ratio;
    struct lab_spread spread[SETS];
    struct lab_sampling sampling;
    double superiority, p;
    const char *test; // NULL if there is no p-value
};

// Returns the sampling of the set that has fewer independent samples.
static struct lab_sampling find_sampling(const struct comparing *comparing, size_t column)
{
    struct lab_sampling sampling[SETS];
    for (int set = 0; set < SETS; set++) {
        const struct lab_group_values *values = &comparing->values[set][column];
        sampling[set] = lab_sampling_of(values->drawn, values->count + values->cut_count);
    }
    return sampling[FIRST].samples < sampling[SECOND].samples ? sampling[FIRST] : sampling[SECOND];
}

// Compares sets without lower bounds. Must precede any sorting, because partners have the same index.
static void compare_means(const struct comparing *comparing, size_t column, struct compared *compared)
{
    const struct lab_group_values *first = &comparing->values[FIRST][column],
                                  *second = &comparing->values[SECOND][column];
    const struct lab_sample sets[SETS] = {{first->of, first->count}, {second->of, second->count}};
    const struct lab_confidence by = comparing->confidence;
    const size_t count = first->count;
    if (comparing->paired) {
        compared->difference = lab_interval_difference(first->of, second->of, count, by);
        compared->ratio = lab_interval_ratio(first->of, second->of, count, by);
        compared->superiority = lab_superiority(first->of, second->of, count);
        compared->p = lab_difference_p(first->of, second->of, count);
    } else {
        compared->difference = lab_interval_difference_unpaired(sets[FIRST], sets[SECOND], by);
        compared->ratio = lab_interval_ratio_unpaired(sets[FIRST], sets[SECOND], by);
        lab_sort(first->of, first->count);
        lab_sort(second->of, second->count);
        compared->superiority = lab_superiority_unpaired(sets[FIRST], sets[SECOND]);
        compared->p = lab_difference_p_unpaired(sets[FIRST], sets[SECOND]);
    }
    compared->test = comparing->paired ? "Student's t of the pairs" : "Welch's t";
}

static struct compared compare_column(struct comparing *comparing, size_t column)
{
    struct lab_group_values *first = &comparing->values[FIRST][column], *second = &comparing->values[SECOND][column];
    const struct lab_interval unknown = {.value = NAN, .low = NAN, .high = NAN, .by = comparing->confidence};
    struct compared compared = {.pairs = comparing->paired ? first->count + first->cut_count : 0,
                                .difference = unknown,
                                .ratio = unknown,
                                .sampling = find_sampling(comparing, column),
                                .superiority = NAN};
    const bool any_cut = first->cut_count + second->cut_count > 0;
    if (!any_cut) {
        compare_means(comparing, column, &compared);
    }
    compared.spread[FIRST] = lab_group_values_spread(first, compared.sampling, comparing->confidence);
    compared.spread[SECOND] = lab_group_values_spread(second, compared.sampling, comparing->confidence);
    if (any_cut) {
        compared.p = lab_log_rank_p(lab_group_values_censored(first), lab_group_values_censored(second));
        compared.test = "log-rank";
    }
    if (!lab_sampling_suffices(compared.sampling)) {
        compared.difference = lab_interval_without_bounds(compared.difference);
        compared.ratio = lab_interval_without_bounds(compared.ratio);
        compared.p = NAN;
    }
    compared.test = isnan(compared.p) ? NULL : compared.test;
    return compared;
}

static struct lab_entry whole_entry(size_t value)
{
    return (struct lab_entry){.kind = LAB_ENTRY_WHOLE, .whole = (int64_t)value};
}

static struct lab_entry real_entry(double value)
{
    return (struct lab_entry){.kind = LAB_ENTRY_REAL, .real = value};
}

static void fill_line(struct lab_entry *entry, const struct compared *compared)
{
    entry[LAB_COMPARE_PAIRS] = whole_entry(compared->pairs);
    entry[LAB_COMPARE_DIFFERENCE] = (struct lab_entry){.kind = LAB_ENTRY_INTERVAL, .interval = compared->difference};
    entry[LAB_COMPARE_RATIO] = (struct lab_entry){.kind = LAB_ENTRY_INTERVAL, .interval = compared->ratio};
    entry[LAB_COMPARE_SAMPLES] = whole_entry(compared->sampling.samples);
    entry[LAB_COMPARE_SUPERIORITY] = real_entry(compared->superiority);
    entry[LAB_COMPARE_P] = entry[LAB_COMPARE_P_HOLM] = real_entry(compared->p);
    entry[LAB_COMPARE_TEST] = compared->test ? (struct lab_entry){.kind = LAB_ENTRY_TEXT, .text = compared->test}
                                             : (struct lab_entry){.kind = LAB_ENTRY_NONE};
    for (int set = 0; set < SETS; set++) {
        const struct lab_spread *spread = &compared->spread[set];
        entry[LAB_COMPARE_FIRST + set] = (struct lab_entry){.kind = LAB_ENTRY_MEAN, .spread = *spread};
        entry[LAB_COMPARE_MEDIANS + set] = real_entry(spread->median.value);
        entry[LAB_COMPARE_LOWS + set] = real_entry(spread->median.low);
        entry[LAB_COMPARE_HIGHS + set] = real_entry(spread->median.high);
        entry[LAB_COMPARE_CUT + set] = whole_entry(spread->cut);
        entry[LAB_COMPARE_FAILED + set] = whole_entry(spread->failed);
    }
}

static bool report_column(struct comparing *comparing, size_t column, struct ek_error *error)
{
    struct lab_rows *rows = &comparing->rows;
    struct lab_entry *entries = lab_rows_line(rows, LAB_COMPARE_ENTRIES, error);
    if (!entries) {
        return false;
    }
    const struct compared compared = compare_column(comparing, column);
    struct lab_entry *entry = entries + rows->grouped;
    entry[LAB_COMPARE_COLUMN] = (struct lab_entry){.kind = LAB_ENTRY_TEXT, .text = heading_of(comparing, column)->name};
    fill_line(entry, &compared);
    const struct lab_answer_sink keep = lab_lines_keep(&comparing->lines);
    bool good = keep.line(keep.context, entries, error);
    comparing->notes->lines++;
    comparing->notes->apart += !comparing->paired;
    lab_sampling_note(compared.sampling, comparing->notes);
    free(entries);
    return good;
}

static bool has_runs(const struct lab_group_values *values)
{
    return values->count + values->cut_count + values->failed > 0;
}

// Returns whether there is anything to say of a column. With pairs one set is enough: if one run of each pair failed,
// the partners do not count, so a set may have no runs.
static bool is_compared(const struct comparing *comparing, size_t column)
{
    const bool first = has_runs(&comparing->values[FIRST][column]);
    const bool second = has_runs(&comparing->values[SECOND][column]);
    return comparing->paired ? first || second : first && second;
}

static bool end_group(void *context, struct ek_error *error)
{
    struct comparing *comparing = context;
    bool good = end_seed(comparing, error);
    for (size_t i = 0; i < comparing->columns; i++) {
        good = good && (!is_compared(comparing, i) || report_column(comparing, i, error));
    }
    clear(comparing);
    comparing->paired = false;
    return good;
}

static bool begin(struct comparing *comparing, struct ek_error *error)
{
    static const struct lab_heading own[LAB_COMPARE_ENTRIES] = {
        [LAB_COMPARE_COLUMN] = {.name = "column", .role = LAB_HEADING_VALUE},
        [LAB_COMPARE_PAIRS] = {.name = "pairs", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_FIRST] = {.name = "first", .role = LAB_HEADING_VALUE},
        [LAB_COMPARE_SECOND] = {.name = "second", .role = LAB_HEADING_VALUE},
        [LAB_COMPARE_DIFFERENCE] = {.name = "difference", .role = LAB_HEADING_VALUE, .kind = LAB_ENTRY_INTERVAL},
        [LAB_COMPARE_RATIO] = {.name = "ratio", .role = LAB_HEADING_VALUE, .kind = LAB_ENTRY_INTERVAL},
        [LAB_COMPARE_P_HOLM] = {.name = "p_holm", .role = LAB_HEADING_VALUE},
        [LAB_COMPARE_SAMPLES] = {.name = "samples", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_SUPERIORITY] = {.name = "superiority", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_P] = {.name = "p", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_TEST] = {.name = "test", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_MEDIANS] = {.name = "median_first", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_MEDIANS + 1] = {.name = "median_second", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_LOWS] = {.name = "median_first_low", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_LOWS + 1] = {.name = "median_second_low", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_HIGHS] = {.name = "median_first_high", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_HIGHS + 1] = {.name = "median_second_high", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_CUT] = {.name = "cut_first", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_CUT + 1] = {.name = "cut_second", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_FAILED] = {.name = "failed_first", .role = LAB_HEADING_VALUE, .secondary = true},
        [LAB_COMPARE_FAILED + 1] = {.name = "failed_second", .role = LAB_HEADING_VALUE, .secondary = true},
    };
    const struct lab_rows *rows = &comparing->rows;
    comparing->columns = rows->count - rows->grouped - AT_COLUMNS;
    bool memory = true;
    for (int set = 0; set < SETS; set++) {
        comparing->values[set] = calloc(comparing->columns + 1, sizeof **comparing->values);
        comparing->now[set] = calloc(comparing->columns + 1, sizeof **comparing->now);
        memory = memory && comparing->values[set] && comparing->now[set];
    }
    const struct lab_answer_sink keep = lab_lines_keep(&comparing->lines);
    return (memory || base_refuse(error, "there is no memory for the comparison: choose fewer columns")) &&
           lab_rows_begin(rows, own, LAB_COMPARE_ENTRIES, &keep, error);
}

static void end(struct comparing *comparing)
{
    for (int set = 0; set < SETS; set++) {
        for (size_t i = 0; comparing->values[set] && i < comparing->columns; i++) {
            lab_group_values_destroy(&comparing->values[set][i]);
        }
        free(comparing->values[set]);
        free(comparing->now[set]);
    }
    lab_lines_destroy(&comparing->lines);
    lab_rows_close(&comparing->rows);
}

// Corrects the p-values of all lines together.
static bool correct(struct comparing *comparing, struct ek_error *error)
{
    const struct lab_lines *lines = &comparing->lines;
    const size_t at = comparing->rows.grouped + LAB_COMPARE_P_HOLM;
    double *p = calloc(lines->count + 1, sizeof *p);
    for (size_t i = 0; p && i < lines->count; i++) {
        p[i] = lines->line[i][at].real;
        comparing->notes->tests += isnan(p[i]) ? 0 : 1;
    }
    const bool good = p && lab_holm(p, lines->count);
    for (size_t i = 0; good && i < lines->count; i++) {
        lines->line[i][at].real = p[i];
    }
    free(p);
    return good || base_refuse(error, "there is no memory for the comparison: narrow --where");
}

// Adds two columns to the query: whether the run satisfies the first condition, and the second.
static bool select_sets(struct lab_rows *rows, const char *compare, size_t *second_at, struct ek_error *error)
{
    size_t at = 0;
    if (!lab_rows_select_sql(rows, "", error) ||
        !lab_query_condition(&rows->query, "compare", compare, "vs", &at, error)) {
        return false;
    }
    *second_at = at;
    return fputs(" AS in_first", rows->query.out) >= 0 && lab_rows_select_sql(rows, "", error) &&
           lab_query_condition(&rows->query, "compare", compare, NULL, &at, error) &&
           fputs(" AS in_second", rows->query.out) >= 0;
}

bool lab_answer_compare(struct lab_store *store, const struct lab_question *question,
                        const struct lab_answer_sink *sink, struct lab_answer_notes *notes, struct ek_error *error)
{
    struct comparing comparing = {.confidence = question->confidence, .notes = notes};
    struct lab_rows *rows = &comparing.rows;
    bool good = lab_rows_open(rows, store, error) &&
                lab_rows_select(rows, "group", question->group, LAB_HEADING_GROUP, error) &&
                lab_group_run_select(rows, error) && select_sets(rows, question->compare, &notes->second_at, error) &&
                lab_rows_select(rows, "columns", question->columns, LAB_HEADING_VALUE, error) &&
                lab_rows_from(rows, question, "(in_first OR in_second)", "seed, key", error) &&
                begin(&comparing, error) && lab_rows_go(rows, take_run, end_group, &comparing, error) &&
                correct(&comparing, error) && lab_lines_pass(&comparing.lines, LAB_LINES_MAX, sink, error);
    end(&comparing);
    return good;
}
