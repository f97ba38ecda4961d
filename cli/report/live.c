// SPDX-License-Identifier: MIT
// A run as it goes. Each picture takes the place of the one before it, and is written at once, with the cursor below
// it: between two of them the terminal is as it should be, whoever ends the program. Ctrl-Z waits for the picture's
// end.
#include "cli/report/live.h"

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
#include "cli/report/chart.h"
#include "cli/report/heat.h"
#include "cli/terminal/terminal.h"

enum { TRACE_ROWS = 1024, PERIOD_MS = 100, COLUMNS_LEAST = 20, LINES_UNKNOWN = 24 };

// What the run hands over.
struct scene {
    struct ek_trace_row row;
    double at_s; // since some moment
    double *load;
};

struct cli_live {
    const struct lab_record *record;
    uint64_t runs;
    struct scene scene;

    // Whose the scene is: the observer's while it is wanted, then the drawing thread's. Each release of one is paired
    // with the other's acquire, and makes the scene visible to it.
    atomic_bool wanted;

    pthread_t thread;
    bool drawing; // there is the thread
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool over;    // these are guarded by the lock
    uint64_t run; // under way, from 1
    int lines;    // of the picture that is seen
    int columns, rows;
    struct ek_report so_far; // its trace
    double began_s;
    struct {
        uint64_t messages;
        double at_s, rate;
    } pace; // of the messages, measured now and then
};

static volatile sig_atomic_t stop_asked, continued;
static struct sigaction stop_before, continue_before;

static void note_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

// The next stop is caught, and the one after it stops.
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
    continued = 1;
    catch_stop();
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_continued, .sa_flags = SA_RESTART};
    stop_asked = continued = 0;
    sigaction(SIGTSTP, NULL, &stop_before);
    sigaction(SIGCONT, &action, &continue_before);
    catch_stop();
}

