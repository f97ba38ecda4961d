// SPDX-License-Identifier: MIT
#include "cli/terminal/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 1000 };

// Returns the value of COLUMNS, or 0 if it is not set or no table fits into it.
static int columns_asked(void)
{
    const char *text = getenv("COLUMNS");
    char *end = NULL;
    long columns = text ? strtol(text, &end, 10) : 0;
    bool whole = end && end != text && !*end;
    return whole && columns >= COLUMNS_LEAST && columns <= COLUMNS_MOST ? (int)columns : 0;
}

struct cli_terminal cli_terminal_of(FILE *stream)
{
    struct cli_terminal terminal = {.columns = 80};
    terminal.is_terminal = isatty(fileno(stream)) == 1;
    const char *refused = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    bool dumb = terminal.is_terminal && kind && strcmp(kind, "dumb") == 0;
    terminal.escapes = terminal.is_terminal && !dumb;
    terminal.colour = terminal.escapes && !(refused && *refused);
    terminal.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && !dumb;
    struct winsize size;
    int asked = columns_asked();
    terminal.bounded = terminal.is_terminal || asked > 0;
    if (asked > 0) {
        terminal.columns = asked;
    } else if (terminal.is_terminal && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_LEAST) {
        terminal.columns = size.ws_col;
    }
    return terminal;
}

bool cli_terminal_in_front(int descriptor)
{
    pid_t group = tcgetpgrp(descriptor);
    return group < 0 || group == getpgrp(); // below 0: it does not control this process
}

const char *cli_terminal_style(const struct cli_terminal *terminal, enum cli_style style)
{
    static const char *const sequences[] = {[CLI_PLAIN] = "\033[0m",
                                            [CLI_FAINT] = "\033[2m",
                                            [CLI_GREEN] = "\033[32m",
                                            [CLI_YELLOW] = "\033[33m",
                                            [CLI_CYAN] = "\033[36m"};
    return terminal->colour ? sequences[style] : "";
}
