// SPDX-License-Identifier: MIT
#include "lab/results/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "lab/text/compare_naturally.h"

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the lines of the answer: narrow --where");
}

static bool keep_headings(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error)
{
    struct lab_lines *lines = context;
    lines->headings = calloc(count + 1, sizeof *headings);
    if (!lines->headings) {
        return no_memory(error);
    }
    memcpy(lines->headings, headings, count * sizeof *headings);
    lines->columns = count;
    return true;
}

static void free_line(const struct lab_lines *lines, struct lab_entry *line)
{
    for (size_t i = 0; i < lines->columns; i++) {
        if (line[i].kind == LAB_ENTRY_TEXT) {
            free((char *)line[i].text);
        }
    }
    free(line);
}

static struct lab_entry *copy_line(const struct lab_lines *lines, const struct lab_entry *entries)
{
    struct lab_entry *line = calloc(lines->columns + 1, sizeof *line);
    for (size_t i = 0; line && i < lines->columns; i++) {
        line[i] = entries[i];
        if (entries[i].kind == LAB_ENTRY_TEXT && !(line[i].text = strdup(entries[i].text))) {
            line[i].kind = LAB_ENTRY_NONE;
            free_line(lines, line);
            return NULL;
        }
    }
    return line;
}

static bool keep_line(void *context, const struct lab_entry *entries, struct ek_error *error)
{
    struct lab_lines *lines = context;
    if (lines->count == LAB_LINES_MAX) {
        return base_refuse(error, "the answer has more than %d lines: narrow --where, or leave out --sort and --best",
                           LAB_LINES_MAX);
    }
    struct lab_entry **grown = base_grow(lines->line, lines->count, sizeof *grown);
    lines->line = grown ? grown : lines->line;
    struct lab_entry *line = grown ? copy_line(lines, entries) : NULL;
    if (!line) {
        return no_memory(error);
    }
    lines->line[lines->count++] = line;
    return true;
}

struct lab_answer_sink lab_lines_keep(struct lab_lines *lines)
{
    return (struct lab_answer_sink){.context = lines, .begin = keep_headings, .line = keep_line};
}

void lab_lines_keep_first(struct lab_lines *lines, size_t count)
{
    while (lines->count > count) {
        free_line(lines, lines->line[--lines->count]);
    }
}

void lab_lines_destroy(struct lab_lines *lines)
{
    lab_lines_keep_first(lines, 0);
    free(lines->line);
    free(lines->headings);
    *lines = (struct lab_lines){0};
}

bool lab_lines_pass(const struct lab_lines *lines, uint64_t limit, const struct lab_answer_sink *sink,
                    struct ek_error *error)
{
    bool good = sink->begin(sink->context, lines->headings, lines->columns, error);
    for (size_t i = 0; good && i < lines->count && i < limit; i++) {
        good = sink->line(sink->context, lines->line[i], error);
    }
    return good;
}

double lab_entry_number(const struct lab_entry *entry)
{
    switch (entry->kind) {
    case LAB_ENTRY_WHOLE:
        return (double)entry->whole;
    case LAB_ENTRY_REAL:
        return entry->real;
    case LAB_ENTRY_INTERVAL:
        return entry->interval.value;
    case LAB_ENTRY_MEAN:
    case LAB_ENTRY_SPREAD:
        return isnan(entry->spread.mean.value) ? entry->spread.median.value : entry->spread.mean.value;
    default:
        return NAN;
    }
}

static const char *heading_at(const void *list, size_t index)
{
    const struct lab_lines *lines = list;
    return index < lines->columns ? lines->headings[index].name : NULL;
}

bool lab_lines_heading(const struct lab_lines *lines, const char *option, const char *name, size_t *index,
                       struct ek_error *error)
{
    for (*index = 0; *index < lines->columns; (*index)++) {
        if (strcmp(lines->headings[*index].name, name) == 0) {
            return true;
        }
    }
    const char *near = base_nearest(name, (struct base_names){.at = heading_at, .list = lines});
    return near ? base_refuse(error, "--%s: the answer has no column '%.60s'; the nearest is '%s'", option, name, near)
                : base_refuse(error, "--%s: the answer has no column '%.60s': name one of its columns", option, name);
}

// A line with what it is sorted by.
struct keyed {
    const struct lab_entry *by;
    struct lab_entry *line;
    size_t place;
    bool descending;
};

static int compare_numbers(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a > b) - (a < b);
}

static bool has_value(const struct lab_entry *entry)
{
    return entry->kind == LAB_ENTRY_TEXT || !isnan(lab_entry_number(entry));
}

int lab_entry_compare(const struct lab_entry *a, const struct lab_entry *b)
{
    return a->kind == LAB_ENTRY_TEXT && b->kind == LAB_ENTRY_TEXT
               ? lab_compare_naturally(a->text, strlen(a->text), b->text, strlen(b->text))
               : compare_numbers(lab_entry_number(a), lab_entry_number(b));
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *first = a, *second = b;
    const int compared = lab_entry_compare(first->by, second->by);
    const int order = first->descending && has_value(first->by) && has_value(second->by) ? -compared : compared;
    return order != 0 ? order : first->place < second->place ? -1 : 1;
}

bool lab_lines_sort(struct lab_lines *lines, const char *by, struct ek_error *error)
{
    static const char down[] = ":desc";
    char name[LAB_QUERY_NAME];
    size_t index, length = strlen(by);
    const bool descending = length > strlen(down) && strcmp(by + length - strlen(down), down) == 0;
    length -= descending ? strlen(down) : 0;
    snprintf(name, sizeof name, "%.*s", (int)length, by);
    if (!lab_lines_heading(lines, "sort", name, &index, error)) {
        return false;
    }
    struct keyed *keyed = calloc(lines->count + 1, sizeof *keyed);
    if (!keyed) {
        return no_memory(error);
    }
    for (size_t i = 0; i < lines->count; i++) {
        keyed[i] = (struct keyed){&lines->line[i][index], lines->line[i], i, descending};
    }
    qsort(keyed, lines->count, sizeof *keyed, by_key);
    for (size_t i = 0; i < lines->count; i++) {
        lines->line[i] = keyed[i].line;
    }
    free(keyed);
    return true;
}
