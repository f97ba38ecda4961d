// SPDX-License-Identifier: MIT
#include "lab/results/best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Returns whether the means of both are known. Else their medians are compared.
static bool has_means(const struct lab_spread *x, const struct lab_spread *y)
{
    return !isnan(x->mean.value) && !isnan(y->mean.value);
}

// Returns whether the data show that value `a` is smaller than `b`. Of runs that were cut only lower bounds are known.
// A set with failed runs is never smaller.
static bool is_smaller(const struct lab_entry *a, const struct lab_entry *b)
{
    const bool spreads = a->kind >= LAB_ENTRY_MEAN && b->kind >= LAB_ENTRY_MEAN;
    if (!spreads) {
        const double x = lab_entry_number(a), y = lab_entry_number(b);
        return x < y || (isnan(y) && !isnan(x));
    }
    const struct lab_spread *x = &a->spread, *y = &b->spread;
    if (x->failed > 0) {
        return false;
    }
    const bool means = has_means(x, y);
    const double mine = means ? x->mean.value : x->median.value, other = means ? y->mean.value : y->median.value;
    return mine < other || (isnan(other) && (mine < y->at_least || (!isnan(mine) && isnan(y->at_least))));
}

// The lines of one case, which differ only in the option, and the column that compares them.
struct match {
    const struct lab_lines *lines;
    size_t from, count, column;
};

static const struct lab_entry *entry_of(const struct match *match, size_t i)
{
    return &match->lines->line[match->from + i][match->column];
}

// Returns the index of the line with the smallest value, or `count` if the data do not tell.
static size_t best_of(const struct match *match)
{
    size_t best = 0;
    for (size_t i = 1; i < match->count; i++) {
        best = is_smaller(entry_of(match, i), entry_of(match, best)) ? i : best;
    }
    bool known = !isnan(lab_entry_number(entry_of(match, best))) && !entry_of(match, best)->bound;
    for (size_t i = 0; known && i < match->count; i++) {
        known = i == best || is_smaller(entry_of(match, best), entry_of(match, i));
    }
    return known ? best : match->count;
}

// Returns whether the interval of line `best` lies below those of all other lines.
static bool is_apart(const struct match *match, size_t best)
{
    bool apart = true;
    const struct lab_spread *mine = &entry_of(match, best)->spread;
    for (size_t j = 0; apart && j < match->count; j++) {
        const struct lab_spread *other = &entry_of(match, j)->spread;
        apart = j == best ||
                (has_means(mine, other) ? mine->mean.high < other->mean.low : mine->median.high < other->median.low);
    }
    return apart;
}

static size_t group_columns(const struct lab_lines *lines)
{
    size_t columns = 0;
    while (columns < lines->columns && lines->headings[columns].role == LAB_HEADING_GROUP) {
        columns++;
    }
    return columns;
}

static bool same_entry(const struct lab_entry *a, const struct lab_entry *b)
{
    return a->kind == b->kind && (a->kind == LAB_ENTRY_TEXT    ? strcmp(a->text, b->text) == 0
                                  : a->kind == LAB_ENTRY_WHOLE ? a->whole == b->whole
                                  : a->kind == LAB_ENTRY_REAL  ? a->real == b->real
                                                               : true);
}

// Returns the case that begins at line `from`. Groups are sorted, so the lines of a case follow one another.
static struct match next_case(const struct lab_lines *lines, size_t from, size_t column)
{
    struct match match = {.lines = lines, .from = from, .column = column};
    const size_t group = group_columns(lines);
    bool same = true;
    while (same && from + match.count < lines->count) {
        match.count++;
        for (size_t i = 0; from + match.count < lines->count && i + 1 < group; i++) {
            same = same && same_entry(&lines->line[from][i], &lines->line[from + match.count][i]);
        }
    }
    return match;
}

static bool has_text(const struct lab_lines *lines, size_t column)
{
    bool has = false;
    for (size_t i = 0; i < lines->count && !has; i++) {
        has = lines->line[i][column].kind == LAB_ENTRY_TEXT;
    }
    return has;
}

bool lab_lines_best(struct lab_lines *lines, const char *column, uint64_t *undecided, struct ek_error *error)
{
    size_t index, kept = 0;
    *undecided = 0;
    if (!lab_lines_heading(lines, "best", column, &index, error)) {
        return false;
    }
    if (has_text(lines, index)) {
        return base_refuse(error, "--best: %.60s is a text and has no smallest value: name a column of numbers",
                           column);
    }
    for (size_t from = 0; from < lines->count;) {
        const struct match match = next_case(lines, from, index);
        const size_t best = best_of(&match);
        from += match.count;
        if (best < match.count) {
            struct lab_entry *line = lines->line[match.from + best];
            lines->line[match.from + best] = lines->line[kept];
            lines->line[kept++] = line;
        } else {
            ++*undecided;
        }
    }
    lab_lines_keep_first(lines, kept);
    return true;
}

// The option that is best in a case.
struct win {
    const struct lab_entry *option; // NULL if the data do not tell
    bool apart;                     // its interval lies below all others
};

static int by_option(const void *a, const void *b)
{
    const struct lab_entry *first = ((const struct win *)a)->option, *second = ((const struct win *)b)->option;
    if (!first || !second) {
        return !first - !second;
    }
    return lab_entry_compare(first, second);
}

