// SPDX-License-Identifier: MIT
// Reading specs: a cursor over the text of one option, and errors that point at the character that is wrong.
#ifndef TOPO_SCAN_H
#define TOPO_SCAN_H

#include "topologies/topology.h"

// Fills `error` and returns false, so that a parser can `return topo_fail(...)`. `at` is the offset of the wrong
// character or -1; `axis` names the option ("" where none is at fault). `format` makes the sentence.
bool topo_fail(struct ek_error *error, enum ek_status status, const char *axis, int at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

struct topo_scan {
    const char *axis; // the option that is being read, for errors
    const char *text; // the whole spec
    size_t at;        // the next character
    char tried[8];    // what else could have stood at `tried_at`, for errors
    size_t tried_at;
    struct ek_error *error;
};

struct topo_scan topo_scan_start(const char *axis, const char *text, struct ek_error *error);

// Does what topo_fail does, at the character `at` of this spec.
bool topo_scan_fail(struct topo_scan *scan, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

char topo_scan_peek(const struct topo_scan *scan);
bool topo_scan_accept(struct topo_scan *scan, char c);                    // takes c if it is next
bool topo_scan_expect(struct topo_scan *scan, char c, const char *after); // takes c, or fails: "expected ':' after ..."
bool topo_scan_end(struct topo_scan *scan); // nothing may follow, or fails: "'x' is not expected after ..."

// A name of letters, digits and '-'; false without an error where there is none.
bool topo_scan_name(struct topo_scan *scan, char *name, size_t size);

// A whole number of `what` in minimum..maximum, digits only; overflow and range are errors at its first digit.
bool topo_scan_whole(struct topo_scan *scan, const char *what, uint64_t minimum, uint64_t maximum, uint64_t *value);

// A finite number in minimum..maximum; NaN, infinity, hex and overflow are errors.
bool topo_scan_real(struct topo_scan *scan, const char *what, double minimum, double maximum, double *value);

// A time of at least 0: a decimal number up to 1e9 and its unit, one of ns, us, ms, s, m and h.
bool topo_scan_duration(struct topo_scan *scan, const char *what, double *seconds);

// Fails at the spec's name with the nearest of the known names, if one is near.
bool topo_scan_unknown(struct topo_scan *scan, size_t at, const char *what, const char *name,
                       const char *(*known)(size_t index));

// Reads the whole spec as one of these names, the last of which has no form, and gives its index; `what` says what is
// named.
bool topo_scan_choice(struct topo_scan *scan, const char *what, const struct ek_choice *choices, size_t *index);

// A text that is read line by line: what follows a '#' and the blanks around a line are dropped, and lines that are
// then empty are skipped.
struct topo_lines {
    const char *path;
    const char *text;
    size_t length;
    size_t at;
    uint32_t line; // the number of the line that was read last, from 1
};

// The bytes of the UTF-8 byte order mark that the text begins with: 3, or 0 where there is none. It is no part of the
// first line.
size_t topo_lines_mark(const struct topo_lines *lines);

// Takes the next line whatever it holds, of any length, without its end, which is LF, CR LF or CR. There must be one.
const char *topo_lines_take(struct topo_lines *lines, size_t *length);

// Copies the next line that holds anything into `line` (at most size - 1 characters). False at the end of the text, and
// with error->status set ("PATH:LINE: ...") where it is no text or a line is too long.
bool topo_lines_next(struct topo_lines *lines, char *line, size_t size, struct ek_error *error);

#endif
