// SPDX-License-Identifier: MIT
// Ctrl-C, SIGTERM or a closed terminal: the first ends the run that is under way, which is still reported; the second
// ends the program.
#ifndef CLI_TERMINAL_INTERRUPT_H
#define CLI_TERMINAL_INTERRUPT_H

#include <stdbool.h>

// From here on both are caught; what was ignored from outside stays so.
void cli_interrupt_catch(void);

// As it was before.
void cli_interrupt_release(void);

// Whether one came since they are caught. Runs under way and those that would follow ask for it
// (lab/record/run_experiment.h).
bool cli_interrupt_came(void);

#endif
