// SPDX-License-Identifier: MIT
// Planning and taking the memory of a run.
#include "core/memory.h"

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

static void plan(struct core_memory *memory, void *place, uint64_t count, size_t size, enum kind kind)
{
    assert(memory->count < CORE_MEMORY_ARRAYS && size > 0);
    point(place, NULL);
    if (count == 0) {
        return;
    }
    uint64_t most = (PTRDIFF_MAX - 2 * CORE_MEMORY_APART) / size;
    uint64_t bytes = count > most ? (uint64_t)PTRDIFF_MAX + 1 : count * size; // what nobody can give
    if (kind == APART) { // its last line too is its own; room to move its beginning to a line
        bytes = (bytes + CORE_MEMORY_APART - 1) / CORE_MEMORY_APART * CORE_MEMORY_APART + CORE_MEMORY_APART;
    } else if (kind == LANED) {
        bytes += ROOM;
    }
    memory->apart |= (uint64_t)(kind == APART) << memory->count;
    memory->laned |= (uint64_t)(kind == LANED) << memory->count;
    memory->array[memory->count++] = (struct core_array){.place = place, .bytes = bytes};
}

void core_memory_plan(struct core_memory *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, ANYWHERE);
}

void core_memory_plan_apart(struct core_memory *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, APART);
}

void core_memory_plan_lanes(struct core_memory *memory, double **place, uint64_t count)
{
    plan(memory, place, count, sizeof **place, LANED);
}

uint64_t core_memory_bytes(const struct core_memory *memory)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < memory->count; i++) {
        uint64_t more = memory->array[i].bytes + OVERHEAD;
        bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
    }
    return bytes;
}

static bool is_apart(const struct core_memory *memory, unsigned i)
{
    return memory->apart >> i & 1;
}

static bool is_laned(const struct core_memory *memory, unsigned i)
{
    return memory->laned >> i & 1;
}

// Where an array begins in its block. Zeros that nobody has touched cost no memory yet: calloc gets them from the
// system, and the beginning is moved by hand, which aligned_alloc could only do with memory of any contents.
static void *beginning(const struct core_memory *memory, unsigned i)
{
    uintptr_t block = (uintptr_t)memory->array[i].block;
    uintptr_t first = block;
    if (is_apart(memory, i)) {
        first = (block + CORE_MEMORY_APART - 1) / CORE_MEMORY_APART * CORE_MEMORY_APART;
    } else if (is_laned(memory, i)) {
        first = (block + AROUND + THIRD + FOUR - 1) / FOUR * FOUR - THIRD;
    }
    return (char *)memory->array[i].block + (first - block);
}

bool core_memory_take(struct core_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++) {
        struct core_array *array = &memory->array[i];
        assert(!array->block);
        array->block = array->bytes <= PTRDIFF_MAX ? calloc(1, array->bytes) : NULL;
        if (!array->block) {
            core_memory_destroy(memory);
            return false;
        }
        point(array->place, beginning(memory, i));
    }
    return true;
}

void core_memory_destroy(struct core_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++) {
        struct core_array *array = &memory->array[i];
        if (array->block) {
            free(array->block);
            array->block = NULL;
            point(array->place, NULL);
        }
    }
}

void *core_memory_hand_over(struct core_memory *memory, void *place)
{
    for (unsigned i = 0; i < memory->count; i++) {
        struct core_array *array = &memory->array[i];
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
