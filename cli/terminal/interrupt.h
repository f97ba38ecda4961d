// SPDX-License-Identifier: MIT
// Ctrl-C (SIGINT), SIGTERM and SIGHUP. The first of these signals ends the run under way, which is still reported. The
// second ends the program.
#ifndef CLI_TERMINAL_INTERRUPT_H
#define CLI_TERMINAL_INTERRUPT_H

#include <stdbool.h>

// Catches the signals from now on, except those that the process was started to ignore.
void cli_interrupt_catch(void);

// Restores the handling of the signals that was in place before cli_interrupt_catch.
void cli_interrupt_release(void);

// Returns whether a signal has arrived since cli_interrupt_catch. Runs call this function to learn whether to stop
// early.
bool cli_interrupt_came(void);

#endif
