// SPDX-License-Identifier: MIT
// A text that is read line by line. A comment from '#' to the end of the line, and blanks around the rest, are dropped.
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/cursor.h"

struct base_lines {
    const char *axis; // the axis whose value names the file, for errors; NULL for none
    const char *path; // for errors
    const char *text;
    size_t length; // in bytes
    size_t at;     // offset of the next line
    uint32_t line; // number of the line that was read last, from 1
};

// Reads the file `path` by `reader`, and prepares `lines` to read its text. Returns the text, which the caller frees
// after the last use of `lines`. Returns NULL with the error of `spec` filled if the file cannot be read; the error
// points at the cursor.
char *base_lines_open(struct base_lines *lines, struct base_cursor *spec, const char *path, struct ek_reader reader);

// Returns the length of the UTF-8 byte order mark that the text begins with: 3 bytes, or 0 if there is none. The mark
// does not belong to the first line.
size_t base_lines_mark(const struct base_lines *lines);

// Takes the next line as it is, without its end (LF, CR LF or CR). There must be a next line.
const char *base_lines_take(struct base_lines *lines, size_t *length);

// Copies the next line that is not empty into `line`, at most size - 1 characters. Returns false at the end of the
// text. Also returns false, with `error` filled, if a line holds control characters or is too long. To distinguish the
// two cases, the caller sets error->status to EK_OK before the call.
bool base_lines_next(struct base_lines *lines, char *line, size_t size, struct ek_error *error);

#endif
