// SPDX-License-Identifier: MIT
// Reading specs and files of numbers. A cursor walks over the text; the first thing that is wrong is reported with
// its place and with what to do about it.
#include "topologies/scan.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_COMPARED = 63, // longer names are never near a known one
    CUT_LEAST = 3           // letters that are enough to mean a name that begins with them
};

static bool fail_with(struct ek_error *error, enum ek_status status, const char *axis, int at, const char *format,
                      va_list arguments)
{
    assert(error && status != EK_OK);
    error->status = status;
    error->at = at;
    snprintf(error->axis, sizeof error->axis, "%s", axis);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    return false;
}

bool topo_fail(struct ek_error *error, enum ek_status status, const char *axis, int at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_with(error, status, axis, at, format, arguments);
    va_end(arguments);
    return false;
}

struct topo_scan topo_scan_start(const char *axis, const char *text, struct ek_error *error)
{
    assert(axis && text && error);
    return (struct topo_scan){.axis = axis, .text = text, .at = 0, .error = error};
}

bool topo_scan_fail(struct topo_scan *scan, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_with(scan->error, EK_BAD_INPUT, scan->axis, at <= INT32_MAX ? (int)at : -1, format, arguments);
    va_end(arguments);
    return false;
}

// The characters' classes are those of ASCII, whatever the locale.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
    return is_digit(c) || is_letter(c) || c == '-';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; // a character of UTF-8
}

char topo_scan_peek(const struct topo_scan *scan)
{
    return scan->text[scan->at];
}

// Notes for the errors that `c` could have stood at the cursor. Blanks are left out, as they help nobody.
static void note_tried(struct topo_scan *scan, char c)
{
    size_t length = scan->tried_at == scan->at ? strlen(scan->tried) : 0;
    if (is_blank(c) || memchr(scan->tried, c, length) || length + 1 == sizeof scan->tried) {
        return;
    }
    scan->tried_at = scan->at;
    scan->tried[length] = c;
    scan->tried[length + 1] = '\0';
}

bool topo_scan_accept(struct topo_scan *scan, char c)
{
    assert(c != '\0');
    if (topo_scan_peek(scan) != c) {
        note_tried(scan, c);
        return false;
    }
    scan->at++;
    return true;
}

bool topo_scan_expect(struct topo_scan *scan, char c, const char *after)
{
    return topo_scan_accept(scan, c) || topo_scan_fail(scan, scan->at, "write '%c' after %s", c, after);
}

// Makes a question mark of each control character, so that a sentence stays on one line.
static void clean(char *text)
{
    for (char *c = text; *c; c++) {
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
    }
}

// Says what could have stood at the cursor but for the end, as in "a digit, 'x' or ".
static void describe_wanted(const struct topo_scan *scan, char *wanted, size_t size)
{
    const char *tried = scan->tried_at == scan->at ? scan->tried : "";
    bool number = scan->at > 0 && is_digit(scan->text[scan->at - 1]);
    int length = snprintf(wanted, size, "%s", number ? "a digit" : "");
    for (; *tried; tried++) {
        length += snprintf(wanted + length, size - (size_t)length, "%s'%c'", length > 0 ? ", " : "", *tried);
    }
    snprintf(wanted + length, size - (size_t)length, "%s", length > 0 ? " or " : "");
}

bool topo_scan_end(struct topo_scan *scan)
{
    enum { SHOWN = 24, WANTED = sizeof "a digit or " + sizeof scan->tried * sizeof ", 'x'" };
    const char *here = scan->text + scan->at;
    if (*here == '\0') {
        return true;
    }
    size_t before = scan->at < SHOWN ? scan->at : SHOWN;
    while (before > 0 && continues(*(here - before))) {
        before--;
    }
    int width = 1;
    while (continues(here[width])) {
        width++;
    }
    char wanted[WANTED];
    describe_wanted(scan, wanted, sizeof wanted);
    topo_scan_fail(scan, scan->at, "'%.*s' is not expected after '%.*s': %sthe end is", width, here, (int)before,
                   here - before, wanted);
    clean(scan->error->sentence);
    return false;
}

bool topo_scan_name(struct topo_scan *scan, char *name, size_t size)
{
    assert(size > 0);
    size_t length = 0;
    while (is_name(topo_scan_peek(scan))) {
        if (length + 1 < size) { // what does not fit is longer than any known name, and stays so when cut
            name[length++] = topo_scan_peek(scan);
        }
        scan->at++;
    }
    name[length] = '\0';
    return length > 0;
}

