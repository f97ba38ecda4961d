// SPDX-License-Identifier: MIT
// A text that is read line by line. A comment from '#' to the end of the line, and blanks around the rest, are dropped.
// The text is in memory, or it is read from its file in parts.
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/cursor.h"

// How the files are read that specs name.
struct base_files {
    struct ek_reader reader;
    ek_read_part *part; // NULL: files are read as a whole
};

struct base_parts;

struct base_lines {
    const char *axis;         // the axis whose value names the file, for errors; NULL for none
    const char *path;         // for errors
    const char *text;         // the whole text, or the part of it that is in memory
    size_t length;            // of `text`, in bytes
    size_t at;                // offset of the next character in `text`
    uint32_t line;            // number of the line that was read last, from 1
    struct base_parts *parts; // how the next part is read; NULL: `text` is the whole text
};

// Reads the file `path` by `reader`, and prepares `lines` to read its text. Returns the text, which the caller frees
// after the last use of `lines`. Returns NULL with the error of `spec` filled if the file cannot be read; the error
// points at the cursor.
char *base_lines_open(struct base_lines *lines, struct base_cursor *spec, const char *path, struct ek_reader reader);

// Prepares `lines` to read the file in parts if it can be read so, else as a whole. Fails as base_lines_open does. If a
// later part cannot be read, the text ends there, with the error of `spec` filled. The caller calls base_lines_close in
// any case.
bool base_lines_open_parts(struct base_lines *lines, struct base_cursor *spec, const char *path,
                           struct base_files files);
void base_lines_close(struct base_lines *lines);

// Returns to the begin of the text.
void base_lines_rewind(struct base_lines *lines);

// Reads the next part. Returns its first character, or -1 at the end of the text.
int base_lines_more(struct base_lines *lines);

// Returns the next character of the text, or -1 at its end.
static inline int base_lines_peek(struct base_lines *lines)
{
    return lines->at < lines->length ? (unsigned char)lines->text[lines->at] : base_lines_more(lines);
}

// Begins the next line. Returns false at the end of the text. The UTF-8 byte order mark that a text may begin with does
// not belong to its first line.
bool base_lines_begin(struct base_lines *lines);

// Returns the next character of the line, or -1 at its end (LF, CR LF or CR).
static inline int base_lines_peek_here(struct base_lines *lines)
{
    int next = base_lines_peek(lines);
    return next == '\n' || next == '\r' ? -1 : next;
}

// Skips the rest of the line.
void base_lines_end(struct base_lines *lines);

// Copies the next line that is not empty into `line`, at most size - 1 characters. Returns false at the end of the
// text. Also returns false, with `error` filled, if a line holds control characters or is too long. To distinguish the
// two cases, the caller sets error->status to EK_OK before the call.
bool base_lines_next(struct base_lines *lines, char *line, size_t size, struct ek_error *error);

#endif
