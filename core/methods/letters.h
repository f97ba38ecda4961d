// SPDX-License-Identifier: MIT
// What methods by letters share.
#ifndef CORE_METHODS_LETTERS_H
#define CORE_METHODS_LETTERS_H

#include "base/cursor.h"

struct ek_letter_turn;
struct ek_plan;

// Draws a number from 0 .. bound-1; another processor; and a neighbour. There must be one.
uint64_t method_letter_draw(struct ek_letter_turn *turn, uint64_t bound);
uint32_t method_letter_other(struct ek_letter_turn *turn);
uint32_t method_letter_neighbour(struct ek_letter_turn *turn);

// Returns the port of a neighbour.
unsigned method_letter_port(const struct ek_letter_turn *turn, uint32_t neighbour);

// Takes an optional part of a parameter: ':' and a whole number. *value keeps its default if there is none.
bool method_letter_whole(struct base_cursor *cursor, const char *what, uint64_t minimum, uint64_t maximum,
                         uint64_t *value);

// Copies `size` bytes of the method's own data into plan->data. Returns false with `error` filled if there is no
// memory.
bool method_letter_data(struct ek_plan *plan, const void *data, size_t size, struct ek_error *error);

// Returns the tasks of a processor, with the one that it still works on.
uint64_t method_letter_load(const struct ek_letter_turn *turn);

#endif
