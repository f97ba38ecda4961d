// SPDX-License-Identifier: MIT
#include "lab/text/compare_naturally.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 32 };

// Returns the seconds of a time such as 1.5us at the beginning of a text, or NaN if there is none.
static double seconds_of(const char *text, const char *end)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}};
    char number[NUMBER_MAX];
    size_t digits = 0;
    while (text + digits < end && (isdigit((unsigned char)text[digits]) || text[digits] == '.')) {
        digits++;
    }
    size_t letters = 0;
    while (text + digits + letters < end && isalnum((unsigned char)text[digits + letters])) {
        letters++;
    }
    for (size_t i = 0; digits < NUMBER_MAX && i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == letters && memcmp(text + digits, units[i].name, letters) == 0) {
            memcpy(number, text, digits);
            number[digits] = '\0';
            return units[i].seconds * strtod(number, NULL);
        }
    }
    return NAN;
}

// Compares two times. A number that is no time comes before all times. Returns 0 for equal times, or if neither is one.
static int compare_times(double a, double b)
{
    return isnan(a) || isnan(b) ? (isnan(b) != 0) - (isnan(a) != 0) : (a > b) - (a < b);
}

int lab_compare_naturally(const char *a, size_t length_a, const char *b, size_t length_b)
{
    const char *const end_a = a + length_a, *const end_b = b + length_b;
    while (a < end_a && b < end_b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            const int by_time = compare_times(seconds_of(a, end_a), seconds_of(b, end_b));
            if (by_time != 0) {
                return by_time;
            }
            const char *from_a = a, *from_b = b;
            while (a < end_a && isdigit((unsigned char)*a)) {
                a++;
            }
            while (b < end_b && isdigit((unsigned char)*b)) {
                b++;
            }
            const int by_digits = (int)((a - from_a) - (b - from_b));
            const int by_text = by_digits != 0 ? by_digits : memcmp(from_a, from_b, (size_t)(a - from_a));
            if (by_text != 0) {
                return by_text;
            }
        } else if (*a != *b) {
            return (unsigned char)*a - (unsigned char)*b;
        } else {
            a++;
            b++;
        }
    }
    return (int)((end_a - a) - (end_b - b));
}
