// SPDX-License-Identifier: MIT
// The list of values that a text gives an axis: "ring:{4..128*2},torus:8x8" gives ring:4 to ring:128, and torus:8x8.
//
// A comma separates two values if the text after the comma begins a value that the axis knows. On an axis of numbers,
// or of times, each comma separates two values. Otherwise the comma is part of the value, as in list:1,2 or within
// parentheses. But a comma before an unknown name also separates two values, so that a misspelt value is detected. The
// exception is a value that may continue with a name.
#ifndef LAB_SWEEP_VALUES_H
#define LAB_SWEEP_VALUES_H

#include "base/common.h"

struct ek_axis;

enum { LAB_VALUES_MAX = 1000000 };

struct lab_values {
    char **text; // [count]
    size_t count;
};

// Reads a list. Returns false if the text is empty, a brace is wrong, there are too many values, or the axis does not
// know a number or name; the error points at the character. Then there is nothing to destroy.
bool lab_values_read(struct lab_values *values, const struct ek_axis *axis, const char *text, struct ek_error *error);
void lab_values_destroy(struct lab_values *values);

#endif
