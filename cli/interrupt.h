// SPDX-License-Identifier: MIT
// Ctrl-C: the first ends the run that is under way, which is still reported; the second ends the program.
#ifndef EK_INTERRUPT_H
#define EK_INTERRUPT_H

#include "threads/run.h"

// From here on Ctrl-C is caught; where it was ignored from outside, it stays so.
void ek_interrupt_catch(void);

// As it was before.
void ek_interrupt_release(void);

// The machine that Ctrl-C interrupts: at once where it came already. NULL: none.
void ek_interrupt_aim(struct ek_machine *machine);

// Whether it came since it is caught.
bool ek_interrupt_came(void);

#endif
