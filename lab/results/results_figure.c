// SPDX-License-Identifier: MIT
#include "lab/results/results_figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "lab/record/fields.h"
#include "base/cursor.h"
#include "lab/results/speedup_limits.h"
#include "lab/text/clean_text.h"
#include "threads/api/report.h"

enum { POINTS_MAX = 1000000 };

struct point {
    double x;
    struct lab_interval y;
    double theory; // NaN if there is none
    double bound;  // a lower bound of the mean, if runs were cut; else NaN
};

struct picture {
    struct lab_figure *figure;
    struct lab_heading *headings; // [count]
    size_t count;
    size_t x, y, theory; // the indices of these entries; `theory` is `count` if there is none
    bool speedup;        // y is the speedup, followed by LAB_SPEEDUP_COLUMNS
    struct lab_speedup_limits limits;
    bool times;           // values of x are texts of times, such as 5us
    char label[200];      // of the current series
    struct point *points; // [points_count] of the current series
    size_t points_count;
};

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the picture: narrow --where, or remove columns from --group");
}

static bool begin(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error)
{
    struct picture *picture = context;
    picture->headings = calloc(count, sizeof *headings);
    if (!picture->headings) {
        return no_memory(error);
    }
    memcpy(picture->headings, headings, count * sizeof *headings);
    picture->count = picture->theory = count;
    while (headings[picture->x].role != LAB_HEADING_PLACE) {
        picture->x++;
    }
    picture->y = picture->x + 2; // after the number of runs
    if (picture->y + 1 < count && !picture->speedup) {
        picture->theory = picture->y + 1;
    }
    return true;
}

// Writes the label of a line's series: "ade" for one column of the group, "ade, ports one" for several columns.
static void write_label(const struct picture *picture, const struct lab_entry *entries, char *label, size_t size)
{
    label[0] = '\0';
    for (size_t i = 0; i < picture->x; i++) {
        const char *name = picture->headings[i].name;
        const bool is_plain =
            strcmp(name, "method") == 0 || strcmp(name, "topology") == 0; // the value is clear without its name
        const size_t length = strlen(label);
        int used = snprintf(label + length, size - length, "%s%s%s", i > 0 ? ", " : "", is_plain ? "" : name,
                            is_plain ? "" : " ");
        const size_t at = length + (size_t)used < size ? length + (size_t)used : size - 1;
        switch (entries[i].kind) {
        case LAB_ENTRY_TEXT:
            snprintf(label + at, size - at, "%s", entries[i].text);
            break;
        case LAB_ENTRY_WHOLE:
            snprintf(label + at, size - at, "%" PRId64, entries[i].whole);
            break;
        case LAB_ENTRY_REAL:
            snprintf(label + at, size - at, "%g", entries[i].real);
            break;
        default:
            snprintf(label + at, size - at, "none");
        }
    }
    lab_text_clean(label);
}

static bool add_theory(struct picture *picture, struct ek_error *error)
{
    bool any = false;
    for (size_t i = 0; i < picture->points_count; i++) {
        any = any || isfinite(picture->points[i].theory);
    }
    struct lab_series *theory =
        any ? lab_figure_add(picture->figure, LAB_SERIES_THEORY, picture->points_count, false, error) : NULL;
    for (size_t i = 0; theory && i < picture->points_count; i++) {
        theory->x[i] = picture->points[i].x;
        theory->y[i] = picture->points[i].theory;
    }
    if (theory) {
        snprintf(theory->label, sizeof theory->label, "%.180s%stheory", picture->label, *picture->label ? ", " : "");
    }
    return theory || !any;
}

// Marks the points whose runs were cut: the mean is unknown, and these are its lower bounds.
static bool add_cut(struct picture *picture, struct ek_error *error)
{
    bool any = false;
    for (size_t i = 0; i < picture->points_count; i++) {
        any = any || isfinite(picture->points[i].bound);
    }
    struct lab_series *cut =
        any ? lab_figure_add(picture->figure, LAB_SERIES_BOUNDS, picture->points_count, false, error) : NULL;
    for (size_t i = 0; cut && i < picture->points_count; i++) {
        cut->x[i] = picture->points[i].x;
        cut->y[i] = picture->points[i].bound;
    }
    if (cut) {
        snprintf(cut->label, sizeof cut->label, "%.150s%sruns cut: at least this", picture->label,
                 *picture->label ? ", " : "");
    }
    return cut || !any;
}

