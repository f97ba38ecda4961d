// SPDX-License-Identifier: MIT
// Text for people: numbers, wrapping, quoting, near names, and what the stream's terminal can show.
#ifndef EK_TEXT_H
#define EK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A short text returned by value, so that several fit into one printf.
struct ek_text {
    char of[80];
};

struct ek_text ek_text_count(uint64_t count);   // 12345 is "12,345"
struct ek_text ek_text_real(double value);      // six digits; "-" for NaN
struct ek_text ek_text_seconds(double seconds); // "12.3 ms"
struct ek_text ek_text_bytes(uint64_t bytes);   // "1.5 GiB"

// "1 processor", "8 processors".
struct ek_text ek_text_plural(uint64_t count, const char *what);

// The characters in UTF-8 text, and whether it is that.
size_t ek_text_width(const char *text);
bool ek_text_valid(const char *text);

// Prints `text` broken at spaces so that no line passes column `width`; the first line goes on at column `indent`, the
// others are indented to it. Ends the line.
void ek_text_wrap(FILE *out, const char *text, int indent, int width);

// Prints "  label   text", the text wrapped from column `indent` on. Nothing where `text` is NULL.
void ek_text_labelled(FILE *out, const char *label, int indent, const char *text);

// Prints a word as a POSIX shell would have to read it; bytes that are not printable as $'\ooo'.
void ek_text_quote(FILE *out, const char *word);

// The known name nearest to `word`, or NULL where none is near.
const char *ek_text_nearest(const char *word, const char *(*known)(size_t index));

// What a stream can show.
struct ek_terminal {
    bool is_terminal;
    bool colour; // a terminal, and NO_COLOR is not set
    bool utf8;
    int columns; // 80 where it is not known
};
struct ek_terminal ek_terminal_of(FILE *stream);

// The escape sequence for a style ("1" is bold, "2" is faint, "0" ends), or "" without colour.
struct ek_text ek_terminal_style(const struct ek_terminal *terminal, const char *style);

#endif
