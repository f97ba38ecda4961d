// SPDX-License-Identifier: MIT
// Compares two sets of runs seed by seed. In rounds, runs with the same seed start from the same loads, so the sets
// alone cause the difference between two partners. If no seed of a group is in both sets, the sets are compared as
// wholes.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "lab/store/answers.h"
#include "lab/store/rows.h"

enum { FIRST, SECOND, SETS };

// The columns selected after the group's: the seed, whether each set contains the run, then the compared columns.
enum { AT_SEED, AT_SETS, AT_COLUMNS = AT_SETS + SETS };

struct comparing {
    struct lab_rows rows;
    size_t columns;
    struct lab_group_values *values[SETS]; // [columns] each: of partners if the group has any, else of all runs
    bool paired;                           // this group has partners
    double *now[SETS];                     // [columns] each: of the runs with the current seed
    bool has[SETS];
    int64_t seed;
    struct lab_confidence confidence;
    const struct lab_answer_sink *sink;
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

// Keeps the values of the current seed. For a pair of partners, a column counts only if both runs have a value.
static bool keep(struct comparing *comparing, bool both, struct ek_error *error)
{
    bool good = true;
    for (size_t i = 0; good && i < comparing->columns; i++) {
        const bool is_there[SETS] = {comparing->has[FIRST] && !isnan(comparing->now[FIRST][i]),
                                     comparing->has[SECOND] && !isnan(comparing->now[SECOND][i])};
        for (int set = 0; good && set < SETS; set++) {
            if (is_there[set] && (!both || is_there[!set])) {
                good =
                    lab_group_values_add(&comparing->rows, &comparing->values[set][i], comparing->now[set][i], error);
            }
        }
    }
    return good;
}

// Ends a seed whose runs are all read. From the first partners on, only partners count.
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

static bool take_into(struct comparing *comparing, int set, struct ek_error *error)
{
    if (comparing->has[set]) {
        return base_refuse(error,
                           "the %s set has several runs of seed %lld in one group, but partners are found by their "
                           "seed: add a column that distinguishes these runs to --group or to the set's condition",
                           set == FIRST ? "first" : "second", (long long)comparing->seed);
    }
    comparing->has[set] = true;
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
    const int64_t seed = lab_rows_entry(&comparing->rows, from + AT_SEED).whole;
    if (seed != comparing->seed && !end_seed(comparing, error)) {
        return false;
    }
    comparing->seed = seed;
    comparing->notes->runs++;
    for (int set = 0; set < SETS; set++) {
        if (lab_rows_entry(&comparing->rows, from + AT_SETS + (size_t)set).whole != 0 &&
            !take_into(comparing, set, error)) {
            return false;
        }
    }
    return true;
}

static struct lab_entry interval_entry(struct lab_interval interval)
{
    return (struct lab_entry){.kind = LAB_ENTRY_INTERVAL, .interval = interval};
}

// Reports a column's line: its name, the number of pairs, both means, their difference and their ratio.
static bool report_column(struct comparing *comparing, size_t column, struct ek_error *error)
{
    enum { ENTRIES = 6 };
    struct lab_rows *rows = &comparing->rows;
    const struct lab_group_values *first = &comparing->values[FIRST][column],
                                  *second = &comparing->values[SECOND][column];
    struct lab_entry *entries = lab_rows_line(rows, ENTRIES, error);
    if (!entries) {
        return false;
    }
    struct lab_entry *entry = entries + rows->grouped;
    const struct lab_sample sets[SETS] = {{first->of, first->count}, {second->of, second->count}};
    const size_t count = comparing->paired ? first->count : 0;
    const struct lab_confidence by = comparing->confidence;
    *entry++ =
        (struct lab_entry){.kind = LAB_ENTRY_TEXT, .text = rows->headings[rows->grouped + AT_COLUMNS + column].name};
    *entry++ = (struct lab_entry){.kind = LAB_ENTRY_WHOLE, .whole = (int64_t)count};
    *entry++ = (struct lab_entry){.kind = LAB_ENTRY_REAL, .real = lab_mean(first->of, first->count)};
    *entry++ = (struct lab_entry){.kind = LAB_ENTRY_REAL, .real = lab_mean(second->of, second->count)};
    *entry++ = interval_entry(comparing->paired ? lab_interval_difference(first->of, second->of, count, by)
                                                : lab_interval_difference_unpaired(sets[FIRST], sets[SECOND], by));
    *entry++ = interval_entry(comparing->paired ? lab_interval_ratio(first->of, second->of, count, by)
                                                : lab_interval_ratio_unpaired(sets[FIRST], sets[SECOND], by));
    bool good = comparing->sink->line(comparing->sink->context, entries, error);
    comparing->notes->lines++;
    comparing->notes->apart += !comparing->paired;
    free(entries);
    return good;
}

static bool end_group(void *context, struct ek_error *error)
{
    struct comparing *comparing = context;
    bool good = end_seed(comparing, error);
    for (size_t i = 0; i < comparing->columns; i++) {
        if (good && comparing->values[FIRST][i].count > 0 && comparing->values[SECOND][i].count > 0) {
            good = report_column(comparing, i, error);
        }
    }
    clear(comparing);
    comparing->paired = false;
    return good;
}

static bool begin(struct comparing *comparing, struct ek_error *error)
{
    static const struct lab_heading own[] = {
        {.name = "column", .role = LAB_HEADING_VALUE},
        {.name = "pairs", .role = LAB_HEADING_VALUE},
        {.name = "first", .role = LAB_HEADING_VALUE},
        {.name = "second", .role = LAB_HEADING_VALUE},
        {.name = "difference", .role = LAB_HEADING_VALUE, .kind = LAB_ENTRY_INTERVAL},
        {.name = "ratio", .role = LAB_HEADING_VALUE, .kind = LAB_ENTRY_INTERVAL},
    };
    const struct lab_rows *rows = &comparing->rows;
    comparing->columns = rows->count - rows->grouped - AT_COLUMNS;
    bool memory = true;
    for (int set = 0; set < SETS; set++) {
        comparing->values[set] = calloc(comparing->columns + 1, sizeof **comparing->values);
        comparing->now[set] = calloc(comparing->columns + 1, sizeof **comparing->now);
        memory = memory && comparing->values[set] && comparing->now[set];
    }
    return (memory || base_refuse(error, "there is no memory for the comparison: choose fewer columns")) &&
           lab_rows_begin(rows, own, sizeof own / sizeof *own, comparing->sink, error);
}

static void end(struct comparing *comparing)
{
    for (int set = 0; set < SETS; set++) {
        for (size_t i = 0; comparing->values[set] && i < comparing->columns; i++) {
            free(comparing->values[set][i].of);
        }
        free(comparing->values[set]);
        free(comparing->now[set]);
    }
    lab_rows_close(&comparing->rows);
}

// Selects whether each of the two conditions holds.
static bool select_sets(struct lab_rows *rows, const char *compare, struct ek_error *error)
{
    size_t at = 0;
    return lab_rows_select_sql(rows, "", error) &&
           lab_query_condition(&rows->query, "compare", compare, "vs", &at, error) &&
           fputs(" AS in_first", rows->query.out) >= 0 && lab_rows_select_sql(rows, "", error) &&
           lab_query_condition(&rows->query, "compare", compare, NULL, &at, error) &&
           fputs(" AS in_second", rows->query.out) >= 0;
}

bool lab_answer_compare(struct lab_store *store, const struct lab_question *question,
                        const struct lab_answer_sink *sink, struct lab_answer_notes *notes, struct ek_error *error)
{
    struct comparing comparing = {.confidence = question->confidence, .sink = sink, .notes = notes};
    struct lab_rows *rows = &comparing.rows;
    bool good = lab_rows_open(rows, store, error) &&
                lab_rows_select(rows, "group", question->group, LAB_HEADING_GROUP, error) &&
                lab_rows_select_sql(rows, "seed", error) && select_sets(rows, question->compare, error) &&
                lab_rows_select(rows, "columns", question->columns, LAB_HEADING_VALUE, error) &&
                lab_rows_from(rows, question, "(in_first OR in_second)", "seed, key", error) &&
                begin(&comparing, error) && lab_rows_go(rows, take_run, end_group, &comparing, error);
    end(&comparing);
    return good;
}
