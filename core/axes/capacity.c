// SPDX-License-Identifier: MIT
// Parses and draws capacities. Each processor draws from its own stream of random numbers, so its capacity does not
// depend on the number of processors.
#include "core/axes/capacity.h"

#include <stdlib.h>
#include <string.h>

#include "core/measure.h"
#include "core/axes/spec.h"
#include "base/random.h"

// Outside these bounds a load divided by a capacity loses its precision.
static const double SMALLEST = 1e-15, LARGEST = 1e15;

struct capacity_draft {
    struct base_cursor cursor;
    uint32_t hosts;
    uint64_t seed;
    struct ek_reader reader;
    double *capacity;
    bool drawn;
    uint32_t count; // file: capacities read so far
};

static bool make_homo(struct capacity_draft *draft)
{
    for (uint32_t p = 0; p < draft->hosts; p++) {
        draft->capacity[p] = 1.0;
    }
    return true;
}

static bool make_semi(struct capacity_draft *draft)
{
    for (uint32_t p = 0; p < draft->hosts; p++) {
        draft->capacity[p] = p < draft->hosts / 2 ? 2.0 : 1.0;
    }
    return true;
}

static bool make_cs(struct capacity_draft *draft)
{
    for (uint32_t p = 0; p < draft->hosts; p++) {
        draft->capacity[p] = p == 0 ? (double)draft->hosts + 1.0 : 1.0;
    }
    return true;
}

static bool make_uniform(struct capacity_draft *draft)
{
    struct base_cursor *cursor = &draft->cursor;
    size_t at = cursor->at;
    uint64_t low;
    uint64_t high;
    if (!base_cursor_whole(cursor, "the lowest capacity", 1, (uint64_t)LARGEST, &low) ||
        !base_cursor_expect(cursor, ':', "the lowest capacity") ||
        !base_cursor_whole(cursor, "the highest capacity", 1, (uint64_t)LARGEST, &high)) {
        return false;
    }
    if (low > high) {
        return base_cursor_fail(cursor, at, "the lowest capacity comes first, as in uniform:1:64");
    }
    draft->drawn = true;
    for (uint32_t p = 0; p < draft->hosts; p++) {
        struct base_random random = base_random_start(draft->seed, p, BASE_STREAM_CAPACITY);
        draft->capacity[p] = (double)(low + base_random_below(&random, high - low + 1));
    }
    return true;
}

static bool take_capacity(void *context, struct base_cursor *line)
{
    struct capacity_draft *draft = context;
    if (draft->count == draft->hosts) {
        return base_cursor_fail(line, 0, "the file has more capacities than the topology's %u processors",
                                draft->hosts);
    }
    double *capacity = &draft->capacity[draft->count++];
    size_t at = line->at;
    return base_cursor_real(line, "a capacity", 0.0, LARGEST, capacity) &&
           (*capacity == 0.0 || *capacity >= SMALLEST ||
            base_cursor_fail(line, at, "a capacity is 0, for a switch, or at least %g", SMALLEST));
}

static bool read_file(struct capacity_draft *draft)
{
    const char *path = draft->cursor.text + draft->cursor.at;
    if (!core_spec_lines(&draft->cursor, draft->reader, take_capacity, draft)) {
        return false;
    }
    if (draft->count != draft->hosts) {
        return base_fail(draft->cursor.error, EK_BAD_INPUT, "capacity",
                         "%s holds %u capacities and the topology has %u processors: give one for each", path,
                         draft->count, draft->hosts);
    }
    return core_measure_sum(draft->capacity, draft->hosts) > 0.0 ||
           base_fail(draft->cursor.error, EK_BAD_INPUT, "capacity",
                     "%s makes every processor a switch: give at least one a capacity above 0", path);
}

static const struct {
    const char *name;
    bool (*make)(struct capacity_draft *draft);
    struct ek_choice choice;
} kinds[] = {
    {"homo", make_homo, {"homo", "1 at every processor; switches have 0, whatever the spec"}},
    {"semi", make_semi, {"semi", "2 at the first half of the processors, 1 at the others"}},
    {"cs", make_cs, {"cs", "client and server: processors + 1 at processor 0, 1 at the others"}},
    {"uniform", make_uniform, {"uniform:LOW:HIGH", "whole numbers drawn uniformly, LOW and HIGH included"}},
    {"file", read_file, {"file:PATH", "one number a line, for each processor in turn; 0 makes it a switch"}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct ek_choice *core_capacity_choice(size_t index)
{
    return index < KINDS ? &kinds[index].choice : NULL;
}

static const char *known_capacity(size_t index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

bool core_capacity_parse(const char *spec, uint32_t hosts, uint32_t processors, uint64_t seed, struct ek_reader reader,
                         double **capacity, bool *drawn, struct ek_error *error)
{
    struct capacity_draft draft = {
        .cursor = base_cursor_start("capacity", spec, error), .hosts = hosts, .seed = seed, .reader = reader};
    *capacity = NULL;
    *drawn = false;
    size_t kind;
    if (!core_spec_kind(&draft.cursor, "capacity", known_capacity, core_capacity_choice, 3, &kind)) {
        return false;
    }
    if (kinds[kind].make == make_homo && hosts == processors) {
        return base_cursor_end(&draft.cursor); // NULL stands for all 1
    }
    draft.capacity = calloc(processors, sizeof *draft.capacity); // 0 for switches
    if (!draft.capacity) {
        return base_fail(error, EK_BAD_INPUT, "capacity", "no memory for %u capacities: use a smaller topology",
                         processors);
    }
    if (!kinds[kind].make(&draft) || !base_cursor_end(&draft.cursor)) {
        free(draft.capacity);
        return false;
    }
    *drawn = draft.drawn;
    *capacity = draft.capacity;
    return true;
}

bool core_capacity_switches(const double *capacity, uint32_t processors)
{
    bool found = false;
    for (uint32_t p = 0; capacity && p < processors; p++) {
        found = found || capacity[p] == 0.0;
    }
    return found;
}

void core_capacity_shares(const double *capacity, uint32_t processors, double total, double *share)
{
    double all = capacity ? core_measure_sum(capacity, processors) : processors;
    for (uint32_t p = 0; p < processors; p++) {
        share[p] = (capacity ? capacity[p] : 1.0) * total / all;
    }
}
