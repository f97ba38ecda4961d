// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // fopencookie, which POSIX does not have
#include "lab/text/memory_stream.h"

#include <stdlib.h>
#include <string.h>

// Appends a piece and a 0 behind it.
static ssize_t take(void *context, const char *piece, size_t count)
{
    struct lab_stream *text = context;
    size_t needed = text->length + count + 1;
    if (needed > text->room) {
        size_t room = needed > 2 * text->room ? needed : 2 * text->room;
        char *larger = realloc(text->of, room);
        if (!larger) {
            text->lost = true;
            return 0;
        }
        text->of = larger;
        text->room = room;
    }
    memcpy(text->of + text->length, piece, count);
    text->length += count;
    text->of[text->length] = '\0';
    return (ssize_t)count;
}

bool lab_stream_begin(struct lab_stream *text)
{
    *text = (struct lab_stream){0};
    text->out = fopencookie(text, "w", (cookie_io_functions_t){.write = take});
    return text->out && take(text, "", 0) == 0 && !text->lost;
}

char *lab_stream_end(struct lab_stream *text)
{
    bool whole = text->out && fclose(text->out) == 0 && !text->lost;
    text->out = NULL;
    if (!whole) {
        free(text->of);
        text->of = NULL;
    }
    return text->of;
}
