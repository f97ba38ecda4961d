// SPDX-License-Identifier: MIT
// Text for people: numbers, wrapping, quoting, near names, and what the stream's terminal can show.
#include "cli/text.h"

#include <assert.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct ek_text ek_text_count(uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    struct ek_text text;
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text.of[at++] = ',';
        }
        text.of[at++] = digits[i];
    }
    assert(at < sizeof text.of);
    text.of[at] = '\0';
    return text;
}

struct ek_text ek_text_real(double value)
{
    struct ek_text text = {"-"};
    if (!isnan(value)) {
        snprintf(text.of, sizeof text.of, "%.6g", value);
    }
    return text;
}

struct ek_text ek_text_seconds(double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1.0, "s"}, {1e-3, "ms"}, {0.0, "us"}};
    static const double per_second[] = {1.0, 1e3, 1e6};
    size_t i = 0;
    while (seconds < units[i].least) {
        i++;
    }
    struct ek_text text;
    snprintf(text.of, sizeof text.of, "%.3g %s", seconds * per_second[i], units[i].unit);
    return text;
}

struct ek_text ek_text_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double amount = (double)bytes;
    size_t i = 0;
    while (amount >= 1024.0 && i + 1 < sizeof units / sizeof *units) {
        amount /= 1024.0;
        i++;
    }
    struct ek_text text;
    snprintf(text.of, sizeof text.of, "%.*f %s", i > 0, amount, units[i]);
    return text;
}

struct ek_text ek_text_plural(uint64_t count, const char *what)
{
    struct ek_text text;
    snprintf(text.of, sizeof text.of, "%.30s %.40s%s", ek_text_count(count).of, what, count == 1 ? "" : "s");
    return text;
}

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t ek_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++) {
        width += !continues(*text);
    }
    return width;
}

// The length of the UTF-8 sequence that this byte begins, 0 where it begins none.
static size_t sequence_length(unsigned char byte)
{
    if (byte < 0x80) {
        return 1;
    }
    if (byte >= 0xC2 && byte < 0xE0) {
        return 2;
    }
    if (byte >= 0xE0 && byte < 0xF0) {
        return 3;
    }
    return byte >= 0xF0 && byte < 0xF5 ? 4 : 0;
}

bool ek_text_valid(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t length = sequence_length(*at);
        // Overlong forms, surrogates and what lies past U+10FFFF.
        if (length == 0 || (*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F) ||
            (*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] > 0x8F)) {
            return false;
        }
        for (size_t i = 1; i < length; i++) {
            if (!continues((char)at[i])) {
                return false;
            }
        }
        at += length;
    }
    return true;
}

void ek_text_wrap(FILE *out, const char *text, int indent, int width)
{
    assert(indent >= 0 && indent < width);
    int column = indent;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        int word = 0;
        for (size_t i = 0; i < bytes; i++) {
            word += !continues(text[i]);
        }
        if (column > indent && column + 1 + word > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(out, "%s%.*s", column > indent ? " " : "", (int)bytes, text) - (int)bytes + word;
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void ek_text_labelled(FILE *out, const char *label, int indent, const char *text)
{
    if (text) {
        fprintf(out, "  %-*s", indent - 2, label);
        ek_text_wrap(out, text, indent, 80);
    }
}

void ek_text_quote(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    bool printable = ek_text_valid(word);
    for (const char *c = word; *c; c++) {
        printable = printable && (unsigned char)*c >= 0x20 && *c != 0x7F;
    }
    fputs(printable ? "'" : "$'", out);
    for (const char *c = word; *c; c++) {
        if (printable && *c == '\'') {
            fputs("'\\''", out);
        } else if (!printable && ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7F || *c == '\'' || *c == '\\')) {
            fprintf(out, "\\%03o", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('\'', out);
}

// The least number of letters put in, left out or changed that turns `a` into `b`; a large one where `b` is too long.
static size_t distance(const char *a, const char *b)
{
    size_t row[64];
    size_t length = strlen(b);
    if (length >= sizeof row / sizeof *row) {
        return SIZE_MAX / 4;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t changed = diagonal + (a[i] != b[j]);
            size_t least = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = changed < least ? changed : least;
        }
    }
    return row[length];
}

const char *ek_text_nearest(const char *word, const char *(*known)(size_t index))
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t best = length > 64 ? 0 : 2 * (1 + (length + 1) / 3);
    for (size_t i = 0; known(i); i++) {
        // Of names equally far the one that begins with the word is meant.
        size_t away = 2 * distance(word, known(i)) + (strncmp(word, known(i), length) != 0);
        if (away < best) {
            best = away;
            nearest = known(i);
        }
    }
    return nearest;
}

struct ek_terminal ek_terminal_of(FILE *stream)
{
    struct ek_terminal terminal = {.columns = 80};
    terminal.is_terminal = isatty(fileno(stream)) == 1;
    const char *refused = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    terminal.colour = terminal.is_terminal && !(refused && *refused) && !(kind && strcmp(kind, "dumb") == 0);
    terminal.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    struct winsize size;
    if (terminal.is_terminal && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) {
        terminal.columns = size.ws_col;
    }
    return terminal;
}

struct ek_text ek_terminal_style(const struct ek_terminal *terminal, const char *style)
{
    struct ek_text text = {""};
    if (terminal->colour) {
        snprintf(text.of, sizeof text.of, "\033[%.16sm", style);
    }
    return text;
}
