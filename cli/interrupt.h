// SPDX-License-Identifier: MIT
// Ctrl-C or SIGTERM: the first ends the run that is under way, which is still reported; the second ends the program.
#ifndef EK_INTERRUPT_H
#define EK_INTERRUPT_H

#include "threads/run.h"

// From here on both are caught; what was ignored from outside stays so.
void ek_interrupt_catch(void);

// As it was before.
void ek_interrupt_release(void);

// The machine that they interrupt: at once where one came already. NULL: none.
void ek_interrupt_aim(struct ek_machine *machine);

// Whether one came since they are caught.
bool ek_interrupt_came(void);

#endif
