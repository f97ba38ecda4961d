// SPDX-License-Identifier: MIT
#include "cli/terminal/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/characters.h"
#include "cli/terminal/terminal.h"

struct cli_text cli_text_count(uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    struct cli_text text;
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

struct cli_text cli_text_real(double value)
{
    struct cli_text text = {"-"};
    if (isfinite(value)) {
        snprintf(text.of, sizeof text.of, "%.6g", value);
    }
    return text;
}

struct cli_text cli_text_amount(double value)
{
    double size = fabs(value);
    if (!(size < 1e15) || (size < 1e6 && size != trunc(size))) {
        return cli_text_real(value);
    }
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%s%.70s", value < 0.0 ? "-" : "", cli_text_count((uint64_t)llround(size)).of);
    return text;
}

struct cli_text cli_text_factor(double value)
{
    static const double ROUNDING = 4e-15;
    double away = fabs(1.0 - value);
    if (!(away > ROUNDING && away < 1e-6)) {
        return cli_text_real(value);
    }
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%.*f", 1 - (int)floor(log10(away)), value);
    return text;
}

struct cli_text cli_text_seconds(double seconds)
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
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%.3g %s", seconds * per_second[i], units[i].unit);
    return text;
}

struct cli_text cli_text_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double amount = (double)bytes;
    size_t i = 0;
    while (amount >= 1024.0 && i + 1 < sizeof units / sizeof *units) {
        amount /= 1024.0;
        i++;
    }
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%.*f %s", i > 0, amount, units[i]);
    return text;
}

struct cli_text cli_text_plural(uint64_t count, const char *what)
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%.30s %.40s%s", cli_text_count(count).of, what, count == 1 ? "" : "s");
    return text;
}

// Returns the number of characters in the first `bytes` of a text, without escape sequences.
static size_t width_of(const char *text, size_t bytes)
{
    size_t width = 0;
    bool escape = false;
    for (size_t i = 0; i < bytes; i++) {
        escape = escape || text[i] == '\033';
        width += !escape && !base_continues(text[i]);
        escape = escape && text[i] != 'm';
    }
    return width;
}

size_t cli_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

void cli_line_add(struct cli_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_line_add_list(line, format, arguments);
    va_end(arguments);
}

void cli_line_add_list(struct cli_line *line, const char *format, va_list arguments)
{
    static const char cut[] = "...";
    size_t room = sizeof line->of - line->length;
    int length = vsnprintf(line->of + line->length, room, format, arguments);
    assert(length >= 0);
    if ((size_t)length < room) {
        line->length += (size_t)length;
        return;
    }
    line->length = sizeof line->of - sizeof cut;
    while (base_continues(line->of[line->length])) {
        line->length--;
    }
    memcpy(line->of + line->length, cut, sizeof cut);
    line->length = sizeof line->of - 1; // no more fits
}

// Returns the widest line that fits: at most `most` columns, and no more than the terminal has.
static int width_on(FILE *out, int most)
{
    struct cli_terminal terminal = cli_terminal_of(out);
    return terminal.bounded && terminal.columns < most ? terminal.columns : most;
}

// Returns the number of bytes in the first `characters` characters of a text, which has more characters than that.
static size_t bytes_of(const char *text, int characters)
{
    size_t bytes = 0;
    for (; characters > 0; characters--) {
        do {
            bytes++;
        } while (base_continues(text[bytes]));
    }
    return bytes;
}

// Prints the text, and returns whether a word was cut. Words are cut only if `shorten`.
static bool lay_out(FILE *out, int column, const char *text, int indent, int most, bool shorten)
{
    enum { ROOM_LEAST = 27, NARROW = 4 };
    assert(column >= 0 && indent >= 0 && indent < most);
    int width = width_on(out, most);
    indent = indent > NARROW && width - indent < ROOM_LEAST ? NARROW : indent;
    if (column > 0 && column >= indent) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", indent - column, "");
    column = indent;
    bool any_cut = false;
    for (bool first = true; *text; first = false) {
        static const char rest[] = "...";
        size_t bytes = strcspn(text, " "), shown = bytes;
        int word = (int)width_of(text, bytes);
        bool cut = shorten && word > width - indent;
        if (cut) {
            word = width - indent;
            shown = bytes_of(text, word - (int)strlen(rest));
            any_cut = true;
        }
        if (!first && column + 1 + word > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        fprintf(out, "%s%.*s%s", first ? "" : " ", (int)shown, text, cut ? rest : "");
        column += !first + word;
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', out);
    return any_cut;
}

void cli_text_after(FILE *out, int column, const char *text, int indent, int most)
{
    lay_out(out, column, text, indent, most, false);
}

bool cli_text_shorten(FILE *out, int column, const char *text, int indent, int most)
{
    return lay_out(out, column, text, indent, most, true);
}

void cli_text_wrap(FILE *out, const char *text, int indent, int most)
{
    cli_text_after(out, 0, text, indent, most);
}

void cli_text_labelled(FILE *out, const char *label, int indent, const char *text)
{
    if (text) {
        fprintf(out, "  %s", label);
        cli_text_after(out, 2 + (int)cli_text_width(label), text, indent, 80);
    }
}
