// SPDX-License-Identifier: MIT
// What `evenkeel torture` runs: experiments in free timing, drawn from a seed and written as the words of a command
// line, so that what is run and what is printed to run it again are the same.
#ifndef CLI_TORTURE_H
#define CLI_TORTURE_H

#include <stdint.h>

enum { CLI_TORTURE_WORDS = 64, CLI_TORTURE_LETTERS = 96 };

// The words behind `evenkeel run`.
struct cli_torture {
    char word[CLI_TORTURE_WORDS][CLI_TORTURE_LETTERS];
    int count;
};

// Draws the experiment of a seed. It is the same on every machine, for the same methods.
void cli_torture_draw(uint64_t seed, struct cli_torture *drawn);

#endif
