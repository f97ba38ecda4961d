// SPDX-License-Identifier: MIT
// The pace of a run that is shown: when the run shows a state and goes on to the next one.
//
// A state has a position: the step, or in virtual time the time. At a state the run's thread (1) waits until the state
// is due, and until the drawing thread has taken the picture before; (2) hands the state over; (3) waits while the run
// is paused. Three threads meet here:
//
//   the run's thread       report_pace_arrive, _hand, _stay, _stride, _now_s
//   the drawing thread     report_pace_handed, _taken, _key, _state
//   the caller's thread    the others
//
// If no speed was asked for, a run starts slowly and gets faster. So people can follow a short run, and a long one is
// delayed by about a minute: the run begins with 5 states a second, and the speed doubles whenever it has lasted for 3
// s.
#ifndef CLI_FIGURES_PACE_H
#define CLI_FIGURES_PACE_H

#include <pthread.h>

#include "cli/figures/speed.h"
#include "cli/terminal/keys.h"

struct report_pace {
    pthread_mutex_t lock;
    pthread_cond_t change;
    // The lock guards the fields below.
    struct report_speed speed;
    double limit_s;  // the most seconds that a run lasts; 0: any
    bool begun;      // the run under way has reached a state
    bool released;   // the run under way does not wait any more
    bool handed;     // a state was handed over and is not taken
    bool paused;     // the run stays at each state,
    uint64_t steps;  //   but goes on so many times;
    bool stays;      //   it stays at the present state
    bool lingers;    // the run has ended, and its last picture stays
    double until_s;  // when the limit is reached
    double before;   // the positions at the ends of all runs before this one, added up
    double unit;     // the distance of two states: 1 step; in virtual time that of the first two, 0 before the second
    double position; // of the last state at which the run stopped,
    double at_s;     //   and when it was due
    double paused_s; // how long the run under way has been paused
    double slowed_s; // how long all runs have waited for states to be due, so that people can follow
    double measured; // the speed of a run that is not slowed, in positions per second; 0: not known yet
};

void report_pace_begin(struct report_pace *pace, const struct report_speed *speed, double limit_s);
void report_pace_end(struct report_pace *pace);

// The run has come to the state at this position. If the run stops here, or if the drawing thread `asked` for a state,
// waits until the state may be shown. Returns whether the caller is to call report_pace_hand and report_pace_stay.
bool report_pace_arrive(struct report_pace *pace, double position, bool asked);
void report_pace_hand(struct report_pace *pace);
void report_pace_stay(struct report_pace *pace);

// Returns after how many states report_pace_arrive is called at the latest; 0: after any number.
uint64_t report_pace_stride(struct report_pace *pace);

// Returns the time of the monotonic clock without the pauses of the run under way.
double report_pace_now_s(struct report_pace *pace);

// Returns whether a state was handed over and not taken. report_pace_taken takes it.
bool report_pace_handed(struct report_pace *pace);
void report_pace_taken(struct report_pace *pace);

// Does what a key asks for, except for the end of the run.
void report_pace_key(struct report_pace *pace, enum cli_key key);

// Returns whether the run stays at the state that was taken last, and its speed in words: "20 steps/s".
bool report_pace_state(struct report_pace *pace, struct cli_text *speed);

// Lets the run under way go on without waiting.
void report_pace_release(struct report_pace *pace);

// Leaves the last picture of a run on the terminal: while the run is paused, and for a moment if the run was slow.
void report_pace_linger(struct report_pace *pace);

// Returns how long all runs have waited to be slow, without pauses.
double report_pace_slowed_s(struct report_pace *pace);

// Prepares for the next run.
void report_pace_restart(struct report_pace *pace);

#endif