static int compare_points(const void *a, const void *b)
{
    const double x = ((const struct point *)a)->x, other = ((const struct point *)b)->x;
    return (x > other) - (x < other);
}

// Adds the points read as a series, and their theory as another. Texts come in another order than their numbers.
static bool end_series(struct picture *picture, struct ek_error *error)
{
    if (picture->points_count == 0) {
        return true;
    }
    qsort(picture->points, picture->points_count, sizeof *picture->points, compare_points);
    struct lab_series *series = lab_figure_add(picture->figure, LAB_SERIES_LINE, picture->points_count, true, error);
    for (size_t i = 0; series && i < picture->points_count; i++) {
        series->x[i] = picture->points[i].x;
        series->y[i] = picture->points[i].y.value;
        series->low[i] = picture->points[i].y.low;
        series->high[i] = picture->points[i].y.high;
    }
    if (series) {
        snprintf(series->label, sizeof series->label, "%s", *picture->label ? picture->label : "mean");
    }
    bool good = series && add_theory(picture, error) && add_cut(picture, error);
    picture->points_count = 0;
    return good;
}

// Reads a text that is a number, or a time, which becomes seconds. Returns false if it is neither.
static bool read_text(const char *text, double *number, bool *time)
{
    struct ek_error ignored;
    struct base_cursor cursor = base_cursor_start("x", text, &ignored);
    *time = false;
    if (base_cursor_real(&cursor, "x", -INFINITY, INFINITY, number) && base_cursor_end(&cursor)) {
        return true;
    }
    cursor.at = 0;
    *time = base_cursor_duration(&cursor, "x", number) && base_cursor_end(&cursor);
    return *time;
}

// The value of an axis such as latency is a text, which is a time or a lone 0.
static bool number_of_text(struct picture *picture, size_t index, const char *text, double *number,
                           struct ek_error *error)
{
    bool time;
    if (!read_text(text, number, &time)) {
        return base_refuse(error, "%s is a text: choose a column of numbers for --x, such as processors",
                           picture->headings[index].name);
    }
    picture->times = picture->times || time;
    return true;
}

static bool number_of(struct picture *picture, size_t index, const struct lab_entry *entries, double *number,
                      struct ek_error *error)
{
    const struct lab_entry *entry = &entries[index];
    if (entry->kind == LAB_ENTRY_TEXT) {
        return number_of_text(picture, index, entry->text, number, error);
    }
    *number = entry->kind == LAB_ENTRY_WHOLE    ? (double)entry->whole
              : entry->kind == LAB_ENTRY_REAL   ? entry->real
              : entry->kind == LAB_ENTRY_SPREAD ? entry->spread.mean.value
                                                : NAN;
    return true;
}

static bool add_point(struct picture *picture, const struct point *point, struct ek_error *error)
{
    if (picture->points_count == POINTS_MAX) {
        return base_refuse(error, "a line of the picture has more than %d points: narrow --where", POINTS_MAX);
    }
    struct point *points = base_grow(picture->points, picture->points_count, sizeof *points);
    if (!points) {
        return no_memory(error);
    }
    picture->points = points;
    picture->points[picture->points_count++] = *point;
    return true;
}

// Adds the limits of a group's speedups.
static bool add_limits(struct picture *picture, const struct lab_entry *entries, double x, struct ek_error *error)
{
    double ideal, in_ticks, in_time;
    return number_of(picture, picture->y + 1, entries, &ideal, error) &&
           number_of(picture, picture->y + 2, entries, &in_ticks, error) &&
           number_of(picture, picture->y + 3, entries, &in_time, error) &&
           (lab_speedup_limits_add(&picture->limits, x, ideal, fmax(in_ticks, in_time)) || no_memory(error));
}

