// SPDX-License-Identifier: MIT
// Lists of values. A text is split at the commas that separate values; then braces are expanded.
#include "lab/sweep/values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "lab/record/value_names.h"
#include "threads/api/axis.h"
#include "threads/api/experiment.h"

struct reading {
    struct lab_values *values;
    const struct ek_axis *axis;
    size_t at; // where the current value begins in the text
    struct ek_error *error;
};

// Costs are texts without names: a number of bytes, or a time with its unit.
static bool is_number(const struct ek_axis *axis)
{
    bool cost = axis->role == EK_ROLE_COST && !ek_axis_choice(axis, 0);
    return cost || (axis->kind != EK_AXIS_TEXT && axis->kind != EK_AXIS_SWITCH);
}

// Returns whether a comma ends the value before it. An unknown name after the comma counts as a misspelt next value.
static bool ends_value(const struct ek_axis *axis, const char *value, const char *comma)
{
    return is_number(axis) || lab_name_begins(axis, comma + 1) ||
           (lab_name_length(comma + 1) > 0 && !lab_name_may_continue(axis, value));
}

// Returns the length of the first value of a text.
static size_t value_length(const struct ek_axis *axis, const char *text)
{
    int depth = 0;
    size_t i = 0;
    for (; text[i]; i++) {
        depth += (text[i] == '(' || text[i] == '{') - (text[i] == ')' || text[i] == '}');
        if (text[i] == ',' && depth <= 0 && ends_value(axis, text, text + i)) {
            break;
        }
    }
    return i;
}

// Checks whether the axis can have this value: a number or a switch must be valid, and a text must not begin with an
// unknown name.
static bool check(const struct reading *reading, const char *text)
{
    const struct ek_axis *axis = reading->axis;
    struct ek_experiment experiment;
    struct ek_error wrong = {.at = -1};
    const char *near;
    if (axis->kind == EK_AXIS_SWITCH) {
        return lab_name_begins(axis, text) || base_fail_at(reading->error, axis->option, reading->at,
                                                           "%s is a switch: write true or false", axis->option);
    }
    if (!ek_axis_set(axis, &experiment, text, &wrong)) {
        size_t within = wrong.at > 0 ? (size_t)wrong.at : 0;
        return base_fail_at(reading->error, axis->option, reading->at + within, "%s", wrong.sentence);
    }
    int length = (int)lab_name_length(text);
    return lab_name_known(axis, text, &near) ||
           (near ? base_fail_at(reading->error, axis->option, reading->at, "%s has no value '%.*s': did you mean %s?",
                                axis->option, length, text, near)
                 : base_fail_at(reading->error, axis->option, reading->at,
                                "%s has no value '%.*s': choose one that `evenkeel list` shows", axis->option, length,
                                text));
}

// Adds a value, which becomes the list's.
static bool add(struct reading *reading, char *text)
{
    struct lab_values *values = reading->values;
    if (!check(reading, text)) {
        free(text);
        return false;
    }
    if (values->count == LAB_VALUES_MAX) {
        free(text);
        return base_fail_at(reading->error, reading->axis->option, reading->at,
                            "%s has more than %d values: give fewer", reading->axis->option, LAB_VALUES_MAX);
    }
    char **larger = base_grow(values->text, values->count, sizeof *larger);
    if (!larger) {
        free(text);
        return base_refuse(reading->error, "there is no memory for so many values: give fewer");
    }
    values->text = larger;
    values->text[values->count++] = text;
    return true;
}

// A progression of numbers from `from` to `to`. Each number is the number before plus `by`, or times `by`.
struct progression {
    double from, to, by;
    bool times;
};

static double term(const struct progression *of, uint64_t index)
{
    return of->times ? of->from * pow(of->by, (double)index) : of->from + of->by * (double)index;
}

// Returns the number of terms up to the end, with a tolerance for rounding. It is a real because it may be huge.
static double count_terms(const struct progression *of)
{
    if (of->from == of->to) {
        return 1.0;
    }
    double steps = of->times ? log(of->to / of->from) / log(of->by) : (of->to - of->from) / of->by;
    return floor(steps + 1e-9) + 1.0;
}

// Returns whether the progression reaches its end and its integers are exact.
static bool reaches_end(const struct progression *of)
{
    const double whole_max = 9007199254740992.0;
    if (!(fabs(of->from) <= whole_max) || !(fabs(of->to) <= whole_max) || !isfinite(of->by)) {
        return false;
    }
    if (of->from == of->to) {
        return true;
    }
    if (of->times) {
        return of->by > 0.0 && of->from != 0.0 && of->to / of->from > 0.0 &&
               (fabs(of->to) > fabs(of->from) ? of->by > 1.0 : of->by < 1.0);
    }
    return of->from < of->to ? of->by > 0.0 : of->by < 0.0;
}

// Returns whether ".." is in the first `length` characters, as in a range.
static bool has_dots(const char *text, size_t length)
{
    const char *dots = strstr(text, "..");
    return dots && dots + 2 <= text + length;
}

