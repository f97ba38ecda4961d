// SPDX-License-Identifier: MIT
// Planning and taking the memory of a run.
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// What an allocation takes beside its bytes; it begins at a multiple of that.
enum { OVERHEAD = 16 };

// Of arrays of doubles that are taken four at a time: four lie within a line where the first begins at a multiple of
// their size, and what lies up to three before and behind the array is there. So it begins up to SHIFT behind its
// block.
enum { FOUR = 4 * sizeof(double), AROUND = 3 * sizeof(double), THIRD = 2 * sizeof(double) };
enum { SHIFT = (AROUND + THIRD + FOUR - 1) / FOUR * FOUR - THIRD, ROOM = SHIFT + AROUND };

static void point(void *place, void *array)
{
    memcpy(place, &array, sizeof array);
}

enum kind { ANYWHERE, APART, LANED };

static void plan(struct base_arena *memory, void *place, uint64_t count, size_t size, enum kind kind)
{
    assert(memory->count < BASE_ARENA_ARRAYS && size > 0);
    point(place, NULL);
    if (count == 0) {
        return;
    }
    uint64_t most = (PTRDIFF_MAX - 2 * BASE_ARENA_ISOLATION) / size;
    uint64_t bytes = count > most ? (uint64_t)PTRDIFF_MAX + 1 : count * size; // what nobody can give
    if (kind == APART) { // its last line too is its own; room to move its beginning to a line
        bytes = (bytes + BASE_ARENA_ISOLATION - 1) / BASE_ARENA_ISOLATION * BASE_ARENA_ISOLATION + BASE_ARENA_ISOLATION;
    } else if (kind == LANED) {
        bytes += ROOM;
    }
    memory->apart |= (uint64_t)(kind == APART) << memory->count;
    memory->laned |= (uint64_t)(kind == LANED) << memory->count;
    memory->array[memory->count++] = (struct base_array){.place = place, .bytes = bytes};
}

void base_arena_plan(struct base_arena *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, ANYWHERE);
}

void base_arena_plan_isolated(struct base_arena *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, APART);
}

void base_arena_plan_lanes(struct base_arena *memory, double **place, uint64_t count)
{
    plan(memory, place, count, sizeof **place, LANED);
}

uint64_t base_arena_bytes(const struct base_arena *memory)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < memory->count; i++) {
        uint64_t more = memory->array[i].bytes + OVERHEAD;
        bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
    }
    return bytes;
}

static bool is_apart(const struct base_arena *memory, unsigned i)
{
    return memory->apart >> i & 1;
}

static bool is_laned(const struct base_arena *memory, unsigned i)
{
    return memory->laned >> i & 1;
}

// Where an array begins in its block. Zeros that nobody has touched cost no memory yet: calloc gets them from the
// system, and the beginning is moved by hand, which aligned_alloc could only do with memory of any contents.
static void *beginning(const struct base_arena *memory, unsigned i)
{
    uintptr_t block = (uintptr_t)memory->array[i].block;
    uintptr_t first = block;
    if (is_apart(memory, i)) {
        first = (block + BASE_ARENA_ISOLATION - 1) / BASE_ARENA_ISOLATION * BASE_ARENA_ISOLATION;
    } else if (is_laned(memory, i)) {
        first = (block + AROUND + THIRD + FOUR - 1) / FOUR * FOUR - THIRD;
    }
    return (char *)memory->array[i].block + (first - block);
}

bool base_arena_take(struct base_arena *memory)
{
    for (unsigned i = 0; i < memory->count; i++) {
        struct base_array *array = &memory->array[i];
        assert(!array->block);
        array->block = array->bytes <= PTRDIFF_MAX ? calloc(1, array->bytes) : NULL;
        if (!array->block) {
            base_arena_destroy(memory);
            return false;
        }
        point(array->place, beginning(memory, i));
    }
    return true;
}

void base_arena_destroy(struct base_arena *memory)
{
    for (unsigned i = 0; i < memory->count; i++) {
        struct base_array *array = &memory->array[i];
        if (array->block) {
            free(array->block);
            array->block = NULL;
            point(array->place, NULL);
        }
    }
}

void *base_arena_detach(struct base_arena *memory, void *place)
{
    for (unsigned i = 0; i < memory->count; i++) {
        struct base_array *array = &memory->array[i];
        if (array->place == place) {
            assert(!is_apart(memory, i));
            void *block = array->block;
            if (block) { // what is freed is a block
                memmove(block, beginning(memory, i), array->bytes - (is_laned(memory, i) ? ROOM : 0));
            }
            array->block = NULL;
            point(place, NULL);
            return block;
        }
    }
    return NULL; // it was not wanted
}
