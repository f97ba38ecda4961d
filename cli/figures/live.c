// SPDX-License-Identifier: MIT
// Each picture replaces the one before it. A picture is written by one call, with the cursor below it, so the terminal
// is in order whenever the program ends. A stop by Ctrl-Z waits until the picture under way is complete.
#include "cli/figures/live.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/figures/chart.h"
#include "cli/figures/heat.h"
#include "cli/terminal/terminal.h"

enum { TRACE_ROWS = 1024, PERIOD_MS = 100, COLUMNS_LEAST = 20, LINES_UNKNOWN = 24 };

// The values that the observer copies from the run.
struct scene {
    struct ek_trace_row row;
    double at_s; // of the monotonic clock
    double *load;
};

struct report_live {
    const struct lab_record *record;
    uint64_t runs;
    struct scene scene;

    // The observer owns the scene while `wanted` is true; otherwise the drawing thread owns it. Each owner hands the
    // scene over with a release store, which pairs with the acquire load of the other.
    atomic_bool wanted;

    pthread_t thread;
    bool drawing; // the thread runs
    pthread_mutex_t lock;
    pthread_cond_t change;
    // The lock guards the fields below.
    bool over;               // the thread is to end
    uint64_t run;            // the run under way, from 1
    int lines;               // of the visible picture
    int columns, rows;       // of the terminal
    struct ek_report so_far; // with the trace of the run under way
    double began_s;
    struct {
        uint64_t messages;
        double at_s, rate;
    } pace; // messages per second, measured now and then
};

// Set by signal handlers, which run on other threads than the drawing one. Relaxed: lone flags.
static atomic_bool stop_asked, continued;
static struct sigaction stop_before, continue_before;

static void note_stop(int number)
{
    (void)number;
    atomic_store_explicit(&stop_asked, true, memory_order_relaxed);
}

// Catches the next SIGTSTP only: the one after it stops the process.
static void catch_stop(void)
{
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    if (stop_before.sa_handler != SIG_IGN) {
        sigaction(SIGTSTP, &action, NULL);
    }
}

static void note_continued(int number)
{
    (void)number;
    atomic_store_explicit(&continued, true, memory_order_relaxed);
    catch_stop();
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_continued, .sa_flags = SA_RESTART};
    atomic_store_explicit(&stop_asked, false, memory_order_relaxed);
    atomic_store_explicit(&continued, false, memory_order_relaxed);
    sigaction(SIGTSTP, NULL, &stop_before);
    sigaction(SIGCONT, &action, &continue_before);
    catch_stop();
}

static void stop_if_asked(void)
{
    if (atomic_exchange_explicit(&stop_asked, false, memory_order_relaxed)) {
        kill(getpid(), SIGTSTP);
    }
}

static void release_signals(void)
{
    sigaction(SIGCONT, &continue_before, NULL);
    sigaction(SIGTSTP, &stop_before, NULL);
    stop_if_asked();
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool report_live_possible(const struct cli_terminal *terminal, struct ek_error *error)
{
    if (!terminal->is_terminal) {
        return base_refuse(error, "--live needs a terminal, and standard output is none: leave out --live");
    }
    return terminal->escapes ||
           base_refuse(error, "--live needs a terminal that can erase, which TERM=dumb cannot: leave out --live");
}

// Called by threads of the run, which must not wait.
static bool wants(void *context)
{
    struct report_live *live = context;
    return atomic_load_explicit(&live->wanted, memory_order_acquire);
}

static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    struct report_live *live = context;
    if (!wants(live)) {
        return;
    }
    assert(processors == live->record->topology.processors);
    memcpy(live->scene.load, loads, processors * sizeof *loads);
    live->scene.row = *row;
    live->scene.at_s = now_s();
    atomic_store_explicit(&live->wanted, false, memory_order_release);
}

struct ek_observer report_live_observer(struct report_live *live)
{
    return (struct ek_observer){.look = look, .context = live, .wants = wants};
}

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