// Reads "a..b", "a..b+s" or "a..b*f" from `length` characters. Returns false if there is none.
static bool read_progression(const char *text, size_t length, struct progression *of)
{
    char *end;
    const char *dots = strstr(text, "..");
    if (!has_dots(text, length) || dots[2] == '.') { // "1...5" would go from 1 to .5
        return false;
    }
    // strtod would read the first dot as part of the number, so the number is copied up to the dots.
    char first[64];
    size_t first_length = (size_t)(dots - text);
    if (first_length == 0 || first_length >= sizeof first) {
        return false;
    }
    memcpy(first, text, first_length);
    first[first_length] = '\0';
    of->from = strtod(first, &end);
    if (*end) {
        return false;
    }
    of->to = strtod(dots + 2, &end);
    if (end == dots + 2) {
        return false;
    }
    of->by = of->from <= of->to ? 1.0 : -1.0;
    of->times = *end == '*';
    if (end < text + length && (*end == '*' || *end == '+')) {
        const char *by = end + 1;
        of->by = strtod(by, &end);
        if (end == by) {
            return false;
        }
    }
    return end == text + length;
}

static bool expand(struct reading *reading, const char *text, size_t length);

// Expands the value with `inner` in place of its first braces, which are [open, close].
static bool expand_with(struct reading *reading, const char *text, size_t length, size_t open, size_t close,
                        const char *inner, size_t inner_length)
{
    size_t whole = open + inner_length + (length - close - 1);
    char *written = malloc(whole + 1);
    if (!written) {
        return base_refuse(reading->error, "there is no memory for so many values: give fewer");
    }
    memcpy(written, text, open);
    memcpy(written + open, inner, inner_length);
    memcpy(written + open + inner_length, text + close + 1, length - close - 1);
    written[whole] = '\0';
    bool good = expand(reading, written, whole);
    free(written);
    return good;
}

static bool expand_progression(struct reading *reading, const char *text, size_t length, size_t open, size_t close,
                               const struct progression *of)
{
    if (!reaches_end(of)) {
        return base_fail_at(reading->error, reading->axis->option, reading->at + open,
                            "this never gets from %g to %g: write {a..b}, {a..b+s} or {a..b*f}", of->from, of->to);
    }
    for (uint64_t i = 0; i <= LAB_VALUES_MAX && (double)i < count_terms(of); i++) {
        char number[64];
        double value = term(of, i);
        int digits = snprintf(number, sizeof number, value == rint(value) ? "%.0f" : "%.15g", value);
        if (!expand_with(reading, text, length, open, close, number, (size_t)digits)) {
            return false;
        }
    }
    return true;
}

// Expands the first braces of a value, and the rest of the value for each.
static bool expand(struct reading *reading, const char *text, size_t length)
{
    size_t open = strcspn(text, "{}");
    if (open >= length) {
        char *copy = strndup(text, length);
        return copy ? add(reading, copy)
                    : base_refuse(reading->error, "there is no memory for so many values: give fewer");
    }
    size_t close = open + 1 + strcspn(text + open + 1, "{}");
    if (text[open] == '}' || close >= length || text[close] == '{') {
        return base_fail_at(reading->error, reading->axis->option, reading->at + open,
                            text[open] == '}' ? "there is no brace for this one to close: write {x,y} or {a..b}"
                            : close >= length ? "this brace is not closed: write {x,y} or {a..b}"
                                              : "braces cannot be nested: write them one after the other");
    }
    struct progression of;
    if (read_progression(text + open + 1, close - open - 1, &of)) {
        return expand_progression(reading, text, length, open, close, &of);
    }
    bool ranges = isdigit((unsigned char)text[open + 1]) && has_dots(text + open + 1, close - open - 1);
    if (ranges && !memchr(text + open, ',', close - open)) {
        return base_fail_at(reading->error, reading->axis->option, reading->at + open,
                            "a range has numbers only: write {a..b}, {a..b+s} or {a..b*f}, and a unit after it, as in "
                            "{1..4}us");
    }
    for (size_t from = open + 1; from <= close;) {
        size_t to = from + strcspn(text + from, ",}");
        if (!expand_with(reading, text, length, open, close, text + from, to - from)) {
            return false;
        }
        from = to + 1;
    }
    return true;
}

// Expands a value. On an axis of numbers a..b stands for {a..b}.
static bool expand_value(struct reading *reading, const char *text, size_t length)
{
    struct progression of;
    bool bare = is_number(reading->axis) && !memchr(text, '{', length) && read_progression(text, length, &of);
    char *braced = malloc(length + 3);
    if (!braced) {
        return base_refuse(reading->error, "there is no memory for so many values: give fewer");
    }
    snprintf(braced, length + 3, bare ? "{%.*s}" : "%.*s", (int)length, text);
    bool good = expand(reading, braced, strlen(braced));
    free(braced);
    return good;
}

bool lab_values_read(struct lab_values *values, const struct ek_axis *axis, const char *text, struct ek_error *error)
{
    *values = (struct lab_values){0};
    struct reading reading = {.values = values, .axis = axis, .error = error};
    bool good = true;
    for (size_t at = 0; good;) {
        size_t length = value_length(axis, text + at);
        reading.at = at;
        good = expand_value(&reading, text + at, length);
        if (!text[at + length]) {
            break;
        }
        at += length + 1;
    }
    if (!good) {
        base_error_show(error, text);
        lab_values_destroy(values);
    }
    return good;
}

void lab_values_destroy(struct lab_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        free(values->text[i]);
    }
    free(values->text);
    *values = (struct lab_values){0};
}
