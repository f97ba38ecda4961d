// SPDX-License-Identifier: MIT
// The memory of a run. It is planned once, as a list of arrays: the list is summed before the run begins, to be held
// against what there is, and the same list is allocated when it does. So what is said is what is taken.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BASE_ARENA_ARRAYS = 64, BASE_ARENA_ISOLATION = 128 };

struct base_arena {
    struct base_array {
        void *place; // the address of the pointer to it, of any type
        void *block; // what was allocated
        uint64_t bytes;
    } array[BASE_ARENA_ARRAYS];
    uint64_t apart, laned; // a bit for each
    unsigned count;
};

// Adds an array of `count` elements to the plan. `place` is the address of the pointer that is to point to it: NULL
// until the memory is taken, and for good where `count` is 0. The second kind begins and ends at multiples of
// BASE_ARENA_ISOLATION bytes: no other array is in its cache lines, nor in those that come with them. The third is of
// doubles that are taken four at a time from the third on (core/methods/kernels/wide.h): no such four lie across two
// lines, and what lies up to three before the first and behind the last may be read.
void base_arena_plan(struct base_arena *memory, void *place, uint64_t count, size_t size);
void base_arena_plan_isolated(struct base_arena *memory, void *place, uint64_t count, size_t size);
void base_arena_plan_lanes(struct base_arena *memory, double **place, uint64_t count);

// The bytes of all arrays together; UINT64_MAX where they are more than that can say.
uint64_t base_arena_bytes(const struct base_arena *memory);

// Allocates all arrays, filled with zeros. False where there is not enough: nothing is taken then.
bool base_arena_take(struct base_arena *memory);

// Gives back what was taken; the pointers are NULL again.
void base_arena_destroy(struct base_arena *memory);

// Takes an array that does not lie apart out of the plan, as it outlives the run: the caller frees it.
void *base_arena_detach(struct base_arena *memory, void *place);

#endif
