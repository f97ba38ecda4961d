// SPDX-License-Identifier: MIT
// Parses specs. An error reports the first wrong character, and says what the user can do.
#include "base/cursor.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "base/nearest.h"

struct base_cursor base_cursor_start(const char *axis, const char *text, struct ek_error *error)
{
    assert(axis && text && error);
    return (struct base_cursor){.axis = axis, .text = text, .at = 0, .error = error};
}

bool base_cursor_fail(struct base_cursor *cursor, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    base_fail_at_list(cursor->error, cursor->axis, at, format, arguments);
    va_end(arguments);
    base_error_show(cursor->error, cursor->text);
    return false;
}

static bool is_name(char c)
{
    return base_is_digit(c) || base_is_letter(c) || c == '-';
}

char base_cursor_peek(const struct base_cursor *cursor)
{
    return cursor->text[cursor->at];
}

// Records that `c` would have been accepted at the cursor: an error lists these characters. Blanks are not recorded.
static void note_tried(struct base_cursor *cursor, char c)
{
    size_t length = cursor->tried_at == cursor->at ? strlen(cursor->tried) : 0;
    if (base_is_blank(c) || memchr(cursor->tried, c, length) || length + 1 == sizeof cursor->tried) {
        return;
    }
    cursor->tried_at = cursor->at;
    cursor->tried[length] = c;
    cursor->tried[length + 1] = '\0';
}

bool base_cursor_accept(struct base_cursor *cursor, char c)
{
    assert(c != '\0');
    if (base_cursor_peek(cursor) != c) {
        note_tried(cursor, c);
        return false;
    }
    cursor->at++;
    return true;
}

bool base_cursor_expect(struct base_cursor *cursor, char c, const char *after)
{
    return base_cursor_accept(cursor, c) || base_cursor_fail(cursor, cursor->at, "write '%c' after %s", c, after);
}

// Replaces each control character by a question mark, so that a sentence stays on one line.
static void clean(char *text)
{
    for (char *c = text; *c; c++) {
        *c = base_is_control(*c) ? '?' : *c;
    }
}

// Writes what could have followed at the cursor other than the end, as in "a digit, 'x' or ".
static void describe_wanted(const struct base_cursor *cursor, char *wanted, size_t size)
{
    const char *tried = cursor->tried_at == cursor->at ? cursor->tried : "";
    bool number = cursor->at > 0 && base_is_digit(cursor->text[cursor->at - 1]);
    int length = snprintf(wanted, size, "%s", number ? "a digit" : "");
    for (; *tried; tried++) {
        length += snprintf(wanted + length, size - (size_t)length, "%s'%c'", length > 0 ? ", " : "", *tried);
    }
    snprintf(wanted + length, size - (size_t)length, "%s", length > 0 ? " or " : "");
}

bool base_cursor_end(struct base_cursor *cursor)
{
    enum { SHOWN = 24, WANTED = sizeof "a digit or " + sizeof cursor->tried * sizeof ", 'x'" };
    const char *here = cursor->text + cursor->at;
    if (*here == '\0') {
        return true;
    }
    size_t before = cursor->at < SHOWN ? cursor->at : SHOWN;
    while (before > 0 && base_continues(*(here - before))) {
        before--;
    }
    int width = 1;
    while (base_continues(here[width])) {
        width++;
    }
    char wanted[WANTED];
    describe_wanted(cursor, wanted, sizeof wanted);
    base_cursor_fail(cursor, cursor->at, "'%.*s' cannot follow '%.*s': expected %sthe end", width, here, (int)before,
                     here - before, wanted);
    clean(cursor->error->sentence);
    return false;
}

bool base_cursor_name(struct base_cursor *cursor, char *name, size_t size)
{
    assert(size > 0);
    size_t length = 0;
    while (is_name(base_cursor_peek(cursor))) {
        if (length + 1 < size) { // a name that does not fit is longer than any known name, and stays so when cut
            name[length++] = base_cursor_peek(cursor);
        }
        cursor->at++;
    }
    name[length] = '\0';
    return length > 0;
}

bool base_cursor_can_name(const char *name)
{
    enum { ROOM = 32 };
    size_t length = 0;
    while (name && is_name(name[length])) {
        length++;
    }
    return length > 0 && length < ROOM && name[length] == '\0';
}

bool base_cursor_whole(struct base_cursor *cursor, const char *what, uint64_t minimum, uint64_t maximum,
                       uint64_t *value)
{
    assert(minimum <= maximum);
    size_t start = cursor->at;
    bool good = base_is_digit(base_cursor_peek(cursor));
    uint64_t number = 0;
    for (; base_is_digit(base_cursor_peek(cursor)); cursor->at++) {
        uint64_t digit = (uint64_t)(base_cursor_peek(cursor) - '0');
        good = good && number <= (UINT64_MAX - digit) / 10;
        number = good ? number * 10 + digit : 0;
    }
    if (!good || number < minimum || number > maximum) {
        return base_cursor_fail(cursor, start, "%s must be a whole number from %llu to %llu", what,
                                (unsigned long long)minimum, (unsigned long long)maximum);
    }
    *value = number;
    return true;
}

