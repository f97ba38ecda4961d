// SPDX-License-Identifier: MIT
#include "cli/figures/live.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/figures/live_picture.h"
#include "cli/figures/pace.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/keys.h"
#include "cli/terminal/suspend.h"
#include "threads/api/experiment.h"
#include "topologies/topology.h"

enum { PERIOD_MS = 100 }; // the time between two pictures of a run that is not slowed

struct report_live {
    struct report_pace pace;
    atomic_bool wanted; // the drawing thread asks for a state; a lone flag
    uint64_t stride;    // the run's thread: states until it stops; 0: any number

    // The run's thread writes `next` before it hands it over, and the drawing thread reads it before it takes it: the
    // pace has a lock for that.
    struct report_scene next;
    const double *tasks; // what the run has shown before its look; NULL without tasks

    pthread_t thread;
    bool drawing; // the thread runs
    int wake[2];  // a pipe: a byte wakes the drawing thread
    pthread_mutex_t lock;
    // The lock guards the fields below.
    bool over; // the thread is to end
    struct report_live_picture picture;
};

bool report_live_possible(const struct cli_terminal *terminal, struct ek_error *error)
{
    if (!terminal->is_terminal) {
        return base_refuse(error, "--live needs a terminal, and standard output is none: leave out --live");
    }
    return terminal->escapes ||
           base_refuse(error, "--live needs a terminal that can erase, which TERM=dumb cannot: leave out --live");
}

// ---- the run's thread ----

static bool wants(void *context)
{
    struct report_live *live = context;
    bool due = live->stride > 0 && --live->stride == 0;
    return due || atomic_load_explicit(&live->wanted, memory_order_relaxed);
}

// If the pipe is full, the drawing thread will wake anyway.
static void wake(struct report_live *live)
{
    ssize_t written = write(live->wake[1], "", 1);
    (void)written;
}

static void show_tasks(void *context, const double *tasks, uint32_t processors)
{
    struct report_live *live = context;
    (void)processors;
    live->tasks = tasks;
}

static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    struct report_live *live = context;
    bool asked = atomic_exchange_explicit(&live->wanted, false, memory_order_relaxed);
    double position = live->pace.speed.by_time ? row->time : (double)row->step;
    if (report_pace_arrive(&live->pace, position, asked)) {
        memcpy(live->next.load, loads, processors * sizeof *loads);
        live->next.has_tasks = live->tasks != NULL;
        if (live->tasks) {
            memcpy(live->next.tasks, live->tasks, processors * sizeof *live->tasks);
        }
        live->next.row = *row;
        live->next.at_s = report_pace_now_s(&live->pace);
        report_pace_hand(&live->pace);
        wake(live);
        report_pace_stay(&live->pace);
    }
    live->stride = report_pace_stride(&live->pace);
}

void report_live_observe(struct report_live *live, struct ek_experiment *experiment)
{
    experiment->observer = (struct ek_observer){.look = look, .context = live, .wants = wants};
    experiment->show_tasks = show_tasks;
}

// ---- the drawing thread ----

// Waits until there may be something to draw. Returns false if the thread is to end.
static bool wait_for_next(struct report_live *live)
{
    char bytes[64];
    pthread_mutex_unlock(&live->lock);
    cli_keys_wait(live->wake[0], PERIOD_MS);
    while (read(live->wake[0], bytes, sizeof bytes) > 0) {
    }
    pthread_mutex_lock(&live->lock);
    return !live->over;
}

static bool obey_keys(struct report_live *live)
{
    enum cli_key key;
    bool pressed = false;
    while ((key = cli_keys_next()) != CLI_KEY_NONE) {
        pressed = true;
        if (key == CLI_KEY_QUIT) {
            cli_interrupt_ask();
        } else {
            report_pace_key(&live->pace, key);
        }
    }
    return pressed;
}