static bool line(void *context, const struct lab_entry *entries, struct ek_error *error)
{
    struct picture *picture = context;
    char label[sizeof picture->label];
    write_label(picture, entries, label, sizeof label);
    if (strcmp(label, picture->label) != 0) {
        if (!end_series(picture, error)) {
            return false;
        }
        snprintf(picture->label, sizeof picture->label, "%s", label);
    }
    const struct lab_spread *spread = &entries[picture->y].spread;
    struct point point = {.y = spread->mean, .theory = NAN, .bound = spread->cut > 0 ? spread->at_least : NAN};
    return number_of(picture, picture->x, entries, &point.x, error) &&
           (picture->theory == picture->count || number_of(picture, picture->theory, entries, &point.theory, error)) &&
           (isnan(point.x) ||
            (add_point(picture, &point, error) && (!picture->speedup || add_limits(picture, entries, point.x, error))));
}

// Adds what all runs have in common to the title: the axes of the subject that do not vary, and the settings that
// differ from their defaults. `topologies` are those that a line runs over, or "".
static void add_common(struct lab_figure *figure, const struct lab_record *record, const char *varying,
                       const char *topologies)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        const bool is_told = axis->role == EK_ROLE_SUBJECT || (axis->role == EK_ROLE_SETTING && record->axis[i].given);
        const bool is_topology = strcmp(axis->option, "topology") == 0;
        const char *value = is_topology ? topologies : record->axis[i].value;
        const size_t used = strlen(figure->title);
        if (is_told && *value && (is_topology || !lab_results_list_has(varying, axis->field))) {
            snprintf(figure->title + used, sizeof figure->title - used, ", %s %.200s", axis->option, value);
        }
    }
    lab_text_clean(figure->title);
}

// Writes the topologies as "ring:8", or as "ring:8 to ring:128".
static void write_topologies(sqlite3_stmt *statement, char *text, size_t size)
{
    const char *first = (const char *)sqlite3_column_text(statement, 1);
    const char *last = (const char *)sqlite3_column_text(statement, 2);
    const bool one = first && last && strcmp(first, last) == 0;
    snprintf(text, size, one ? "%s" : "%s to %s", first ? first : "", last ? last : "");
}

// Returns whether a column holds seconds.
static bool is_seconds(const char *column)
{
    const size_t length = strlen(column);
    return length > 2 && strcmp(column + length - 2, "_s") == 0;
}

// Writes the title, the labels and the seeds. Sets whether x is in seconds, as far as the question tells.
static bool write_title(struct lab_store *store, const struct lab_question *question, const char *varying,
                        struct lab_figure *figure, bool *seconds, struct ek_error *error)
{
    struct lab_query query;
    struct lab_record record = {0};
    char topologies[400] = "";
    bool good = lab_query_open(&query, store, error) &&
                fputs("SELECT min(id), min(topology COLLATE naturally), max(topology COLLATE naturally), min(seed), "
                      "max(seed) FROM runs",
                      query.out) >= 0 &&
                lab_query_where(&query, question->where, question->among, error);
    sqlite3_stmt *statement = good ? lab_query_prepare(&query, error) : NULL;
    good = statement && (sqlite3_step(statement) == SQLITE_ROW || lab_store_fail(store, error));
    if (good && sqlite3_column_type(statement, 0) == SQLITE_NULL) {
        good = base_refuse(error, "there is nothing to draw: no run satisfies --where");
    }
    good = good && lab_store_record(store, sqlite3_column_int64(statement, 0), &record, error);
    if (good) {
        const struct lab_time *time = lab_time_of(&record.runs[0]);
        snprintf(figure->x.label, sizeof figure->x.label, "%.80s", question->trace ? time->label : question->over);
        *seconds = question->trace ? time->fitted : is_seconds(question->over);
        snprintf(figure->title, sizeof figure->title, "%s over %s", figure->y.label, figure->x.label);
        if (question->over || !lab_results_list_has(varying, "topology")) {
            write_topologies(statement, topologies, sizeof topologies);
        }
        add_common(figure, &record, varying, topologies);
        lab_figure_note_seeds(figure, (uint64_t)sqlite3_column_int64(statement, 3),
                              (uint64_t)sqlite3_column_int64(statement, 4));
    }
    lab_record_destroy(&record);
    sqlite3_finalize(statement);
    lab_query_close(&query);
    return good;
}