static void stop_if_asked(void)
{
    if (stop_asked) {
        stop_asked = 0;
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

bool cli_live_possible(const struct cli_terminal *terminal, struct ek_error *error)
{
    if (!terminal->is_terminal) {
        return base_refuse(error, "--live draws on a terminal, and standard output is none: leave it out");
    }
    return terminal->escapes ||
           base_refuse(error, "--live takes back what it has drawn, which TERM=dumb cannot: leave it out");
}

// Called by threads of the run, for whom nothing here may wait.
static bool wants(void *context)
{
    struct cli_live *live = context;
    return atomic_load_explicit(&live->wanted, memory_order_acquire);
}

static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    struct cli_live *live = context;
    if (!wants(live)) {
        return;
    }
    assert(processors == live->record->topology.processors);
    memcpy(live->scene.load, loads, processors * sizeof *loads);
    live->scene.row = *row;
    live->scene.at_s = now_s();
    atomic_store_explicit(&live->wanted, false, memory_order_release);
}

struct ek_observer cli_live_observer(struct cli_live *live)
{
    return (struct ek_observer){.look = look, .context = live, .wants = wants};
}

// Every second row goes where there is no room for more.
static void add_row(struct ek_report *so_far, const struct ek_trace_row *row)
{
    while (so_far->trace_count > 0 && so_far->trace[so_far->trace_count - 1].step >= row->step) {
        so_far->trace_count--; // steps that were taken back, or shown once more
    }
    if (so_far->trace_count == TRACE_ROWS) {
        for (size_t i = 0; 2 * i < TRACE_ROWS; i++) {
            so_far->trace[i] = so_far->trace[2 * i];
        }
        so_far->trace_count /= 2;
    }
    so_far->trace[so_far->trace_count++] = *row;
}

static void take_scene(struct cli_live *live)
{
    static const double WINDOW_S = 0.5;
    const struct scene *scene = &live->scene;
    if (live->so_far.trace_count == 0) {
        live->so_far.timed = strcmp(lab_record_axis(live->record, "timing"), "free") == 0;
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

// By how much theory says that a step lessens the variance; NaN where it does not say.
static double factor_of(const struct lab_record *record)
{
    bool by_colour = record->method.exchange || strcmp(lab_record_axis(record, "ports"), "one") == 0;
    double steps = by_colour ? record->topology.colours : 1;
    bool known = record->theory.has_exact && strcmp(lab_record_axis(record, "timing"), "rounds") == 0;
    return known ? pow(record->theory.gamma_exact, 2.0 / steps) : NAN;
}

// A line that is cut where the terminal ends, which would else show two.
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

static void add_numbers(FILE *out, const struct cli_terminal *terminal, const struct cli_live *live, double factor)
{
    const struct scene *scene = &live->scene;
    const struct ek_trace_row *row = &scene->row;
    bool free = live->so_far.timed;
    add_line(out, terminal, "run        %s of %s, %s %s, %.1f s", cli_text_count(live->run).of,
             cli_text_count(live->runs).of, free ? "operations" : "step",
             cli_text_count(free ? row->invocations : row->step).of, scene->at_s - live->began_s);
    add_line(out, terminal, "variance   %s", cli_text_real(row->variance).of);
    if (!isnan(factor)) {
        bool tokens = strcmp(lab_record_axis(live->record, "units"), "tokens") == 0;
        const struct ek_trace_row *first = &live->so_far.trace[0];
        double theory = first->variance * pow(factor, (double)(row->step - first->step));
        add_line(out, terminal, "theory     %s%s", cli_text_real(theory).of, tokens ? ", of real loads" : "");
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

// The picture, of no more lines than the terminal has above the cursor's: where there is no room for all, the curve is
// lower and a cell of the map has more processors.
static void compose(FILE *out, char *const *text, const struct cli_terminal *terminal, const struct cli_live *live)
{
    enum { CURVE_LEAST = 4, CURVE_FRAME = REPORT_CHART_LINES - REPORT_CHART_ROWS, MAP_LEAST = 2 };
    double factor = factor_of(live->record);
    add_numbers(out, terminal, live, factor);
    fflush(out);
    int room = live->rows - 1 - count_lines(*text) - 1; // a line for what a cell shows
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

// Whether the terminal is ours to draw on: who was sent to the background has left it to others.
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

// Makes room for the next picture. Where the terminal's size has changed, lines may have been broken anew: then it is
// cleared as a whole. After a stop and a fg, what others wrote stands below the old picture, and stays.
static void begin_picture(FILE *out, struct cli_live *live, struct cli_terminal *terminal)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (size.ws_col >= COLUMNS_LEAST && size.ws_col < terminal->columns) {
        terminal->columns = size.ws_col; // whatever COLUMNS says
    }
    int rows = size.ws_row > 0 ? size.ws_row : LINES_UNKNOWN;
    bool changed = live->columns != terminal->columns || live->rows != rows;
    if (continued) {
        continued = 0;
    } else if (live->lines > 0 && changed) {
        fputs("\033[H\033[2J", out);
    } else {
        erase(out, live->lines);
    }
    live->columns = terminal->columns;
    live->rows = rows;
}

// At once, past stdout's buffer, which may give lines out one by one. A terminal that is gone is noticed by the report.
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

// Where there is no memory for a picture now, the last one stays.
static void draw(struct cli_live *live)
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

// Waits for its time; false where all is over.
static bool rest(struct cli_live *live)
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

static void *look_on(void *context)
{
    struct cli_live *live = context;
    pthread_mutex_lock(&live->lock);
    while (rest(live)) {
        stop_if_asked();
        if (wants(live)) {
            continue; // the run has handed nothing over since
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

struct cli_live *cli_live_create(const struct lab_record *record, uint64_t runs, struct ek_error *error)
{
    struct cli_live *live = calloc(1, sizeof *live);
    struct ek_trace_row *rows = calloc(TRACE_ROWS, sizeof *rows);
    if (!live || !rows) {
        free(live);
        free(rows);
        base_refuse(error, "there is no memory for --live: leave it out");
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

// The thread has no part in the program's signals.
static bool begin_thread(struct cli_live *live)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    live->drawing = pthread_create(&live->thread, NULL, look_on, live) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return live->drawing;
}

bool cli_live_begin(struct cli_live *live, const struct ek_machine *machine, struct ek_error *error)
{
    live->scene.load = calloc(ek_machine_topology(machine)->processors, sizeof *live->scene.load);
    if (live->scene.load && begin_thread(live)) {
        catch_signals();
        return true;
    }
    return base_refuse(error, "there is no memory, or no thread, for --live: leave it out");
}

void cli_live_clear(struct cli_live *live)
{
    pthread_mutex_lock(&live->lock);
    erase(stdout, live->lines);
    fflush(stdout);
    live->lines = 0;
    live->run++;
    live->so_far.trace_count = 0;
    atomic_store_explicit(&live->wanted, true, memory_order_release); // what was handed over is of the last run
    pthread_mutex_unlock(&live->lock);
}

void cli_live_destroy(struct cli_live *live)
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
        cli_live_clear(live);
        release_signals();
    }
    pthread_cond_destroy(&live->change);
    pthread_mutex_destroy(&live->lock);
    free(live->scene.load);
    free(live->so_far.trace);
    free(live);
}
