// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/characters.h"

static void fill(struct ek_error *error, enum ek_status status, const char *axis, const char *format, va_list arguments)
{
    assert(error && status != EK_OK);
    error->status = status;
    error->at = -1;
    error->excerpt[0] = '\0';
    error->excerpt_at = 0;
    snprintf(error->axis, sizeof error->axis, "%s", axis);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
}

bool base_fail(struct ek_error *error, enum ek_status status, const char *axis, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, axis, format, arguments);
    va_end(arguments);
    return false;
}

bool base_refuse(struct ek_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, EK_BAD_INPUT, "", format, arguments);
    va_end(arguments);
    return false;
}

bool base_fail_at_list(struct ek_error *error, const char *axis, size_t at, const char *format, va_list arguments)
{
    fill(error, EK_BAD_INPUT, axis, format, arguments);
    error->at = at <= INT32_MAX ? (int)at : -1;
    return false;
}

bool base_fail_at(struct ek_error *error, const char *axis, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    base_fail_at_list(error, axis, at, format, arguments);
    va_end(arguments);
    return false;
}

bool base_refuse_text(struct ek_error *error, const char *axis, const char *text, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    base_fail_at_list(error, axis, at, format, arguments);
    va_end(arguments);
    base_error_show(error, text);
    return false;
}

void base_error_show(struct ek_error *error, const char *text)
{
    enum { SHOWN = 100, BEFORE = 60 };
    static const char CUT[] = "...";
    static_assert(sizeof error->excerpt >= SHOWN + 6 + 2 * sizeof CUT, "the excerpt has room for what is shown");
    error->excerpt[0] = '\0';
    if (!text || error->at < 0 || (size_t)error->at > strlen(text)) {
        return;
    }
    size_t length = strlen(text);
    size_t at = (size_t)error->at;
    size_t from = at > BEFORE ? at - BEFORE : 0;
    size_t to = length - from > SHOWN ? from + SHOWN : length;
    while (from > 0 && base_continues(text[from])) { // whole characters only
        from--;
    }
    while (to < length && base_continues(text[to])) {
        to++;
    }
    const char *before = from > 0 ? CUT : "";
    snprintf(error->excerpt, sizeof error->excerpt, "%s%.*s%s", before, (int)(to - from), text + from,
             to < length ? CUT : "");
    error->excerpt_at = (int)(strlen(before) + at - from);
}
