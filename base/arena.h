// SPDX-License-Identifier: MIT
// The memory of a run, planned before it is allocated. The arrays of a run are first added to a list. The sum of the
// list is compared with the free memory before the run begins; then all arrays of the same list are allocated at once.
// So a run never takes more than was checked.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BASE_ARENA_ARRAYS = 64, BASE_ARENA_ISOLATION = 128 };

// The numbers begin .. end-1.
struct base_range {
    uint64_t begin, end;
};

struct base_arena {
    struct base_array {
        void *place; // address of the caller's pointer to the array, of any pointer type
        void *block; // what calloc returned
        uint64_t bytes;
        uint64_t untouched; // of these: they take no memory
        uint64_t before;    // bytes of the elements before the first one that exists
    } array[BASE_ARENA_ARRAYS];
    uint64_t isolated, laned; // one bit for each array
    unsigned count;
};

// Adds an array of `count` elements of `size` bytes. `place` is the address of the pointer that will point to the
// array: it is NULL until the arena is taken, and stays NULL if `count` is 0.
void base_arena_plan(struct base_arena *memory, void *place, uint64_t count, size_t size);

// Adds an array that begins and ends at multiples of BASE_ARENA_ISOLATION bytes. No other array shares a cache line
// with it, nor a pair of lines that the hardware fetches together.
void base_arena_plan_isolated(struct base_arena *memory, void *place, uint64_t count, size_t size);

// Adds such an array of which only the elements in `range` exist. They keep their numbers: the pointer is the address
// that element 0 would have. So a process that has a part of the processors indexes its arrays as one that has all.
void base_arena_plan_range(struct base_arena *memory, void *place, struct base_range range, size_t size);

// Adds an array of doubles that loops read four at a time, beginning at element 2 (core/methods/kernels/wide.h). No
// such group of four crosses a cache line. Up to three doubles before and after the array may be read.
void base_arena_plan_lanes(struct base_arena *memory, double **place, uint64_t count);

// Says that only `touched` of the `count` elements of the array that was added last will be read or written. The others
// take no memory, since the system gives zeros from a page that all share.
void base_arena_touch(struct base_arena *memory, uint64_t count, uint64_t touched);

// Returns the bytes that all arrays take together, or UINT64_MAX if the sum overflows.
uint64_t base_arena_bytes(const struct base_arena *memory);

// Allocates all arrays, filled with zeros. Returns false, with nothing allocated, if there is not enough memory.
bool base_arena_take(struct base_arena *memory);

// Frees all arrays and sets their pointers to NULL.
void base_arena_destroy(struct base_arena *memory);

// Removes an array from the arena, since it outlives the run, and returns it: the caller frees it. The array must not
// be isolated.
void *base_arena_detach(struct base_arena *memory, void *place);

#endif