// Returns the end of the decimal number that begins at `at`: a sign, digits with at most one point, an exponent.
// Returns `at` if no number begins there, as in nan and inf.
static size_t number_end(const char *text, size_t at)
{
    size_t end = at + (text[at] == '-' || text[at] == '+');
    size_t digits = 0;
    bool point = false;
    for (; base_is_digit(text[end]) || (text[end] == '.' && !point); end++) {
        point = point || text[end] == '.';
        digits += base_is_digit(text[end]);
    }
    if (digits == 0) {
        return at;
    }
    if (text[end] == 'e' || text[end] == 'E') {
        size_t exponent = end + 1;
        exponent += text[exponent] == '-' || text[exponent] == '+';
        if (base_is_digit(text[exponent])) {
            for (end = exponent; base_is_digit(text[end]); end++) {
            }
        }
    }
    return end;
}

bool base_cursor_real(struct base_cursor *cursor, const char *what, double minimum, double maximum, double *value)
{
    assert(minimum <= maximum);
    size_t start = cursor->at;
    size_t end = number_end(cursor->text, start);
    char *stopped;
    double number = strtod(cursor->text + start, &stopped);
    // The two ends differ for hexadecimal numbers, nan, inf, and in locales whose decimal point is a comma.
    if (end == start || stopped != cursor->text + end) {
        return base_cursor_fail(cursor, start, "%s must be a decimal number, as in 0.5", what);
    }
    if (!isfinite(number) || number < minimum || number > maximum) {
        return maximum >= DBL_MAX
                   ? base_cursor_fail(cursor, start, "%s must be finite and at least %.16g", what, minimum)
                   : base_cursor_fail(cursor, start, "%s must be from %.16g to %.16g", what, minimum, maximum);
    }
    cursor->at = end;
    *value = number;
    return true;
}

bool base_cursor_nanoseconds(struct base_cursor *cursor, const char *what, double *nanoseconds)
{
    static const struct {
        const char *name;
        double nanoseconds;
    } units[] = {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    double number;
    if (!base_is_digit(base_cursor_peek(cursor)) && base_cursor_peek(cursor) != '.') {
        return base_cursor_fail(cursor, cursor->at, "%s takes a number and its unit, as in 200ms, 5s, 2m or 1h", what);
    }
    char named[80];
    snprintf(named, sizeof named, "the number before the unit of %s", what);
    if (!base_cursor_real(cursor, named, 0.0, 1e9, &number)) {
        return false;
    }
    const char *unit = cursor->text + cursor->at;
    size_t length = 0;
    while (base_is_letter(unit[length])) {
        length++;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length && memcmp(unit, units[i].name, length) == 0) {
            cursor->at += length;
            *nanoseconds = number * units[i].nanoseconds;
            return true;
        }
    }
    return base_cursor_fail(cursor, cursor->at, "%s needs a unit after the number: ns, us, ms, s, m or h", what);
}

bool base_cursor_duration(struct base_cursor *cursor, const char *what, double *seconds)
{
    double nanoseconds;
    bool good = base_cursor_nanoseconds(cursor, what, &nanoseconds);
    *seconds = good ? nanoseconds / 1e9 : *seconds;
    return good;
}

static bool fail_unknown(struct base_cursor *cursor, size_t at, const char *what, const char *name,
                         struct base_names names)
{
    const char *near = base_nearest(name, names);
    char shown[41];
    snprintf(shown, sizeof shown, "%s", name);
    clean(shown);
    if (near) {
        return base_cursor_fail(cursor, at, "there is no %s called '%s': did you mean %s?", what, shown, near);
    }
    char all[sizeof cursor->error->sentence - 100] = "";
    size_t length = 0;
    const char *other;
    for (size_t i = 0; (other = names.at(names.list, i)) != NULL && length < sizeof all; i++) {
        int written = snprintf(all + length, sizeof all - length, "%s%s", i == 0 ? "" : ", ", other);
        length += written > 0 ? (size_t)written : 0;
    }
    return *name ? base_cursor_fail(cursor, at, "there is no %s called '%s': choose one of %s", what, shown, all)
                 : base_cursor_fail(cursor, at, "the name of the %s is missing: choose one of %s", what, all);
}

// The names that a function lists.
struct listed {
    const char *(*known)(size_t index);
};

static const char *listed_at(const void *list, size_t index)
{
    return ((const struct listed *)list)->known(index);
}

bool base_cursor_unknown(struct base_cursor *cursor, size_t at, const char *what, const char *name,
                         const char *(*known)(size_t index))
{
    return fail_unknown(cursor, at, what, name, (struct base_names){listed_at, &(struct listed){known}});
}

bool base_cursor_known(struct base_cursor *cursor, const char *what, const char *(*known)(size_t index), size_t *index)
{
    size_t at = cursor->at;
    char name[32];
    base_cursor_name(cursor, name, sizeof name);
    for (*index = 0; known(*index); ++*index) {
        if (strcmp(name, known(*index)) == 0) {
            return true;
        }
    }
    return base_cursor_unknown(cursor, at, what, name, known);
}

static const char *choice_at(const void *list, size_t index)
{
    return ((const struct ek_choice *)list)[index].form;
}

bool base_cursor_choice(struct base_cursor *cursor, const char *what, const struct ek_choice *choices, size_t *index)
{
    for (*index = 0; choices[*index].form; ++*index) {
        if (strcmp(cursor->text, choices[*index].form) == 0) {
            return true;
        }
    }
    char name[32];
    if (!base_cursor_name(cursor, name, sizeof name)) {
        return base_cursor_fail(cursor, 0, "a %s has a name, as in %s", what, choices[0].form);
    }
    for (size_t i = 0; choices[i].form; i++) {
        if (strcmp(name, choices[i].form) == 0) { // the name is known, but more follows it
            return base_cursor_end(cursor);
        }
    }
    return fail_unknown(cursor, 0, what, name, (struct base_names){choice_at, choices});
}
