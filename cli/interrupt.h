// SPDX-License-Identifier: MIT
// Ctrl-C or SIGTERM: the first ends the run that is under way, which is still reported; the second ends the program.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "threads/run.h"

// From here on both are caught; what was ignored from outside stays so.
void cli_interrupt_catch(void);

// As it was before.
void cli_interrupt_release(void);

// The machine that they interrupt: at once where one came already. NULL: none.
void cli_interrupt_aim(struct ek_machine *machine);

// Whether one came since they are caught.
bool cli_interrupt_came(void);

#endif
