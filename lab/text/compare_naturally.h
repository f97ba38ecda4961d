// SPDX-License-Identifier: MIT
// An order of texts in which numbers count by their value.
#ifndef LAB_TEXT_COMPARE_NATURALLY_H
#define LAB_TEXT_COMPARE_NATURALLY_H

#include <stddef.h>

// Compares texts so that numbers within them are ordered by value: ring:8 comes before ring:16. Times are ordered by
// their seconds: 500ns comes before 2us. Different texts are never equal.
int lab_compare_naturally(const char *a, size_t length_a, const char *b, size_t length_b);

#endif
