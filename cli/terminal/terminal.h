// SPDX-License-Identifier: MIT
// What a stream's terminal can show.
#ifndef CLI_TERMINAL_TERMINAL_H
#define CLI_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

struct cli_terminal {
    bool is_terminal;
    bool escapes; // a terminal that can erase what was printed: TERM is not dumb
    bool colour;  // it can erase, and NO_COLOR is not set
    bool utf8;    // characters beyond ASCII can be shown
    bool bounded; // no line may be wider than `columns`: it is a terminal, or COLUMNS is set
    int columns;  // COLUMNS, else the terminal's width, else 80
};
struct cli_terminal cli_terminal_of(FILE *stream);

// Returns whether this process may use the terminal of a descriptor: a process in the background leaves it to others.
// It can be called in a signal handler.
bool cli_terminal_in_front(int descriptor);

// Returns the escape sequence that begins a style, or "" on a terminal without colour.
enum cli_style { CLI_PLAIN, CLI_FAINT, CLI_GREEN, CLI_YELLOW, CLI_CYAN };
const char *cli_terminal_style(const struct cli_terminal *terminal, enum cli_style style);

#endif