static void take_scene(struct report_live *live)
{
    static const double WINDOW_S = 0.5;
    const struct scene *scene = &live->scene;
    if (live->so_far.trace_count == 0) {
        const char *timing = lab_record_axis(live->record, "timing");
        live->so_far.timed = strcmp(timing, "free") == 0 || strcmp(timing, "virtual") == 0;
        live->so_far.has_windows = strcmp(timing, "virtual") == 0;
        live->began_s = live->pace.at_s = scene->at_s;
        live->pace.messages = scene->row.messages;
        live->pace.rate = NAN;
    }
    add_row(&live->so_far, &scene->row);
    double passed_s = scene->at_s - live->pace.at_s;
    if (passed_s >= WINDOW_S || (isnan(live->pace.rate) && passed_s > 0.0)) {
        live->pace.rate = (double)(scene->row.messages - live->pace.messages) / passed_s;
        live->pace.messages = scene->row.messages;
        live->pace.at_s = scene->at_s;
    }
}

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

static void add_numbers(FILE *out, const struct cli_terminal *terminal, const struct report_live *live, double factor)
{
    const struct scene *scene = &live->scene;
    const struct ek_trace_row *row = &scene->row;
    bool free = live->so_far.timed;
    add_line(out, terminal, "run        %s of %s, %s %s, %.1f s", cli_text_count(live->run).of,
             cli_text_count(live->runs).of, free ? "operations" : "step",
             cli_text_count(free ? row->invocations : row->step).of, scene->at_s - live->began_s);
    if (live->so_far.has_windows) {
        double passed_s = scene->at_s - live->began_s;
        double virtual_s = row->time - live->so_far.trace[0].time;
        add_line(out, terminal, "clock      %s of virtual time, %s/s", cli_text_seconds(row->time).of,
                 passed_s > 0.0 ? cli_text_seconds(virtual_s / passed_s).of : "-");
    }
    add_line(out, terminal, "variance   %s", cli_text_real(row->variance).of);
    if (!isnan(factor)) {
        bool tokens = strcmp(lab_record_axis(live->record, "units"), "tokens") == 0;
        const struct ek_trace_row *first = &live->so_far.trace[0];
        double theory = first->variance * pow(factor, (double)(row->step - first->step));
        add_line(out, terminal, "theory     %s%s", cli_text_real(theory).of, tokens ? " (for real loads)" : "");
    }
    add_line(out, terminal, "messages   %s, %s/s", cli_text_count(row->messages).of,
             isnan(live->pace.rate) ? "-" : cli_text_amount(round(live->pace.rate)).of);
    add_line(out, terminal, "loads      %s to %s", cli_text_amount(row->minimum).of, cli_text_amount(row->maximum).of);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++) {
        lines++;
    }
    return lines;
}

// Composes the picture. If the terminal has too few lines, the curve gets lower and the cells of the map get larger.
static void compose(FILE *out, char *const *text, const struct cli_terminal *terminal, const struct report_live *live)
{
    enum { CURVE_LEAST = 4, CURVE_FRAME = REPORT_CHART_LINES - REPORT_CHART_ROWS, MAP_LEAST = 2 };
    double factor = factor_of(live->record);
    add_numbers(out, terminal, live, factor);
    fflush(out);
    int room = live->rows - 1 - count_lines(*text) - 1; // the map ends with a line that explains its cells
    int rows = room - CURVE_LEAST - CURVE_FRAME;
    rows = rows < MAP_LEAST ? room : rows;
    if (rows >= 1) {
        struct report_heat heat = {.load = live->scene.load,
                                   .low = live->scene.row.minimum,
                                   .high = live->scene.row.maximum,
                                   .rows = (uint32_t)rows};
        report_heat_now(out, terminal, &live->record->topology, &heat);
        fflush(out);
    }
    rows = live->rows - 1 - count_lines(*text) - CURVE_FRAME;
    if (rows >= CURVE_LEAST) {
        report_chart_draw(out, terminal, &live->so_far, rows < REPORT_CHART_ROWS ? rows : REPORT_CHART_ROWS, factor);
    }
}

// Returns whether this process is in the foreground. In the background it leaves the terminal to others.
static bool in_front(void)
{
    pid_t group = tcgetpgrp(STDOUT_FILENO);
    return group < 0 || group == getpgrp();
}

static void erase(FILE *out, int lines)
{
    if (lines > 0) {
        fprintf(out, "\r\033[%dA\033[J", lines);
    }
}

