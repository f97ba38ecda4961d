// SPDX-License-Identifier: MIT
// The values that a text gives an axis: "ring:{4..128*2},torus:8x8" gives ring:4 to ring:128, and torus:8x8.
//
// A comma separates two values where what follows it begins a value that the axis knows, on an axis of numbers always;
// elsewhere it belongs to the value, as in list:1,2 or within parentheses, but for a name that nothing goes on with.
// Braces always stand for several: {x,y} for each of these, {a..b} for the numbers from a to b by 1, {a..b+s} by s,
// {a..b*f} each f times the one before; two braces in a value stand for all pairs. On an axis of numbers a..b needs no
// braces.
#ifndef LAB_SWEEP_VALUES_H
#define LAB_SWEEP_VALUES_H

#include "threads/api/run.h"

enum { LAB_VALUES_MAX = 1000000 };

struct lab_values {
    char **text; // [count]
    size_t count;
};

// False and `error`, which points at the character, where the text is none, has no end, has too many values, or has a
// number or a name that the axis does not take. Then there is nothing to be destroyed.
bool lab_values_read(struct lab_values *values, const struct ek_axis *axis, const char *text, struct ek_error *error);
void lab_values_destroy(struct lab_values *values);

#endif