static void add_note(struct lab_figure *figure, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_note(struct lab_figure *figure, const char *format, ...)
{
    const size_t used = strlen(figure->note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(figure->note + used, sizeof figure->note - used, format, arguments);
    va_end(arguments);
}

static void write_remarks(struct lab_figure *figure, const struct lab_question *question,
                          const struct lab_answer_notes *notes)
{
    lab_figure_name_band(figure, &question->confidence);
    add_note(figure, " Means of %" PRIu64 " runs%s%.250s.", notes->runs,
             question->where ? " of which this holds: " : "", question->where ? question->where : "");
    if (question->trace) {
        add_note(figure, " A converged run counts with its last value.%s",
                 notes->ended_early > 0 ? " A mean ends where a run ended whose loads were still to change." : "");
    }
    if (notes->cut + notes->failed > 0) {
        add_note(figure, " A limit cut %" PRIu64 " runs short; %" PRIu64 " failed.", notes->cut, notes->failed);
    }
    if (*notes->pooled) {
        add_note(figure, " Pooled: %.200s.", notes->pooled);
    }
    lab_text_clean(figure->note);
}

// Finds out whether the store has a column with the theoretical value of this column.
static bool has_theory(struct lab_store *store, const char *column, bool *has, struct ek_error *error)
{
    struct lab_query query;
    char name[LAB_QUERY_NAME];
    *has = false;
    snprintf(name, sizeof name, "theory_%.100s", column);
    bool good = lab_query_open(&query, store, error);
    for (size_t i = 0; good && lab_query_column(&query, i); i++) {
        *has = *has || strcmp(lab_query_column(&query, i), name) == 0;
    }
    lab_query_close(&query);
    return good;
}

// Returns whether the first column that a figure asks for is the speedup.
static bool is_speedup(const struct lab_question *question)
{
    return !question->trace && strncmp(question->columns, "speedup,", strlen("speedup,")) == 0;
}

static bool ask(struct lab_store *store, const struct lab_question *question, struct lab_figure *figure, bool seconds,
                struct ek_error *error)
{
    struct picture picture = {.figure = figure, .speedup = is_speedup(question)};
    const struct lab_answer_sink sink = {.context = &picture, .begin = begin, .line = line};
    struct lab_answer_notes notes;
    bool good = lab_results_ask(store, question, &sink, &notes, error) && end_series(&picture, error);
    good = lab_speedup_limits_draw(&picture.limits, figure, error) && good;
    if (seconds || picture.times) {
        lab_figure_fit_seconds(figure, true);
    }
    if (is_seconds(figure->y.label)) {
        lab_figure_fit_seconds(figure, false);
    }
    write_remarks(figure, question, &notes);
    free(picture.headings);
    free(picture.points);
    return good && (figure->count > 0 || base_refuse(error, "there is nothing to draw: no run has this value"));
}

bool lab_results_figure(struct lab_store *store, const struct lab_question *question, bool log_x, bool log_y,
                        struct lab_figure *figure, struct ek_error *error)
{
    struct lab_question asked = *question;
    char varying[LAB_RESULTS_LIST], columns[2 * LAB_QUERY_NAME + 16];
    bool theory = false;
    *figure = (struct lab_figure){.x.logarithmic = log_x, .y.logarithmic = log_y, .swept = question->over};
    const char *y = question->trace ? question->trace : question->columns;
    if (!lab_results_varying(store, question, varying, sizeof varying, error) ||
        (!question->trace && !has_theory(store, y, &theory, error))) {
        return false;
    }
    if (theory) {
        snprintf(columns, sizeof columns, "%.*s,theory_%.*s", LAB_QUERY_NAME, y, LAB_QUERY_NAME, y);
        asked.columns = columns;
    } else if (strcmp(y, "speedup") == 0) {
        asked.columns = "speedup" LAB_SPEEDUP_COLUMNS;
    }
    asked.brief = true; // a legend has little room
    snprintf(figure->y.label, sizeof figure->y.label, "%.80s", y);
    bool seconds = false;
    return write_title(store, question, varying, figure, &seconds, error) && ask(store, &asked, figure, seconds, error);
}