bool topo_scan_whole(struct topo_scan *scan, const char *what, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    assert(minimum <= maximum);
    size_t start = scan->at;
    bool good = is_digit(topo_scan_peek(scan));
    uint64_t number = 0;
    for (; is_digit(topo_scan_peek(scan)); scan->at++) {
        uint64_t digit = (uint64_t)(topo_scan_peek(scan) - '0');
        good = good && number <= (UINT64_MAX - digit) / 10;
        number = good ? number * 10 + digit : 0;
    }
    if (!good || number < minimum || number > maximum) {
        return topo_scan_fail(scan, start, "%s must be a whole number from %llu to %llu", what,
                              (unsigned long long)minimum, (unsigned long long)maximum);
    }
    *value = number;
    return true;
}

// Finds the end of the decimal number that begins at `at`: a sign, digits with at most one point, an exponent. Where
// there is none, as in nan and inf, it is `at` itself.
static size_t number_end(const char *text, size_t at)
{
    size_t end = at + (text[at] == '-' || text[at] == '+');
    size_t digits = 0;
    bool point = false;
    for (; is_digit(text[end]) || (text[end] == '.' && !point); end++) {
        point = point || text[end] == '.';
        digits += is_digit(text[end]);
    }
    if (digits == 0) {
        return at;
    }
    if (text[end] == 'e' || text[end] == 'E') {
        size_t exponent = end + 1;
        exponent += text[exponent] == '-' || text[exponent] == '+';
        if (is_digit(text[exponent])) {
            for (end = exponent; is_digit(text[end]); end++) {
            }
        }
    }
    return end;
}

bool topo_scan_real(struct topo_scan *scan, const char *what, double minimum, double maximum, double *value)
{
    assert(minimum <= maximum);
    size_t start = scan->at;
    size_t end = number_end(scan->text, start);
    char *stopped;
    double number = strtod(scan->text + start, &stopped);
    // Both end together, but for hexadecimal numbers, nan, inf, and locales whose point is a comma.
    if (end == start || stopped != scan->text + end) {
        return topo_scan_fail(scan, start, "%s must be a decimal number, as in 0.5", what);
    }
    if (!isfinite(number) || number < minimum || number > maximum) {
        return maximum >= DBL_MAX
                   ? topo_scan_fail(scan, start, "%s must be finite and at least %.16g", what, minimum)
                   : topo_scan_fail(scan, start, "%s must be from %.16g to %.16g", what, minimum, maximum);
    }
    scan->at = end;
    *value = number;
    return true;
}

bool topo_scan_duration(struct topo_scan *scan, const char *what, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}};
    double number;
    if (!is_digit(topo_scan_peek(scan)) && topo_scan_peek(scan) != '.') {
        return topo_scan_fail(scan, scan->at, "%s takes a number and its unit, as in 200ms, 5s, 2m or 1h", what);
    }
    char named[80];
    snprintf(named, sizeof named, "the number before the unit of %s", what);
    if (!topo_scan_real(scan, named, 0.0, 1e9, &number)) {
        return false;
    }
    const char *unit = scan->text + scan->at;
    size_t length = 0;
    while (is_letter(unit[length])) {
        length++;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length && memcmp(unit, units[i].name, length) == 0) {
            scan->at += length;
            *seconds = number * units[i].seconds;
            return true;
        }
    }
    return topo_scan_fail(scan, scan->at, "%s needs a unit after the number: ns, us, ms, s, m or h", what);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Whether two characters are the same but for the case of a letter.
static bool alike(char a, char b)
{
    return a == b || (is_letter(a) && is_letter(b) && (a | ' ') == (b | ' '));
}

// The edit distance of two words, computed row by row; two letters that have changed places are one edit (Damerau
// 1964).
static size_t distance(const char *a, const char *b)
{
    size_t row[3][NAME_MAX_COMPARED + 1] = {{0}};
    size_t width = strlen(b);
    assert(width <= NAME_MAX_COMPARED);
    for (size_t j = 0; j <= width; j++) {
        row[0][j] = j;
    }
    size_t i = 0;
    for (; a[i]; i++) {
        const size_t *last = row[i % 3];
        const size_t *before = row[(i + 2) % 3];
        size_t *now = row[(i + 1) % 3];
        now[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            now[j + 1] = least(last[j] + !alike(a[i], b[j]), least(last[j + 1], now[j]) + 1);
            if (i > 0 && j > 0 && alike(a[i], b[j - 1]) && alike(a[i - 1], b[j])) {
                now[j + 1] = least(now[j + 1], before[j - 1] + 1);
            }
        }
    }
    return row[i % 3][width];
}

// Known names: name `index`, NULL past the last.
typedef const char *name_at(const void *names, size_t index);

