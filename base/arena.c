// SPDX-License-Identifier: MIT
// Plans and allocates the memory of a run.
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Bytes that an allocation takes in addition to the requested bytes. Each allocation begins at a multiple of OVERHEAD
// bytes.
enum { OVERHEAD = 16 };

// An array that is read four doubles at a time: element 2 lies at a multiple of FOUR bytes, and there is room for three
// doubles before and after the array. So the array begins up to SHIFT bytes after its block.
enum { FOUR = 4 * sizeof(double), AROUND = 3 * sizeof(double), THIRD = 2 * sizeof(double) };
enum { SHIFT = (AROUND + THIRD + FOUR - 1) / FOUR * FOUR - THIRD, ROOM = SHIFT + AROUND };

static void point(void *place, void *array)
{
    memcpy(place, &array, sizeof array);
}

enum kind { PLAIN, ISOLATED, LANED };

static void plan(struct base_arena *memory, void *place, uint64_t count, size_t size, enum kind kind)
{
    assert(memory->count < BASE_ARENA_ARRAYS && size > 0);
    point(place, NULL);
    if (count == 0) {
        return;
    }
    uint64_t most = (PTRDIFF_MAX - 2 * BASE_ARENA_ISOLATION) / size;
    uint64_t bytes = count > most ? (uint64_t)PTRDIFF_MAX + 1 : count * size; // more than any system has
    if (kind == ISOLATED) { // its last cache line is its own too, and there is room to align its beginning
        bytes = (bytes + BASE_ARENA_ISOLATION - 1) / BASE_ARENA_ISOLATION * BASE_ARENA_ISOLATION + BASE_ARENA_ISOLATION;
    } else if (kind == LANED) {
        bytes += ROOM;
    }
    memory->isolated |= (uint64_t)(kind == ISOLATED) << memory->count;
    memory->laned |= (uint64_t)(kind == LANED) << memory->count;
    memory->array[memory->count++] = (struct base_array){.place = place, .bytes = bytes};
}

void base_arena_plan(struct base_arena *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, PLAIN);
}

void base_arena_plan_isolated(struct base_arena *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, ISOLATED);
}

void base_arena_plan_range(struct base_arena *memory, void *place, struct base_range range, size_t size)
{
    plan(memory, place, range.end - range.begin, size, ISOLATED);
    if (range.end > range.begin) {
        memory->array[memory->count - 1].before = range.begin * size;
    }
}

void base_arena_plan_lanes(struct base_arena *memory, double **place, uint64_t count)
{
    plan(memory, place, count, sizeof **place, LANED);
}

void base_arena_touch(struct base_arena *memory, uint64_t count, uint64_t touched)
{
    if (count > touched) {
        struct base_array *array = &memory->array[memory->count - 1];
        array->untouched = array->bytes / count * (count - touched);
    }
}

uint64_t base_arena_bytes(const struct base_arena *memory)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < memory->count; i++) {
        uint64_t more = memory->array[i].bytes - memory->array[i].untouched + OVERHEAD;
        bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
    }
    return bytes;
}

static bool is_isolated(const struct base_arena *memory, unsigned i)
{
    return memory->isolated >> i & 1;
}

static bool is_laned(const struct base_arena *memory, unsigned i)
{
    return memory->laned >> i & 1;
}

// Returns where an array begins in its block. The array is aligned here and not by aligned_alloc, because calloc gets
// zeros from the system that take no memory before they are touched.
static void *beginning(const struct base_arena *memory, unsigned i)
{
    uintptr_t block = (uintptr_t)memory->array[i].block;
    uintptr_t first = block;
    if (is_isolated(memory, i)) {
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
        uintptr_t first = (uintptr_t)beginning(memory, i);
        point(array->place, (void *)(first - (uintptr_t)array->before)); // no object: where element 0 would be
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
            assert(!is_isolated(memory, i));
            void *block = array->block;
            if (block) { // free() needs the beginning of the block
                memmove(block, beginning(memory, i), array->bytes - (is_laned(memory, i) ? ROOM : 0));
            }
            array->block = NULL;
            point(place, NULL);
            return block;
        }
    }
    return NULL; // it was planned with no elements
}
