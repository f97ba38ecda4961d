// SPDX-License-Identifier: MIT
// What `evenkeel torture` runs: experiments in free timing, drawn from a seed and written as the words of a command
// line, so that what is run and what is printed to run it again are the same.
#ifndef EK_TORTURE_H
#define EK_TORTURE_H

#include <stdint.h>

enum { EK_TORTURE_WORDS = 64, EK_TORTURE_LETTERS = 96 };

// The words behind `evenkeel run`.
struct ek_torture {
    char word[EK_TORTURE_WORDS][EK_TORTURE_LETTERS];
    int count;
};

// Draws the experiment of a seed. It is the same on every machine, for the same methods.
void ek_torture_draw(uint64_t seed, struct ek_torture *drawn);

#endif