// Finds the best option of each case that has several options. Sorts the results, and returns their number.
static size_t find_wins(const struct lab_lines *lines, size_t column, struct win *wins)
{
    const size_t option = group_columns(lines) - 1;
    size_t cases = 0;
    for (size_t from = 0; from < lines->count;) {
        const struct match match = next_case(lines, from, column);
        const size_t best = best_of(&match);
        if (match.count > 1 && best < match.count) {
            wins[cases++] = (struct win){&lines->line[from + best][option], is_apart(&match, best)};
        } else if (match.count > 1) {
            wins[cases++] = (struct win){NULL, false};
        }
        from += match.count;
    }
    qsort(wins, cases, sizeof *wins, by_option);
    return cases;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_wins(const struct lab_lines *lines, const char *name, const struct win *wins, size_t cases, char *text)
{
    size_t most = 0, equal = 0, winner = 0, certain = 0;
    for (size_t from = 0, to; from < cases && wins[from].option; from = to) {
        size_t apart = 0;
        for (to = from; to < cases && wins[to].option && lab_entry_compare(wins[to].option, wins[from].option) == 0;
             to++) {
            apart += wins[to].apart;
        }
        equal = to - from > most ? 0 : equal + (to - from == most);
        if (to - from > most) {
            most = to - from;
            winner = from;
            certain = apart;
        }
    }
    if (most == 0) {
        snprintf(text, LAB_VERDICT_SIZE, "%s: the data do not tell which option has the smallest value (%zu case%s)",
                 name, cases, plural(cases));
        return;
    }
    const struct lab_entry *option = wins[winner].option;
    char value[LAB_QUERY_NAME];
    snprintf(value, sizeof value, "%.6g", lab_entry_number(option));
    const bool is_text = option->kind == LAB_ENTRY_TEXT;
    snprintf(text, LAB_VERDICT_SIZE,
             "%s: %s%s%.120s has the smallest value in %zu of %zu case%s%s; its interval lies below all others in %zu",
             name, is_text ? "" : lines->headings[group_columns(lines) - 1].name, is_text ? "" : " ",
             is_text ? option->text : value, most, cases, plural(cases),
             equal > 0 ? ", and another option in as many" : "", certain);
}

static bool say_groups(const struct lab_lines *lines, char *text, struct ek_error *error)
{
    size_t column = group_columns(lines);
    while (column < lines->columns && lines->headings[column].kind != LAB_ENTRY_SPREAD) {
        column++;
    }
    struct win *wins = calloc(lines->count + 1, sizeof *wins);
    const size_t cases = wins && column < lines->columns ? find_wins(lines, column, wins) : 0;
    if (cases > 0) {
        say_wins(lines, lines->headings[column].name, wins, cases, text);
    }
    free(wins);
    return wins || base_refuse(error, "there is no memory to find the best option: narrow --where");
}

// Copies a set's condition, without the spaces around it.
static void write_set(const char *from, size_t length, char text[LAB_QUERY_NAME])
{
    while (length > 0 && *from == ' ') {
        from++;
        length--;
    }
    while (length > 0 && from[length - 1] == ' ') {
        length--;
    }
    snprintf(text, LAB_QUERY_NAME, "%.*s", (int)length, from);
}

enum { FIRST, SECOND, SETS };

static void say_comparison(const struct lab_lines *lines, const struct lab_question *question,
                           const struct lab_answer_notes *notes, char *text)
{
    const size_t name = group_columns(lines), first = name + LAB_COMPARE_FIRST, p = name + LAB_COMPARE_P_HOLM;
    size_t cases = 0, smaller[SETS] = {0}, certain[SETS] = {0};
    for (size_t i = 0; i < lines->count; i++) {
        const struct lab_entry *line = lines->line[i];
        if (strcmp(line[name].text, lines->line[0][name].text) == 0) {
            const int better = is_smaller(&line[first], &line[first + 1])   ? FIRST
                               : is_smaller(&line[first + 1], &line[first]) ? SECOND
                                                                            : SETS;
            cases++;
            if (better < SETS) {
                smaller[better]++;
                certain[better] += line[p].real <= 0.05;
            }
        }
    }
    if (cases == 0) {
        return;
    }
    const char *column = lines->line[0][name].text;
    const size_t split = notes->second_at; // just after "vs"
    char set[SETS][LAB_QUERY_NAME];
    write_set(question->compare, split - 2, set[FIRST]);
    write_set(question->compare + split, strlen(question->compare + split), set[SECOND]);
    const int best = smaller[SECOND] > smaller[FIRST] ? SECOND : FIRST;
    if (smaller[best] == 0) {
        snprintf(text, LAB_VERDICT_SIZE, "%s: the data do not tell which set has smaller values (%zu case%s)", column,
                 cases, plural(cases));
        return;
    }
    snprintf(
        text, LAB_VERDICT_SIZE,
        "%s: %s has smaller values in %zu of %zu case%s, in %zu of them with p at most 0.05; %s in %zu, %zu of them "
        "with such a p",
        column, set[best], smaller[best], cases, plural(cases), certain[best], set[!best], smaller[!best],
        certain[!best]);
}

bool lab_lines_verdict(const struct lab_lines *lines, const struct lab_question *question,
                       const struct lab_answer_notes *notes, char text[LAB_VERDICT_SIZE], struct ek_error *error)
{
    text[0] = '\0';
    if (question->compare) {
        say_comparison(lines, question, notes, text);
    }
    const bool groups = !question->compare && !question->trace && !question->over && group_columns(lines) > 0;
    return !groups || say_groups(lines, text, error);
}
