// SPDX-License-Identifier: MIT
// Reads kinds by their names, and files of numbers line by line.
#include "core/axes/spec.h"
#include "topologies/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool core_spec_kind(struct base_cursor *cursor, const char *what, const char *(*known)(size_t index),
                    const struct ek_choice *(*choice)(size_t index), size_t bare, size_t *kind)
{
    char example[96];
    if (!base_cursor_known(cursor, what, known, kind)) {
        return false;
    }
    snprintf(example, sizeof example, "%s, as in %s", known(*kind), choice(*kind)->form);
    return *kind < bare || base_cursor_expect(cursor, ':', example);
}

bool core_spec_blanks(struct base_cursor *cursor)
{
    bool any = false;
    while (base_cursor_accept(cursor, ' ') || base_cursor_accept(cursor, '\t')) {
        any = true;
    }
    return any;
}

bool core_spec_gap(struct base_cursor *line, const char *looks)
{
    return core_spec_blanks(line) || base_cursor_fail(line, line->at, "%s", looks);
}

// Finds the port of `from` that leads to `to`, or UINT32_MAX, by bisection: ports are sorted by neighbour.
static uint32_t find_port(const struct ek_topology *topology, uint32_t from, uint32_t to)
{
    uint32_t low = topology->first[from];
    uint32_t high = topology->first[from + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (topology->neighbour[middle] < to) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < topology->first[from + 1] && topology->neighbour[low] == to ? low : UINT32_MAX;
}

bool core_spec_link(struct base_cursor *line, const char *looks, const struct ek_topology *topology, uint32_t *port)
{
    size_t at = line->at;
    uint64_t from;
    uint64_t to;
    if (!base_cursor_whole(line, "the first processor", 0, topology->processors - 1, &from) ||
        !core_spec_gap(line, looks) ||
        !base_cursor_whole(line, "the second processor", 0, topology->processors - 1, &to)) {
        return false;
    }
    *port = find_port(topology, (uint32_t)from, (uint32_t)to);
    return *port != UINT32_MAX || base_cursor_fail(line, at, "processors %u and %u are not linked: leave this line out",
                                                   (unsigned)from, (unsigned)to);
}

// Hands each line to `take`. `line` has room for the whole text, since it may be a single line.
static bool take_lines(struct base_cursor *spec, struct base_lines *lines, char *line, core_take_line *take,
                       void *context)
{
    spec->error->status = EK_OK;
    while (base_lines_next(lines, line, lines->length + 1, spec->error)) {
        struct ek_error wrong = {0};
        struct base_cursor cursor = base_cursor_start(spec->axis, line, &wrong);
        if (!take(context, &cursor) || !base_cursor_end(&cursor)) {
            return base_fail(spec->error, EK_BAD_INPUT, spec->axis, "%s:%u: %s", lines->path, lines->line,
                             wrong.sentence);
        }
    }
    return spec->error->status == EK_OK;
}

bool core_spec_lines(struct base_cursor *spec, struct ek_reader reader, core_take_line *take, void *context)
{
    struct base_lines lines;
    const char *path = spec->text + spec->at;
    char *text = base_lines_open(&lines, spec, path, reader);
    char *line = text ? malloc(lines.length + 1) : NULL;
    bool good = line ? take_lines(spec, &lines, line, take, context)
                     : text && base_cursor_fail(spec, spec->at, "there is no memory to read %s", path);
    free(line);
    free(text);
    spec->at += strlen(path);
    return good;
}