static const char *nearest(const char *word, name_at *known, const void *names)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t best = length > NAME_MAX_COMPARED ? 0 : 2 * (1 + (length + 1) / 3); // a third of it may be wrong
    const char *name;
    for (size_t i = 0; (name = known(names, i)) != NULL; i++) {
        if (strlen(name) > NAME_MAX_COMPARED) {
            continue;
        }
        // Of names equally far the one that begins with the word is meant, and some letters of a name are a single
        // slip.
        bool begins = strncmp(word, name, length) == 0;
        size_t edits = begins && length >= CUT_LEAST ? 1 : distance(word, name);
        size_t away = 2 * edits + !begins;
        if (away < best) {
            best = away;
            nearest = name;
        }
    }
    return nearest;
}

static bool fail_unknown(struct topo_scan *scan, size_t at, const char *what, const char *name, name_at *known,
                         const void *names)
{
    const char *near = nearest(name, known, names);
    char shown[41];
    snprintf(shown, sizeof shown, "%s", name);
    clean(shown);
    if (near) {
        return topo_scan_fail(scan, at, "there is no %s called '%s': did you mean %s?", what, shown, near);
    }
    char all[sizeof scan->error->sentence - 100] = "";
    size_t length = 0;
    const char *other;
    for (size_t i = 0; (other = known(names, i)) != NULL && length < sizeof all; i++) {
        int written = snprintf(all + length, sizeof all - length, "%s%s", i == 0 ? "" : ", ", other);
        length += written > 0 ? (size_t)written : 0;
    }
    return topo_scan_fail(scan, at, "there is no %s called '%s': choose one of %s", what, shown, all);
}

// Names that a function knows.
struct listed {
    const char *(*known)(size_t index);
};

static const char *listed_at(const void *names, size_t index)
{
    return ((const struct listed *)names)->known(index);
}

const char *ek_nearest(const char *word, const char *(*known)(size_t index))
{
    return nearest(word, listed_at, &(struct listed){known});
}

bool topo_scan_unknown(struct topo_scan *scan, size_t at, const char *what, const char *name,
                       const char *(*known)(size_t index))
{
    return fail_unknown(scan, at, what, name, listed_at, &(struct listed){known});
}

static const char *choice_at(const void *names, size_t index)
{
    return ((const struct ek_choice *)names)[index].form;
}

bool topo_scan_choice(struct topo_scan *scan, const char *what, const struct ek_choice *choices, size_t *index)
{
    for (*index = 0; choices[*index].form; ++*index) {
        if (strcmp(scan->text, choices[*index].form) == 0) {
            return true;
        }
    }
    char name[32];
    if (!topo_scan_name(scan, name, sizeof name)) {
        return topo_scan_fail(scan, 0, "a %s has a name, as in %s", what, choices[0].form);
    }
    for (size_t i = 0; choices[i].form; i++) {
        if (strcmp(name, choices[i].form) == 0) { // it goes on after a name that is known
            return topo_scan_end(scan);
        }
    }
    return fail_unknown(scan, 0, what, name, choice_at, choices);
}

const char *topo_lines_take(struct topo_lines *lines, size_t *length)
{
    const char *start = lines->text + lines->at;
    size_t left = lines->length - lines->at;
    size_t end = 0;
    while (end < left && start[end] != '\n' && start[end] != '\r') {
        end++;
    }
    *length = end;
    if (end < left) {
        end += (start[end] == '\r' && end + 1 < left && start[end + 1] == '\n') ? 2 : 1;
    }
    lines->at += end;
    lines->line++;
    return start;
}

static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c < ' ' && c != '\t') || c == 127) {
            return false;
        }
    }
    return true;
}

size_t topo_lines_mark(const struct topo_lines *lines)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t length = sizeof mark - 1;
    return lines->length >= length && memcmp(lines->text, mark, length) == 0 ? length : 0;
}

bool topo_lines_next(struct topo_lines *lines, char *line, size_t size, struct ek_error *error)
{
    assert(size > 0 && lines->at <= lines->length);
    lines->at += lines->at == 0 ? topo_lines_mark(lines) : 0;
    while (lines->at < lines->length) {
        size_t length;
        const char *start = topo_lines_take(lines, &length);
        if (!is_text(start, length)) {
            return topo_fail(error, EK_BAD_INPUT, "", -1, "%s:%u: this is no text: give a file of plain numbers",
                             lines->path, lines->line);
        }
        const char *comment = memchr(start, '#', length);
        length = comment ? (size_t)(comment - start) : length;
        while (length > 0 && is_blank(start[length - 1])) {
            length--;
        }
        while (length > 0 && is_blank(*start)) {
            start++;
            length--;
        }
        if (length >= size) {
            return topo_fail(error, EK_BAD_INPUT, "", -1, "%s:%u: the line is longer than %zu characters: break it up",
                             lines->path, lines->line, size - 1);
        }
        if (length > 0) {
            memcpy(line, start, length);
            line[length] = '\0';
            return true;
        }
    }
    return false;
}
