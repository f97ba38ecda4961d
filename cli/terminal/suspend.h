// SPDX-License-Identifier: MIT
// Ctrl-Z while something is drawn: the process stops when the thread that draws says so, so the terminal is in order.
#ifndef CLI_TERMINAL_SUSPEND_H
#define CLI_TERMINAL_SUSPEND_H

#include <stdbool.h>

// Catches SIGTSTP and SIGCONT from now on. A second SIGTSTP before cli_suspend_if_asked stops the process at once.
void cli_suspend_catch(void);

// Restores the handling of the signals, and stops the process if that was asked for.
void cli_suspend_release(void);

// Stops the process if that was asked for.
void cli_suspend_if_asked(void);

// Returns whether the process was stopped and continued since the last call.
bool cli_suspend_continued(void);

#endif
