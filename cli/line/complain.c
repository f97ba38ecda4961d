// SPDX-License-Identifier: MIT
// Errors as a person sees them: one sentence on standard error and, where a spec is wrong, the spec with a caret.
#include "cli/line/complain.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool cli_wrote_json(bool good, const char *instead, struct ek_error *error)
{
    return good || ferror(stdout) ||
           cli_refuse(error, "", -1, "no memory for the JSON report%s%s", instead ? ": " : "", instead ? instead : "");
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

// The spec is clean: UTF-8 of as many bytes as what was typed.
static void print_caret(const char *before, const char *spec, size_t at)
{
    size_t length = strlen(spec);
    assert(at <= length);
    size_t from = at > BEFORE ? at - BEFORE : 0;
    size_t to = length - from > WINDOW ? from + WINDOW : length;
    while (from > 0 && !begins_character(spec[from])) {
        from--;
    }
    while (to < length && !begins_character(spec[to])) {
        to++;
    }
    size_t column = 0;
    for (size_t i = from; i < at; i++) {
        column += begins_character(spec[i]);
    }
    const char *cut = from > 0 ? "..." : "";
    fprintf(stderr, "%s%s%.*s%s\n", before, cut, (int)(to - from), spec + from, to < length ? "..." : "");
    fprintf(stderr, "%*s^\n", (int)(strlen(before) + strlen(cut) + column), "");
}

// `before` is what stands before the spec.
static enum ek_status complain(const struct ek_error *error, const char *before, const char *spec)
{
    struct ek_error clean = *error;
    lab_clean(clean.sentence);
    fprintf(stderr, "evenkeel: %s\n", clean.sentence);
    char *text = spec && error->at >= 0 && (size_t)error->at <= strlen(spec) ? lab_clean_copy(spec) : NULL;
    if (text) {
        print_caret(before, text, (size_t)error->at);
    }
    free(text);
    return error->status;
}

enum ek_status cli_complain(const struct ek_error *error, const char *spec)
{
    char before[sizeof error->axis + 8];
    snprintf(before, sizeof before, "  --%s ", error->axis);
    return complain(error, before, spec);
}

enum ek_status cli_complain_of_line(const struct ek_error *error, const char *spec)
{
    char before[sizeof error->axis + 8];
    snprintf(before, sizeof before, "  %s = ", error->axis);
    return complain(error, before, spec);
}
