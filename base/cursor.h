// SPDX-License-Identifier: MIT
// A cursor reads a spec, the text of one axis, from left to right. A function that returns false has filled the
// cursor's error, unless its comment says otherwise. The error points at the wrong character.
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/error.h"

struct base_cursor {
    const char *axis; // the axis that is read, for errors
    const char *text; // the whole spec
    size_t at;        // the next character
    char tried[8];    // characters that could have stood at `tried_at`, for errors
    size_t tried_at;
    struct ek_error *error;
};

struct base_cursor base_cursor_start(const char *axis, const char *text, struct ek_error *error);

// Fails at the character `at` of the spec.
bool base_cursor_fail(struct base_cursor *cursor, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

char base_cursor_peek(const struct base_cursor *cursor);

// Takes c if it is the next character. Otherwise returns false without an error.
bool base_cursor_accept(struct base_cursor *cursor, char c);

// Takes c, or fails: "write ':' after ...".
bool base_cursor_expect(struct base_cursor *cursor, char c, const char *after);

// Fails if anything follows: "'x' cannot follow ...".
bool base_cursor_end(struct base_cursor *cursor);

// Takes a name of letters, digits and '-', cut to size - 1 characters. Returns false without an error if none is next.
bool base_cursor_name(struct base_cursor *cursor, char *name, size_t size);

// Returns whether base_cursor_name takes the whole name into 32 characters. NULL is no name.
bool base_cursor_can_name(const char *name);

// Takes a whole number in minimum..maximum, digits only. `what` names the number in errors.
bool base_cursor_whole(struct base_cursor *cursor, const char *what, uint64_t minimum, uint64_t maximum,
                       uint64_t *value);

// Takes a finite number in minimum..maximum. NaN, infinity, hexadecimal numbers and overflow are errors.
bool base_cursor_real(struct base_cursor *cursor, const char *what, double minimum, double maximum, double *value);

// Take a time of at least 0: a decimal number up to 1e9 and its unit, one of ns, us, ms, s, m and h. A whole number of
// nanoseconds stays whole.
bool base_cursor_nanoseconds(struct base_cursor *cursor, const char *what, double *nanoseconds);
bool base_cursor_duration(struct base_cursor *cursor, const char *what, double *seconds);

// Fails because `name`, at offset `at` of the spec, is unknown. The error proposes the nearest known name, if one is
// near. known(index) is NULL past the last name.
bool base_cursor_unknown(struct base_cursor *cursor, size_t at, const char *what, const char *name,
                         const char *(*known)(size_t index));

// Takes a name that must be one of the known names, and gives its index. `what` says what is named.
bool base_cursor_known(struct base_cursor *cursor, const char *what, const char *(*known)(size_t index), size_t *index);

// Takes the whole spec, which must be the form of one of the choices, and gives its index. The choice after the last
// has no form. `what` says what the choices are.
bool base_cursor_choice(struct base_cursor *cursor, const char *what, const struct ek_choice *choices, size_t *index);

#endif
