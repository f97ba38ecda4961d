// SPDX-License-Identifier: MIT
#include "cli/figures/live_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/figures/chart.h"
#include "cli/figures/heat.h"
#include "cli/terminal/terminal.h"

enum { TRACE_ROWS = 1024, COLUMNS_LEAST = 20, LINES_UNKNOWN = 24 };

bool report_live_picture_begin(struct report_live_picture *picture, const struct lab_record *record, uint64_t runs)
{
    *picture = (struct report_live_picture){.record = record, .run = 1, .runs = runs};
    picture->so_far.trace = calloc(TRACE_ROWS, sizeof *picture->so_far.trace);
    return picture->so_far.trace != NULL;
}

void report_live_picture_end(struct report_live_picture *picture)
{
    free(picture->scene.load);
    free(picture->scene.tasks);
    free(picture->so_far.trace);
}

// ---- what has happened ----

// Adds a row to the trace. If the trace is full, every second row is dropped.
static void add_row(struct ek_report *so_far, const struct ek_trace_row *row)
{
    while (so_far->trace_count > 0 && so_far->trace[so_far->trace_count - 1].step >= row->step) {
        so_far->trace_count--; // this row replaces the rows from its step on
    }
    if (so_far->trace_count == TRACE_ROWS) {
        for (size_t i = 0; 2 * i < TRACE_ROWS; i++) {
            so_far->trace[i] = so_far->trace[2 * i];
        }
        so_far->trace_count /= 2;
    }
    so_far->trace[so_far->trace_count++] = *row;
}

static void begin_rate(struct report_rate *rate, double at_s, double count)
{
    *rate = (struct report_rate){.at_s = at_s, .count = count, .per_s = NAN};
}

static void measure(struct report_rate *rate, double at_s, double count)
{
    static const double WINDOW_S = 0.5;
    double passed_s = at_s - rate->at_s;
    if (passed_s >= WINDOW_S || (isnan(rate->per_s) && passed_s > 0.0)) {
        *rate = (struct report_rate){.at_s = at_s, .count = count, .per_s = (count - rate->count) / passed_s};
    }
}

void report_live_picture_add(struct report_live_picture *picture)
{
    const struct report_scene *scene = &picture->scene;
    if (picture->so_far.trace_count == 0) {
        const char *timing = lab_record_axis(picture->record, "timing");
        picture->so_far.has_windows = strcmp(timing, "virtual") == 0;
        picture->so_far.timed = picture->so_far.has_windows || strcmp(timing, "free") == 0;
        picture->began_s = scene->at_s;
        begin_rate(&picture->messages, scene->at_s, (double)scene->row.messages);
        begin_rate(&picture->time, scene->at_s, scene->row.time);
    }
    add_row(&picture->so_far, &scene->row);
    measure(&picture->messages, scene->at_s, (double)scene->row.messages);
    measure(&picture->time, scene->at_s, scene->row.time);
}

// ---- the lines ----

// Returns the factor by which a step reduces the variance according to theory, or NaN if theory does not say.
static double factor_of(const struct lab_record *record)
{
    bool by_colour = record->method.exchange || strcmp(lab_record_axis(record, "ports"), "one") == 0;
    double steps = by_colour ? record->topology.colours : 1;
    bool known = record->theory.has_exact && strcmp(lab_record_axis(record, "timing"), "rounds") == 0;
    return known ? pow(record->theory.gamma_exact, 2.0 / steps) : NAN;
}

// Adds a line, cut at the terminal's width.
__attribute__((format(printf, 3, 4))) static void add_line(FILE *out, const struct cli_terminal *terminal,
                                                           const char *format, ...)
{
    struct cli_line line = {0};
    va_list arguments;
    va_start(arguments, format);
    cli_line_add_list(&line, format, arguments);
    va_end(arguments);
    fprintf(out, "%.*s\n", terminal->columns - 1, line.of);
}

