// SPDX-License-Identifier: MIT
// Text for people: numbers, and lines that fit their terminal.
#ifndef CLI_TERMINAL_TEXT_H
#define CLI_TERMINAL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A short text, returned by value so that several fit into one printf.
struct cli_text {
    char of[80];
};

struct cli_text cli_text_count(uint64_t count);   // 12345 is "12,345"
struct cli_text cli_text_real(double value);      // six digits; "-" if the value is not finite
struct cli_text cli_text_amount(double value);    // like cli_text_real, but a whole or large number as a count
struct cli_text cli_text_factor(double value);    // like cli_text_real, but with enough digits to differ from 1
struct cli_text cli_text_seconds(double seconds); // "12.3 ms"
struct cli_text cli_text_bytes(uint64_t bytes);   // "1.5 GiB"

// Returns "1 processor", "8 processors".
struct cli_text cli_text_plural(uint64_t count, const char *what);

// Returns the number of characters in UTF-8 text. An escape sequence of cli_terminal_style has none.
size_t cli_text_width(const char *text);

// A line in the making. If it gets too long it ends in "...".
struct cli_line {
    char of[2000];
    size_t length;
};
__attribute__((format(printf, 2, 3))) void cli_line_add(struct cli_line *line, const char *format, ...);
__attribute__((format(printf, 2, 0))) void cli_line_add_list(struct cli_line *line, const char *format,
                                                             va_list arguments);

// Prints `text` and ends the line. Breaks lines at spaces so that none is wider than `most` columns or the terminal,
// and indents all of them.
void cli_text_wrap(FILE *out, const char *text, int indent, int most);

// Like cli_text_wrap, but the text follows other output that ends at `column`. The text begins on the next line if the
// column is past the indentation. The indentation shrinks if a terminal leaves too little room beside it.
void cli_text_after(FILE *out, int column, const char *text, int indent, int most);

// Like cli_text_after, but a word that is wider than a line, such as a list of loads, is cut and ends in "...". Returns
// whether a word was cut.
bool cli_text_shorten(FILE *out, int column, const char *text, int indent, int most);

// Prints "  label   text" with the text wrapped from column `indent` on. Prints nothing if `text` is NULL.
void cli_text_labelled(FILE *out, const char *label, int indent, const char *text);

#endif
