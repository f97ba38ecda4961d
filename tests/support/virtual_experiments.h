// SPDX-License-Identifier: MIT
// Experiments in virtual time, drawn at random, and the comparison of their reports.
#ifndef TESTS_VIRTUAL_EXPERIMENTS_H
#define TESTS_VIRTUAL_EXPERIMENTS_H

#include "tests/support/text_file.h"
#include "tests/support/runs.h"

// An experiment drawn by its number. It keeps its loads and its trace, and names no carrier.
struct tests_virtual {
    char topology[32], method[32], load[32];
    char delay[48], delay_load[48], invoke[48], slow[32], faults[64], stop[32];
    char turn_cost[16], overhead[16], gap[16], byte_time[16], load_bytes[16], link_limit[16];
    struct tests_memory file; // of the delays
    char delays[2048];
    struct ek_experiment experiment;
};
void tests_draw_virtual(struct tests_virtual *drawn, uint64_t number);

// Returns the experiment in words, for a failed test. They live until the next call.
const char *tests_virtual_said(const struct tests_virtual *drawn);

// Sets the numbers that a report has because it is of virtual time, but for virtual_s, window_s and those of the
// computer. Returns how many.
unsigned tests_virtual_values(const struct ek_report *report, struct tests_value values[TESTS_VALUES_MAX]);

// Returns the name of the first value in which two reports differ, bit by bit, or NULL: all values but those of the
// computer, and `window_s`.
const char *tests_virtual_differs(const struct ek_report *a, const struct ek_report *b, uint32_t processors);

#endif
