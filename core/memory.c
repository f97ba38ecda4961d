// SPDX-License-Identifier: MIT
// Planning and taking the memory of a run.
#include "core/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OVERHEAD = 16 }; // what an allocation takes beside its bytes

static void point(void *place, void *array)
{
    memcpy(place, &array, sizeof array);
}

static void plan(struct core_memory *memory, void *place, uint64_t count, size_t size, bool apart)
{
    assert(memory->count < CORE_MEMORY_ARRAYS && size > 0);
    point(place, NULL);
    if (count == 0) {
        return;
    }
    uint64_t most = (PTRDIFF_MAX - 2 * CORE_MEMORY_APART) / size;
    uint64_t bytes = count > most ? (uint64_t)PTRDIFF_MAX + 1 : count * size; // what nobody can give
    if (apart) { // its last line too is its own; room to move its beginning to a line
        bytes = (bytes + CORE_MEMORY_APART - 1) / CORE_MEMORY_APART * CORE_MEMORY_APART + CORE_MEMORY_APART;
    }
    memory->apart |= (uint64_t)apart << memory->count;
    memory->array[memory->count++] = (struct core_array){.place = place, .bytes = bytes};
}

void core_memory_plan(struct core_memory *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, false);
}

void core_memory_plan_apart(struct core_memory *memory, void *place, uint64_t count, size_t size)
{
    plan(memory, place, count, size, true);
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

// Zeros that nobody has touched cost no memory yet: calloc gets them from the system, and the beginning is moved to a
// line by hand, which aligned_alloc could only do with memory of any contents.
static void *aligned(void *block)
{
    uintptr_t past = (uintptr_t)block % CORE_MEMORY_APART;
    return (char *)block + (past > 0 ? CORE_MEMORY_APART - past : 0);
}

static bool is_apart(const struct core_memory *memory, unsigned i)
{
    return memory->apart >> i & 1;
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
        point(array->place, is_apart(memory, i) ? aligned(array->block) : array->block);
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
            array->block = NULL;
            point(place, NULL);
            return block;
        }
    }
    return NULL; // it was not wanted
}
