// SPDX-License-Identifier: MIT
// What the parsers of specs share: kinds by their names, and files of numbers.
#ifndef CORE_AXES_SPEC_H
#define CORE_AXES_SPEC_H

#include "core/axes/load.h"
#include "base/cursor.h"
#include "base/lines.h"

// Reads the name of a kind of `what`, as in "fixed" of fixed:3. The first `bare` of the known kinds stand alone, the
// others go on after a colon, which is taken too; `choice` has their forms. False and an error where no kind has that
// name.
bool core_spec_kind(struct base_cursor *cursor, const char *what, const char *(*known)(size_t index),
                    const struct ek_choice *(*choice)(size_t index), size_t bare, size_t *kind);

// Takes what a line holds, to its end; errors go to line->error.
typedef bool core_take_line(void *context, struct base_cursor *line);

// Reads the file whose path stands at the cursor, to the spec's end, and hands each line that holds anything to `take`.
// False and the spec's error when the file cannot be read, or when a line is wrong ("PATH:LINE: ...").
bool core_spec_lines(struct base_cursor *spec, struct ek_reader reader, core_take_line *take, void *context);

// Skips blanks. Whether there were any.
bool core_spec_blanks(struct base_cursor *cursor);

// Skips blanks, or fails with what a line looks like.
bool core_spec_gap(struct base_cursor *line, const char *looks);

// Reads two linked processors with blanks between them, as in 3 4. `*port` becomes the first one's port of their link.
bool core_spec_link(struct base_cursor *line, const char *looks, const struct ek_topology *topology, uint32_t *port);

#endif
