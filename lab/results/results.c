// SPDX-License-Identifier: MIT
// Lists of runs and means of groups. Other files answer the other questions.
#include "lab/results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/fields.h"
#include "lab/results/answers.h"
#include "lab/results/brief_group.h"
#include "lab/results/group_values.h"
#include "lab/results/pooled.h"
#include "lab/text/memory_stream.h"

// The default columns of means and comparisons.
static const char usual_columns[] = "steps,operations,messages";

// A list with a line for each run.
struct listing {
    struct lab_rows rows;
    struct lab_entry *entries;
    const struct lab_answer_sink *sink;
    struct lab_answer_notes *notes;
};

static bool list_run(void *context, struct ek_error *error)
{
    struct listing *listing = context;
    const size_t shown = listing->rows.count - 1; // the last column says how the run ended
    const bool is_cut = lab_group_run_end(&listing->rows, shown, listing->notes) == LAB_RUN_CUT;
    for (size_t i = 0; i < shown; i++) {
        listing->entries[i] = lab_rows_entry(&listing->rows, i);
        listing->entries[i].bound = is_cut && listing->rows.headings[i].grows;
    }
    listing->notes->runs++;
    listing->notes->lines++;
    return listing->sink->line(listing->sink->context, listing->entries, error);
}

static bool list_runs(struct lab_store *store, const struct lab_question *question, const struct lab_answer_sink *sink,
                      struct lab_answer_notes *notes, struct ek_error *error)
{
    struct listing listing = {.sink = sink, .notes = notes};
    struct lab_rows *rows = &listing.rows;
    bool good = lab_rows_open(rows, store, error) &&
                lab_rows_select(rows, "columns", question->columns, LAB_HEADING_VALUE, error) &&
                lab_group_run_select_end(rows, error) && lab_rows_from(rows, question, "1", "id", error);
    listing.entries = good ? calloc(rows->count, sizeof *listing.entries) : NULL;
    good = good && (listing.entries || base_refuse(error, "there is no memory for the list: choose fewer columns")) &&
           sink->begin(sink->context, rows->headings, rows->count - 1, error) &&
           lab_rows_go(rows, list_run, NULL, &listing, error);
    free(listing.entries);
    lab_rows_close(rows);
    return good;
}

// Means with a line for each group: the group's values, the number of runs, and the spread of each column.
struct grouping {
    struct lab_rows rows;
    size_t first, columns;           // the columns, which follow those of the run
    struct lab_group_values *values; // [columns]
    struct lab_entry *entries;
    int64_t runs; // of the current group
    struct lab_confidence confidence;
    const struct lab_answer_sink *sink;
    struct lab_answer_notes *notes;
};

static bool take_run(void *context, struct ek_error *error)
{
    struct grouping *grouping = context;
    struct lab_rows *rows = &grouping->rows;
    const struct lab_group_run run = lab_group_run_read(rows, rows->grouped, grouping->notes);
    for (size_t i = 0; i < grouping->columns; i++) {
        double value;
        if (!lab_rows_number(rows, grouping->first + i, &value, error) ||
            !lab_group_values_add(rows, &grouping->values[i], run.end, &rows->headings[grouping->first + i], value,
                                  lab_group_run_drawn(&run, value, NULL, NAN), error)) {
            return false;
        }
    }
    grouping->runs++;
    return true;
}

// Returns the entry of one column. The samples of the first column count as those of the line.
static struct lab_entry spread_entry(struct grouping *grouping, size_t column)
{
    struct lab_group_values *values = &grouping->values[column];
    const struct lab_sampling sampling = lab_sampling_of(values->drawn, values->count + values->cut_count);
    const struct lab_entry entry = {.kind = LAB_ENTRY_SPREAD,
                                    .spread = lab_group_values_spread(values, sampling, grouping->confidence)};
    if (column == 0) {
        lab_sampling_note(sampling, grouping->notes);
    }
    lab_group_values_clear(&grouping->rows, values);
    return entry;
}

