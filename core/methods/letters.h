// SPDX-License-Identifier: MIT
// What methods by letters share.
#ifndef CORE_METHODS_LETTERS_H
#define CORE_METHODS_LETTERS_H

#include "core/method.h"

// Draws a number from 0 .. bound-1; another processor; and a neighbour. There must be one.
uint64_t method_letter_draw(struct ek_letter_turn *turn, uint64_t bound);
uint32_t method_letter_other(struct ek_letter_turn *turn);
uint32_t method_letter_neighbour(struct ek_letter_turn *turn);

// Returns the tasks of a processor, with the one that it still works on.
uint64_t method_letter_load(const struct ek_letter_turn *turn);

#endif
