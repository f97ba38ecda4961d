// SPDX-License-Identifier: MIT
#include "cli/terminal/progress.h"

#include "cli/terminal/terminal.h"

static const double PLAIN_EVERY_S = 30.0;

struct cli_progress cli_progress_begin(bool quiet, bool plain)
{
    return (struct cli_progress){.plain = plain && !quiet, .escapes = cli_terminal_of(stderr).escapes && !quiet};
}

void cli_progress_show(struct cli_progress *progress, double elapsed_s, const char *format, ...)
{
    struct cli_line line = {0};
    va_list arguments;
    va_start(arguments, format);
    cli_line_add_list(&line, format, arguments);
    va_end(arguments);
    if (progress->escapes) {
        fprintf(stderr, "\r%.*s\033[K", cli_terminal_of(stderr).columns - 1, line.of);
        progress->shown = true;
    } else if (progress->plain && elapsed_s - progress->said_s >= PLAIN_EVERY_S) {
        fprintf(stderr, "evenkeel: %s\n", line.of);
        progress->said_s = elapsed_s;
    }
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        progress->shown = false;
    }
}
