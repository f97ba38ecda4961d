// SPDX-License-Identifier: MIT
// Ctrl-C (SIGINT), SIGTERM and SIGHUP. The first of these signals ends the run under way, which is still reported. The
// second ends the program.
#ifndef CLI_TERMINAL_INTERRUPT_H
#define CLI_TERMINAL_INTERRUPT_H

#include <stdbool.h>

// Catches the signals from now on, except those that the process was started to ignore.
void cli_interrupt_catch(void);

// The same. If the program still runs `patience_s` after the first signal, and the signals are not released, it writes
// `sentence` and exits with `status`. So a call that never returns needs no second signal.
void cli_interrupt_catch_within(unsigned patience_s, const char *sentence, int status);

// Restores the handling of the signals that was in place before cli_interrupt_catch.
void cli_interrupt_release(void);

// Does what the first signal does. It can be called by any thread.
void cli_interrupt_ask(void);

// Returns whether a signal has arrived, or cli_interrupt_ask was called, since cli_interrupt_catch. Runs call this
// function to learn whether to stop early.
bool cli_interrupt_came(void);

#endif