static void add_clock(FILE *out, const struct cli_terminal *terminal, const struct report_live_picture *picture)
{
    const char *rate = isnan(picture->time.per_s) ? "-" : cli_text_seconds(picture->time.per_s).of;
    add_line(out, terminal, "clock      %s of virtual time, %s%s", cli_text_seconds(picture->scene.row.time).of,
             picture->paused ? "paused" : rate, picture->paused ? "" : "/s");
}

// Adds how many processors are busy, and which, as far as they fit on the line: "12 of 16: 0-3, 5, 7-13".
static void add_busy(FILE *out, const struct cli_terminal *terminal, const struct report_live_picture *picture)
{
    static const char more[] = ", ...";
    const double *tasks = picture->scene.tasks;
    uint32_t processors = picture->record->topology.processors, busy = 0;
    struct cli_line line = {0};
    for (uint32_t p = 0; p < processors; p++) {
        busy += tasks[p] > 0.0;
    }
    cli_line_add(&line, "busy       %s of %s", cli_text_count(busy).of, cli_text_count(processors).of);
    const char *before = ": ";
    for (uint32_t p = 0; p < processors; p++) {
        uint32_t last = p;
        while (tasks[p] > 0.0 && last + 1 < processors && tasks[last + 1] > 0.0) {
            last++;
        }
        char range[40] = "";
        if (tasks[p] > 0.0) {
            snprintf(range, sizeof range, last > p ? "%s%u-%u" : "%s%u", before, (unsigned)p, (unsigned)last);
            before = ", ";
        }
        bool fits = line.length + strlen(range) + strlen(more) < (size_t)terminal->columns;
        cli_line_add(&line, "%s", fits ? range : more);
        p = fits ? last : processors - 1;
    }
    add_line(out, terminal, "%s", line.of);
}

static void add_numbers(FILE *out, const struct cli_terminal *terminal, const struct report_live_picture *picture,
                        double factor)
{
    const struct report_scene *scene = &picture->scene;
    const struct ek_trace_row *row = &scene->row;
    bool timed = picture->so_far.timed;
    add_line(out, terminal, "run        %s of %s, %s %s, %.1f s", cli_text_count(picture->run).of,
             cli_text_count(picture->runs).of, timed ? "operations" : "step",
             cli_text_count(timed ? row->invocations : row->step).of, scene->at_s - picture->began_s);
    if (picture->so_far.has_windows) {
        add_clock(out, terminal, picture);
    }
    add_line(out, terminal, "variance   %s", cli_text_real(row->variance).of);
    if (!isnan(factor)) {
        bool tokens = strcmp(lab_record_axis(picture->record, "units"), "tokens") == 0;
        const struct ek_trace_row *first = &picture->so_far.trace[0];
        double theory = first->variance * pow(factor, (double)(row->step - first->step));
        add_line(out, terminal, "theory     %s%s", cli_text_real(theory).of, tokens ? " (for real loads)" : "");
    }
    add_line(out, terminal, "messages   %s, %s/s", cli_text_count(row->messages).of,
             isnan(picture->messages.per_s) ? "-" : cli_text_amount(round(picture->messages.per_s)).of);
    add_line(out, terminal, "loads      %s to %s", cli_text_amount(row->minimum).of, cli_text_amount(row->maximum).of);
    if (scene->has_tasks) {
        add_busy(out, terminal, picture);
    }
}

// Adds the line about the speed, and about the keys if they are read.
static void add_keys(FILE *out, const struct cli_terminal *terminal, const struct report_live_picture *picture)
{
    if (picture->free) {
        add_line(out, terminal, "keys       q quit");
        return;
    }
    add_line(out, terminal, "speed      %s%s%s%s", picture->speed.of, picture->paused ? ", paused" : "",
             !picture->keys    ? ""
             : picture->paused ? "; space go on"
                               : "; space pause",
             picture->keys ? ", n step, + faster, - slower, q quit" : "");
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++) {
        lines++;
    }
    return lines;
}

