// SPDX-License-Identifier: MIT
// The sources of objects, but for files of vt: those are JSON.
#include "core/objects/object_sources.h"

#include <string.h>

#include "core/axes/costs.h"
#include "core/axes/spec.h"

// In the order of enum core_object_source_kind.
static const struct ek_choice choices[] = {
    {"weights:DIST[@SEED]", "as many as the load places, with drawn whole weights: constant:V, uniform:LOW:HIGH, "
                            "modulo:A:M, normal:M:SD or exponential:M"},
    {"file:PATH", "a line `processor,weight` or `processor,weight,bytes` for each object"},
    {"vt:PATTERN", "LB data files of DARMA/vt, one for each rank: %p in the pattern stands for the rank"},
    {"mesh:WxH[:DIST[@SEED]]", "the cells of a mesh, which communicate with their neighbours; without DIST each weighs "
                               "1"},
};

enum { CHOICES = sizeof choices / sizeof *choices };

const struct ek_choice *core_object_source_choice(size_t index)
{
    return index < CHOICES ? &choices[index] : NULL;
}

static const char *known_source(size_t index)
{
    static const char *const names[CHOICES] = {"weights", "file", "vt", "mesh"};
    return index < CHOICES ? names[index] : NULL;
}

// Reads a distribution of whole weights, and the seed behind it.
static bool read_weights(struct core_object_source *source, struct base_cursor *spec)
{
    return core_costs_read(&source->weight, spec, "weight") &&
           (!base_cursor_accept(spec, '@') || base_cursor_whole(spec, "the seed", 0, UINT64_MAX, &source->seed)) &&
           base_cursor_end(spec);
}

static bool read_mesh(struct core_object_source *source, struct base_cursor *spec)
{
    enum { SIDE_MOST = 65535 };
    uint64_t width, height;
    if (!base_cursor_whole(spec, "the width of the mesh", 1, SIDE_MOST, &width) ||
        !base_cursor_expect(spec, 'x', "the width of the mesh") ||
        !base_cursor_whole(spec, "the height of the mesh", 1, SIDE_MOST, &height)) {
        return false;
    }
    source->width = (uint32_t)width;
    source->height = (uint32_t)height;
    source->weight = (struct core_load){.units = EK_TOKENS, .kind = CORE_LOAD_CONSTANT, .amount = 1.0};
    return base_cursor_accept(spec, ':') ? read_weights(source, spec) : base_cursor_end(spec);
}

bool core_object_source_parse(struct core_object_source *source, const char *spec, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("objects", spec, error);
    size_t kind;
    *source = (struct core_object_source){.seed = 1};
    if (!core_spec_kind(&cursor, "source of objects", known_source, core_object_source_choice, 0, &kind)) {
        return false;
    }
    source->kind = (enum core_object_source_kind)kind;
    source->path = cursor.at;
    return source->kind == CORE_OBJECTS_WEIGHTS ? read_weights(source, &cursor)
           : source->kind == CORE_OBJECTS_MESH  ? read_mesh(source, &cursor)
                                                : true;
}

// Lets the cells of a mesh communicate with their right and lower neighbours, one byte each.
static bool join_cells(struct core_object_set *set, const struct core_object_source *source)
{
    bool good = true;
    for (uint32_t cell = 0; good && cell < set->count; cell++) {
        uint32_t x = cell % source->width, below = cell + source->width;
        good = (x + 1 == source->width || core_object_pair_add(set, (struct core_object_pair){cell, cell + 1, 1.0})) &&
               (below >= set->count || core_object_pair_add(set, (struct core_object_pair){cell, below, 1.0}));
    }
    return good;
}

bool core_objects_draw(struct core_object_set *set, const struct core_object_source *source, const double *placed,
                       uint32_t processors, struct base_cursor *spec)
{
    static const uint64_t ONE = 1000000000; // 1, in multiples of 1e-9
    bool good = true;
    for (uint32_t p = 0; good && p < processors; p++) {
        for (double k = 0.0; good && k < placed[p]; k++) {
            double weight = core_load_draw_one(&source->weight, source->seed, BASE_STREAM_OBJECTS, set->count);
            good = core_object_add(
                set, (struct core_object){
                         .weight = weight > 1.0 ? (uint64_t)weight * ONE : ONE, .bytes = 1, .place = p, .home = p});
        }
    }
    good = good && (source->kind != CORE_OBJECTS_MESH || join_cells(set, source));
    return good ? core_object_set_finish(set, spec, 0)
                : base_cursor_fail(spec, 0, "there is no memory for more than %u objects", (unsigned)set->count);
}

struct object_file {
    struct core_object_set *set;
    uint32_t processors;
};

static bool take_object(void *context, struct base_cursor *line)
{
    const struct object_file *file = context;
    struct core_object object = {.bytes = 1};
    uint64_t place;
    if (!base_cursor_whole(line, "the processor", 0, file->processors - 1, &place) ||
        !base_cursor_expect(line, ',', "the processor") || (core_spec_blanks(line), false) ||
        !core_object_read_weight(line, &object.weight)) {
        return false;
    }
    core_spec_blanks(line);
    if (base_cursor_accept(line, ',')) {
        core_spec_blanks(line);
        if (!base_cursor_whole(line, "the size in bytes", 0, UINT64_MAX, &object.bytes)) {
            return false;
        }
    }
    object.place = object.home = (uint32_t)place;
    return core_object_add(file->set, object) ||
           base_cursor_fail(line, 0, "there is no memory for more than %u objects", (unsigned)file->set->count);
}

bool core_objects_read_file(struct core_object_set *set, uint32_t processors, struct ek_reader reader,
                            struct base_cursor *spec)
{
    size_t at = spec->at;
    struct object_file file = {.set = set, .processors = processors};
    return core_spec_lines(spec, reader, take_object, &file) && core_object_set_finish(set, spec, at);
}
