// SPDX-License-Identifier: MIT
#include "base/lines.h"

#include <assert.h>
#include <string.h>

#include "base/characters.h"
#include "base/error.h"

const char *base_lines_take(struct base_lines *lines, size_t *length)
{
    const char *start = lines->text + lines->at;
    size_t left = lines->length - lines->at;
    size_t end = 0;
    while (end < left && start[end] != '\n' && start[end] != '\r') {
        end++;
    }
    *length = end;
    if (end < left) {
        end += (start[end] == '\r' && end + 1 < left && start[end + 1] == '\n') ? 2 : 1;
    }
    lines->at += end;
    lines->line++;
    return start;
}

static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (base_is_control(line[i]) && line[i] != '\t') {
            return false;
        }
    }
    return true;
}

size_t base_lines_mark(const struct base_lines *lines)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t length = sizeof mark - 1;
    return lines->length >= length && memcmp(lines->text, mark, length) == 0 ? length : 0;
}

bool base_lines_next(struct base_lines *lines, char *line, size_t size, struct ek_error *error)
{
    assert(size > 0 && lines->at <= lines->length);
    lines->at += lines->at == 0 ? base_lines_mark(lines) : 0;
    while (lines->at < lines->length) {
        size_t length;
        const char *start = base_lines_take(lines, &length);
        if (!is_text(start, length)) {
            return base_fail(error, EK_BAD_INPUT, "", "%s:%u: this is no text: give a file of plain numbers",
                             lines->path, lines->line);
        }
        const char *comment = memchr(start, '#', length);
        length = comment ? (size_t)(comment - start) : length;
        while (length > 0 && base_is_blank(start[length - 1])) {
            length--;
        }
        while (length > 0 && base_is_blank(*start)) {
            start++;
            length--;
        }
        if (length >= size) {
            return base_fail(error, EK_BAD_INPUT, "", "%s:%u: the line is longer than %zu characters: break it up",
                             lines->path, lines->line, size - 1);
        }
        if (length > 0) {
            memcpy(line, start, length);
            line[length] = '\0';
            return true;
        }
    }
    return false;
}