// Returns the map of the loads, or of the tasks that processors have.
static struct report_heat heat_of(const struct report_live_picture *picture)
{
    const struct report_scene *scene = &picture->scene;
    struct report_heat heat = {
        .what = "load", .load = scene->load, .low = scene->row.minimum, .high = scene->row.maximum};
    if (scene->has_tasks) {
        heat = (struct report_heat){.what = "number of tasks", .load = scene->tasks, .sparse = true};
        for (uint32_t p = 0; p < picture->record->topology.processors; p++) {
            heat.high = fmax(heat.high, scene->tasks[p]);
        }
    }
    return heat;
}

// Composes the picture. If the terminal has too few lines, the curve gets lower and the cells of the map get larger.
static void compose(FILE *out, char *const *text, const struct cli_terminal *terminal,
                    const struct report_live_picture *picture)
{
    enum { CURVE_LEAST = 4, CURVE_FRAME = REPORT_CHART_LINES - REPORT_CHART_ROWS, MAP_LEAST = 2 };
    double factor = factor_of(picture->record);
    bool has_keys = picture->keys || !picture->free;
    int lines = picture->rows - 1 - has_keys;
    add_numbers(out, terminal, picture, factor);
    fflush(out);
    int room = lines - count_lines(*text) - 1; // the map ends with a line that explains its cells
    int rows = room - CURVE_LEAST - CURVE_FRAME;
    rows = rows < MAP_LEAST ? room : rows;
    if (rows >= 1) {
        struct report_heat heat = heat_of(picture);
        heat.rows = (uint32_t)rows;
        report_heat_now(out, terminal, &picture->record->topology, &heat);
        fflush(out);
    }
    rows = lines - count_lines(*text) - CURVE_FRAME;
    if (rows >= CURVE_LEAST) {
        struct report_chart_size size = {terminal->columns, rows < REPORT_CHART_ROWS ? rows : REPORT_CHART_ROWS};
        report_chart_draw(out, terminal, &picture->so_far, size, factor);
    }
    if (has_keys) {
        add_keys(out, terminal, picture);
    }
}

// ---- the terminal ----

static void erase(FILE *out, int lines)
{
    if (lines > 0) {
        fprintf(out, "\r\033[%dA\033[J", lines);
    }
}

// Returns the terminal, with its number of lines.
static struct cli_terminal terminal_now(int *rows)
{
    struct cli_terminal terminal = cli_terminal_of(stdout);
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (size.ws_col >= COLUMNS_LEAST && size.ws_col < terminal.columns) {
        terminal.columns = size.ws_col; // COLUMNS may name more columns than the terminal has
    }
    *rows = size.ws_row > 0 ? size.ws_row : LINES_UNKNOWN;
    return terminal;
}

bool report_live_picture_misfits(const struct report_live_picture *picture)
{
    int rows;
    int columns = terminal_now(&rows).columns;
    return picture->lines > 0 && (picture->columns != columns || picture->rows != rows);
}

// Writes the picture directly, since stdio could write it line by line. If the terminal is gone, the final report
// notices.
static void show(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0) {
            return;
        }
        bytes += written;
        count -= (size_t)written;
    }
}

// If the terminal's size has changed, the terminal may have wrapped old lines, so the whole screen is cleared.
void report_live_picture_draw(struct report_live_picture *picture)
{
    int rows;
    struct cli_terminal terminal = terminal_now(&rows);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        return;
    }
    if (report_live_picture_misfits(picture)) {
        fputs("\033[H\033[2J", out);
    } else {
        erase(out, picture->lines);
    }
    picture->columns = terminal.columns;
    picture->rows = rows;
    compose(out, &text, &terminal, picture);
    if (fclose(out) == 0) {
        show(text, length);
        picture->lines = count_lines(text);
    }
    free(text);
}

void report_live_picture_leave(struct report_live_picture *picture)
{
    picture->lines = 0;
}

void report_live_picture_clear(struct report_live_picture *picture)
{
    erase(stdout, picture->lines);
    fflush(stdout);
    picture->lines = 0;
    picture->run++;
    picture->so_far.trace_count = 0;
}
