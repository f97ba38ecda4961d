// SPDX-License-Identifier: MIT
#include "base/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"

enum { PART = 1 << 16 }; // bytes

struct base_parts {
    struct base_files files;
    struct base_cursor *spec; // for errors
    size_t spec_at;
    char *whole;   // the text of a file that cannot be read in parts, or NULL
    uint64_t next; // offset in the file of the next part
    bool lost;     // a part could not be read, and no more are read
    char bytes[PART + 1];
};

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

// Reads the next part into the place of the one before. Returns false if the file can only be read as a whole. If it
// cannot be read, the part is empty, and the error of the spec is filled.
static bool read_part(struct base_lines *lines)
{
    struct base_parts *parts = lines->parts;
    struct ek_error wrong = {0};
    size_t count = PART;
    if (!parts->files.part(parts->files.reader.context, lines->path, parts->next, parts->bytes, &count, &wrong)) {
        if (wrong.status == EK_OK) {
            return false;
        }
        base_cursor_fail(parts->spec, parts->spec_at, "%s", wrong.sentence);
        parts->lost = true;
        count = 0;
    }
    parts->bytes[count] = '\0';
    parts->next += count;
    lines->text = parts->bytes;
    lines->length = count;
    lines->at = 0;
    return true;
}

bool base_lines_open_parts(struct base_lines *lines, struct base_cursor *spec, const char *path,
                           struct base_files files)
{
    struct base_parts *parts = malloc(sizeof *parts);
    *lines = (struct base_lines){.axis = spec->axis, .path = path, .parts = parts};
    if (!parts) {
        return base_cursor_fail(spec, spec->at, "there is no memory to read %s", path);
    }
    parts->files = files;
    parts->spec = spec;
    parts->spec_at = spec->at;
    parts->whole = NULL;
    parts->next = 0;
    parts->lost = false;
    spec->error->status = EK_OK;
    if (*path && files.part && read_part(lines)) {
        return !parts->lost;
    }
    char *whole = base_lines_open(lines, spec, path, files.reader);
    lines->parts = parts;
    parts->whole = whole;
    return whole != NULL;
}

void base_lines_close(struct base_lines *lines)
{
    if (lines->parts) {
        free(lines->parts->whole);
        free(lines->parts);
    }
}

void base_lines_rewind(struct base_lines *lines)
{
    struct base_parts *parts = lines->parts;
    lines->at = 0;
    lines->line = 0;
    if (parts && !parts->whole && parts->next > lines->length) { // `text` is not the first part
        parts->next = 0;
        lines->length = 0;
    }
}

int base_lines_more(struct base_lines *lines)
{
    struct base_parts *parts = lines->parts;
    if (!parts || parts->whole || parts->lost) {
        return -1;
    }
    if (!read_part(lines)) {
        parts->lost = true;
        base_cursor_fail(parts->spec, parts->spec_at, "%s cannot be read any more: is it still there?", lines->path);
        return -1;
    }
    return lines->length > 0 ? (unsigned char)lines->text[0] : -1;
}

static bool accept(struct base_lines *lines, int c)
{
    bool here = base_lines_peek(lines) == c;
    lines->at += here;
    return here;
}

static void skip_mark(struct base_lines *lines)
{
    if (accept(lines, 0xEF) && !(accept(lines, 0xBB) && accept(lines, 0xBF))) {
        base_lines_rewind(lines);
    }
}

bool base_lines_begin(struct base_lines *lines)
{
    if (lines->line == 0 && lines->at == 0) {
        skip_mark(lines);
    }
    bool more = base_lines_peek(lines) >= 0;
    lines->line += more;
    return more;
}

void base_lines_end(struct base_lines *lines)
{
    while (base_lines_peek_here(lines) >= 0) {
        lines->at++;
    }
    int end = base_lines_peek(lines);
    lines->at += end >= 0;
    lines->at += end == '\r' && base_lines_peek(lines) == '\n';
}

// Copies the rest of the line, without the comment and the blanks around the rest, as far as there is room. Returns the
// length of all that it would copy, or SIZE_MAX if the line has control characters.
static size_t copy_line(struct base_lines *lines, char *line, size_t size)
{
    size_t length = 0, kept = 0;
    bool comment = false, good = true;
    for (int next; (next = base_lines_peek_here(lines)) >= 0; lines->at++) {
        char c = (char)next;
        good = good && (!base_is_control(c) || c == '\t');
        comment = comment || c == '#';
        if (comment || (length == 0 && base_is_blank(c))) {
            continue;
        }
        if (length < size) {
            line[length] = c;
        }
        length++;
        kept = base_is_blank(c) ? kept : length;
    }
    return good ? kept : SIZE_MAX;
}

bool base_lines_next(struct base_lines *lines, char *line, size_t size, struct ek_error *error)
{
    assert(size > 0 && lines->at <= lines->length);
    const char *axis = lines->axis ? lines->axis : "";
    while (base_lines_begin(lines)) {
        size_t length = copy_line(lines, line, size);
        base_lines_end(lines);
        if (length == SIZE_MAX) {
            return base_fail(error, EK_BAD_INPUT, axis, "%s:%u: this is no text: give a file of plain numbers",
                             lines->path, lines->line);
        }
        if (length >= size) {
            return base_fail(error, EK_BAD_INPUT, axis, "%s:%u: the line is longer than %zu characters: break it up",
                             lines->path, lines->line, size - 1);
        }
        if (length > 0) {
            line[length] = '\0';
            return true;
        }
    }
    return false;
}
