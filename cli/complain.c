// SPDX-License-Identifier: MIT
// Errors as a person sees them: one sentence on standard error and, where a spec is wrong, the spec with a caret.
#include "cli/complain.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "lab/clean.h"

enum { WINDOW = 100, BEFORE = 60 }; // a long spec is shown around its wrong character only

bool cli_refuse(struct ek_error *error, const char *axis, int at, const char *format, ...)
{
    error->status = EK_BAD_INPUT;
    error->at = at;
    snprintf(error->axis, sizeof error->axis, "%s", axis);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return false;
}

// Control characters, and bytes that are not UTF-8 where the text is not, would spoil the line: they print as '?'.
static void print_clean(const char *text, size_t length, bool valid)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        fputc(byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !valid) ? '?' : byte, stderr);
    }
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

static void print_caret(const char *axis, const char *spec, size_t at)
{
    size_t length = strlen(spec);
    assert(at <= length);
    size_t from = at > BEFORE ? at - BEFORE : 0;
    size_t to = length - from > WINDOW ? from + WINDOW : length;
    bool valid = lab_is_utf8(spec);
    if (valid) {
        while (from > 0 && !begins_character(spec[from])) {
            from--;
        }
        while (to < length && !begins_character(spec[to])) {
            to++;
        }
    }
    size_t column = 0;
    for (size_t i = from; i < at; i++) {
        column += begins_character(spec[i]) || !valid;
    }
    const char *cut = from > 0 ? "..." : "";
    fprintf(stderr, "  --%s %s", axis, cut);
    print_clean(spec + from, to - from, valid);
    fprintf(stderr, "%s\n%*s^\n", to < length ? "..." : "", (int)(strlen(axis) + 5 + strlen(cut) + column), "");
}

enum ek_status cli_complain(const struct ek_error *error, const char *spec)
{
    fputs("evenkeel: ", stderr);
    print_clean(error->sentence, strlen(error->sentence), lab_is_utf8(error->sentence));
    fputc('\n', stderr);
    if (spec && error->at >= 0 && (size_t)error->at <= strlen(spec)) {
        print_caret(error->axis, spec, (size_t)error->at);
    }
    return error->status;
}