static bool take_scene(struct report_live *live)
{
    struct report_scene *scene = &live->picture.scene;
    if (!report_pace_handed(&live->pace)) {
        return false;
    }
    double *load = scene->load, *tasks = scene->tasks;
    *scene = live->next;
    live->next.load = load;
    live->next.tasks = tasks;
    report_live_picture_add(&live->picture);
    report_pace_taken(&live->pace);
    return true;
}

static void draw(struct report_live *live)
{
    if (!cli_terminal_in_front(STDOUT_FILENO)) {
        report_live_picture_leave(&live->picture);
    } else if (live->picture.so_far.trace_count > 0) {
        live->picture.paused = report_pace_state(&live->pace, &live->picture.speed);
        report_live_picture_draw(&live->picture);
    }
}

static void *draw_pictures(void *context)
{
    struct report_live *live = context;
    pthread_mutex_lock(&live->lock);
    while (wait_for_next(live)) {
        cli_suspend_if_asked();
        bool continued = cli_suspend_continued();
        cli_keys_follow(continued);
        if (continued) {
            report_live_picture_leave(&live->picture);
        }
        bool pressed = obey_keys(live);
        bool taken = take_scene(live);
        if (taken || pressed || continued || report_live_picture_misfits(&live->picture)) {
            draw(live);
        }
        if (pressed || !taken) {
            atomic_store_explicit(&live->wanted, true, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&live->lock);
    return NULL;
}

// ---- the caller's thread ----

static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

struct report_live *report_live_create(const struct lab_record *record, const struct report_live_plan *plan,
                                       struct ek_error *error)
{
    struct report_live *live = calloc(1, sizeof *live);
    if (!live || !report_live_picture_begin(&live->picture, record, plan->runs) || !open_pipe(live->wake)) {
        if (live) {
            report_live_picture_end(&live->picture);
        }
        free(live);
        base_refuse(error, "there is no memory, or no pipe, for --live: leave out --live");
        return NULL;
    }
    report_pace_begin(&live->pace, &plan->speed, plan->limit_s);
    live->picture.free = plan->speed.free;
    live->wanted = true;
    pthread_mutex_init(&live->lock, NULL);
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
    uint32_t processors = ek_machine_outline(machine)->processors;
    live->next.load = calloc(processors, sizeof *live->next.load);
    live->picture.scene.load = calloc(processors, sizeof *live->picture.scene.load);
    live->next.tasks = calloc(processors, sizeof *live->next.tasks);
    live->picture.scene.tasks = calloc(processors, sizeof *live->picture.scene.tasks);
    if (!live->next.load || !live->picture.scene.load || !live->next.tasks || !live->picture.scene.tasks) {
        return base_refuse(error, "there is no memory for --live: leave out --live");
    }
    cli_suspend_catch();
    live->picture.keys = cli_keys_begin();
    if (!begin_thread(live)) {
        cli_keys_end();
        cli_suspend_release();
        return base_refuse(error, "there is no thread for --live: leave out --live");
    }
    return true;
}

void report_live_release(struct report_live *live)
{
    report_pace_release(&live->pace);
}

void report_live_clear(struct report_live *live)
{
    report_pace_linger(&live->pace);
    pthread_mutex_lock(&live->lock);
    report_live_picture_clear(&live->picture);
    report_pace_restart(&live->pace); // drops the state that was handed over
    pthread_mutex_unlock(&live->lock);
}

double report_live_slowed_s(struct report_live *live)
{
    return report_pace_slowed_s(&live->pace);
}

void report_live_destroy(struct report_live *live)
{
    if (!live) {
        return;
    }
    pthread_mutex_lock(&live->lock);
    live->over = true;
    pthread_mutex_unlock(&live->lock);
    wake(live);
    if (live->drawing) {
        pthread_join(live->thread, NULL);
        report_live_clear(live);
        cli_keys_end();
        cli_suspend_release();
    }
    close(live->wake[0]);
    close(live->wake[1]);
    report_pace_end(&live->pace);
    pthread_mutex_destroy(&live->lock);
    report_live_picture_end(&live->picture);
    free(live->next.load);
    free(live->next.tasks);
    free(live);
}