static bool end_group(void *context, struct ek_error *error)
{
    struct grouping *grouping = context;
    struct lab_rows *rows = &grouping->rows;
    struct lab_entry *entry = grouping->entries;
    for (size_t i = 0; i < rows->grouped; i++) {
        *entry++ = rows->key[i];
    }
    *entry++ = (struct lab_entry){.kind = LAB_ENTRY_WHOLE, .whole = grouping->runs};
    for (size_t i = 0; i < grouping->columns; i++) {
        *entry++ = spread_entry(grouping, i);
    }
    grouping->notes->runs += (uint64_t)grouping->runs;
    grouping->notes->lines++;
    grouping->runs = 0;
    return grouping->sink->line(grouping->sink->context, grouping->entries, error);
}

// Begins the answer. The headings are those of the group, "runs", and one for each column.
static bool begin_groups(struct grouping *grouping, struct ek_error *error)
{
    const struct lab_rows *rows = &grouping->rows;
    grouping->first = rows->grouped + LAB_RUN_COLUMNS;
    grouping->columns = rows->count - grouping->first;
    const size_t count = rows->grouped + 1 + grouping->columns;
    struct lab_heading *headings = calloc(count, sizeof *headings);
    grouping->entries = calloc(count, sizeof *grouping->entries);
    grouping->values = calloc(grouping->columns + 1, sizeof *grouping->values);
    if (!headings || !grouping->entries || !grouping->values) {
        free(headings);
        return base_refuse(error, "there is no memory for the groups: choose fewer columns");
    }
    memcpy(headings, rows->headings, rows->grouped * sizeof *headings);
    headings[rows->grouped] = (struct lab_heading){.name = "runs", .role = LAB_HEADING_VALUE};
    for (size_t i = 0; i < grouping->columns; i++) {
        struct lab_heading *heading = &headings[rows->grouped + 1 + i];
        *heading = rows->headings[grouping->first + i];
        heading->kind = LAB_ENTRY_SPREAD;
    }
    bool good = grouping->sink->begin(grouping->sink->context, headings, count, error);
    free(headings);
    return good;
}

static bool group_runs(struct lab_store *store, const struct lab_question *question, const struct lab_answer_sink *sink,
                       struct lab_answer_notes *notes, struct ek_error *error)
{
    struct grouping grouping = {.confidence = question->confidence, .sink = sink, .notes = notes};
    struct lab_rows *rows = &grouping.rows;
    bool good = lab_rows_open(rows, store, error) &&
                lab_rows_select(rows, "group", question->group, LAB_HEADING_GROUP, error) &&
                lab_rows_select(rows, "x", question->over ? question->over : "", LAB_HEADING_PLACE, error) &&
                lab_group_run_select(rows, error) &&
                lab_rows_select(rows, "columns", question->columns, LAB_HEADING_VALUE, error) &&
                lab_rows_from(rows, question, "1", "seed, key", error) && begin_groups(&grouping, error) &&
                lab_rows_go(rows, take_run, end_group, &grouping, error);
    for (size_t i = 0; grouping.values && i < grouping.columns; i++) {
        lab_group_values_destroy(&grouping.values[i]);
    }
    free(grouping.values);
    free(grouping.entries);
    lab_rows_close(rows);
    return good;
}

// Selects one run of each key, since runs of one key differ only in their seed. For a comparison it selects one run of
// each key in each set.
static bool write_specimens(struct lab_query *query, const struct lab_question *question, struct ek_error *error)
{
    size_t at = 0;
    fputs("SELECT min(id) AS specimen, ", query->out);
    if (!question->compare) {
        fputs("1 AS in_first, 0 AS in_second", query->out);
    } else if (!lab_query_condition(query, "compare", question->compare, "vs", &at, error) ||
               fputs(" AS in_first, ", query->out) < 0 ||
               !lab_query_condition(query, "compare", question->compare, NULL, &at, error) ||
               fputs(" AS in_second", query->out) < 0) {
        return false;
    }
    fputs(" FROM runs", query->out);
    if (!lab_query_where(query, question->where, question->among, error)) {
        return false;
    }
    fputs(question->compare ? " AND (in_first OR in_second) GROUP BY key, in_first" : " GROUP BY key", query->out);
    return true;
}

