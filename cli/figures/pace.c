// SPDX-License-Identifier: MIT
#include "cli/figures/pace.h"

#include <math.h>
#include <time.h>

#include "cli/terminal/interrupt.h"

// PERIOD_S: the least time between two pictures of a slowed run. SLACK_S: the most time that a late run catches up.
static const double PERIOD_S = 0.04, SLACK_S = 0.05;

// The speed if none was asked for: states per second at the start, the time after which it doubles, and the longest
// time that a picture stays. The last picture of a run stays as long as FIRST pictures, but not longer than MOST_S.
static const double FIRST = 5.0, LASTS_S = 3.0, MOST_S = 1.0;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Waits for a change, at most until this time. Returns the time.
static double wait_until(struct report_pace *pace, double until_s)
{
    static const double HOUR_S = 3600.0;
    double end_s = fmin(until_s, now_s() + HOUR_S);
    struct timespec end = {.tv_sec = (time_t)end_s, .tv_nsec = (long)(1e9 * (end_s - floor(end_s)))};
    pthread_cond_timedwait(&pace->change, &pace->lock, &end);
    return now_s();
}

static void lock(struct report_pace *pace)
{
    pthread_mutex_lock(&pace->lock);
}

// Wakes whoever waits, and unlocks.
static void tell(struct report_pace *pace)
{
    pthread_cond_broadcast(&pace->change);
    pthread_mutex_unlock(&pace->lock);
}

void report_pace_begin(struct report_pace *pace, const struct report_speed *speed, double limit_s)
{
    pthread_condattr_t attributes;
    *pace = (struct report_pace){
        .speed = *speed, .limit_s = speed->by_time ? 0.0 : limit_s, .unit = speed->by_time ? 0.0 : 1.0};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&pace->change, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&pace->lock, NULL);
}

void report_pace_end(struct report_pace *pace)
{
    pthread_cond_destroy(&pace->change);
    pthread_mutex_destroy(&pace->lock);
}

// ---- the speed ----

// Returns the present speed in positions per second; infinite if nothing slows the run. A speed that grows depends on
// the position only: it is FIRST * 2^n units a second from position LASTS_S * FIRST * (2^n - 1) on.
static double speed_of(const struct report_pace *pace)
{
    double first = FIRST * pace->unit;
    if (pace->speed.kind == REPORT_SPEED_FIXED) {
        return pace->speed.per_s;
    }
    if (pace->speed.kind == REPORT_SPEED_MAX || pace->unit == 0.0) {
        return INFINITY;
    }
    return ldexp(first, ilogb(1.0 + (pace->before + pace->position) / (LASTS_S * first)));
}

// Returns the distance of two states at which the run stops.
static double stride_of(const struct report_pace *pace)
{
    bool unknown = pace->unit == 0.0 && pace->speed.kind == REPORT_SPEED_GROWS;
    return pace->paused || unknown ? 0.0 : PERIOD_S * speed_of(pace);
}

static double due_s(const struct report_pace *pace, double position)
{
    double due = pace->at_s + (position - pace->position) / speed_of(pace);
    return pace->speed.kind == REPORT_SPEED_GROWS ? fmin(due, pace->at_s + MOST_S) : due;
}

static void set_speed(struct report_pace *pace, double per_s)
{
    if (per_s > 0.0 && isfinite(per_s)) {
        pace->speed.kind = REPORT_SPEED_FIXED;
        pace->speed.per_s = per_s;
    }
}

void report_pace_key(struct report_pace *pace, enum cli_key key)
{
    if (pace->speed.free) {
        return;
    }
    lock(pace);
    double speed = speed_of(pace);
    if (key == CLI_KEY_PAUSE) {
        pace->paused = !pace->paused;
        pace->steps = 0;
    } else if (key == CLI_KEY_STEP) {
        pace->steps += pace->paused;
        pace->paused = true;
    } else if (key == CLI_KEY_FASTER) {
        set_speed(pace, 2.0 * speed);
    } else if (key == CLI_KEY_SLOWER) {
        set_speed(pace, 0.5 * (isinf(speed) ? pace->measured : speed));
    }
    tell(pace);
}

bool report_pace_state(struct report_pace *pace, struct cli_text *speed)
{
    lock(pace);
    bool lingers = pace->lingers && pace->paused && pace->steps == 0;
    bool stays = !pace->handed && (pace->stays || lingers); // the run has left the state before the one handed over
    *speed = report_speed_text(&pace->speed, speed_of(pace));
    pthread_mutex_unlock(&pace->lock);
    return stays;
}

// ---- the run's thread ----

static void begin_run(struct report_pace *pace, double position)
{
    pace->begun = true;
    pace->position = position;
    pace->at_s = now_s();
    pace->until_s = pace->limit_s > 0.0 ? pace->at_s + pace->limit_s : INFINITY;
}

