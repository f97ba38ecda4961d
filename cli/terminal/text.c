// SPDX-License-Identifier: MIT
// Text for people: numbers, wrapping, quoting, and what the stream's terminal can show.
#include "cli/terminal/text.h"

#include <assert.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lab/text/clean_text.h"

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

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

// The characters that the first `bytes` of a text show: an escape sequence of cli_terminal_style shows none.
static size_t width_of(const char *text, size_t bytes)
{
    size_t width = 0;
    bool escape = false;
    for (size_t i = 0; i < bytes; i++) {
        escape = escape || text[i] == '\033';
        width += !escape && !continues(text[i]);
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
    while (continues(line->of[line->length])) {
        line->length--;
    }
    memcpy(line->of + line->length, cut, sizeof cut);
    line->length = sizeof line->of - 1; // it takes no more
}

// The width that a text may have: so much at most, and no more than the terminal has or COLUMNS says.
static int width_on(FILE *out, int most)
{
    struct cli_terminal terminal = cli_terminal_of(out);
    return terminal.bounded && terminal.columns < most ? terminal.columns : most;
}

// The bytes of the first characters of a text that has more.
static size_t bytes_of(const char *text, int characters)
{
    size_t bytes = 0;
    for (; characters > 0; characters--) {
        do {
            bytes++;
        } while (continues(text[bytes]));
    }
    return bytes;
}

// Whether a word was shortened, where that is asked for.
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

enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 1000 };

// What COLUMNS says, 0 where it says nothing that a table fits into.
static int columns_asked(void)
{
    const char *text = getenv("COLUMNS");
    char *end = NULL;
    long columns = text ? strtol(text, &end, 10) : 0;
    bool whole = end && end != text && !*end;
    return whole && columns >= COLUMNS_LEAST && columns <= COLUMNS_MOST ? (int)columns : 0;
}

struct cli_terminal cli_terminal_of(FILE *stream)
{
    struct cli_terminal terminal = {.columns = 80};
    terminal.is_terminal = isatty(fileno(stream)) == 1;
    const char *refused = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    bool dumb = terminal.is_terminal && kind && strcmp(kind, "dumb") == 0;
    terminal.escapes = terminal.is_terminal && !dumb;
    terminal.colour = terminal.escapes && !(refused && *refused);
    terminal.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && !dumb;
    struct winsize size;
    int asked = columns_asked();
    terminal.bounded = terminal.is_terminal || asked > 0;
    if (asked > 0) {
        terminal.columns = asked;
    } else if (terminal.is_terminal && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_LEAST) {
        terminal.columns = size.ws_col;
    }
    return terminal;
}

struct cli_text cli_terminal_style(const struct cli_terminal *terminal, const char *style)
{
    struct cli_text text = {""};
    if (terminal->colour) {
        snprintf(text.of, sizeof text.of, "\033[%.16sm", style);
    }
    return text;
}