// Selects for each axis whether its values differ within a set.
static bool write_varying(struct lab_query *query, const struct lab_question *question, struct ek_error *error)
{
    const char *before = "SELECT ";
    for (size_t i = 0; ek_axis_at(i); i++) {
        const char *field = ek_axis_at(i)->field;
        if (field) {
            fprintf(query->out, "%smin(\"%s\") IS NOT max(\"%s\") OR count(\"%s\") NOT IN (0, count(*))", before, field,
                    field, field);
            before = ", ";
        }
    }
    fputs(" FROM (", query->out);
    return write_specimens(query, question, error) &&
           fputs(") JOIN runs ON id = specimen GROUP BY in_first", query->out) >= 0;
}

static void add_to_list(char *list, size_t size, const char *name)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length > 0 ? "," : "", name);
}

// Lists the axes that vary.
static bool read_varying(sqlite3_stmt *statement, char *list, size_t size)
{
    bool varies[EK_AXES_MAX] = {false};
    int got;
    while ((got = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0, column = 0; ek_axis_at(i); i++) {
            if (ek_axis_at(i)->field) {
                varies[i] = sqlite3_column_int(statement, (int)column++) != 0 || varies[i];
            }
        }
    }
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (varies[i]) {
            add_to_list(list, size, ek_axis_at(i)->field);
        }
    }
    return got == SQLITE_DONE;
}

bool lab_results_varying(struct lab_store *store, const struct lab_question *question, char *list, size_t size,
                         struct ek_error *error)
{
    struct lab_query query;
    list[0] = '\0';
    sqlite3_stmt *statement = lab_query_open(&query, store, error) && write_varying(&query, question, error)
                                  ? lab_query_prepare(&query, error)
                                  : NULL;
    bool good = statement && (read_varying(statement, list, size) || lab_store_fail(store, error));
    sqlite3_finalize(statement);
    lab_query_close(&query);
    return good;
}

// Finds out whether any of the runs has a value in this column.
static bool any_has(struct lab_store *store, const struct lab_question *question, const char *column, bool *any,
                    struct ek_error *error)
{
    struct lab_query query;
    bool good = lab_query_open(&query, store, error);
    if (good) {
        fputs("SELECT 1 FROM runs", query.out);
        good = lab_query_where(&query, question->where, question->among, error);
        fprintf(query.out, " AND \"%s\" IS NOT NULL LIMIT 1", column);
    }
    sqlite3_stmt *statement = good ? lab_query_prepare(&query, error) : NULL;
    const int got = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    *any = got == SQLITE_ROW;
    good = statement && (got == SQLITE_ROW || got == SQLITE_DONE || lab_store_fail(store, error));
    sqlite3_finalize(statement);
    lab_query_close(&query);
    return good;
}

// Writes the names of fields, each after its group's name.
static void write_fields(FILE *out, const struct lab_field *fields, const char *group)
{
    for (; fields->name; fields++) {
        if (fields->parts) {
            char inner[LAB_QUERY_NAME];
            snprintf(inner, sizeof inner, "%.60s%.60s.", group, fields->name);
            write_fields(out, fields->parts, inner);
        } else {
            fprintf(out, ",%s%s", group, fields->name);
        }
    }
}

// Writes the report's fields. A group of fields is included if any run has its first field.
static bool write_report(FILE *out, struct lab_store *store, const struct lab_question *question,
                         struct ek_error *error)
{
    for (const struct lab_field *field = lab_report_fields; field->name; field++) {
        const struct lab_field *first = field;
        char name[LAB_QUERY_NAME];
        size_t length = (size_t)snprintf(name, sizeof name, "%s", field->name);
        while (first->parts) {
            first = first->parts;
            length += (size_t)snprintf(name + length, sizeof name - length, ".%s", first->name);
        }
        bool there = true;
        if (field->parts && !any_has(store, question, name, &there, error)) {
            return false;
        }
        const struct lab_field alone[] = {*field, {.name = NULL}};
        write_fields(out, there ? alone : alone + 1, "");
    }
    return true;
}