// Makes room for the next picture. If the terminal's size has changed, the terminal may have wrapped old lines, so the
// whole screen is cleared. After Ctrl-Z and fg, the old picture stays, since other output follows it.
static void begin_picture(FILE *out, struct report_live *live, struct cli_terminal *terminal)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (size.ws_col >= COLUMNS_LEAST && size.ws_col < terminal->columns) {
        terminal->columns = size.ws_col; // COLUMNS may name more columns than the terminal has
    }
    int rows = size.ws_row > 0 ? size.ws_row : LINES_UNKNOWN;
    bool changed = live->columns != terminal->columns || live->rows != rows;
    int old = atomic_exchange_explicit(&continued, false, memory_order_relaxed) ? 0 : live->lines;
    if (old > 0 && changed) {
        fputs("\033[H\033[2J", out);
    } else {
        erase(out, old);
    }
    live->columns = terminal->columns;
    live->rows = rows;
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

// Draws the picture. If memory is short, the last one stays.
static void draw(struct report_live *live)
{
    struct cli_terminal terminal = cli_terminal_of(stdout);
    char *picture = NULL;
    size_t length;
    FILE *out = open_memstream(&picture, &length);
    if (!out) {
        return;
    }
    int lines = live->lines;
    begin_picture(out, live, &terminal);
    compose(out, &picture, &terminal, live);
    if (fclose(out) == 0) {
        show(picture, length);
        lines = count_lines(picture);
    }
    live->lines = lines;
    free(picture);
}

// Waits for the time of the next picture. Returns false if the thread is to end.
static bool wait_for_next(struct report_live *live)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PERIOD_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!live->over && pthread_cond_timedwait(&live->change, &live->lock, &until) == 0) {
    }
    return !live->over;
}

static void *draw_pictures(void *context)
{
    struct report_live *live = context;
    pthread_mutex_lock(&live->lock);
    while (wait_for_next(live)) {
        stop_if_asked();
        if (wants(live)) {
            continue; // the observer has copied nothing since
        }
        take_scene(live);
        if (in_front()) {
            draw(live);
        } else {
            live->lines = 0;
        }
        atomic_store_explicit(&live->wanted, true, memory_order_release);
    }
    pthread_mutex_unlock(&live->lock);
    return NULL;
}

struct report_live *report_live_create(const struct lab_record *record, uint64_t runs, struct ek_error *error)
{
    struct report_live *live = calloc(1, sizeof *live);
    struct ek_trace_row *rows = calloc(TRACE_ROWS, sizeof *rows);
    if (!live || !rows) {
        free(live);
        free(rows);
        base_refuse(error, "there is no memory for --live: leave out --live");
        return NULL;
    }
    live->record = record;
    live->runs = runs;
    live->run = 1;
    live->so_far.trace = rows;
    live->wanted = true;
    pthread_mutex_init(&live->lock, NULL);
    pthread_cond_init(&live->change, NULL);
    return live;
}

// Starts the thread with all signals blocked: they are handled by the other threads.
static bool begin_thread(struct report_live *live)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    live->drawing = pthread_create(&live->thread, NULL, draw_pictures, live) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return live->drawing;
}

bool report_live_begin(struct report_live *live, const struct ek_machine *machine, struct ek_error *error)
{
    live->scene.load = calloc(ek_machine_topology(machine)->processors, sizeof *live->scene.load);
    if (live->scene.load && begin_thread(live)) {
        catch_signals();
        return true;
    }
    return base_refuse(error, "there is no memory, or no thread, for --live: leave out --live");
}

void report_live_clear(struct report_live *live)
{
    pthread_mutex_lock(&live->lock);
    erase(stdout, live->lines);
    fflush(stdout);
    live->lines = 0;
    live->run++;
    live->so_far.trace_count = 0;
    atomic_store_explicit(&live->wanted, true, memory_order_release); // drops the scene of the run that ended
    pthread_mutex_unlock(&live->lock);
}

void report_live_destroy(struct report_live *live)
{
    if (!live) {
        return;
    }
    pthread_mutex_lock(&live->lock);
    live->over = true;
    pthread_cond_signal(&live->change);
    pthread_mutex_unlock(&live->lock);
    if (live->drawing) {
        pthread_join(live->thread, NULL);
        report_live_clear(live);
        release_signals();
    }
    pthread_cond_destroy(&live->change);
    pthread_mutex_destroy(&live->lock);
    free(live->scene.load);
    free(live->so_far.trace);
    free(live);
}
