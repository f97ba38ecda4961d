// SPDX-License-Identifier: MIT
// Keys that are pressed while a run goes on. Standard input delivers each key at once and does not show it; Ctrl-C and
// Ctrl-Z still send their signals. The terminal gets its own settings back
//
//   1. at cli_keys_end, and while the process is stopped or in the background;
//   2. before the process ends by a second Ctrl-C or by a crash, but not if SIGKILL ends it.
//
// One thread at a time calls these functions, except cli_keys_rescue.
#ifndef CLI_TERMINAL_KEYS_H
#define CLI_TERMINAL_KEYS_H

#include <stdbool.h>

enum cli_key { CLI_KEY_NONE, CLI_KEY_PAUSE, CLI_KEY_STEP, CLI_KEY_FASTER, CLI_KEY_SLOWER, CLI_KEY_QUIT };

// Begins to read keys. Returns false if standard input is no terminal; then there are no keys.
bool cli_keys_begin(void);

// Ends it. Drops keys that were not read, so that the shell does not get them.
void cli_keys_end(void);

// Gives the terminal its own settings, before the process stops.
void cli_keys_lend(void);

// Follows the process into the background and back. `continued`: it was stopped, so the settings may be any.
void cli_keys_follow(bool continued);

// Waits until a key is pressed, `other` can be read, or the time is over. `other` is a descriptor.
void cli_keys_wait(int other, int most_ms);

// Returns the next key that was pressed, or CLI_KEY_NONE.
enum cli_key cli_keys_next(void);

// Gives the terminal its own settings. It can be called by any thread and in a signal handler.
void cli_keys_rescue(void);

#endif
