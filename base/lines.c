// SPDX-License-Identifier: MIT
#include "base/lines.h"

#include <assert.h>
#include <string.h>

#include "base/characters.h"

char *base_lines_open(struct base_lines *lines, struct base_cursor *spec, const char *path, struct ek_reader reader)
{
    size_t at = spec->at;
    struct ek_error wrong = {0}; // the reader does not know the axis
    *lines = (struct base_lines){.axis = spec->axis, .path = path};
    if (!*path) {
        base_cursor_fail(spec, at, "file needs a path, as in file:data.txt");
        return NULL;
    }
    if (!reader.read) {
        base_cursor_fail(spec, at, "no files can be read here: choose another %s", spec->axis);
        return NULL;
    }
    char *text = reader.read(reader.context, path, &lines->length, &wrong);
    if (!text) {
        base_cursor_fail(spec, at, "%s", wrong.sentence);
    }
    lines->text = text;
    return text;
}

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
    const char *axis = lines->axis ? lines->axis : "";
    lines->at += lines->at == 0 ? base_lines_mark(lines) : 0;
    while (lines->at < lines->length) {
        size_t length;
        const char *start = base_lines_take(lines, &length);
        if (!is_text(start, length)) {
            return base_fail(error, EK_BAD_INPUT, axis, "%s:%u: this is no text: give a file of plain numbers",
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
            return base_fail(error, EK_BAD_INPUT, axis, "%s:%u: the line is longer than %zu characters: break it up",
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
