// SPDX-License-Identifier: MIT
// An experiment of torture while it is drawn: random numbers, and the axes that experiments with and without tasks
// have. A bound of an axis takes the place of what was drawn.
#ifndef LAB_TORTURE_DRAWING_H
#define LAB_TORTURE_DRAWING_H

#include "base/random.h"
#include "lab/studies/torture.h"

struct ek_method;

struct lab_drawing {
    struct base_random random;
    struct lab_section *section;    // the experiment so far
    const char *bound[EK_AXES_MAX]; // by axis: the value that the bounds give it, or NULL
    struct ek_reader reader;
    struct ek_error *error;
    bool good; // false: memory is short
};

// Draw a whole number from low to high; by octaves: each octave is equally likely.
unsigned lab_drawing_between(struct lab_drawing *drawing, unsigned low, unsigned high);
unsigned lab_drawing_by_octaves(struct lab_drawing *drawing, unsigned low, unsigned high);

bool lab_drawing_chance(struct lab_drawing *drawing, unsigned percent);

const char *lab_drawing_one_of(struct lab_drawing *drawing, const char *const *texts, size_t count);

#define LAB_DRAWING_ONE_OF(drawing, texts) lab_drawing_one_of(drawing, texts, sizeof texts / sizeof *texts)

// Returns an axis' bound, or NULL.
const char *lab_drawing_bound(const struct lab_drawing *drawing, const char *option);

// Gives an axis its value: the bound if there is one, else this.
__attribute__((format(printf, 3, 4))) void lab_drawing_set(struct lab_drawing *drawing, const char *option,
                                                           const char *value, ...);

// Returns the method of the bound, or NULL if the bound names no method. Without a bound, draws a method that suits
// the other bounds, or returns NULL if none suits.
const struct ek_method *lab_drawing_method(struct lab_drawing *drawing);

// Writes the method's spec: its example, or another form of it.
void lab_drawing_set_method(struct lab_drawing *drawing, const struct ek_method *method);

// Draws a topology on which the method works. Draws a ring if the method works on none of several others. If the
// bounds do not go together, the machine reports that when the experiment runs. Returns the number of processors.
unsigned lab_drawing_topology(struct lab_drawing *drawing);

void lab_drawing_set_machine(struct lab_drawing *drawing);
void lab_drawing_set_delay(struct lab_drawing *drawing);

// Draws how processors learn loads: from pushed announcements, or by requests. A one-port or exclusive operation
// cannot use pushed announcements. Returns whether loads are pushed.
bool lab_drawing_set_announce(struct lab_drawing *drawing, const struct ek_method *method, bool one_port);

// Returns whether the bounds ask for tasks, or leave it open whether there are some.
bool lab_may_draw_tasks(const struct lab_drawing *drawing);

void lab_draw_tasks(struct lab_drawing *drawing, const struct ek_method *of_numbers);

#endif