// Returns whether the run may wait at this time.
static bool may_wait(const struct report_pace *pace, double at_s)
{
    return !pace->released && at_s < pace->until_s;
}

static bool has_to_stay(const struct report_pace *pace, double at_s)
{
    return pace->paused && pace->steps == 0 && may_wait(pace, at_s);
}

// Notes that the run stops at a state that was due.
static void stop_at(struct report_pace *pace, double position, double at_s)
{
    double due = due_s(pace, position);
    bool late = pace->paused || isinf(speed_of(pace)) || due < at_s - SLACK_S;
    pace->measured = at_s > pace->at_s ? (position - pace->position) / (at_s - pace->at_s) : 0.0;
    pace->at_s = late ? at_s : due;
    pace->position = position;
}

bool report_pace_arrive(struct report_pace *pace, double position, bool asked)
{
    lock(pace);
    if (!pace->begun) {
        begin_run(pace, position);
    } else if (pace->unit == 0.0 && position > pace->position) {
        pace->unit = position - pace->position;
    }
    bool stops = asked || position <= pace->position || position >= pace->position + stride_of(pace);
    const double came_s = now_s();
    double now = came_s;
    while (stops && may_wait(pace, now) && (pace->handed || (!pace->paused && now < due_s(pace, position)))) {
        now = wait_until(pace, fmin(pace->until_s, pace->handed ? INFINITY : due_s(pace, position)));
    }
    pace->slowed_s += isfinite(speed_of(pace)) ? now - came_s : 0.0;
    if (stops) {
        stop_at(pace, position, now);
    }
    bool hands = stops && !pace->released && !pace->handed;
    pthread_mutex_unlock(&pace->lock);
    return hands;
}

void report_pace_hand(struct report_pace *pace)
{
    lock(pace);
    pace->handed = true;
    pace->stays = has_to_stay(pace, now_s());
    pthread_mutex_unlock(&pace->lock);
}

void report_pace_stay(struct report_pace *pace)
{
    lock(pace);
    double began = now_s();
    double now = began;
    bool stayed = pace->stays;
    pace->stays = stayed && has_to_stay(pace, now); // a key may have come since the state was handed over
    while (pace->stays) {
        now = wait_until(pace, pace->until_s);
        pace->stays = has_to_stay(pace, now);
    }
    pace->steps -= pace->paused && pace->steps > 0;
    pace->paused_s += now - began;
    pace->at_s = stayed ? now : pace->at_s;
    pthread_mutex_unlock(&pace->lock);
}

uint64_t report_pace_stride(struct report_pace *pace)
{
    static const double MOST = 1e15;
    lock(pace);
    double stride = stride_of(pace);
    bool each = pace->speed.by_time && isfinite(stride);
    pthread_mutex_unlock(&pace->lock);
    return each ? 1 : isinf(stride) ? 0 : (uint64_t)fmin(fmax(1.0, ceil(stride)), MOST);
}

double report_pace_now_s(struct report_pace *pace)
{
    lock(pace);
    double now = now_s() - pace->paused_s;
    pthread_mutex_unlock(&pace->lock);
    return now;
}

// ---- the drawing thread ----

bool report_pace_handed(struct report_pace *pace)
{
    lock(pace);
    bool handed = pace->handed;
    pthread_mutex_unlock(&pace->lock);
    return handed;
}

void report_pace_taken(struct report_pace *pace)
{
    lock(pace);
    pace->handed = false;
    tell(pace);
}

// ---- the caller's thread ----

void report_pace_release(struct report_pace *pace)
{
    lock(pace);
    pace->released = true;
    tell(pace);
}

// The caller's thread notices a signal only if it looks.
void report_pace_linger(struct report_pace *pace)
{
    static const double LOOK_S = 0.05;
    lock(pace);
    double now = now_s();
    double speed = speed_of(pace);
    double end = now + fmin(MOST_S, FIRST * pace->unit / speed);
    pace->lingers = pace->begun && !pace->paused && isfinite(speed) && may_wait(pace, now);
    while (pace->lingers) {
        now = wait_until(pace, now + LOOK_S);
        pace->lingers = !cli_interrupt_came() && ((pace->paused && pace->steps == 0) || now < end);
    }
    pthread_mutex_unlock(&pace->lock);
}

double report_pace_slowed_s(struct report_pace *pace)
{
    lock(pace);
    double slowed_s = pace->slowed_s;
    pthread_mutex_unlock(&pace->lock);
    return slowed_s;
}

void report_pace_restart(struct report_pace *pace)
{
    lock(pace);
    pace->before += pace->begun ? pace->position : 0.0;
    pace->begun = pace->released = pace->handed = false;
    pace->steps = 0;
    pace->paused_s = 0.0;
    pthread_mutex_unlock(&pace->lock);
}