static void write_axes(FILE *out)
{
    fputs("topology,method,parameter", out);
    for (size_t i = 0; ek_axis_at(i); i++) {
        const char *field = ek_axis_at(i)->field;
        if (field && strcmp(field, "topology") != 0 && strcmp(field, "method") != 0) {
            fprintf(out, ",%s", field);
        }
    }
}

char *lab_results_columns(struct lab_store *store, const struct lab_question *question, struct ek_error *error)
{
    struct lab_stream text;
    bool good = lab_stream_begin(&text);
    if (good) {
        write_axes(text.out);
        good = write_report(text.out, store, question, error);
    } else {
        base_refuse(error, "there is no memory for the names of columns: name them with --columns");
    }
    char *list = lab_stream_end(&text);
    if (good && !list) {
        base_refuse(error, "there is no memory for the names of columns: name them with --columns");
    } else if (!good) {
        free(list);
        list = NULL;
    }
    return list;
}

// Writes a list without one column. Blanks around a name do not count.
static void leave_out(const char *list, const char *column, char kept[LAB_RESULTS_LIST])
{
    kept[0] = '\0';
    for (const char *at = list; *at;) {
        char name[LAB_QUERY_NAME];
        at += strspn(at, " ");
        const size_t length = strcspn(at, ",");
        size_t end = length;
        while (end > 0 && at[end - 1] == ' ') {
            end--;
        }
        snprintf(name, sizeof name, "%.*s", (int)end, at);
        if (strcmp(name, column) != 0) {
            add_to_list(kept, LAB_RESULTS_LIST, name);
        }
        at += length + (at[length] == ',');
    }
}

// Finds the groups of a question without any: all axes that vary, except that lines over a property of topologies, as
// processors, run over all topologies.
static bool choose_group(struct lab_store *store, const struct lab_question *question, char group[LAB_RESULTS_LIST],
                         struct ek_error *error)
{
    static const char of_topology[] = "processors,links,colours,degree_min,degree_max,diameter";
    char varying[LAB_RESULTS_LIST];
    const bool over_topology = question->over && lab_results_list_has(of_topology, question->over);
    if (!lab_results_varying(store, question, varying, sizeof varying, error)) {
        return false;
    }
    char others[LAB_RESULTS_LIST];
    leave_out(varying, over_topology ? "topology" : "", others);
    leave_out(others, question->over ? question->over : "", group);
    return !question->brief || lab_results_brief(store, question, group, error);
}

bool lab_results_ask(struct lab_store *store, const struct lab_question *question, const struct lab_answer_sink *sink,
                     struct lab_answer_notes *notes, struct ek_error *error)
{
    struct lab_question asked = *question;
    char group[LAB_RESULTS_LIST];
    *notes = (struct lab_answer_notes){0};
    if ((asked.compare || asked.trace || asked.over) && !asked.group) {
        if (!choose_group(store, question, notes->group, error)) {
            return false;
        }
        asked.group = notes->group;
    }
    if (asked.over && strlen(asked.group) < sizeof group) { // the places on the axis are no groups
        leave_out(asked.group, asked.over, group);
        asked.group = group;
    }
    if (!asked.columns && (asked.group || asked.compare)) {
        asked.columns = usual_columns;
    }
    lab_answer *answer = asked.compare ? lab_answer_compare
                         : asked.trace ? lab_answer_average
                         : asked.group ? group_runs
                                       : list_runs;
    return answer(store, &asked, sink, notes, error) &&
           (notes->runs > 0 || lab_axes_note(store, question, notes->axes, error)) &&
           (!asked.group || asked.compare || lab_pooled_note(store, &asked, notes->pooled, error));
}
