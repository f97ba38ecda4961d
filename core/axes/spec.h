// SPDX-License-Identifier: MIT
// Functions that the parsers of several axes share: they read kinds by their names, and files of numbers.
#ifndef CORE_AXES_SPEC_H
#define CORE_AXES_SPEC_H

#include "core/axes/load.h"
#include "base/cursor.h"
#include "base/lines.h"

// Reads the name of a kind of `what`, such as "fixed" in fixed:3, and the colon after the name. The first `bare` kinds
// need no colon. Errors show the form of the kind from `choice`. Fails if no kind has that name or the colon is
// missing.
bool core_spec_kind(struct base_cursor *cursor, const char *what, const char *(*known)(size_t index),
                    const struct ek_choice *(*choice)(size_t index), size_t bare, size_t *kind);

// Reads a line to its end. Returns false with line->error filled if it is wrong.
typedef bool core_take_line(void *context, struct base_cursor *line);

// Reads the file whose path stands between the cursor and the spec's end, and hands each line that is not empty to
// `take`. Fails if the file cannot be read or a line is wrong ("PATH:LINE: ...").
bool core_spec_lines(struct base_cursor *spec, struct ek_reader reader, core_take_line *take, void *context);

// Skips blanks. Returns whether there were any.
bool core_spec_blanks(struct base_cursor *cursor);

// Skips blanks. If there are none, fails with the sentence `looks`, which describes a line.
bool core_spec_gap(struct base_cursor *line, const char *looks);

// Reads two linked processors separated by blanks, as in 3 4. `*port` becomes the first one's port of their link.
bool core_spec_link(struct base_cursor *line, const char *looks, const struct ek_topology *topology, uint32_t *port);

#endif
