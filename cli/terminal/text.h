// SPDX-License-Identifier: MIT
// Text for people: numbers, wrapping, quoting, and what the stream's terminal can show.
#ifndef CLI_TERMINAL_TEXT_H
#define CLI_TERMINAL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A short text returned by value, so that several fit into one printf.
struct cli_text {
    char of[80];
};

struct cli_text cli_text_count(uint64_t count);   // 12345 is "12,345"
struct cli_text cli_text_real(double value);      // six digits; "-" where it is not finite
struct cli_text cli_text_amount(double value);    // the same, but whole numbers and those of seven digits as counts
struct cli_text cli_text_factor(double value);    // the same, but what is not 1 is not rounded to it
struct cli_text cli_text_seconds(double seconds); // "12.3 ms"
struct cli_text cli_text_bytes(uint64_t bytes);   // "1.5 GiB"

// "1 processor", "8 processors".
struct cli_text cli_text_plural(uint64_t count, const char *what);

// The characters in UTF-8 text.
size_t cli_text_width(const char *text);

// A line in the making. Where it has no room for all, it ends in "...".
struct cli_line {
    char of[2000];
    size_t length;
};
__attribute__((format(printf, 2, 3))) void cli_line_add(struct cli_line *line, const char *format, ...);
__attribute__((format(printf, 2, 0))) void cli_line_add_list(struct cli_line *line, const char *format,
                                                             va_list arguments);

// Prints `text` broken at spaces so that no line passes column `most`, nor the terminal's width. All lines are
// indented. Ends the line.
void cli_text_wrap(FILE *out, const char *text, int indent, int most);

// The same after something that ends at `column`: below it where that is past the indentation. Where a terminal leaves
// too little room beside the indentation, the text has lines of its own.
void cli_text_after(FILE *out, int column, const char *text, int indent, int most);

// The same, but a word that no line has room for, as a list of loads, ends in "...". Whether there was one.
bool cli_text_shorten(FILE *out, int column, const char *text, int indent, int most);

// Prints "  label   text", the text wrapped from column `indent` on. Nothing where `text` is NULL.
void cli_text_labelled(FILE *out, const char *label, int indent, const char *text);

// What a stream can show.
struct cli_terminal {
    bool is_terminal;
    bool escapes; // a terminal that is not TERM=dumb: what is printed can be taken back
    bool colour;  // the same, and NO_COLOR is not set
    bool utf8;    // and it is no dumb terminal
    bool bounded; // nothing may be wider than `columns`: a terminal, or COLUMNS is set
    int columns;  // COLUMNS, else the terminal's; 80 where neither is known
};
struct cli_terminal cli_terminal_of(FILE *stream);

// The escape sequence for a style ("1" is bold, "2" is faint, "0" ends), or "" without colour.
struct cli_text cli_terminal_style(const struct cli_terminal *terminal, const char *style);

#endif
